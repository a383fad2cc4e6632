//! Files that are being written: when the command is interrupted, they go.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

static FILES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file that is not finished while this value lives.
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// From now on, the file is to be removed when the command is interrupted.
    pub fn new(path: &Path) -> Self {
        FILES.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        FILES.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

/// The command is interrupted.
pub fn remove_unfinished() {
    for file in &*FILES.lock().unwrap_or_else(PoisonError::into_inner) {
        // It may have been finished, or never begun.
        let _ = std::fs::remove_file(file);
    }
}
