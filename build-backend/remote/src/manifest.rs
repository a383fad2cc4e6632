//! The manifest of a program: its files by content, with paths below a common root, so that relative paths
//! mean the same in the tree on the remote machine as here.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::protocol::{FileEntry, MAX_FILES, MAX_TREE_BYTES};

/// Extensions of files that the C++ code of a program may need, which lie beside its sources.
const NATIVE_EXTENSIONS: &[&str] =
    &["h", "hh", "hpp", "hxx", "inl", "inc", "c", "cc", "cpp", "cxx", "cu", "cuh"];

/// The files of a program.
#[derive(Debug, Default)]
pub struct Manifest {
    /// The entries, by path.
    pub entries: Vec<FileEntry>,
    /// The local files, in the order of the entries.
    local: Vec<PathBuf>,
    /// The folder below the root that is the working folder here.
    pub start_folder: String,
    /// The root here.
    root: PathBuf,
}

/// An absolute path without `.` and `..`, whether it exists or not.
fn normalize(path: &Path, folder: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// The common part of two paths.
fn common(a: &Path, b: &Path) -> PathBuf {
    a.components().zip(b.components()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
}

impl Manifest {
    /// The manifest of these sources, of the C++ files beside them, and of all files in `folders`. `here` is
    /// the working folder, an absolute path.
    ///
    /// # Errors
    /// A file cannot be read, has a name that is no text, or there is too much; in words.
    pub fn collect(here: &Path, sources: &[PathBuf], folders: &[PathBuf]) -> Result<Manifest, String> {
        let mut files: BTreeMap<PathBuf, ()> = BTreeMap::new();
        for source in sources {
            let source = normalize(source, here);
            if let Some(parent) = source.parent() {
                add_native_files(parent, &mut files);
            }
            files.insert(source, ());
        }
        for folder in folders {
            add_folder(&normalize(folder, here), &mut files)?;
        }
        let named = folders.iter().map(|folder| normalize(folder, here));
        let root = named.fold(here.to_owned(), |root, folder| common(&root, &folder));
        Manifest::of_normal(here, root, files)
    }

    /// The manifest of these files and no others. `here` is the working folder, an absolute path.
    ///
    /// # Errors
    /// As of [`Manifest::collect`].
    pub fn of_files(here: &Path, files: &[PathBuf]) -> Result<Manifest, String> {
        let files = files.iter().map(|file| (normalize(file, here), ())).collect();
        Manifest::of_normal(here, here.to_owned(), files)
    }

    /// The manifest of files with normal paths, whose root is this folder or one above it.
    fn of_normal(here: &Path, root: PathBuf, files: BTreeMap<PathBuf, ()>) -> Result<Manifest, String> {
        let root = files.keys().filter_map(|file| file.parent()).fold(root, |root, it| common(&root, it));
        let start_folder = text_below(here, &root)?;
        let mut manifest = Manifest { start_folder, root, ..Manifest::default() };
        let mut total = 0;
        for (file, ()) in files {
            let (digest, length) =
                digest(&file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
            total += length;
            if total > MAX_TREE_BYTES || manifest.entries.len() >= MAX_FILES {
                return Err(format!(
                    "the program has too many files to send: at most {MAX_FILES}, of {} MiB (folders of -I and \
                     --source-path count as a whole)",
                    MAX_TREE_BYTES >> 20
                ));
            }
            manifest.entries.push(FileEntry { path: text_below(&file, &manifest.root)?, digest, length });
            manifest.local.push(file);
        }
        if !manifest.start_folder.is_empty() {
            manifest.keep_start_folder();
        }
        Ok(manifest)
    }

    /// A folder exists in a tree if a file is in it.
    fn keep_start_folder(&mut self) {
        let prefix = format!("{}/", self.start_folder);
        if !self.entries.iter().any(|entry| entry.path.starts_with(&prefix)) {
            self.entries.push(FileEntry {
                path: format!("{prefix}.apg-folder"),
                digest: Sha256::digest([]).into(),
                length: 0,
            });
            self.local.push(PathBuf::from("/dev/null"));
        }
    }

    /// A manifest of one file, which gets this name.
    ///
    /// # Errors
    /// It cannot be read, in words.
    pub fn of_file(file: &Path, name: &str) -> Result<Manifest, String> {
        let (digest, length) =
            digest(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
        let entry = FileEntry { path: name.to_owned(), digest, length };
        Ok(Manifest { entries: vec![entry], local: vec![file.to_owned()], ..Manifest::default() })
    }

    /// How a path of this machine is written in the tree, seen from the working folder.
    ///
    /// # Errors
    /// Its name is no text.
    pub fn translate(&self, path: &Path, here: &Path) -> Result<String, String> {
        let path = normalize(path, here);
        let shared = common(&path, here);
        let up = here.strip_prefix(&shared).map_or(0, |rest| rest.components().count());
        let below = text_below(&path, &shared)?;
        let text = format!("{}{below}", "../".repeat(up));
        Ok(if text.is_empty() { ".".to_owned() } else { text })
    }

    /// Whether a file, or a folder with a file in it, is in the tree.
    pub fn contains(&self, path: &Path, here: &Path) -> bool {
        let path = normalize(path, here);
        self.local.iter().any(|file| file.starts_with(&path))
    }

    /// Writes the files of these indices one after the other, compressed (RFC 8878).
    ///
    /// # Errors
    /// A file cannot be read or has changed meanwhile, or writing fails.
    pub fn write_files(&self, indices: &[u32], to: &mut dyn Write) -> io::Result<()> {
        /// Fast, and better than that on text only slowly.
        const LEVEL: i32 = 3;
        let mut encoder = zstd::stream::write::Encoder::new(to, LEVEL)?;
        for index in indices {
            let index = *index as usize;
            let (Some(entry), Some(path)) = (self.entries.get(index), self.local.get(index)) else {
                return Err(io::Error::other("the remote machine asks for a file that there is not"));
            };
            let copied = io::copy(&mut File::open(path)?.take(entry.length), &mut encoder)?;
            if copied != entry.length {
                return Err(io::Error::other(format!("{} has changed meanwhile; run again", path.display())));
            }
        }
        encoder.finish().map(drop)
    }

    /// Bytes of the files of these indices.
    pub fn bytes(&self, indices: &[u32]) -> u64 {
        indices.iter().filter_map(|index| self.entries.get(*index as usize)).map(|entry| entry.length).sum()
    }
}

/// A path below a root as text with slashes.
fn text_below(path: &Path, root: &Path) -> Result<String, String> {
    let below = path.strip_prefix(root).unwrap_or(path);
    below.to_str().map(str::to_owned).ok_or_else(|| format!("{}: its name is no UTF-8 text", path.display()))
}

/// The SHA-256 and the length of a file.
fn digest(path: &Path) -> io::Result<([u8; 32], u64)> {
    let (mut hash, mut length) = (Sha256::new(), 0);
    let (mut file, mut buffer) = (File::open(path)?, vec![0; 64 << 10]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok((hash.finalize().into(), length)),
            Ok(count) => {
                hash.update(&buffer[..count]);
                length += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Adds the files of a folder, not of those below it, that C++ code may include.
fn add_native_files(folder: &Path, files: &mut BTreeMap<PathBuf, ()>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_native =
            path.extension().and_then(|it| it.to_str()).is_some_and(|it| NATIVE_EXTENSIONS.contains(&it));
        if is_native && path.is_file() {
            files.insert(path, ());
        }
    }
}

/// Adds all files below a folder. Hidden ones and links out of it are left out.
fn add_folder(folder: &Path, files: &mut BTreeMap<PathBuf, ()>) -> Result<(), String> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
    for entry in entries.flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => add_folder(&entry.path(), files)?,
            Ok(kind) if kind.is_file() || (kind.is_symlink() && entry.path().is_file()) => {
                files.insert(entry.path(), ());
            }
            _ => {}
        }
        if files.len() > MAX_FILES {
            return Err(format!("{} has more than {MAX_FILES} files", folder.display()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_mean_the_same_in_the_tree() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path().join("project/app");
        std::fs::create_dir_all(&here).expect("folders");
        std::fs::create_dir_all(folder.path().join("project/library/p")).expect("folders");
        for file in
            ["app/Main.x10", "app/native.h", "app/notes.txt", "library/p/Other.x10", "library/p/data.bin"]
        {
            std::fs::write(folder.path().join("project").join(file), file).expect("written");
        }
        let sources = [PathBuf::from("Main.x10"), PathBuf::from("../library/p/Other.x10")];
        let manifest = Manifest::collect(&here, &sources, &[]).expect("a manifest");
        let paths: Vec<&str> = manifest.entries.iter().map(|entry| entry.path.as_str()).collect();
        assert_eq!(paths, ["app/Main.x10", "app/native.h", "library/p/Other.x10"]);
        assert_eq!(manifest.start_folder, "app");
        assert_eq!(manifest.translate(Path::new("Main.x10"), &here).expect("text"), "Main.x10");
        assert_eq!(manifest.translate(&here.join("../library"), &here).expect("text"), "../library");
        let whole = Manifest::collect(&here, &sources, &[PathBuf::from("../library")]).expect("a manifest");
        assert_eq!(whole.entries.len(), 4);
        let alone = Manifest::of_files(&here, &["../library/p/Other.x10".into()]).expect("a manifest");
        let paths: Vec<&str> = alone.entries.iter().map(|entry| entry.path.as_str()).collect();
        assert_eq!(paths, ["library/p/Other.x10", "app/.apg-folder"]);
        assert!(alone.contains(&folder.path().join("project/library"), &here));
        assert!(!alone.contains(Path::new("Main.x10"), &here));
        let mut compressed = Vec::new();
        manifest.write_files(&[0, 2], &mut compressed).expect("written");
        let text = zstd::stream::decode_all(&compressed[..]).expect("well-formed");
        assert_eq!(text, b"app/Main.x10library/p/Other.x10");
        assert_eq!(manifest.bytes(&[0, 2]), text.len() as u64);
    }

    #[test]
    fn working_folder_exists_in_the_tree_also_without_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path().join("empty");
        std::fs::create_dir(&here).expect("a folder");
        std::fs::write(folder.path().join("A.x10"), "class A {}").expect("written");
        let manifest = Manifest::collect(&here, &[PathBuf::from("../A.x10")], &[]).expect("a manifest");
        assert!(manifest.entries.iter().any(|entry| entry.path.starts_with("empty/")));
        let missing = Manifest::collect(&here, &[PathBuf::from("B.x10")], &[]).expect_err("no such file");
        assert!(missing.contains("B.x10 cannot be read"), "{missing}");
    }
}
