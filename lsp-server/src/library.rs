//! The class library as files that an editor can open: it lives inside the server, so that those that someone looks at are
//! written, read-only, to the cache.

use std::io::Write;
use std::path::{Path, PathBuf};

use apg_runtime::cache::Cache;

/// The folder of this version's library.
fn folder() -> PathBuf {
    Cache::default().root().join("library").join(env!("CARGO_PKG_VERSION"))
}

/// The file that shows the library's file at this package path, written if need be.
pub fn shown(package_path: &Path, text: &str) -> Option<PathBuf> {
    let path = folder().join(package_path);
    // Another build of the same version may have left another text.
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

/// The package path that a file shows if it is of the library, else its own path.
pub fn inside(path: &Path) -> PathBuf {
    path.strip_prefix(folder()).unwrap_or(path).to_owned()
}
