//! A folder of files named by what they were made from. Writers make a temporary file and rename it, so that concurrent
//! builds never see half a file; whoever is first wins.

use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::{NamedTempFile, TempPath};

use super::unfinished::Unfinished;

use super::BuildError;

/// The build cache: `$APG_CACHE_DIR`, else `$XDG_CACHE_HOME/apg`, else `~/.cache/apg`.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
}

/// A folder of headers and the key of their contents.
#[derive(Clone, Debug)]
pub struct Headers {
    /// For `-I`.
    pub folder: PathBuf,
    /// Changes with their contents.
    pub key: String,
}

impl Default for Cache {
    fn default() -> Self {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let root = variable("APG_CACHE_DIR")
            .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("apg")))
            .or_else(|| Some(variable("HOME")?.join(".cache/apg")))
            .unwrap_or_else(|| std::env::temp_dir().join("apg-cache"));
        Self { root }
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

    /// Where the file of this kind and key is, or will be.
    pub fn path(&self, kind: &str, key: &str, ending: &str) -> PathBuf {
        let (start, rest) = key.split_at(2);
        self.root.join(kind).join(start).join(format!("{rest}.{ending}"))
    }

    /// Has `make` write a temporary file, which then becomes `target` in one step.
    pub fn produce(
        &self,
        target: &Path,
        make: impl FnOnce(&Path) -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        let folder = target.parent().unwrap_or(&self.root);
        let file = self.in_cache(folder, || {
            std::fs::create_dir_all(folder)?;
            NamedTempFile::with_prefix_in("new-", folder)
        })?;
        // Only the path: the compiler writes the file itself.
        let path = file.into_temp_path();
        let _unfinished = Unfinished::new(&path);
        make(&path)?;
        // The first one stays: a running program may be about to load it at its other places, and the same source does
        // not always give the same bytes.
        match path.persist_noclobber(target) {
            Err(error) if error.error.kind() != std::io::ErrorKind::AlreadyExists => {
                Err(BuildError::Cache { path: target.to_owned(), error: error.error })
            }
            _ => Ok(()),
        }
    }

    /// A file with these contents that goes when the value is dropped. Its name ends in `name`.
    pub fn temporary(&self, name: &str, contents: &[u8]) -> Result<Temporary, BuildError> {
        let folder = self.root.join("temporary");
        let path = self.in_cache(&folder, || {
            std::fs::create_dir_all(&folder)?;
            let mut file = tempfile::Builder::new().suffix(&format!("-{name}")).tempfile_in(&folder)?;
            file.write_all(contents)?;
            Ok(file.into_temp_path())
        })?;
        Ok(Temporary { _unfinished: Unfinished::new(&path), path })
    }

    /// Writes headers, once for the same contents.
    pub fn headers(&self, headers: &[(&str, &str)]) -> Result<Headers, BuildError> {
        let parts: Vec<&str> = headers.iter().flat_map(|(name, text)| [*name, *text]).collect();
        let key = key(&parts);
        let folder = self.root.join("include").join(&key);
        for (name, text) in headers {
            let path = folder.join(name);
            if path.is_file() {
                continue;
            }
            self.produce(&path, |output| {
                std::fs::write(output, text)
                    .map_err(|error| BuildError::Cache { path: output.to_owned(), error })
            })?;
        }
        Ok(Headers { folder, key })
    }

    /// Marks a file as used now. That it fails on a read-only cache does not matter.
    pub fn touch(&self, path: &Path) {
        if let Ok(file) = std::fs::File::options().append(true).open(path) {
            let _ = file.set_modified(std::time::SystemTime::now());
        }
    }

    /// Removes everything; the number of bytes that were in it.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn clear(&self) -> std::io::Result<u64> {
        if !self.root.exists() {
            return Ok(0);
        }
        let bytes = size(&self.root)?;
        std::fs::remove_dir_all(&self.root)?;
        Ok(bytes)
    }

    fn in_cache<T>(&self, path: &Path, action: impl FnOnce() -> std::io::Result<T>) -> Result<T, BuildError> {
        action().map_err(|error| BuildError::Cache { path: path.to_owned(), error })
    }
}

/// A file that goes with this value.
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

fn size(folder: &Path) -> std::io::Result<u64> {
    let mut total = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        total += if kind.is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(total)
}

/// The SHA-256 of the parts, in hexadecimal. Lengths are part of it, so that no two lists run together.
pub fn key(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_lists_apart() {
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_eq!(key(&["a"]).len(), 64);
    }

    #[test]
    fn a_failed_production_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().to_owned());
        let target = cache.path("objects", "abcdef", "o");
        let refused = |_: &Path| Err(BuildError::Refused { what: "it".into(), message: String::new() });
        assert!(cache.produce(&target, refused).is_err());
        let left: Vec<_> = std::fs::read_dir(target.parent().unwrap()).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
        cache
            .produce(&target, |path| {
                std::fs::write(path, "x").unwrap();
                Ok(())
            })
            .unwrap();
        assert_eq!(cache.clear().unwrap(), 1);
        assert!(!folder.path().exists());
    }
}
