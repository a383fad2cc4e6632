//! Why the build cache cannot be used, and what to do about it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A failed access to the build cache.
#[derive(Debug)]
pub struct CacheError {
    /// The file or folder.
    pub path: PathBuf,
    /// What the system said, or what is wrong with the folder.
    pub error: io::Error,
}

impl CacheError {
    /// An error of the file or folder `path`.
    pub fn new(path: &Path, error: io::Error) -> Self {
        Self { path: path.to_owned(), error }
    }

    /// Whether there is no room left on the disk.
    pub fn is_full(&self) -> bool {
        matches!(self.error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        if self.is_full() {
            "free some room (`apg clean` empties the build cache), or set APG_CACHE_DIR to a folder on another disk"
        } else {
            "set APG_CACHE_DIR to an empty folder of yours that can be written"
        }
    }
}

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, error } = self;
        if self.is_full() {
            write!(f, "the disk of the build cache is full: {}: {error}", path.display())
        } else {
            write!(f, "the build cache cannot be used: {}: {error}", path.display())
        }
    }
}

impl std::error::Error for CacheError {}
