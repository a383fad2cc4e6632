//! Questions that an editor asks while someone types, through the protocol, each right after an edit in the
//! middle of a file of 10,000 lines; from the start of the server to the first diagnostics of an open file;
//! references of a name that is used in all files of a folder, and the memory of the server then. Peers,
//! where they are on the PATH: `ty server` on Python, `clangd` on C++ and `rust-analyzer` on Rust of the same
//! size and shape. Goals: completion p50 10 ms, p99 30 ms; start 200 ms.
//!
//! A peer has [`BUDGET`] for each figure: slow requests are repeated less often. A peer that does not answer
//! is skipped.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use apg_tests::baselines::{Opened, SUBJECTS, Subject};
use apg_tests::measure::{ABSENT, Times, head, machine, rows};
use serde_json::{Value, json};

const LINES: usize = 10_000;
const RUNS: usize = 60;

/// Time after which a measurement is not repeated any more, once it has [`MIN_RUNS`] samples.
const BUDGET: Duration = Duration::from_secs(12);
const MIN_RUNS: usize = 5;

/// How many files a folder has, each of [`CORPUS_LINES`]. The second is not for rust-analyzer, for which each
/// file is a crate.
const CORPORA: [usize; 2] = [20, 100];
const CORPUS_LINES: usize = 1_000;

const METHODS: [&str; 4] = [
    "textDocument/completion",
    "textDocument/hover",
    "textDocument/semanticTokens/full",
    "textDocument/references",
];

type Measured = Result<Times, String>;

fn main() {
    println!("machine: {}", machine());
    let asked = SUBJECTS.each_ref().map(asked);
    for (nth, method) in METHODS.iter().enumerate() {
        head(&format!("{method} after an edit, {LINES} lines"));
        rows(SUBJECTS.iter().zip(&asked).map(|(subject, asked)| (subject.name, asked[nth].clone())));
    }
    for lines in [1_000, LINES] {
        head(&format!("start of the server to the diagnostics of {lines} lines"));
        rows(SUBJECTS.each_ref().map(|subject| (subject.name, tried(|| started(subject, lines)))));
    }
    for files in CORPORA {
        corpus(files);
    }
}

/// What went wrong with a server is no failure of the others.
fn tried<T>(measure: impl FnOnce() -> Option<T>) -> Result<T, String> {
    let why = |error: Box<dyn std::any::Any + Send>| {
        error.downcast_ref::<String>().cloned().unwrap_or_else(|| "it failed".to_owned())
    };
    catch_unwind(AssertUnwindSafe(measure)).map_err(why)?.ok_or_else(|| ABSENT.to_owned())
}

/// As often as there is time for.
fn repeated(mut action: impl FnMut(usize) -> Duration) -> Times {
    let start = Instant::now();
    let mut times = Vec::new();
    while times.len() < RUNS && (times.len() < MIN_RUNS || start.elapsed() < BUDGET) {
        times.push(action(times.len()));
    }
    times.into_iter().collect()
}

/// References of the square root over many files, first and again, and the memory that the server has then.
fn corpus(files: usize) {
    println!("\nreferences of a name used in all of {files} files of {CORPUS_LINES} lines\n");
    println!("| server | found | first | again, median | memory |\n|---|---|---|---|---|");
    let searches = |subject: &&Subject| {
        subject.searches_files && (files == CORPORA[0] || !subject.name.contains("rust-analyzer"))
    };
    for subject in SUBJECTS.iter().filter(searches) {
        match tried(|| over_corpus(subject, files)) {
            Ok(line) => println!("{line}"),
            Err(why) => println!("SKIP {}: {why}", subject.name),
        }
    }
}

fn over_corpus(subject: &Subject, files: usize) -> Option<String> {
    let text = |file: usize| (subject.text)(CORPUS_LINES).replace("Edited", &format!("Part{file}"));
    let sources: Vec<String> =
        std::iter::once((subject.text)(CORPUS_LINES)).chain((1..files).map(text)).collect();
    let mut opened = subject.open(&sources)?;
    let (line, column) = sources[0].lines().enumerate().find_map(|(line, content)| {
        Some((line, content.find("sqrt(a").or_else(|| content.find("sqrt()"))?))
    })?;
    let params = json!({
        "textDocument": { "uri": opened.uri }, "position": { "line": line, "character": column + 1 },
        "context": { "includeDeclaration": true },
    });
    let mut found = 0;
    let mut ask = || {
        let start = Instant::now();
        let answer = opened.server.request("textDocument/references", params.clone());
        found = answer.as_array().map_or(0, Vec::len);
        start.elapsed()
    };
    let first = ask();
    let again = repeated(|_| ask());
    let memory = resident(opened.server.process());
    opened.server.end();
    Some(format!(
        "| {} | {found} | {:.0} ms | {:.0} ms | {memory:.0} MB |",
        subject.name,
        first.as_secs_f64() * 1e3,
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
        repeated(|_| {
            let start = Instant::now();
            let opened = subject.open(std::slice::from_ref(&text));
            let taken = start.elapsed();
            if let Some(Opened { server, .. }) = opened {
                server.end();
            }
            taken
        })
    })
}

/// Types a digit and asks about the variable in the same line, in each of the ways.
fn asked(subject: &Subject) -> [Measured; METHODS.len()] {
    let text = (subject.text)(LINES);
    let middle = text.lines().count() / 2;
    let place = text
        .lines()
        .enumerate()
        .skip(middle)
        .find_map(|(line, content)| Some((line, content.find("limit = 1000")?)));
    let opened = tried(|| subject.open(std::slice::from_ref(&text)));
    let ((line, column), mut opened) = match (place, opened) {
        (Some(place), Ok(opened)) => (place, opened),
        (_, Err(why)) => return METHODS.map(|_| Err(why.clone())),
        (None, _) => return METHODS.map(|_| Err("its text has no such line".to_owned())),
    };
    let (line, column) = (u32::try_from(line).expect("small"), u32::try_from(column).expect("small"));
    let mut edits = 0;
    let measured = METHODS.map(|method| {
        tried(|| Some(repeated(|_| after_an_edit(&mut opened, method, (line, column), &mut edits))))
    });
    let _ = tried(|| opened.server.end());
    measured
}

fn after_an_edit(opened: &mut Opened, method: &str, (line, column): (u32, u32), edits: &mut u32) -> Duration {
    // The end of the number, before which it is typed.
    let number = column + 9;
    let insert = edits.is_multiple_of(2);
    *edits += 1;
    opened.change([line, number, line, number + u32::from(!insert)], if insert { "7" } else { "" });
    let params = json!({
        "textDocument": { "uri": opened.uri },
        "position": { "line": line, "character": column + 2 },
        "context": { "includeDeclaration": true, "triggerKind": 1 },
    });
    let start = Instant::now();
    let answer = opened.server.request(method, params);
    let taken = start.elapsed();
    assert_ne!(answer, Value::Null, "{method} is not answered");
    opened.diagnosed();
    std::thread::sleep(Duration::from_millis(10));
    taken
}
