//! The files of the workspace that are not open: read at the start, on a thread of their own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_project::sources::{self, LoadError};

use crate::document;

/// At most so many files are read: a folder with more is not a workspace but a home.
const MOST_FILES: usize = 20_000;

/// What lies in and below some folders.
#[derive(Debug, Default)]
pub struct Found {
    /// All `.x10` files.
    pub files: Vec<(PathBuf, Arc<str>)>,
    /// All folders that were read.
    pub folders: Vec<PathBuf>,
}

/// Reads all `.x10` files in and below these folders. Hidden folders and what builds and package managers make are left out.
pub fn read(folders: &[PathBuf]) -> Found {
    let mut found = Found::default();
    let mut open: Vec<PathBuf> = folders.to_vec();
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            // Links may lead round in circles.
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && !is_left_out(&path) {
                open.push(path);
            } else if kind.is_file()
                && is_source(&path)
                && let Ok(text) = source(&path)
            {
                found.files.push((path, text));
                if found.files.len() == MOST_FILES {
                    return found;
                }
            }
        }
        found.folders.push(folder);
    }
    found
}

/// The text of a file on the disk.
///
/// # Errors
/// It is not there, is no text, or is too large to be analysed.
pub fn source(path: &Path) -> Result<Arc<str>, LoadError> {
    sources::read(path, document::LARGEST as u64)
}

/// Whether a file is one of ours by its name.
pub fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "x10")
}

/// Whether a folder is hidden or holds what tools made: a package may be called `build` too.
pub fn is_left_out(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    match &*name {
        "node_modules" => true,
        "target" | "build" | "dist" | "out" => is_output(folder),
        name => name.starts_with('.'),
    }
}

/// Whether a tool marked a folder as its own, or the project beside it is one whose tool makes such a folder.
fn is_output(folder: &Path) -> bool {
    const MARKS: &[&str] = &["CACHEDIR.TAG", ".rustc_info.json", "CMakeCache.txt", "build.ninja"];
    const PROJECTS: &[&str] = &["Cargo.toml", "package.json", "pom.xml", "build.gradle", "CMakeLists.txt"];
    MARKS.iter().any(|name| folder.join(name).exists())
        || folder.parent().is_some_and(|around| PROJECTS.iter().any(|name| around.join(name).exists()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_may_be_called_as_output_folders_are() {
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
        let found = read(&[folder.path().to_owned()]);
        let mut names: Vec<_> =
            found.files.iter().map(|(path, _)| path.strip_prefix(folder.path()).expect("below")).collect();
        names.sort();
        assert_eq!(names, [Path::new("app/x/dist/A.x10"), Path::new("build/A.x10")]);
    }
}
