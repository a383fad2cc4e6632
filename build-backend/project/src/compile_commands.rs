//! Flags of a C file's compiler, as its build records them: the JSON compilation database
//! (`compile_commands.json`; Clang's *JSON Compilation Database Format Specification*), or else
//! `compile_flags.txt`, a flag a line.
//!
//! A workspace is not trusted: of its flags only those are taken that say where headers are, which macros are
//! defined, and the version of the language. The compiler that the database names is never started.

use std::path::{Path, PathBuf};

use apg_toolchain::regular_file;
use serde::Deserialize;

/// The name of the database.
const DATABASE: &str = "compile_commands.json";

/// The name of a list of flags for all files of a folder.
const FLAGS: &str = "compile_flags.txt";

/// Folders below one of the file's folders that may have the database.
const BUILD_FOLDERS: [&str; 2] = ["", "build"];

/// Largest size of a database that is read.
const MAX_DATABASE_BYTES: u64 = 64 << 20;

/// Options whose value is a path: of a folder of headers, or of a header.
const WITH_PATH: [&str; 6] = ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I"];

/// Options whose value is a macro.
const WITH_MACRO: [&str; 2] = ["-D", "-U"];

/// An entry of the database.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    command: String,
}

/// The flags of a C file by the database, or the list of flags, in the nearest of its folders that has one;
/// paths in them are absolute. Empty without either.
pub fn flags_of(file: &Path) -> Vec<String> {
    for folder in file.ancestors().skip(1) {
        for build in BUILD_FOLDERS {
            if let Ok(text) = regular_file::read(&folder.join(build).join(DATABASE), MAX_DATABASE_BYTES) {
                return of_database(&text, file);
            }
        }
        if let Ok(text) = regular_file::read(&folder.join(FLAGS), MAX_DATABASE_BYTES) {
            let words = String::from_utf8_lossy(&text);
            return harmless(words.lines().map(|it| it.trim().to_owned()), folder);
        }
    }
    Vec::new()
}

/// The flags of a file in a database, the last entry of which counts. A wrong database has none.
fn of_database(text: &[u8], file: &Path) -> Vec<String> {
    let entries: Vec<Entry> = serde_json::from_slice(text).unwrap_or_default();
    let is_of_file = |it: &&Entry| normalize(&it.directory.join(&it.file)) == file;
    let Some(entry) = entries.iter().rev().find(is_of_file) else { return Vec::new() };
    let words = match entry.arguments.is_empty() {
        false => entry.arguments.clone(),
        true => shlex::split(&entry.command).unwrap_or_default(),
    };
    harmless(words.into_iter().skip(1), &entry.directory)
}

/// The words that choose headers, macros and the language; relative paths are those of `folder`.
fn harmless(words: impl Iterator<Item = String>, folder: &Path) -> Vec<String> {
    let mut words = words;
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if word.starts_with("-std=") || word == "-ansi" || word == "-pthread" || word == "-nostdinc" {
            kept.push(word);
            continue;
        }
        let option = WITH_PATH.iter().chain(&WITH_MACRO).find(|it| word.starts_with(**it));
        let Some(option) = option else { continue };
        let joined = word[option.len()..].to_owned();
        let value = if joined.is_empty() { words.next() } else { Some(joined) };
        let Some(value) = value else { break };
        match WITH_PATH.contains(option) {
            false => kept.push(format!("{option}{value}")),
            true if *option == "-I" => kept.push(format!("-I{}", normalize(&folder.join(value)).display())),
            true => {
                kept.extend([(*option).to_owned(), normalize(&folder.join(value)).display().to_string()]);
            }
        }
    }
    kept
}

/// A path without `.` and `..`, by its text.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(plain.pop()),
            std::path::Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_the_database_are_absolute_and_harmless() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().display();
        let database = format!(
            r#"[{{"directory": "{root}/build", "file": "../a.c", "command":
                "evil-cc -I ../include -DNAME=\"a b\" -fplugin=evil.so -isystem sys -O3 -std=c99 -c ../a.c"}},
               {{"directory": "{root}", "file": "b.c", "arguments": ["cc", "-I", "x", "-UY", "b.c"]}}]"#
        );
        let build = folder.path().join("build");
        std::fs::create_dir(&build).expect("made");
        std::fs::write(build.join(DATABASE), database).expect("written");
        let of = |name: &str| flags_of(&folder.path().join(name)).join(" ");
        let sys = format!("-isystem {root}/build/sys");
        assert_eq!(of("a.c"), format!("-I{root}/include -DNAME=a b {sys} -std=c99"));
        assert_eq!(of("b.c"), format!("-I{root}/x -UY"));
        assert_eq!(of("c.c"), "");
    }

    #[test]
    fn a_list_of_flags_is_for_all_files_and_a_wrong_database_for_none() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join(FLAGS), "-Iinclude\n-D\nA\n-I\n").expect("written");
        let file = folder.path().join("sub/a.c");
        assert_eq!(flags_of(&file), [format!("-I{}/include", folder.path().display()), "-DA".to_owned()]);
        std::fs::write(folder.path().join(DATABASE), "[{]").expect("written");
        assert!(flags_of(&file).is_empty());
    }
}
