//! Questions that an editor asks while someone types, through the protocol, each right after an edit in the middle of a file of
//! 10,000 lines; from the start of the server to the first diagnostics of an open file; references of a name that is used 10,000
//! times in 100 files of 1,000 lines, and the memory of the server then. Peers, where they are on the PATH: `ty server` on Python,
//! `clangd` on C++ and `rust-analyzer` on Rust of the same size and shape. Goals: completion p50 10 ms, p99 30 ms; start 200 ms.

use std::time::{Duration, Instant};

use apg_tests::measure::{Times, head, machine, rows};
use apg_tests::peers::{Opened, SUBJECTS, Subject};
use serde_json::{Value, json};

const LINES: usize = 10_000;
const RUNS: i64 = 60;

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
        rows(SUBJECTS.each_ref().map(|subject| (subject.name, asked(subject, method))));
    }
    for lines in [1_000, LINES] {
        head(&format!("start of the server to the diagnostics of {lines} lines"));
        rows(SUBJECTS.each_ref().map(|subject| (subject.name, started(subject, lines))));
    }
    corpus();
}

/// References of the square root over many files, first and again, and the memory that the server has then.
fn corpus() {
    println!("\nreferences of a name used in all of {CORPUS_FILES} files of {CORPUS_LINES} lines\n");
    println!("| server | found | first | again, median of 10 | memory |\n|---|---|---|---|---|");
    for subject in SUBJECTS.iter().filter(|subject| subject.searches_files) {
        match over_corpus(subject) {
            Some(line) => println!("{line}"),
            None => println!("(skipped: {} is not on the PATH)", subject.name),
        }
    }
}

fn over_corpus(subject: &Subject) -> Option<String> {
    let text = |file: usize| (subject.text)(CORPUS_LINES).replace("Edited", &format!("Part{file}"));
    let texts: Vec<String> =
        std::iter::once((subject.text)(CORPUS_LINES)).chain((1..CORPUS_FILES).map(text)).collect();
    let mut opened = subject.open(&texts)?;
    let (line, column) = texts[0].lines().enumerate().find_map(|(line, content)| {
        Some((line, content.find("sqrt(a").or_else(|| content.find("sqrt()"))?))
    })?;
    let params = json!({
        "textDocument": { "uri": opened.uri }, "position": { "line": line, "character": column + 1 },
        "context": { "includeDeclaration": true },
    });
    let mut found = 0;
    let mut ask = || {
        let answer = opened.server.request("textDocument/references", params.clone());
        found = answer.as_array().map_or(0, Vec::len);
    };
    let cold = Times::of(1, &mut ask);
    let again = Times::of(10, &mut ask);
    let memory = resident(opened.server.process());
    opened.server.end();
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

fn started(subject: &Subject, lines: usize) -> Option<Times> {
    let text = (subject.text)(lines);
    subject.is_there().then(|| {
        Times::of(10, || {
            if let Some(Opened { server, .. }) = subject.open(std::slice::from_ref(&text)) {
                server.end();
            }
        })
    })
}

/// Types a digit and asks about the variable in the same line.
fn asked(subject: &Subject, method: &str) -> Option<Times> {
    let text = (subject.text)(LINES);
    let middle = text.lines().count() / 2;
    let mut opened = subject.open(std::slice::from_ref(&text))?;
    let (line, column) = text
        .lines()
        .enumerate()
        .skip(middle)
        .find_map(|(line, content)| Some((line, content.find("limit = 1000")?)))?;
    let (line, column) = (u32::try_from(line).ok()?, u32::try_from(column).ok()?);
    // The end of the number, before which it is typed.
    let number = column + 9;
    let params = json!({
        "textDocument": { "uri": opened.uri },
        "position": { "line": line, "character": column + 2 },
        "context": { "includeDeclaration": true, "triggerKind": 1 },
    });
    let mut times = Vec::new();
    for edit in 0..RUNS {
        let insert = edit % 2 == 0;
        opened.change([line, number, line, number + u32::from(!insert)], if insert { "7" } else { "" });
        let start = Instant::now();
        let answer = opened.server.request(method, params.clone());
        times.push(start.elapsed());
        assert_ne!(answer, Value::Null, "{method} of {}", subject.name);
        opened.diagnosed();
        std::thread::sleep(Duration::from_millis(10));
    }
    opened.server.end();
    Some(times.into_iter().collect())
}
