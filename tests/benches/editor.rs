//! Questions that an editor asks while someone types, through the protocol, each right after an edit in the middle of a file of
//! 10,000 lines; from the start of the server to the first diagnostics of an open file; references of a name that is used 10,000
//! times in 100 files of 1,000 lines, and the memory of the server then. Peers, where they are on the PATH: `ty server` on Python
//! and `clangd` on C++ of the same size and shape. Goals: completion p50 10 ms, p99 30 ms; start 200 ms.

use std::process::Command;
use std::time::{Duration, Instant};

use apg_tests::lsp::Server;
use apg_tests::measure::{Times, head, machine, row};
use apg_tests::sources::{cpp, on_path, python, x10};
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

fn clangd() -> Option<Command> {
    let mut command = Command::new(on_path("clangd")?);
    // No files of its own on this machine, and nothing in the background that the others do not do either.
    command.args(["--background-index=false", "--log=error"]);
    Some(command)
}

const SUBJECTS: [Subject; 3] = [
    Subject { name: "apg-lsp", command: apg, language: "x10", text: x10 },
    Subject { name: "peer: ty server, Python", command: ty, language: "py", text: python },
    Subject { name: "peer: clangd, C++", command: clangd, language: "cpp", text: cpp },
];

/// The files of the corpus, each of [`CORPUS_LINES`].
const CORPUS_FILES: usize = 100;
const CORPUS_LINES: usize = 1_000;

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
    corpus();
}

/// Ours, and the peers with the ratio of ours to each.
fn rows(measure: impl Fn(&Subject) -> Option<Times>) {
    let [ours, peers @ ..] = SUBJECTS.each_ref().map(|subject| (subject.name, measure(subject)));
    let Some(times) = ours.1 else { return };
    row(ours.0, &times, None);
    for (name, peer) in peers {
        match peer {
            Some(peer) => {
                row(name, &peer, None);
                row(&format!("{}, beside {name}", ours.0), &times, Some(&peer));
            }
            None => println!("(skipped: {name} is not on the PATH)"),
        }
    }
}

/// References of the square root over many files, first and again, and the memory that the server has then.
fn corpus() {
    println!("\nreferences of a name used in all of {CORPUS_FILES} files of {CORPUS_LINES} lines\n");
    println!("| server | found | first | again, median of 10 | memory |\n|---|---|---|---|---|");
    // C++ would have to be indexed first.
    for subject in &SUBJECTS[..2] {
        match over_corpus(subject) {
            Some(line) => println!("{line}"),
            None => println!("(skipped: {} is not on the PATH)", subject.name),
        }
    }
}

fn over_corpus(subject: &Subject) -> Option<String> {
    let command = (subject.command)()?;
    let folder = tempfile::tempdir().ok()?;
    let text = |file: usize| {
        let text = (subject.text)(CORPUS_LINES);
        text.replace("class Edited", &format!("class Part{file}"))
    };
    let path = |file: usize| folder.path().join(format!("Part{file}.{}", subject.language));
    for file in 0..CORPUS_FILES {
        std::fs::write(path(file), text(file)).ok()?;
    }
    let root = format!("file://{}", folder.path().display());
    let mut server = Server::start(
        command,
        json!({ "processId": null, "rootUri": root, "workspaceFolders": [{ "uri": root, "name": "bench" }],
                "capabilities": { "textDocument": { "publishDiagnostics": { "versionSupport": true } } } }),
    );
    let uri = format!("file://{}", path(0).display());
    let language = if subject.language == "py" { "python" } else { subject.language };
    let first = text(0);
    server.open(&uri, language, &first);
    server.diagnostics(&uri, 1);
    let (line, column) =
        first.lines().enumerate().find_map(|(line, content)| Some((line, content.find("sqrt")?)))?;
    let params = json!({
        "textDocument": { "uri": uri }, "position": { "line": line, "character": column + 1 },
        "context": { "includeDeclaration": true },
    });
    let mut found = 0;
    let mut ask = || {
        let answer = server.request("textDocument/references", params.clone());
        found = answer.as_array().map_or(0, Vec::len);
    };
    let cold = Times::of(1, &mut ask);
    let again = Times::of(10, &mut ask);
    let memory = resident(server.process());
    server.end();
    Some(format!(
        "| {} | {found} | {:.0} ms | {:.0} ms | {memory:.0} MB |",
        subject.name,
        cold.median().as_secs_f64() * 1e3,
        again.median().as_secs_f64() * 1e3
    ))
}

/// The memory that a process has, in MB.
fn resident(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|it| it.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or(0.0) / 1e3
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
