//! The parser and the formatter on X10's own files; see `x10-suite/README.md`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use apg_syntax::{Edit, SyntaxKind, SyntaxNode, TextRange, TextSize, parse};

/// The files below `APG_X10_HOME`, with their paths from there; `None`, with a visible line, if it is not set.
fn corpus() -> Option<Vec<(String, String)>> {
    let Some(home) = std::env::var_os("APG_X10_HOME") else {
        println!("skipped: set APG_X10_HOME to a checkout of x10-lang/x10 to run this test");
        return None;
    };
    let home = PathBuf::from(home);
    let mut files = Vec::new();
    collect(&home, &mut files);
    files.sort();
    assert!(!files.is_empty(), "no .x10 files below {}", home.display());
    let name = |it: &Path| it.strip_prefix(&home).unwrap().to_string_lossy().replace('\\', "/");
    let text = |it: &Path| String::from_utf8_lossy(&std::fs::read(it).unwrap()).into_owned();
    Some(files.iter().map(|it| (name(it), text(it))).collect())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| it == "x10") {
            files.push(path);
        }
    }
}

fn recorded() -> (u64, BTreeSet<String>) {
    let data: serde_json::Value = serde_json::from_str(include_str!("../x10-suite/grammar.json")).unwrap();
    let list = |key: &str| {
        let list = data[key].as_array().unwrap().clone();
        list.into_iter().map(|it| it.as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    (data["files"].as_u64().unwrap(), list("reject").into_iter().chain(list("either")).collect())
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}

#[test]
fn accepts_what_x10_accepts() {
    let Some(files) = corpus() else { return };
    let (count, refused) = recorded();
    let mut wrong = Vec::new();
    let mut clean = 0;
    for (name, text) in &files {
        let parse = parse(text);
        assert_eq!(parse.syntax().to_string(), *text, "{name}");
        let is_clean = parse.errors().is_empty();
        clean += u64::from(is_clean);
        if is_clean == refused.contains(name) {
            wrong.push(format!("{name}: {:?}", parse.errors().first()));
        }
    }
    println!("{clean} of {} files have no errors; X10 accepts {}", files.len(), count - refused.len() as u64);
    assert!(wrong.is_empty(), "{} files differ from X10's parser:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn prefixes_are_lossless() {
    let Some(files) = corpus() else { return };
    let mut count = 0;
    for (name, text) in files.iter().filter(|it| it.1.len() < 1500).step_by(3).take(200) {
        for end in (0..text.len()).filter(|&it| text.is_char_boundary(it)) {
            assert_eq!(parse(&text[..end]).syntax().to_string(), text[..end], "{name} up to {end}");
            count += 1;
        }
    }
    println!("{count} prefixes");
}

/// Tokens of a tree that are no trivia.
fn tokens(root: &SyntaxNode) -> Vec<(TextRange, SyntaxKind)> {
    let all = root.descendants_with_tokens().filter_map(|it| it.into_token());
    all.filter(|it| !it.kind().is_trivia()).map(|it| (it.text_range(), it.kind())).collect()
}

#[test]
fn one_mistake_gives_one_error() {
    let Some(files) = corpus() else { return };
    let (_, refused) = recorded();
    let mut numbers = Numbers(1);
    let mut counts = [Vec::new(), Vec::new()];
    let good = files.iter().filter(|it| it.1.len() < 30_000 && !refused.contains(&it.0));
    for (name, text) in good {
        let tokens = tokens(&parse(text).syntax());
        for _ in 0..if tokens.is_empty() { 0 } else { 6 } {
            let (range, _) = tokens[numbers.below(tokens.len())];
            let word = &text[range];
            let edits = [Edit::new(range, ""), Edit::new(TextRange::empty(range.end()), format!(" {word}"))];
            for (edit, counts) in edits.iter().zip(&mut counts) {
                let mut broken = text.clone();
                edit.apply(&mut broken);
                let parse = parse(&broken);
                assert_eq!(parse.syntax().to_string(), broken, "{name}: {edit:?}");
                // Often what is left is as good X10 as before.
                if !parse.errors().is_empty() {
                    let line = text[..usize::from(range.start())].matches('\n').count() + 1;
                    counts.push((parse.errors().len(), name.clone(), line, word.to_string()));
                }
            }
        }
    }
    for (what, counts) in ["deleted", "duplicated"].iter().zip(&mut counts) {
        counts.sort();
        let at = |percent: usize| counts[counts.len() * percent / 100].0;
        println!(
            "one token {what}, {} broken files: errors p50 {} p75 {} p90 {} p99 {} max {}",
            counts.len(),
            at(50),
            at(75),
            at(90),
            at(99),
            counts.last().unwrap().0
        );
        if std::env::var_os("APG_SHOW_WORST").is_some() {
            counts.iter().rev().take(60).for_each(|it| println!("  {it:?}"));
        }
        assert!(at(50) <= 1, "more than one error for one mistake");
    }
}

#[test]
fn reparsing_equals_parsing() {
    let Some(files) = corpus() else { return };
    let mut numbers = Numbers(2);
    let (mut local, mut total) = (0, 0);
    for (name, text) in files.iter().filter(|it| it.1.len() < 20_000).step_by(4) {
        let mut text = text.clone();
        let mut old = parse(&text);
        for _ in 0..12 {
            let edit = random_edit(&mut numbers, &old.syntax(), &text);
            let before = text.clone();
            edit.apply(&mut text);
            local += usize::from(apg_syntax::is_local(&old, &edit));
            total += 1;
            let new = old.reparse(&edit);
            let full = parse(&text);
            if new != full {
                let path = std::env::temp_dir().join("apg-reparse-before.x10");
                std::fs::write(&path, before).unwrap();
                assert_eq!(
                    format!("{:#?}", new.syntax()),
                    format!("{:#?}", full.syntax()),
                    "{name}: {edit:?}"
                );
                assert_eq!(new.errors(), full.errors(), "{name}: {edit:?} (text before: {})", path.display());
            }
            old = new;
        }
    }
    println!("{local} of {total} edits were parsed as one block");
    assert!(local * 4 > total, "many edits concern one block");
}

/// Deletes, duplicates or swaps a token, or writes something new between two.
fn random_edit(numbers: &mut Numbers, root: &SyntaxNode, text: &str) -> Edit {
    const NEW: &[&str] = &[
        "x",
        ";",
        "{",
        "}",
        "(",
        ")",
        " ",
        "\n",
        "/*",
        "\"",
        "val x = 1;",
        "if (x) { y(); }",
        "at (p) { f() }",
        "[",
        ":T",
    ];
    let tokens = tokens(root);
    if tokens.is_empty() {
        return Edit::new(TextRange::empty(TextSize::of(text)), "class A { }");
    }
    let (range, _) = tokens[numbers.below(tokens.len())];
    match numbers.below(4) {
        0 => Edit::new(range, ""),
        1 => Edit::new(TextRange::empty(range.end()), format!(" {}", &text[range])),
        2 => Edit::new(range, NEW[numbers.below(NEW.len())]),
        _ => Edit::new(TextRange::empty(range.end()), NEW[numbers.below(NEW.len())]),
    }
}

#[test]
fn formatting_is_stable_and_keeps_the_tokens() {
    let Some(files) = corpus() else { return };
    let words = |text: &str| -> Vec<(SyntaxKind, String)> {
        let root = parse(text).syntax();
        let all = root.descendants_with_tokens().filter_map(|it| it.into_token());
        all.filter(|it| !it.kind().is_trivia()).map(|it| (it.kind(), it.text().to_string())).collect()
    };
    let (mut count, mut unstable) = (0, Vec::new());
    for (name, text) in &files {
        let Ok(once) = apg_syntax::formatted(text) else { continue };
        count += 1;
        if apg_syntax::formatted(&once).as_ref() != Ok(&once) {
            unstable.push(name);
        }
        // Parsing again all of the largest files would say no more.
        if text.len() < 50_000 {
            assert_eq!(words(&once), words(text), "{name}");
        }
    }
    println!("{count} of {} files formatted", files.len());
    assert!(unstable.is_empty(), "formatting is not idempotent for {unstable:#?}");
}
