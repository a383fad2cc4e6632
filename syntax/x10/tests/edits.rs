//! Property test: an incremental parse after any edit of a token equals a parse of the new text. Tokens of
//! programs with many mistakes are removed, duplicated, or preceded by words that mean something to the
//! parser. The meaning of such a word may depend on the braces after it (`swich (x) { case 1: ... }`), which
//! a parse of one block alone must not overlook.

use std::path::{Path, PathBuf};

use apg_syntax::{Edit, Parse, TextRange, TextSize, parse};

/// Words and signs that tell the parser of mistakes, of other languages or of what comes next.
const WORDS: &[&str] = &[
    "x ", "case ", "default ", "else ", "catch ", "def ", "val ", "async ", "switch ", "class ", "T ", "1 ",
    "\"s\" ", "=> ", "-> ", "= ", ": ", "; ", ", ", ". ", "( ", ") ", "[ ", "] ", "{ ", "} ", "< ", "@ ",
    "? ", "\n", "// c\n", "/*",
];

fn programs(folder: &Path, programs: &mut Vec<(String, String)>) {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let name = path.display().to_string();
        if path.is_dir() {
            self::programs(&path, programs);
        } else if name.ends_with(".x10") {
            programs.push((name, std::fs::read_to_string(&path).unwrap()));
        } else if name.ends_with(".md") {
            let page = std::fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
            let blocks =
                page.split("```x10").skip(1).filter_map(|it| it.split_once('\n')?.1.split("```").next());
            programs.extend(
                blocks.enumerate().map(|(index, it)| (format!("{name}, block {}", index + 1), it.to_owned())),
            );
        }
    }
}

#[track_caller]
fn check(name: &str, old: &Parse, text: &str, edit: &Edit) {
    let mut new = text.to_owned();
    edit.apply(&mut new);
    assert!(
        old.reparse(edit) == parse(&new),
        "{name}: {edit:?} gives another tree than the whole text:\n{new}"
    );
}

/// Each edit of one in `every` tokens, a different one for each word; 1 takes minutes and leaves nothing out.
fn edit_tokens(folders: &[&str], every: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    for folder in folders {
        programs(&root.join(folder), &mut all);
    }
    assert!(!all.is_empty());
    for (name, text) in &all {
        let old = parse(text);
        let mut at = 0;
        for (index, (kind, token)) in apg_syntax::tokens(text).enumerate() {
            let range = TextRange::at(TextSize::new(at), TextSize::of(token));
            at += token.len() as u32;
            if kind.is_trivia() {
                continue;
            }
            if index % every == 0 {
                check(name, &old, text, &Edit::new(range, ""));
                check(name, &old, text, &Edit::new(TextRange::empty(range.start()), token));
            }
            for (nth, word) in WORDS.iter().enumerate() {
                if (index + nth) % every == 0 {
                    check(name, &old, text, &Edit::new(TextRange::empty(range.start()), *word));
                }
            }
        }
    }
}

#[test]
fn of_the_parsers_own_programs() {
    edit_tokens(&["syntax/x10/test_data"], 19);
}

#[test]
fn of_programs_with_mistakes() {
    edit_tokens(&["tests/md/bodies"], 37);
}

/// Where nothing is wrong, members are parsed alone.
#[test]
fn of_programs_without_mistakes() {
    edit_tokens(&["examples"], 331);
}

/// The line in which a block ends may continue with another block, whose indentation decides which braces
/// match.
#[test]
fn block_may_begin_in_the_line_in_which_another_ends() {
    let text =
        "class A {\n    def f() {\n        async {\n   g(xy} {\n    def h() { }\n        }\n    }\n}\n";
    let at = TextRange::empty(TextSize::new(text.find("y}").unwrap() as u32));
    check(text, &parse(text), text, &Edit::new(at, "\n        "));
}

/// Braces before `;` are a condition if nothing in them is a statement.
#[test]
fn of_a_body_before_a_semicolon() {
    let text = "class A { def f() { }; def this() { }; }";
    let old = parse(text);
    for (at, _) in text.match_indices(" };") {
        for insert in
            [" finish { if (true) { } }", " { }", " at (p) { g(); }", " x", " f { }", " x;", " finish f();"]
        {
            let edit = Edit::new(TextRange::empty(TextSize::new(at as u32)), insert);
            check(text, &old, text, &edit);
        }
    }
    for legal in [
        "class A { def f() { finish { g(); } }; }",
        "class A { def f() { { g(); } }; }",
        "class A { def f() { at (p) { g(); } }; }",
    ] {
        assert_eq!(parse(legal).errors(), [], "{legal}");
    }
}

/// The word before the braces is a misspelt `switch` or a foreign `match` only for what the braces begin
/// with.
#[test]
fn of_what_tells_the_meaning_of_the_word_before_the_braces() {
    for (text, word) in [
        ("class A { def f(y:Long) { swich (y) { case 1: break; } } }", "case"),
        ("class A { def f(y:Long) { swich (y) { default: break; } } }", "default"),
        ("class A { def f(y:Long) { match (y) { x => g(); } } }", "x =>"),
    ] {
        let old = parse(text);
        assert!(!old.errors().is_empty(), "{text}");
        let start = text.find(word).unwrap() as u32;
        let range = TextRange::at(TextSize::new(start), TextSize::of(word));
        for edit in
            [Edit::new(range, ""), Edit::new(range, "z"), Edit::new(TextRange::empty(range.start()), "pr")]
        {
            check(text, &old, text, &edit);
        }
    }
}
