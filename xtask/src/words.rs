//! Vocabulary check: fails on words of a private dialect in sources and pages.
//!
//! `xtask/words.txt` lists the words and what to write instead.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const WORDS_FILE: &str = "xtask/words.txt";
/// What is searched: sources, pages and the class library.
const FOLDERS: &[&str] = &[
    "analysis",
    "build-backend",
    "docs",
    "editors",
    "examples",
    "lsp-server",
    "runtime",
    "syntax",
    "tests",
    "xtask",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
];
const EXTENSIONS: &[&str] = &["rs", "md", "x10", "h"];
/// Occurrences that a failure prints.
const MAX_PRINTED: usize = 40;

/// One line of the word list: a word or phrase, phrases that contain it and are good English, and its
/// replacement.
#[derive(Debug)]
struct Entry {
    word: String,
    tokens: Vec<String>,
    exceptions: Vec<Vec<String>>,
    instead: String,
}

/// A word of the list in a file, by its index.
struct Occurrence {
    entry: usize,
    file: PathBuf,
    line: usize,
}

/// Fails where a source or page has a word of the list.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let entries = entries(root)?;
    let occurrences = search(root, FOLDERS, &entries)?;
    if occurrences.is_empty() {
        return Ok(());
    }
    let count = occurrences.len();
    let mut message = format!("{count} words of the old dialect; write the usual term instead:");
    for occurrence in occurrences.iter().take(MAX_PRINTED) {
        let _ = write!(message, "\n  {}", describe(root, occurrence, &entries));
    }
    if count > MAX_PRINTED {
        message.push_str("\n  ...\n`cargo xtask words --list FOLDER` prints all");
    }
    Err(message)
}

/// Prints all occurrences below one folder.
pub(crate) fn list(root: &Path, folder: &str) -> Result<(), String> {
    let entries = entries(root)?;
    for occurrence in search(root, &[folder], &entries)? {
        crate::say(&describe(root, &occurrence, &entries));
    }
    Ok(())
}

fn describe(root: &Path, occurrence: &Occurrence, entries: &[Entry]) -> String {
    let file = occurrence.file.strip_prefix(root).unwrap_or(&occurrence.file).display();
    let entry = &entries[occurrence.entry];
    format!("{file}:{}: `{}`: {}", occurrence.line, entry.word, entry.instead)
}

fn entries(root: &Path) -> Result<Vec<Entry>, String> {
    parse_entries(&crate::read(&root.join(WORDS_FILE))?)
}

/// Lines `word | what to write instead | exception; exception`; `#` begins a comment.
fn parse_entries(text: &str) -> Result<Vec<Entry>, String> {
    let mut entries: Vec<Entry> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [word, instead, exceptions @ ..] = fields.as_slice() else {
            return Err(format!("{WORDS_FILE}:{}: write `word | what to write instead`", number + 1));
        };
        if word.is_empty() || instead.is_empty() || exceptions.len() > 1 {
            return Err(format!(
                "{WORDS_FILE}:{}: write `word | what to write instead | exceptions`",
                number + 1
            ));
        }
        if entries.iter().any(|entry| entry.word == *word) {
            return Err(format!("{WORDS_FILE}:{}: `{word}` is on the list twice", number + 1));
        }
        let phrases =
            exceptions.iter().flat_map(|it| it.split(';')).map(str::trim).filter(|it| !it.is_empty());
        entries.push(Entry {
            word: (*word).to_owned(),
            tokens: words_of(word).into_iter().map(|it| it.text).collect(),
            exceptions: phrases.map(|it| words_of(it).into_iter().map(|it| it.text).collect()).collect(),
            instead: (*instead).to_owned(),
        });
    }
    Ok(entries)
}

/// A word of a line: letters, divided at `_` and where lower case becomes upper case.
struct Token {
    text: String,
    /// Only a blank, `_`, ` = "` or nothing is between this word and the one before.
    follows: bool,
}

fn words_of(line: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut gap = String::from("-");
    let mut before = ' ';
    for c in line.chars() {
        if !c.is_alphabetic() {
            gap.push(c);
        } else if before.is_alphabetic() && !(before.is_lowercase() && c.is_uppercase()) {
            if let Some(token) = tokens.last_mut() {
                token.text.push(c);
            }
        } else {
            tokens.push(Token {
                text: c.to_string(),
                follows: matches!(gap.as_str(), "" | " " | "_" | " = \""),
            });
            gap.clear();
        }
        before = c;
    }
    tokens
}

/// Capital words of the list are constants and match as they are; others match in any case but that of
/// constants.
fn is_equal(wanted: &str, found: &str) -> bool {
    match wanted.chars().all(char::is_uppercase) {
        true => wanted == found,
        false => {
            wanted.eq_ignore_ascii_case(found) && !(found.len() > 1 && found.chars().all(char::is_uppercase))
        }
    }
}

fn stands_at(phrase: &[String], line: &[Token], start: usize) -> bool {
    let Some(found) = line.get(start..start + phrase.len()) else { return false };
    let connected = found.iter().skip(1).all(|token| token.follows);
    connected && phrase.iter().zip(found).all(|(wanted, token)| is_equal(wanted, &token.text))
}

/// Indices of entries that the line contains, once for each occurrence.
fn found_in(line: &str, entries: &[Entry]) -> Vec<usize> {
    let tokens = words_of(line);
    let mut found = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        for start in 0..tokens.len() {
            let is_exception = |phrase: &Vec<String>| {
                (start.saturating_sub(phrase.len())..=start)
                    .any(|from| from + phrase.len() > start && stands_at(phrase, &tokens, from))
            };
            if stands_at(&entry.tokens, &tokens, start) && !entry.exceptions.iter().any(is_exception) {
                found.push(index);
            }
        }
    }
    found
}

/// All occurrences in the folders and files of that name, which may be missing.
fn search(root: &Path, names: &[&str], entries: &[Entry]) -> Result<Vec<Occurrence>, String> {
    let mut occurrences = Vec::new();
    for name in names {
        let path = root.join(name);
        let files = match path.is_dir() {
            true => files_of(&path)?,
            false => Vec::from_iter(path.is_file().then_some(path)),
        };
        for file in files {
            for (number, line) in crate::read(&file)?.lines().enumerate() {
                let found = found_in(line, entries).into_iter();
                occurrences.extend(found.map(|entry| Occurrence {
                    entry,
                    file: file.clone(),
                    line: number + 1,
                }));
            }
        }
    }
    Ok(occurrences)
}

fn is_test_program(file: &Path) -> bool {
    file.extension().is_some_and(|it| it == "x10")
        && file.components().any(|it| it.as_os_str() == "tests" || it.as_os_str() == "test_data")
}

/// Sources and pages below a folder, without programs that tests run and this file, whose tests name words.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for extension in EXTENSIONS {
        files.extend(crate::files_below(folder, extension)?);
    }
    files.retain(|file| !file.ends_with("xtask/src/words.rs") && !is_test_program(file));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str =
        "# comment\nturn | iteration | in turn; turn on\nasked for | requested\nMOST | MAX_...\n";

    fn words_in(line: &str) -> Vec<String> {
        let entries = parse_entries(LIST).unwrap();
        found_in(line, &entries).into_iter().map(|index| entries[index].word.clone()).collect()
    }

    #[test]
    fn identifiers_are_divided_into_words() {
        assert_eq!(words_in("fn each_turn(it: EachTurn, turn: u8)"), ["turn", "turn", "turn"]);
        assert_eq!(words_in("const MOST_WISHES: usize = MOST;"), ["MOST", "MOST"]);
        assert_eq!(words_in("let asked_for = 1; // asked for"), ["asked for", "asked for"]);
    }

    #[test]
    fn other_words_are_not_counted() {
        assert_eq!(words_in("return overturn(TURN, most, Most)"), Vec::<String>::new());
        assert_eq!(words_in("asked. For; asked (for)"), Vec::<String>::new());
    }

    #[test]
    fn exceptions_are_not_counted() {
        assert_eq!(words_in("both builds in turn; turn on the device"), Vec::<String>::new());
        assert_eq!(words_in("in turn, each turn"), ["turn"]);
    }

    #[test]
    fn malformed_lists_are_refused() {
        for text in ["turn", "turn |", "| iteration", "a | b | c | d", "a | b\na | c"] {
            assert!(parse_entries(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_occurrence_is_named_with_its_line_and_the_term() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("runtime/src")).unwrap();
        std::fs::create_dir_all(folder.path().join("xtask")).unwrap();
        std::fs::write(folder.path().join(WORDS_FILE), LIST).unwrap();
        let write = |source: &str| std::fs::write(folder.path().join("runtime/src/lib.rs"), source).unwrap();
        write("// an iteration\n");
        check(folder.path()).unwrap();
        write("// an iteration\n// and a turn\n");
        let message = check(folder.path()).unwrap_err();
        assert!(message.contains("runtime/src/lib.rs:2: `turn`: iteration"), "{message}");
    }

    #[test]
    fn the_repositorys_list_can_be_read() {
        assert!(!entries(&crate::repository()).unwrap().is_empty());
    }
}
