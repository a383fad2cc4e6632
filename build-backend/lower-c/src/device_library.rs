//! Functions of the C library as a further file of the program, `device_library.c`: code of devices calls
//! them where the program has none of its own.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use apg_c_analysis::{AnalysisHost, FileSystem, Parsed, Toolchain, parsed};

/// The classes of a character by the table that the headers of the GNU C library index.
pub(crate) const CHARACTER_CLASSES: &str = "__builtin_character_classes";

/// The library includes nothing.
struct NoHeaders;

impl FileSystem for NoHeaders {
    fn read(&self, _: &Path) -> Option<Arc<str>> {
        None
    }
}

/// The library, which never changes.
pub(crate) fn device_library() -> &'static Parsed {
    static PARSED: LazyLock<Arc<Parsed>> = LazyLock::new(|| {
        let mut host = AnalysisHost::new(Arc::new(NoHeaders));
        let text = include_str!("device_library.c");
        let file =
            host.set_file(Path::new("/device_library.c"), text.into(), &Arc::new(Toolchain::default()));
        parsed(host.database(), file).clone()
    });
    &PARSED
}
