//! Fingerprints of sources, which a signal handler can compute: no memory is allocated.

use std::path::Path;

/// Hashes of a path and a text.
pub(super) type Fingerprint = [u64; 2];

/// The fingerprint of a file's text.
pub(super) fn fingerprint(path: &Path, text: &str) -> Fingerprint {
    [fnv1a(path.as_os_str().as_encoded_bytes()), fnv1a(text.as_bytes())]
}

/// FNV-1a hash (Fowler, Noll and Vo).
pub(super) const fn fnv1a(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}
