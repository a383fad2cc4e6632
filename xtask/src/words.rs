//! Vocabulary check: counts words of a private dialect in Rust sources, which may only become fewer.
//!
//! `xtask/words.txt` lists the words and what to write instead, `xtask/words-baseline.txt` how often each crate
//! still has them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const WORDS_FILE: &str = "xtask/words.txt";
const BASELINE_FILE: &str = "xtask/words-baseline.txt";
const CRATES: &[&str] = &["analysis", "build-backend", "lsp-server", "runtime", "syntax", "tests", "xtask"];
/// Places that a failure prints for each word.
const MAX_PLACES: usize = 10;

/// One line of the word list: a word or phrase, phrases that contain it and are good English, and its replacement.
#[derive(Debug)]
struct Entry {
    word: String,
    tokens: Vec<String>,
    exceptions: Vec<Vec<String>>,
    instead: String,
}

/// Counts by word and crate.
type Counts = BTreeMap<String, BTreeMap<String, usize>>;

struct Place {
    word: usize,
    file: PathBuf,
    line: usize,
}

/// Fails when a crate has a word more often than recorded.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let entries = entries(root)?;
    let baseline = parse_baseline(&crate::read(&root.join(BASELINE_FILE))?)?;
    let found = search_crates(root, &entries)?;
    let counts = count(&entries, &found);
    print_totals(&counts, &baseline);
    let problems = excesses(&counts, &baseline);
    if problems.is_empty() {
        return Ok(());
    }
    let mut message = String::from("words of the old dialect became more; write the term instead:");
    for (word, name, now, recorded) in problems {
        let Some(index) = entries.iter().position(|entry| entry.word == word) else { continue };
        let _ = write!(
            message,
            "\n  {name}: `{word}` {now} times, recorded {recorded}: {}",
            entries[index].instead
        );
        let places = found[&name].iter().filter(|place| place.word == index);
        for place in places.take(MAX_PLACES) {
            let _ = write!(message, "\n      {}", shown(root, place));
        }
    }
    message.push_str("\n`cargo xtask words --list CRATE` prints all places");
    Err(message)
}

/// Records counts that became smaller and words that are new on the list; refuses counts that grew.
pub(crate) fn record(root: &Path) -> Result<(), String> {
    let entries = entries(root)?;
    let path = root.join(BASELINE_FILE);
    let baseline = if path.exists() { parse_baseline(&crate::read(&path)?)? } else { Counts::new() };
    let counts = count(&entries, &search_crates(root, &entries)?);
    let grown = excesses(&counts, &baseline).into_iter().find(|(word, ..)| baseline.contains_key(word));
    if let Some((word, name, now, recorded)) = grown {
        return Err(format!(
            "{name}: `{word}` {now} times, recorded {recorded}: only smaller counts are recorded"
        ));
    }
    std::fs::write(&path, print_baseline(&counts)).map_err(|error| format!("{}: {error}", path.display()))?;
    print_totals(&counts, &counts);
    Ok(())
}

/// Prints all places of one crate.
pub(crate) fn list(root: &Path, name: &str) -> Result<(), String> {
    if !CRATES.contains(&name) {
        return Err(format!("no crate is named `{name}`: write one of {}", CRATES.join(", ")));
    }
    let entries = entries(root)?;
    for place in search(&root.join(name), &entries)? {
        let entry = &entries[place.word];
        crate::say(&format!("{}: `{}`: {}", shown(root, &place), entry.word, entry.instead));
    }
    Ok(())
}

fn shown(root: &Path, place: &Place) -> String {
    format!("{}:{}", place.file.strip_prefix(root).unwrap_or(&place.file).display(), place.line)
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

/// Capital words of the list are constants and match as they are; others match in any case but that of constants.
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

fn search(folder: &Path, entries: &[Entry]) -> Result<Vec<Place>, String> {
    let mut places = Vec::new();
    for file in crate::files_below(folder, "rs")? {
        // This file's own words are on the list.
        if file.ends_with("xtask/src/words.rs") {
            continue;
        }
        for (number, line) in crate::read(&file)?.lines().enumerate() {
            let found = found_in(line, entries).into_iter();
            places.extend(found.map(|word| Place { word, file: file.clone(), line: number + 1 }));
        }
    }
    Ok(places)
}

fn search_crates(root: &Path, entries: &[Entry]) -> Result<BTreeMap<String, Vec<Place>>, String> {
    CRATES.iter().map(|name| Ok(((*name).to_owned(), search(&root.join(name), entries)?))).collect()
}

fn count(entries: &[Entry], found: &BTreeMap<String, Vec<Place>>) -> Counts {
    let mut counts = Counts::new();
    for entry in entries {
        counts.insert(entry.word.clone(), found.keys().map(|name| (name.clone(), 0)).collect());
    }
    for (name, places) in found {
        for place in places {
            if let Some(number) = counts.get_mut(&entries[place.word].word).and_then(|row| row.get_mut(name))
            {
                *number += 1;
            }
        }
    }
    counts
}

/// Words and crates whose count is larger than recorded, with both counts.
fn excesses(counts: &Counts, baseline: &Counts) -> Vec<(String, String, usize, usize)> {
    let mut out = Vec::new();
    for (word, row) in counts {
        for (name, &now) in row {
            let recorded = baseline.get(word).and_then(|row| row.get(name)).copied().unwrap_or(0);
            if now > recorded {
                out.push((word.clone(), name.clone(), now, recorded));
            }
        }
    }
    out
}

fn print_totals(counts: &Counts, baseline: &Counts) {
    let total =
        |counts: &Counts, name: &str| -> usize { counts.values().filter_map(|row| row.get(name)).sum() };
    for name in CRATES {
        crate::say(&format!(
            "words: {name:<14} {:>6}, recorded {}",
            total(counts, name),
            total(baseline, name)
        ));
    }
}

/// A header of crates, then a line for each word with a count for each crate.
fn print_baseline(counts: &Counts) -> String {
    let mut out =
        String::from("# Written by `cargo xtask words --record`: how often each crate has each word.\n");
    let _ = writeln!(out, "word | {}", CRATES.join(" "));
    for (word, row) in counts {
        let numbers: Vec<String> =
            CRATES.iter().map(|name| row.get(*name).copied().unwrap_or(0).to_string()).collect();
        let _ = writeln!(out, "{word} | {}", numbers.join(" "));
    }
    out
}

fn parse_baseline(text: &str) -> Result<Counts, String> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let wrong =
        |number: usize| format!("{BASELINE_FILE}:{}: `cargo xtask words --record` writes it", number + 1);
    let header = lines.next().and_then(|(_, line)| line.strip_prefix("word | ")).ok_or_else(|| wrong(0))?;
    let names: Vec<&str> = header.split_whitespace().collect();
    let mut counts = Counts::new();
    for (number, line) in lines {
        let (word, numbers) = line.split_once(" | ").ok_or_else(|| wrong(number))?;
        let numbers: Result<Vec<usize>, _> = numbers.split_whitespace().map(str::parse).collect();
        let numbers = numbers.map_err(|_| wrong(number))?;
        if numbers.len() != names.len() {
            return Err(wrong(number));
        }
        let row = names.iter().map(|name| (*name).to_owned()).zip(numbers).collect();
        counts.insert(word.to_owned(), row);
    }
    Ok(counts)
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

    /// A repository with one source file.
    fn repository(source: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in CRATES {
            std::fs::create_dir_all(folder.path().join(name).join("src")).unwrap();
        }
        std::fs::write(folder.path().join(WORDS_FILE), LIST).unwrap();
        change(&folder, source);
        folder
    }

    fn change(folder: &tempfile::TempDir, source: &str) {
        std::fs::write(folder.path().join("runtime/src/lib.rs"), source).unwrap();
    }

    #[test]
    fn counts_may_shrink_and_not_grow() {
        let folder = repository("// a turn, a turn\n");
        record(folder.path()).unwrap();
        check(folder.path()).unwrap();
        change(&folder, "// a turn, a turn\n// and a turn\n");
        let message = check(folder.path()).unwrap_err();
        assert!(message.contains("runtime: `turn` 3 times, recorded 2: iteration"), "{message}");
        assert!(message.contains("runtime/src/lib.rs:2"), "{message}");
        assert!(record(folder.path()).is_err());
        change(&folder, "// a turn\n");
        record(folder.path()).unwrap();
        change(&folder, "// a turn, a turn\n");
        assert!(check(folder.path()).unwrap_err().contains("recorded 1"));
    }

    #[test]
    fn words_that_are_new_on_the_list_are_recorded() {
        let folder = repository("// a turn of whoever\n");
        record(folder.path()).unwrap();
        std::fs::write(folder.path().join(WORDS_FILE), format!("{LIST}whoever | the caller\n")).unwrap();
        assert!(check(folder.path()).is_err());
        record(folder.path()).unwrap();
        check(folder.path()).unwrap();
    }

    #[test]
    fn the_repositorys_files_can_be_read() {
        let root = crate::repository();
        assert!(!entries(&root).unwrap().is_empty());
        parse_baseline(&crate::read(&root.join(BASELINE_FILE)).unwrap()).unwrap();
    }
}
