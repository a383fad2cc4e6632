//! Removal of entries: all of them on request; and, once an hour, those that were not used for a month and,
//! least recently used first, those beyond the size limit.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::tag::{self, TAG};
use super::{Cache, CacheError, LOCK, private};
use crate::base::byte_size;

/// File whose time is that of the last removal.
const TRIMMED: &str = "trimmed";
const TRIM_INTERVAL: Duration = Duration::from_secs(60 * 60);
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Temporary files of interrupted builds are older than that.
const MAX_AGE_OF_TEMPORARY: Duration = Duration::from_secs(24 * 60 * 60);
/// Unless `$APG_CACHE_SIZE` says otherwise.
const DEFAULT_MAX_BYTES: u64 = 5 << 30;
/// Of the limit, what is free after entries were removed because of it.
const FREED_PER_CENT: u64 = 20;

/// A file of the cache.
struct Found {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

/// Removes what is old or too much, unless that was done within the hour or others use the cache now.
pub(super) fn trim_if_due(cache: &Cache) -> Result<(), CacheError> {
    let limit = limit().map_err(|error| CacheError::new(&cache.root, error))?;
    let stamp = cache.root.join(TRIMMED);
    let age = fs::metadata(&stamp).and_then(|data| data.modified()).map(|time| time.elapsed());
    if age.is_ok_and(|age| age.is_ok_and(|age| age < TRIM_INTERVAL)) {
        return Ok(());
    }
    // What cannot be removed now can be later; builds go on.
    if let Ok(lock) = cache.open_lock()
        && lock.try_lock().is_ok()
        && File::create(&stamp).is_ok()
    {
        trim(&cache.root, limit, SystemTime::now());
    }
    Ok(())
}

/// The limit in bytes.
fn limit() -> io::Result<u64> {
    match std::env::var("APG_CACHE_SIZE").ok().filter(|value| !value.trim().is_empty()) {
        None => Ok(DEFAULT_MAX_BYTES),
        Some(text) => match byte_size::parse(text.trim()) {
            Ok(bytes) => Ok(bytes as u64),
            Err(error) => {
                Err(io::Error::new(io::ErrorKind::InvalidInput, format!("APG_CACHE_SIZE: {error}")))
            }
        },
    }
}

/// Removes entries that are too old, and then the least recently used ones until the rest is below the limit.
pub(super) fn trim(root: &Path, limit: u64, now: SystemTime) {
    let mut files = Vec::new();
    collect(root, &mut files);
    files.retain(|file| {
        let age = now.duration_since(file.used).unwrap_or_default();
        let is_temporary =
            file.path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"new-"))
                || file.path.parent().is_some_and(|folder| folder.ends_with("temporary"));
        let keep = age < if is_temporary { MAX_AGE_OF_TEMPORARY } else { MAX_AGE };
        keep || fs::remove_file(&file.path).is_err()
    });
    let mut total: u64 = files.iter().map(|file| file.bytes).sum();
    if total <= limit {
        return;
    }
    files.sort_by_key(|file| file.used);
    for file in &files {
        if total <= limit - limit / 100 * FREED_PER_CENT {
            break;
        }
        if fs::remove_file(&file.path).is_ok() {
            total -= file.bytes;
        }
    }
}

/// The files in and below a folder, without those by which the cache is managed.
fn collect(folder: &Path, files: &mut Vec<Found>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(data) = entry.metadata() else { continue };
        if data.is_dir() {
            collect(&entry.path(), files);
        } else if ![LOCK, TAG, TRIMMED].iter().any(|own| entry.file_name() == *own) {
            let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            files.push(Found { path: entry.path(), bytes: data.len(), used });
        }
    }
}

/// Removes everything but the lock and the tag, and makes the folder private; the number of bytes that were
/// removed.
pub(super) fn clear(cache: &Cache, waiting: impl FnOnce()) -> io::Result<u64> {
    let folder = match fs::metadata(&cache.root) {
        Ok(folder) => folder,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    private::check_owner(&folder)?;
    tag::ensure(&cache.root)?;
    fs::set_permissions(&cache.root, fs::Permissions::from_mode(folder.mode() & 0o7700))?;
    let lock = cache.open_lock()?;
    if let Err(TryLockError::WouldBlock) = lock.try_lock() {
        waiting();
        lock.lock()?;
    }
    let mut files = Vec::new();
    collect(&cache.root, &mut files);
    for entry in fs::read_dir(&cache.root)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else if entry.file_name() != LOCK && entry.file_name() != TAG {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(files.iter().map(|file| file.bytes).sum())
}
