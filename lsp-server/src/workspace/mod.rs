//! Files of the workspace that are not open. They are read at the start, on a thread of their own.

pub(crate) mod library;
pub(crate) mod watcher;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_project::sources::{self, LoadError};

/// Reading ends after this many files: a folder with more is a home folder, not a workspace.
const MAX_FILES: usize = 20_000;

/// Larger sources are not analysed: the editor would wait for minutes, and analysis needs a hundred bytes for
/// each of the source's.
pub(crate) const MAX_ANALYZED_BYTES: usize = 8 << 20;

/// Contents of folders and the folders below them.
#[derive(Debug, Default)]
pub(crate) struct WorkspaceFiles {
    /// All `.x10` files.
    pub files: Vec<(PathBuf, Arc<str>)>,
    /// All folders that were read.
    pub folders: Vec<PathBuf>,
}

/// Reads all `.x10` files in and below `folders`, except for hidden folders and outputs of build tools.
pub(crate) fn read_folders(folders: &[PathBuf]) -> WorkspaceFiles {
    let mut found = WorkspaceFiles::default();
    let mut pending: Vec<PathBuf> = folders.to_vec();
    while let Some(folder) = pending.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            // The type of a link itself: links may form cycles.
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && !is_excluded(&path) {
                pending.push(path);
            } else if kind.is_file()
                && is_source(&path)
                && let Ok(text) = read_source(&path)
            {
                found.files.push((path, text));
                if found.files.len() == MAX_FILES {
                    return found;
                }
            }
        }
        found.folders.push(folder);
    }
    found
}

/// Reads a source file.
///
/// # Errors
/// The file does not exist, is not UTF-8, or is too large to be analysed.
pub(crate) fn read_source(path: &Path) -> Result<Arc<str>, LoadError> {
    sources::read(path, MAX_ANALYZED_BYTES as u64)
}

/// Whether a path is that of an X10 source file.
pub(crate) fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "x10")
}

/// Whether a folder is hidden or holds outputs of a build tool. `build` may also be the name of a package.
pub(crate) fn is_excluded(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    match &*name {
        "node_modules" => true,
        "target" | "build" | "dist" | "out" => is_output(folder),
        name => name.starts_with('.'),
    }
}

/// Whether a folder has a build tool's marker file, or is beside a project file whose tool writes such a
/// folder.
fn is_output(folder: &Path) -> bool {
    const MARKERS: &[&str] = &["CACHEDIR.TAG", ".rustc_info.json", "CMakeCache.txt", "build.ninja"];
    const PROJECTS: &[&str] = &["Cargo.toml", "package.json", "pom.xml", "build.gradle", "CMakeLists.txt"];
    MARKERS.iter().any(|name| folder.join(name).exists())
        || folder.parent().is_some_and(|around| PROJECTS.iter().any(|name| around.join(name).exists()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_build_tools_are_excluded() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("below")).expect("made");
            std::fs::write(path, "class A {}").expect("written");
        };
        for name in ["build/A.x10", "app/target/CACHEDIR.TAG", "app/target/A.x10", "web/package.json"] {
            write(name);
        }
        for name in ["web/dist/A.x10", "web/node_modules/A.x10", ".hidden/A.x10", "app/x/dist/A.x10"] {
            write(name);
        }
        let found = read_folders(&[folder.path().to_owned()]);
        let mut names: Vec<_> =
            found.files.iter().map(|(path, _)| path.strip_prefix(folder.path()).expect("below")).collect();
        names.sort();
        assert_eq!(names, [Path::new("app/x/dist/A.x10"), Path::new("build/A.x10")]);
    }
}
