//! The TextMate grammar colours each token as what it is: in our class library and examples, and in X10's
//! samples if `APG_X10_HOME` names a clone.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use apg_syntax::SyntaxKind;
use apg_tests::tools;
use serde_json::{Value, json};

#[test]
fn colours_agree_with_tokens() {
    let Some(node) = tools::optional_tool("node") else { return };
    let mut paths = Vec::new();
    for folder in ["examples", "runtime/x10", "tests/programs"] {
        paths.extend(tools::x10_files(&tools::repository().join(folder)));
    }
    if let Some(home) = std::env::var_os("APG_X10_HOME") {
        paths.extend(tools::x10_files(&Path::new(&home).join("x10.dist/samples")));
    }
    let files: Vec<Value> = paths.iter().filter_map(|path| tokens(path)).collect();
    let mut command = Command::new(node);
    command.arg(tools::repository().join("tests/vscode/grammar.mjs"));
    command.arg(tools::repository().join("editors/vscode/syntaxes/x10.tmLanguage.json"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let input = child.stdin.take().expect("piped");
    // The script reads everything before it says anything.
    let written = { input }.write_all(json!(files).to_string().as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(written.is_ok() && output.status.success(), "{said}");
    print!("{said}");
}

/// The tokens of a file that have a colour, by line, UTF-16 column and length; none of a file that is not
/// one.
fn tokens(path: &Path) -> Option<Value> {
    let text = std::fs::read_to_string(path).ok()?.replace("\r\n", "\n");
    let parse = apg_syntax::parse(&text);
    if !parse.errors().is_empty() {
        return None;
    }
    let lines: Vec<&str> = text.split('\n').collect();
    let mut found = Vec::new();
    let all = parse.syntax().descendants_with_tokens().filter_map(|element| element.into_token());
    for token in all {
        let Some(kind) = kind(token.kind()) else { continue };
        let start = usize::from(token.text_range().start());
        let line = text[..start].matches('\n').count();
        let column = start - text[..start].rfind('\n').map_or(0, |at| at + 1);
        for (nth, part) in token.text().split('\n').enumerate() {
            let before = if nth == 0 { &lines[line][..column] } else { "" };
            let units = |text: &str| text.encode_utf16().count();
            found.push(json!([line + nth, units(before), units(part), kind]));
        }
    }
    Some(json!({ "name": path.display().to_string(), "lines": lines, "tokens": found }))
}

fn kind(kind: SyntaxKind) -> Option<&'static str> {
    Some(match kind {
        SyntaxKind::INT_NUMBER | SyntaxKind::FLOAT_NUMBER => "number",
        SyntaxKind::STRING | SyntaxKind::CHAR => "string",
        SyntaxKind::IDENT => "name",
        kind if kind.is_comment() => "comment",
        kind if kind.is_keyword() => "keyword",
        _ => return None,
    })
}
