//! The tag that marks a folder as the build cache, after the Cache Directory Tagging Specification
//! (<https://bford.info/cachedir/>): entries are made in, and removed from, tagged folders only, so that a
//! folder of other files that `$APG_CACHE_DIR` names by mistake loses nothing.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Name of the file, by which backup programs recognise caches.
pub(super) const TAG: &str = "CACHEDIR.TAG";
/// The specification's signature, and the line that tells this cache from those of other programs.
const TEXT: &str =
    "Signature: 8a477f597d28d172789f06886806bc55\n# Build cache of apg: `apg clean` empties it.\n";

/// What a cache without a tag consists of: a folder is only taken over if it holds nothing else. Files of one
/// version of the server have that behind the name: `quarantine-0.1.0`.
const ENTRIES: [&str; 14] = [
    "agents",
    "c-compilers",
    "debugger",
    "include",
    "kernels",
    "library",
    "lock",
    "objects",
    "programs",
    "quarantine",
    "sent-programs",
    "set-aside",
    "temporary",
    "trimmed",
];

/// Tags a folder that is empty or a cache.
///
/// # Errors
/// When it holds other files, or the tag cannot be written.
pub(super) fn ensure(root: &Path) -> io::Result<()> {
    if is_tagged(root) {
        return Ok(());
    }
    for entry in fs::read_dir(root)? {
        let name = entry?.file_name();
        if !name.to_str().is_some_and(is_of_cache) {
            // Another process has tagged it meanwhile.
            if is_tagged(root) {
                return Ok(());
            }
            return Err(io::Error::new(
                io::ErrorKind::DirectoryNotEmpty,
                format!(
                    "it is not a build cache: it holds other files, such as `{}`, which the cache would remove in time",
                    name.display()
                ),
            ));
        }
    }
    // Written whole: processes that start at the same time read the tag, or find none.
    let mut file = tempfile::Builder::new().prefix("temporary-").tempfile_in(root)?;
    file.write_all(TEXT.as_bytes())?;
    file.persist(root.join(TAG)).map(drop).map_err(|error| error.error)
}

fn is_tagged(root: &Path) -> bool {
    fs::read(root.join(TAG)).is_ok_and(|text| text == TEXT.as_bytes())
}

fn is_of_cache(name: &str) -> bool {
    ENTRIES.iter().any(|entry| {
        name.strip_prefix(entry).is_some_and(|version| version.is_empty() || version.starts_with('-'))
    })
}
