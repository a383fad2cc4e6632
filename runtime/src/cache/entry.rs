//! Entries with a checksum: behind the content stand its SHA-256, its length and a mark. Loaders and linkers
//! do not read behind what the headers of an object describe, so entries are used as they are.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

const MARK: &[u8; 16] = b"apg cache entry\n";
/// Bytes behind the content: checksum, length (little endian), mark.
const TRAILER_BYTES: usize = 32 + 8 + MARK.len();

/// Puts the trailer behind a file, and the whole onto the disk: after a power failure an entry is whole or
/// absent.
pub(super) fn seal(path: &Path) -> io::Result<()> {
    let content = fs::read(path)?;
    let mut file = File::options().append(true).open(path)?;
    let mut trailer = Vec::with_capacity(TRAILER_BYTES);
    trailer.extend_from_slice(&Sha256::digest(&content));
    trailer.extend_from_slice(&(content.len() as u64).to_le_bytes());
    trailer.extend_from_slice(MARK);
    file.write_all(&trailer)?;
    file.sync_all()
}

/// The content of an undamaged entry.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = fs::read(path).ok()?;
    let content = content(&bytes)?.len();
    bytes.truncate(content);
    Some(bytes)
}

/// Whether an entry is there and undamaged.
pub(super) fn is_intact(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| content(&bytes).is_some())
}

fn content(bytes: &[u8]) -> Option<&[u8]> {
    let (content, trailer) = bytes.split_at_checked(bytes.len().checked_sub(TRAILER_BYTES)?)?;
    let intact = trailer.ends_with(MARK)
        && trailer[32..40] == (content.len() as u64).to_le_bytes()
        && trailer[..32] == Sha256::digest(content)[..];
    intact.then_some(content)
}
