//! The database of C files: open documents, with headers from the disk.

use std::path::Path;
use std::sync::Arc;

use apg_c_analysis::{Analysis, AnalysisHost, Toolchain};
use apg_project::c::{self, Disk};

/// The database of C files. The folders of headers are requested of the compiler when the first document is
/// opened.
pub(crate) struct CFiles {
    host: AnalysisHost,
    disk: Arc<Disk>,
    toolchain: Option<Arc<Toolchain>>,
}

impl Default for CFiles {
    fn default() -> CFiles {
        let disk = Arc::new(Disk::default());
        CFiles { host: AnalysisHost::new(disk.clone()), disk, toolchain: None }
    }
}

impl CFiles {
    /// Sets the text of a document.
    pub(crate) fn set(&mut self, path: &Path, text: Arc<str>) {
        // Without flags of the user's there is always an answer.
        let request = || Arc::new(c::toolchain(&[]).unwrap_or_default());
        let toolchain = self.toolchain.get_or_insert_with(request).clone();
        self.host.set_file(path, text, &toolchain);
    }

    /// Forgets a document.
    pub(crate) fn remove(&mut self, path: &Path) {
        self.host.remove_file(path);
    }

    /// Reads headers again, which may have changed on the disk.
    pub(crate) fn reload_headers(&mut self) {
        self.disk.forget();
        self.host.headers_changed();
    }

    /// A snapshot.
    pub(crate) fn snapshot(&self) -> Analysis {
        self.host.snapshot()
    }
}
