//! Dependencies of an object: the files that the compiler has read for it, as `-MD` lists them (GCC manual,
//! "Preprocessor Options"). Their contents are part of the object's key.
//!
//! As in ccache's direct mode, the list of the last compilation is kept by the source's key; the object's key
//! has the contents of all listed files, and which files of the same names are in the user's include folders,
//! where a new one would be found first.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rustc_hash::FxHashMap;

use apg_runtime::cache;

use crate::regular_file;

/// Size of the largest file of a C program.
pub(super) const MAX_FILE_BYTES: u64 = 256 << 20;

/// Digests of files, each read once in a build.
#[derive(Debug, Default)]
pub(super) struct Digests {
    known: Mutex<FxHashMap<PathBuf, Option<String>>>,
}

impl Digests {
    /// The digest of a file's content; none if it cannot be read.
    pub(super) fn digest(&self, file: &Path) -> Option<String> {
        let lock = || self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = lock().get(file) {
            return known.clone();
        }
        let digest = regular_file::read(file, MAX_FILE_BYTES).ok().map(|bytes| cache::key(&[bytes]));
        lock().insert(file.to_owned(), digest.clone());
        digest
    }

    /// The key of these files' contents; none if one of them is gone. Further files of their names in
    /// `folders` are part of it.
    pub(super) fn key(&self, files: &[PathBuf], folders: &[PathBuf]) -> Option<String> {
        let mut parts: Vec<String> = Vec::new();
        for file in files {
            parts.push(file.display().to_string());
            parts.push(self.digest(file)?);
            let names = [1, 2].into_iter().filter_map(|count| last_components(file, count));
            for name in names {
                let found = folders.iter().map(|it| it.join(&name)).filter(|it| it.is_file());
                parts.extend(found.map(|it| it.display().to_string()));
            }
        }
        Some(cache::key(&parts))
    }
}

/// The last components of a path, if it has more.
fn last_components(file: &Path, count: usize) -> Option<PathBuf> {
    let all: Vec<_> = file.components().collect();
    (all.len() > count).then(|| all[all.len() - count..].iter().collect())
}

/// The prerequisites of the rule in a makefile, as compilers write it: blanks and `#` in names behind a
/// backslash, `$` doubled, lines continued by a backslash.
pub(super) fn parse_rule(text: &str) -> Vec<PathBuf> {
    let text = text.replace("\\\n", " ");
    let Some((_, prerequisites)) = text.split_once(": ") else { return Vec::new() };
    let mut files: Vec<PathBuf> = Vec::new();
    let mut word = String::new();
    let mut characters = prerequisites.chars().peekable();
    loop {
        match characters.next() {
            Some('\\') if matches!(characters.peek(), Some(' ' | '#')) => word.extend(characters.next()),
            Some('$') if characters.peek() == Some(&'$') => word.extend(characters.next()),
            Some(it) if !it.is_whitespace() => word.push(it),
            end => {
                let file = PathBuf::from(std::mem::take(&mut word));
                if !file.as_os_str().is_empty() && !files.contains(&file) {
                    files.push(file);
                }
                // Further rules are for headers without prerequisites.
                if matches!(end, None | Some('\n')) {
                    return files;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_blanks_are_read_from_rules() {
        let text = "a.o: a.c /usr/include/stdio.h \\\n b\\ c.h d$$.h \\\n  \\#e.h\nb\\ c.h:\n";
        let files: Vec<String> = parse_rule(text).iter().map(|it| it.display().to_string()).collect();
        assert_eq!(files, ["a.c", "/usr/include/stdio.h", "b c.h", "d$.h", "#e.h"]);
        assert!(parse_rule("").is_empty());
    }

    #[test]
    fn a_header_that_hides_another_one_changes_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("first")).unwrap();
        std::fs::create_dir(path("second")).unwrap();
        std::fs::write(path("second/a.h"), "int a;").unwrap();
        let key = || Digests::default().key(&[path("second/a.h")], &[path("first"), path("second")]);
        let before = key().unwrap();
        assert_eq!(key().unwrap(), before);
        std::fs::write(path("first/a.h"), "").unwrap();
        assert_ne!(key().unwrap(), before);
        std::fs::remove_file(path("second/a.h")).unwrap();
        assert_eq!(key(), None);
    }
}
