//! Atomic replacement of files.

use std::path::Path;

use crate::failure::Failure;
use apg_runtime::base::temp_files::Unfinished;

/// Replaces a file atomically: after a crash it has the old contents or the new.
pub(crate) fn replace_file(path: &Path, text: &str) -> Result<(), Failure> {
    let fail =
        |error: std::io::Error| Failure::new(format!("`{}` cannot be written: {error}", path.display()));
    // Follows links, so that the target is replaced.
    let path = &std::fs::canonicalize(path).map_err(fail)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let permissions = std::fs::metadata(path).map_err(fail)?.permissions();
    let file = tempfile::NamedTempFile::new_in(folder).map_err(fail)?;
    let _unfinished = Unfinished::new(file.path());
    std::fs::write(file.path(), text).map_err(fail)?;
    file.as_file().set_permissions(permissions).map_err(fail)?;
    file.persist(path).map(|_| ()).map_err(|error| fail(error.error))
}
