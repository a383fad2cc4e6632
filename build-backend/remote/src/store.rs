//! Content-addressed store of sent files (as of git's objects), and the trees of files that programs are
//! built in. A tree is named by the hash of its manifest and never changes, so that jobs share it and a build
//! of the same sources finds the same paths.

use std::fs::{self, File, FileTimes};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use apg_runtime::cluster::identity::hexadecimal;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::folder;
use crate::protocol::{FileEntry, MAX_FILES, MAX_TREE_BYTES};

/// Files and trees that were not used for that long are removed.
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Maximum memory that decompression may use, as a power of two.
const MAX_WINDOW_LOG: u32 = 27;

/// The files that clients have sent.
#[derive(Debug)]
pub(crate) struct Store {
    files: PathBuf,
    trees: PathBuf,
}

/// Checks what a client has named: paths below the root, and how many and how long the files are.
///
/// # Errors
/// What is wrong, in words.
pub(crate) fn check(files: &[FileEntry]) -> Result<(), String> {
    if files.len() > MAX_FILES {
        return Err(format!("the program has more than {MAX_FILES} files"));
    }
    if files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.length)) > MAX_TREE_BYTES {
        return Err(format!("the files of the program have more than {} MiB", MAX_TREE_BYTES >> 20));
    }
    match files.iter().find(|file| !is_below_root(&file.path)) {
        Some(file) => Err(format!("`{}` is no path below the program's root", file.path.escape_debug())),
        None => Ok(()),
    }
}

/// Whether a path stays below a folder that it is joined to.
pub(crate) fn is_below_root(path: &str) -> bool {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    !path.is_empty() && !path.contains('\0') && Path::new(path).components().all(is_plain)
}

impl Store {
    /// The store in the user's folder.
    pub(crate) fn open(root: &Path) -> Result<Store, String> {
        let (files, trees) = (root.join("files"), root.join("trees"));
        for path in [&files, &trees] {
            folder::create(path).map_err(|error| folder::describe(path, &error))?;
        }
        Ok(Store { files, trees })
    }

    fn path(&self, digest: &[u8; 32]) -> PathBuf {
        self.files.join(hexadecimal(digest))
    }

    /// Whether a file is there: with the right length, since it was verified when it was written.
    fn has(&self, file: &FileEntry) -> bool {
        fs::metadata(self.path(&file.digest)).is_ok_and(|data| data.len() == file.length)
    }

    fn tree_path(&self, files: &[FileEntry]) -> PathBuf {
        let mut hash = Sha256::new();
        for file in files {
            hash.update((file.path.len() as u64).to_le_bytes());
            hash.update(&file.path);
            hash.update(file.digest);
        }
        self.trees.join(&hexadecimal(&hash.finalize())[..32])
    }

    /// The indices of the files that have to be sent for a tree.
    pub(crate) fn missing(&self, files: &[FileEntry]) -> Vec<u32> {
        if self.tree_path(files).is_dir() {
            return Vec::new();
        }
        (0_u32..).zip(files).filter(|(_, file)| !self.has(file)).map(|(index, _)| index).collect()
    }

    /// Reads files that were sent one after the other in one compressed stream (RFC 8878), and stores them.
    /// Neither memory nor disk depend on what the stream says: its window is limited, and it is read no
    /// further than the files are long.
    ///
    /// # Errors
    /// There can be no decoder. The inner error says in words that the files cannot be written, or are
    /// damaged.
    pub(crate) fn receive_compressed<'a>(
        &self,
        files: impl Iterator<Item = &'a FileEntry>,
        input: impl Read,
    ) -> io::Result<Result<(), String>> {
        let mut decoder = zstd::stream::read::Decoder::new(input)?;
        decoder.window_log_max(MAX_WINDOW_LOG)?;
        Ok(self.receive(files, &mut decoder))
    }

    /// Reads files that were sent one after the other, and stores them.
    ///
    /// # Errors
    /// They cannot be written, or are damaged; in words.
    fn receive<'a>(
        &self,
        files: impl Iterator<Item = &'a FileEntry>,
        input: &mut dyn Read,
    ) -> Result<(), String> {
        for file in files {
            self.receive_file(file, input)?;
        }
        Ok(())
    }

    fn receive_file(&self, entry: &FileEntry, input: &mut dyn Read) -> Result<(), String> {
        let cannot_write = |error: io::Error| folder::describe(&self.files, &error);
        let mut file = NamedTempFile::with_prefix_in("new-", &self.files).map_err(cannot_write)?;
        let (mut hash, mut left) = (Sha256::new(), entry.length);
        let mut buffer = vec![0; 64 << 10];
        while left > 0 {
            let wanted = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let count = match input.read(&mut buffer[..wanted]) {
                Ok(0) => return Err(format!("`{}` has not arrived in full", entry.path)),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(format!("`{}` has not arrived: {error}", entry.path)),
            };
            hash.update(&buffer[..count]);
            file.write_all(&buffer[..count]).map_err(cannot_write)?;
            left -= count as u64;
        }
        if hash.finalize()[..] != entry.digest {
            return Err(format!("`{}` has been damaged on its way", entry.path));
        }
        file.persist(self.path(&entry.digest)).map_err(|error| cannot_write(error.error))?;
        Ok(())
    }

    /// The tree of these files, which are all there.
    ///
    /// # Errors
    /// It cannot be made, in words.
    pub(crate) fn tree(&self, files: &[FileEntry]) -> Result<PathBuf, String> {
        let path = self.tree_path(files);
        if path.is_dir() {
            let _ = File::open(&path)
                .and_then(|folder| folder.set_times(FileTimes::new().set_modified(SystemTime::now())));
            return Ok(path);
        }
        let make = || {
            let folder = tempfile::Builder::new().prefix("new-").tempdir_in(&self.trees)?;
            for file in files {
                let target = folder.path().join(&file.path);
                if let Some(parent) = target.parent() {
                    folder::create(parent)?;
                }
                fs::copy(self.path(&file.digest), &target)?;
                fs::set_permissions(&target, fs::Permissions::from_mode(0o400))?;
            }
            match fs::rename(folder.path(), &path) {
                // Another agent was faster.
                Err(_) if path.is_dir() => Ok(()),
                result => {
                    // It has another name now.
                    let _ = folder.keep();
                    result
                }
            }
        };
        make().map_err(|error| folder::describe(&self.trees, &error))?;
        Ok(path)
    }

    /// Removes what was not used for long. What cannot be removed stays.
    pub(crate) fn purge(&self) {
        for entry in [&self.files, &self.trees].into_iter().flat_map(fs::read_dir).flatten().flatten() {
            let age =
                entry.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
            if age.is_some_and(|age| age > MAX_AGE) {
                let path = entry.path();
                let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, content: &[u8]) -> FileEntry {
        FileEntry {
            path: path.to_owned(),
            digest: Sha256::digest(content).into(),
            length: content.len() as u64,
        }
    }

    #[test]
    fn only_missing_files_are_requested_and_trees_are_shared() {
        let root = tempfile::tempdir().expect("a folder");
        let store = Store::open(root.path()).expect("a store");
        let files = [entry("a/A.x10", b"class A {}"), entry("B.x10", b"class B {}")];
        assert_eq!(store.missing(&files), [0, 1]);
        store.receive(files.iter(), &mut &b"class A {}class B {}"[..]).expect("stored");
        assert_eq!(store.missing(&files), []);
        let tree = store.tree(&files).expect("a tree");
        assert_eq!(fs::read(tree.join("a/A.x10")).expect("a file"), b"class A {}");
        assert_eq!(store.tree(&files).expect("the same"), tree);
        let edited = [files[0].clone(), entry("B.x10", b"class C {}")];
        assert_eq!(store.missing(&edited), [1]);
    }

    #[test]
    fn damaged_and_short_files_are_refused() {
        let root = tempfile::tempdir().expect("a folder");
        let store = Store::open(root.path()).expect("a store");
        let files = [entry("A.x10", b"class A {}")];
        let error = store.receive(files.iter(), &mut &b"class B {}"[..]).expect_err("damaged");
        assert!(error.contains("damaged"), "{error}");
        let error = store.receive(files.iter(), &mut &b"class"[..]).expect_err("short");
        assert!(error.contains("in full"), "{error}");
        assert_eq!(store.missing(&files), [0]);
        assert_eq!(fs::read_dir(root.path().join("files")).expect("a folder").count(), 0, "nothing is left");
    }

    /// Megabytes of zeros in some kilobytes, for a file of ten bytes.
    #[test]
    fn streams_that_expand_without_end_are_read_no_further_than_the_file() {
        let root = tempfile::tempdir().expect("a folder");
        let store = Store::open(root.path()).expect("a store");
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).expect("an encoder");
        io::copy(&mut io::repeat(0).take(1 << 28), &mut encoder).expect("room");
        let bomb = encoder.finish().expect("room");
        assert!(bomb.len() < 1 << 17, "{}", bomb.len());
        let file = entry("A.x10", &[1; 10]);
        let error = store.receive_compressed([&file].into_iter(), &bomb[..]).expect("a decoder");
        assert!(error.expect_err("other content").contains("damaged"));
        assert_eq!(fs::read_dir(root.path().join("files")).expect("a folder").count(), 0, "nothing is left");
        // A window of 2 GiB: RFC 8878, 3.1.1.1.2.
        let wide = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 1, 0, 0];
        let error = store.receive_compressed([&file].into_iter(), &wide[..]).expect("a decoder");
        let error = error.expect_err("a window that is too large");
        assert!(error.contains("`A.x10` has not arrived"), "{error}");
    }

    #[test]
    fn paths_outside_the_root_are_refused() {
        for path in ["../x", "/etc/passwd", "a/../../b", "", "a\0b", "./x"] {
            assert!(check(&[entry(path, b"")]).is_err(), "{path:?}");
        }
        let huge = FileEntry { length: u64::MAX, ..entry("a", b"") };
        assert!(check(&[huge.clone(), huge]).is_err());
        assert!(check(&[entry("a/b.x10", b"")]).is_ok());
    }
}
