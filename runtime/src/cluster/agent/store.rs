//! Programs that launchers have sent: files of the private build cache, named by their SHA-256.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::cache::{Cache, InUse};
use crate::cluster::identity::hexadecimal;

/// Maximum size of a program.
const MAX_PROGRAM_BYTES: usize = 1 << 30;

/// A program that is in the cache, or arrives.
pub(super) struct Store {
    cache: Cache,
    path: PathBuf,
    digest: [u8; 32],
    /// Keeps it in the cache.
    _in_use: InUse,
    /// What has arrived.
    bytes: Vec<u8>,
    is_complete: bool,
}

impl Store {
    /// Looks for the program with this SHA-256.
    pub(super) fn open(digest: [u8; 32]) -> Result<Store, String> {
        let cache = Cache::default();
        let in_use = cache.acquire().map_err(|error| format!("{error}; {}", error.hint()))?;
        let path = cache.path("sent-programs", &hexadecimal(&digest), "so");
        let is_complete = cache.contains(&path);
        Ok(Store { cache, path, digest, _in_use: in_use, bytes: Vec::new(), is_complete })
    }

    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Appends a part; an empty one is the end, at which the whole is verified and stored.
    pub(super) fn add(&mut self, part: &[u8]) -> Result<(), String> {
        if self.bytes.len() + part.len() > MAX_PROGRAM_BYTES {
            return Err("the program is too long".to_owned());
        }
        self.bytes.extend_from_slice(part);
        if !part.is_empty() {
            return Ok(());
        }
        let bytes = std::mem::take(&mut self.bytes);
        if Sha256::digest(&bytes)[..] != self.digest {
            return Err("the program has been damaged on its way".to_owned());
        }
        self.cache.store(&self.path, &bytes).map_err(|error| format!("{error}; {}", error.hint()))?;
        self.is_complete = true;
        Ok(())
    }

    /// The file.
    pub(super) fn path(&self) -> Result<&Path, String> {
        if self.is_complete { Ok(&self.path) } else { Err("the program has not arrived".to_owned()) }
    }
}
