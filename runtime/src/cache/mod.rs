//! The build cache: a private, content-addressed folder of compiled code.
//!
//! What is in it is loaded and run, so the folder belongs to one user and nobody else may write to it
//! ([`private`]), and nothing else is in it ([`tag`]). Entries are named by a hash of what they were made
//! from, written whole, and carry a checksum ([`entry`]): a damaged one counts as missing and is made again.
//! Users hold a shared lock while they need entries, so that removal ([`evict`]) waits for them.

mod entry;
mod error;
mod evict;
mod location;
mod private;
mod tag;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::{NamedTempFile, TempPath};

use crate::base::temp_files::{self, Unfinished};

pub use error::CacheError;

/// File on which users hold a shared lock and removal an exclusive one.
const LOCK: &str = "lock";

/// A build cache; see [`Cache::default`] for where.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
}

/// A shared lock on a cache: while this value lives, no entry is removed.
#[derive(Debug)]
pub struct InUse {
    /// `None` on file systems without locks.
    _lock: Option<File>,
}

impl Default for Cache {
    /// `$APG_CACHE_DIR`, else `$XDG_CACHE_HOME/apg`, else `.cache/apg` in the user's home folder, else a
    /// folder of the user in the system's place for temporary files.
    fn default() -> Self {
        Self { root: location::find() }
    }
}

impl Cache {
    /// A cache in this folder, made when it is first needed.
    pub fn at(root: PathBuf) -> Self {
        Self { root }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the entry of this kind and key is, or will be.
    pub fn path(&self, kind: &str, key: &str, extension: &str) -> PathBuf {
        let (start, rest) = key.split_at(2);
        self.root.join(kind).join(start).join(format!("{rest}.{extension}"))
    }

    /// Makes the folder if need be, and checks that it is private.
    ///
    /// # Errors
    /// When it cannot be made, belongs to another user, can be written by others, or holds other files.
    pub fn prepare(&self) -> Result<(), CacheError> {
        private::prepare(&self.root).map_err(|error| CacheError::new(&self.root, error))
    }

    /// Prepares the folder, removes what is old or too much once an hour, and keeps the rest until the result
    /// is dropped.
    ///
    /// # Errors
    /// See [`Cache::prepare`]; also when `$APG_CACHE_SIZE` is no size.
    pub fn acquire(&self) -> Result<InUse, CacheError> {
        self.prepare()?;
        evict::trim_if_due(self)?;
        Ok(self.hold())
    }

    /// As [`Cache::acquire`], for a process that uses what another one has acquired: removes nothing.
    pub fn hold(&self) -> InUse {
        let lock = self.open_lock().and_then(|file| file.lock_shared().map(|()| file));
        InUse { _lock: lock.ok() }
    }

    fn open_lock(&self) -> io::Result<File> {
        File::options().read(true).write(true).create(true).truncate(false).open(self.root.join(LOCK))
    }

    /// Whether an entry is there and undamaged. Marks it as used.
    pub fn contains(&self, path: &Path) -> bool {
        let intact = entry::is_intact(path);
        if intact {
            touch(path);
        }
        intact
    }

    /// The content of an entry, if it is there and undamaged. Marks it as used.
    pub fn load(&self, path: &Path) -> Option<Vec<u8>> {
        let content = entry::read(path)?;
        touch(path);
        Some(content)
    }

    /// Makes a folder for entries. The cache is prepared before it holds anything: a folder without the tag
    /// that holds entries of unknown kinds is refused from then on.
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        private::prepare(&self.root)?;
        private::create_folder(folder)
    }

    /// Has `make` write a temporary file, which then becomes the entry `target` in one step. An entry that
    /// another process has made meanwhile stays: running programs may be about to load it, and the same
    /// source does not always give the same bytes.
    ///
    /// # Errors
    /// That of `make`, or a [`CacheError`].
    pub fn produce<E: From<CacheError>>(
        &self,
        target: &Path,
        make: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = |error| CacheError::new(target, error);
        let folder = target.parent().unwrap_or(&self.root);
        // Only the path: a compiler writes the file itself.
        let create = || Ok(NamedTempFile::with_prefix_in("new-", folder)?.into_temp_path());
        let created = self.make_folder(folder).and_then(|()| temp_files::create(create));
        let (path, _unfinished) = created.map_err(failed)?;
        make(&path)?;
        entry::seal(&path).map_err(failed)?;
        let replaced = match path.persist_noclobber(target) {
            Ok(()) => Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                if entry::is_intact(target) {
                    Ok(())
                } else {
                    error.path.persist(target).map_err(|it| it.error)
                }
            }
            Err(error) => Err(error.error),
        };
        Ok(replaced.map_err(failed)?)
    }

    /// Makes an entry of `content`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn store(&self, target: &Path, content: &[u8]) -> Result<(), CacheError> {
        self.produce(target, |path| fs::write(path, content).map_err(|error| CacheError::new(path, error)))
    }

    /// Writes a file that programs read as it is (a header, a script): no checksum, but compared with what it
    /// should hold.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_text(&self, path: &Path, text: &str) -> Result<(), CacheError> {
        if fs::read(path).is_ok_and(|found| found == text.as_bytes()) {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(&self.root);
        let write = || {
            self.make_folder(folder)?;
            let mut file = NamedTempFile::with_prefix_in("new-", folder)?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(path).map_err(|error| error.error)?;
            Ok(())
        };
        write().map_err(|error| CacheError::new(path, error))
    }

    /// A file with these contents that is removed when the value is dropped. Its name ends in `name`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn temporary(&self, name: &str, contents: &[u8]) -> Result<Temporary, CacheError> {
        let folder = self.root.join("temporary");
        let write = || {
            let mut file = tempfile::Builder::new().suffix(&format!("-{name}")).tempfile_in(&folder)?;
            file.write_all(contents)?;
            Ok(file.into_temp_path())
        };
        let created = self.make_folder(&folder).and_then(|()| temp_files::create(write));
        let (path, unfinished) = created.map_err(|error| CacheError::new(&folder, error))?;
        Ok(Temporary { path, _unfinished: unfinished })
    }

    /// Removes everything, once nobody uses it; the number of bytes that were in it. Calls `waiting` if
    /// others use it just now.
    ///
    /// # Errors
    /// When the folder belongs to another user or is not a cache, or a file cannot be removed.
    pub fn clear(&self, waiting: impl FnOnce()) -> Result<u64, CacheError> {
        evict::clear(self, waiting).map_err(|error| CacheError::new(&self.root, error))
    }
}

/// A file that is removed with this value.
#[derive(Debug)]
pub struct Temporary {
    path: TempPath,
    _unfinished: Unfinished,
}

impl Temporary {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Marks a file as used now. That it fails on a read-only file system does not matter.
fn touch(path: &Path) {
    if let Ok(file) = File::options().append(true).open(path) {
        let _ = file.set_modified(std::time::SystemTime::now());
    }
}

/// The SHA-256 of the parts, in hexadecimal. Lengths are part of it, so that no two lists run together.
pub fn key<Part: AsRef<[u8]>>(parts: &[Part]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.as_ref().len() as u64).to_le_bytes());
        hash.update(part.as_ref());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
