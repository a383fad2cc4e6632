//! Questions that an editor asks while someone types, through the protocol, each right after an edit in the middle of a file of
//! 10,000 lines; and from the start of the server to the first diagnostics of an open file. Peer, when it is on the PATH:
//! `ty server` on a Python file of the same size and shape. Goals: completion p50 10 ms, p99 30 ms; start 200 ms.

use std::process::Command;
use std::time::{Duration, Instant};

use apg_tests::lsp::Server;
use apg_tests::measure::{Times, head, machine, row};
use apg_tests::sources::{on_path, python, x10};
use apg_tests::tools;
use serde_json::{Value, json};

const LINES: usize = 10_000;
const RUNS: i64 = 60;

/// A server and the language of its documents.
struct Subject {
    name: &'static str,
    command: fn() -> Option<Command>,
    language: &'static str,
    text: fn(usize) -> String,
}

fn apg() -> Option<Command> {
    Some(Command::new(tools::apg_lsp()))
}

fn ty() -> Option<Command> {
    let mut command = Command::new(on_path("ty")?);
    command.arg("server");
    Some(command)
}

const SUBJECTS: [Subject; 2] = [
    Subject { name: "apg-lsp", command: apg, language: "x10", text: x10 },
    Subject { name: "peer: ty server, Python", command: ty, language: "py", text: python },
];

fn main() {
    println!("machine: {}", machine());
    let methods = [
        "textDocument/completion",
        "textDocument/hover",
        "textDocument/semanticTokens/full",
        "textDocument/references",
    ];
    for method in methods {
        head(&format!("{method} after an edit, {LINES} lines"));
        rows(|subject| asked(subject, method));
    }
    for lines in [1_000, LINES] {
        head(&format!("start of the server to the diagnostics of {lines} lines"));
        rows(|subject| started(subject, lines));
    }
}

/// Ours, and the peer's ratio to it.
fn rows(measure: impl Fn(&Subject) -> Option<Times>) {
    let [ours, peer] = SUBJECTS.each_ref().map(&measure);
    if let Some(ours) = ours {
        row(SUBJECTS[0].name, &ours, peer.as_ref());
    }
    match peer {
        Some(peer) => row(SUBJECTS[1].name, &peer, None),
        None => println!("(no peer: `ty` is not on the PATH)"),
    }
}

/// A document in a folder of its own, opened.
fn open(subject: &Subject, lines: usize) -> Option<(Server, String, String, tempfile::TempDir)> {
    let command = (subject.command)()?;
    let folder = tempfile::tempdir().ok()?;
    let text = (subject.text)(lines);
    let file = folder.path().join(format!("Edited.{}", subject.language));
    std::fs::write(&file, &text).ok()?;
    let root = format!("file://{}", folder.path().display());
    let mut server = Server::start(
        command,
        json!({ "processId": null, "rootUri": root, "workspaceFolders": [{ "uri": root, "name": "bench" }],
                "capabilities": { "textDocument": { "publishDiagnostics": { "versionSupport": true } } } }),
    );
    let uri = format!("file://{}", file.display());
    let language = if subject.language == "py" { "python" } else { subject.language };
    server.open(&uri, language, &text);
    server.diagnostics(&uri, 1);
    Some((server, uri, text, folder))
}

fn started(subject: &Subject, lines: usize) -> Option<Times> {
    (subject.command)()?;
    Some(Times::of(10, || {
        if let Some((server, ..)) = open(subject, lines) {
            server.end();
        }
    }))
}

/// Types a digit and asks about the variable in the same line.
fn asked(subject: &Subject, method: &str) -> Option<Times> {
    let (mut server, uri, text, _folder) = open(subject, LINES)?;
    let middle = text.lines().count() / 2;
    let (line, column) = text
        .lines()
        .enumerate()
        .skip(middle)
        .find_map(|(line, content)| Some((line, content.find("limit = 1000")?)))?;
    let (line, column) = (u32::try_from(line).ok()?, u32::try_from(column).ok()?);
    let number = column + 9;
    let params = json!({
        "textDocument": { "uri": uri },
        "position": { "line": line, "character": column + 2 },
        "context": { "includeDeclaration": true, "triggerKind": 1 },
    });
    let mut times = Vec::new();
    for edit in 0..RUNS {
        let insert = edit % 2 == 0;
        let range = [line, number, line, number + u32::from(!insert)];
        server.change(&uri, edit + 2, range, if insert { "7" } else { "" });
        let start = Instant::now();
        let answer = server.request(method, params.clone());
        times.push(start.elapsed());
        assert_ne!(answer, Value::Null, "{method} of {}", subject.name);
        server.diagnostics(&uri, edit + 2);
        std::thread::sleep(Duration::from_millis(10));
    }
    server.end();
    Some(times.into_iter().collect())
}
