//! Files that commands change.

use std::path::Path;

use super::Failure;
use apg_runtime::base::temp_files::Unfinished;

/// Replaces a file in one step, so that a crash leaves the old text or the new.
pub fn file(path: &Path, text: &str) -> Result<(), Failure> {
    let fail =
        |error: std::io::Error| Failure::new(format!("`{}` cannot be written: {error}", path.display()));
    // What is named by a link is changed where it is.
    let path = &std::fs::canonicalize(path).map_err(fail)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let permissions = std::fs::metadata(path).map_err(fail)?.permissions();
    let file = tempfile::NamedTempFile::new_in(folder).map_err(fail)?;
    let _unfinished = Unfinished::new(file.path());
    std::fs::write(file.path(), text).map_err(fail)?;
    file.as_file().set_permissions(permissions).map_err(fail)?;
    file.persist(path).map(|_| ()).map_err(|error| fail(error.error))
}
