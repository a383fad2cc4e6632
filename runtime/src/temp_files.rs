//! Temporary files that an interrupted command removes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

static FILES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file that is not finished while this value lives.
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// From now on, the file is to be removed when the command is interrupted.
    pub fn new(path: &Path) -> Self {
        FILES.lock().insert(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        FILES.lock().remove(&self.0);
    }
}

/// Removes them: the command is interrupted.
pub fn remove_unfinished() {
    for file in &*FILES.lock() {
        // It may have been finished, or never begun.
        let _ = std::fs::remove_file(file);
    }
}
