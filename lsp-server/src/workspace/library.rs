//! The class library as read-only files that an editor can open. The library is inside the server; files that
//! a client opens are written to the cache.

use std::io::Write;
use std::path::{Path, PathBuf};

use apg_runtime::cache::Cache;

/// The folder of this version's library in the cache.
fn folder() -> PathBuf {
    Cache::default().root().join("library").join(env!("CARGO_PKG_VERSION"))
}

/// Path of a library file in the cache, where it is written if it is missing. `None` if it cannot be written.
pub(crate) fn materialize(package_path: &Path, text: &str) -> Option<PathBuf> {
    let path = folder().join(package_path);
    // Another build of the same version may have written another text.
    if std::fs::read_to_string(&path).is_ok_and(|old| old == text) {
        return Some(path);
    }
    Cache::default().prepare().ok()?;
    let parent = path.parent()?;
    std::fs::create_dir_all(parent).ok()?;
    let mut file = tempfile::NamedTempFile::new_in(parent).ok()?;
    file.write_all(text.as_bytes()).ok()?;
    let mut permissions = file.as_file().metadata().ok()?.permissions();
    permissions.set_readonly(true);
    file.as_file().set_permissions(permissions).ok()?;
    file.persist(&path).ok()?;
    Some(path)
}

/// The package path of a materialized library file; other paths are returned as they are.
pub(crate) fn package_path(path: &Path) -> PathBuf {
    path.strip_prefix(folder()).unwrap_or(path).to_owned()
}
