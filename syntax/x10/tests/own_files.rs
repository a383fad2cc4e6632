//! The class library and the examples of this repository: they parse without errors, incremental parsing
//! agrees with parsing anew at every declaration, formatting is stable, and the style page shows what the
//! formatter does.

use std::path::{Path, PathBuf};

use apg_syntax::{Edit, SyntaxKind, TextRange, TextSize, formatted, parse};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.map(|it| it.unwrap().path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| it == "x10") {
            files.push(path);
        }
    }
}

fn files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    collect(&root().join("runtime/x10"), &mut files);
    collect(&root().join("examples"), &mut files);
    files.sort();
    assert!(!files.is_empty());
    files.iter().map(|it| (it.display().to_string(), std::fs::read_to_string(it).unwrap())).collect()
}

#[test]
fn parse_without_errors() {
    for (name, text) in files() {
        let parse = parse(&text);
        assert!(parse.errors().is_empty(), "{name}: {:#?}", parse.errors());
        assert_eq!(parse.syntax().to_string(), text, "{name}");
    }
}

#[test]
fn formatting_is_stable() {
    for (name, text) in files() {
        let once = formatted(&text).unwrap();
        assert_eq!(formatted(&once).unwrap(), once, "{name}");
    }
}

#[test]
fn typing_is_parsed_as_part_of_a_block() {
    let (mut local, mut all) = (0, 0);
    for (name, text) in files() {
        let old = parse(&text);
        let in_block = |at: &usize| {
            let token = old.syntax().token_at_offset(TextSize::new(*at as u32)).right_biased();
            token.is_some_and(|token| token.parent_ancestors().any(|node| node.kind() == SyntaxKind::BLOCK))
        };
        for at in text.match_indices(';').map(|it| it.0).filter(in_block).step_by(10) {
            for insert in ["x", " ", ";", "{", ")", " // c\n"] {
                let edit = Edit::new(TextRange::empty(TextSize::new(at as u32)), insert);
                let mut new = text.clone();
                edit.apply(&mut new);
                assert_eq!(old.reparse(&edit), parse(&new), "{name} at {at}: {insert}");
                local += usize::from(apg_syntax::is_local(&old, &edit));
                all += 1;
            }
        }
    }
    assert!(local * 2 > all, "{local} of {all}");
}

#[test]
fn the_style_page_shows_the_style() {
    let page = std::fs::read_to_string(root().join("docs/style.md")).unwrap().replace("\r\n", "\n");
    let example = page.split("```x10\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(formatted(example).unwrap(), example);
}
