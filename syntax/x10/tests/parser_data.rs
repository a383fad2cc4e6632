//! Each file of `test_data/ok` parses without errors, each of `test_data/err` with some; the tree and the
//! errors are in the file of the same name that ends in `.tree`. `APG_BLESS=1` writes those anew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use apg_syntax::{NodeOrToken, Parse, SyntaxNode, parse};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    files.retain(|it| it.extension().is_some_and(|it| it == "x10"));
    files.sort();
    assert!(!files.is_empty());
    files
}

/// The nodes, each with the tokens directly below it that have no fixed text.
fn dump(node: &SyntaxNode, depth: usize, out: &mut String) {
    let words: Vec<_> = node
        .children_with_tokens()
        .filter_map(NodeOrToken::into_token)
        .filter(|it| !it.kind().is_trivia())
        .map(|it| it.text().to_string())
        .collect();
    writeln!(out, "{}{:?} {}", "  ".repeat(depth), node.kind(), words.join(" ")).unwrap();
    node.children().for_each(|it| dump(&it, depth + 1, out));
}

fn snapshot(text: &str, parse: &Parse) -> String {
    let mut out = String::new();
    for error in parse.errors() {
        let start = usize::from(error.range.start());
        let line = text[..start].matches('\n').count() + 1;
        let column = start - text[..start].rfind('\n').map_or(0, |it| it + 1) + 1;
        writeln!(out, "{line}:{column} `{}` {}", &text[error.range], error.message).unwrap();
        if let Some(hint) = &error.hint {
            writeln!(out, "    hint: {hint}").unwrap();
        }
    }
    dump(&parse.syntax(), 0, &mut out);
    // No blanks at line ends.
    out.lines().map(|it| format!("{}\n", it.trim_end())).collect()
}

fn check(folder: &str, may_have_errors: bool) {
    let mut wrong = Vec::new();
    for file in files(folder) {
        let text = std::fs::read_to_string(&file).unwrap().replace("\r\n", "\n");
        let parse = parse(&text);
        assert_eq!(parse.syntax().to_string(), text, "{}", file.display());
        assert_eq!(!parse.errors().is_empty(), may_have_errors, "{}: {:#?}", file.display(), parse.errors());
        let found = snapshot(&text, &parse);
        let recorded = file.with_extension("tree");
        if std::env::var_os("APG_BLESS").is_some() {
            std::fs::write(&recorded, &found).unwrap();
        }
        let expected = std::fs::read_to_string(&recorded).unwrap_or_default().replace("\r\n", "\n");
        if expected != found {
            wrong.push(format!("{}:\n{found}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "trees differ; APG_BLESS=1 records them anew\n{}", wrong.join("\n"));
}

#[test]
fn programs_without_errors() {
    check("ok", false);
}

#[test]
fn programs_with_errors() {
    check("err", true);
}
