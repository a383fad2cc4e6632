//! Compiled kernels on disk, by the content of what they were compiled from.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The folder of the user's cache for compiled code: `$APG_CACHE_DIR`, else `apg` in the system's place for caches.
pub fn directory() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("APG_CACHE_DIR")
        .or_else(|| Some(set("XDG_CACHE_HOME")?.join("apg")))
        .or_else(|| Some(set("HOME")?.join(".cache").join("apg")))
}

/// A name for what is compiled from these parts.
pub fn key(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What was stored under that name. Each entry begins with the hash of the rest, so that a damaged one counts as missing.
pub fn load(directory: &Path, key: &str) -> Option<Vec<u8>> {
    let bytes = fs::read(path(directory, key)).ok()?;
    let (hash, content) = bytes.split_at_checked(32)?;
    (Sha256::digest(content).as_slice() == hash).then(|| content.to_vec())
}

/// Stores under that name. Readers see all of it or nothing.
pub fn store(directory: &Path, key: &str, content: &[u8]) -> io::Result<()> {
    let target = path(directory, key);
    let folder = target.parent().unwrap_or(directory);
    fs::create_dir_all(folder)?;
    let temporary = folder.join(format!("{key}.{}.new", std::process::id()));
    let mut bytes = Sha256::digest(content).to_vec();
    bytes.extend_from_slice(content);
    let result = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, &target));
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

fn path(directory: &Path, key: &str) -> PathBuf {
    directory.join("kernels").join(format!("{key}.cubin"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_found_unless_damaged() {
        let directory = tempfile::tempdir().expect("a folder");
        let key = key(&[b"source", b"sm_90"]);
        assert_eq!(load(directory.path(), &key), None);
        store(directory.path(), &key, b"code").expect("stored");
        assert_eq!(load(directory.path(), &key).as_deref(), Some(&b"code"[..]));
        let file = path(directory.path(), &key);
        let mut bytes = fs::read(&file).expect("the entry");
        *bytes.last_mut().expect("not empty") ^= 1;
        fs::write(&file, bytes).expect("written");
        assert_eq!(load(directory.path(), &key), None);
        let left: Vec<_> = fs::read_dir(file.parent().expect("a folder")).expect("a folder").collect();
        assert_eq!(left.len(), 1);
    }

    #[test]
    fn names_tell_where_parts_end() {
        assert_ne!(key(&[b"ab", b"c"]), key(&[b"a", b"bc"]));
    }
}
