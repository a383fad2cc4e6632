//! Temporary files that an interrupted command removes.

use std::collections::BTreeSet;
use std::io;
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

/// Creates a file that is to be removed when the command is interrupted. After an interruption no file is
/// created.
///
/// # Errors
/// That of `make`.
pub fn create<T: AsRef<Path>>(make: impl FnOnce() -> io::Result<T>) -> io::Result<(T, Unfinished)> {
    let mut files = FILES.lock();
    let file = make()?;
    let path = file.as_ref().to_owned();
    files.insert(path.clone());
    Ok((file, Unfinished(path)))
}

/// Removes them: the command is interrupted, and its process ends. Other threads can neither create nor
/// finish a file from here on.
pub fn remove_unfinished() {
    let files = FILES.lock();
    for file in &*files {
        // It may have been finished, or never begun.
        let _ = std::fs::remove_file(file);
    }
    std::mem::forget(files);
}
