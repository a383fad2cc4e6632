//! The files of the workspace that are not open: read once at the start, on a thread of their own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_build::project;

use crate::document;

/// At most so many files are read: a folder with more is not a workspace but a home.
const MOST_FILES: usize = 20_000;

/// All `.x10` files in and below these folders. Hidden folders and what builds and package managers make are left out.
pub fn read(folders: &[PathBuf]) -> Vec<(PathBuf, Arc<str>)> {
    let mut found = Vec::new();
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
                && path.extension().is_some_and(|e| e == "x10")
                && let Some(text) = source(&path)
            {
                found.push((path, text));
                if found.len() == MOST_FILES {
                    return found;
                }
            }
        }
    }
    found
}

/// The text of a file on the disk, if it is there, is text, and is not too large to be analysed.
pub fn source(path: &Path) -> Option<Arc<str>> {
    let size = std::fs::metadata(path).ok()?.len();
    if size > document::LARGEST as u64 {
        return None;
    }
    project::read(path).ok()
}

fn is_left_out(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || matches!(&*name, "target" | "node_modules" | "dist" | "build")
}
