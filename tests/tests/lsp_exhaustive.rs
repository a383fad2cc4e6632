//! Every request on every word of real programs: the class library, the examples, and X10's samples if
//! `APG_X10_HOME` names a clone. No answer may be an error. How long answers took is printed;
//! `APG_SWEEP_LIMIT` says how many milliseconds of the processor one may take, which is what it takes on the
//! wall of a machine that does nothing else.
//!
//! Every 200th word is asked about; `APG_SWEEP_STEP=1` asks about all, and `APG_SWEEP_STEP=16` with
//! `APG_SWEEP_FIRST` from 0 to 15 does so in 16 processes. `APG_SWEEP` names folders to take instead.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use apg_tests::processes;
use apg_tests::requests;
use apg_tests::session::Session;
use apg_tests::tools;
use serde_json::{Value, json};

/// A rename of each word, and the code of each file, would take hours.
const LEFT_OUT: &[&str] = &["textDocument/rename", "apg/generatedCode"];

/// What the protocol calls slow here.
const SLOW: Duration = Duration::from_millis(100);

/// Threads that answer nothing.
const BACKGROUND: &[&str] = &["apg-lsp-prime", "apg-lsp-kernels"];

#[test]
fn every_request_is_answered_everywhere() {
    let number = |name: &str| std::env::var(name).ok().map(|it| it.parse::<usize>().expect("a number"));
    let step = number("APG_SWEEP_STEP").unwrap_or(200).max(1);
    let first = number("APG_SWEEP_FIRST").unwrap_or(0) % step;
    let mut times = Times::default();
    for folder in folders() {
        sweep(&folder, &tools::x10_files(&folder), (first, step), &mut times);
    }
    times.print();
    times.check();
}

fn folders() -> Vec<PathBuf> {
    if let Some(named) = std::env::var_os("APG_SWEEP") {
        return std::env::split_paths(&named).collect();
    }
    let mut folders = vec![tools::repository().join("examples"), tools::repository().join("runtime/x10")];
    folders.extend(std::env::var_os("APG_X10_HOME").map(|home| Path::new(&home).join("x10.dist/samples")));
    folders
}

/// Opens one file after the other and asks about every `step`th word of them all, from word `start` on.
fn sweep(folder: &Path, paths: &[PathBuf], (start, step): (usize, usize), times: &mut Times) {
    let root = format!("file://{}", folder.display());
    let mut session = Session::with(json!({
        "capabilities": {}, "processId": null, "workspaceFolders": [{ "uri": root, "name": "sweep" }],
    }));
    let mut before = 0;
    for path in paths {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let uri = format!("file://{}", path.display());
        session.server.open(&uri, "x10", &text);
        // The first question waits for the analysis of the file; those of a user come later.
        session.server.diagnostics(&uri, 1);
        let words = words(&text);
        let first = (start + step - before % step) % step;
        before += words.len();
        for method in asked(requests::OF_A_DOCUMENT) {
            ask(&mut session, method, &uri, (0, 0), times);
        }
        for place in words.into_iter().skip(first).step_by(step) {
            for method in asked(requests::OF_A_PLACE) {
                ask(&mut session, method, &uri, place, times);
            }
        }
        session.server.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
    let memory = session.server.request("apg/memory", json!({}));
    println!(
        "{}: {} files, {before} words, {} MB",
        folder.display(),
        paths.len(),
        memory["residentBytes"].as_u64().unwrap_or(0) >> 20
    );
    assert_eq!(session.server.end(), Some(0));
}

fn asked(of: &'static [&'static str]) -> impl Iterator<Item = &'static str> {
    of.iter().copied().filter(|method| !LEFT_OUT.contains(method))
}

fn ask(
    session: &mut Session,
    method: &'static str,
    uri: &str,
    (line, character): (usize, usize),
    times: &mut Times,
) {
    let number = |n: usize| u32::try_from(n).expect("small");
    let start = [number(line), number(character)];
    let end = if start == [0, 0] { [99_999, 0] } else { start };
    let parameters = requests::at(uri, start, end);
    let work = |session: &Session| processes::processor_time(session.server.process(), BACKGROUND);
    let (before, start) = (work(session), Instant::now());
    let id = session.server.send_request(method, parameters);
    let answer = session.server.answer(id);
    let wall = start.elapsed();
    let worked = work(session).saturating_sub(before);
    times.add(method, wall, worked, || format!("{uri}:{}:{}", line + 1, character + 1));
    // What cannot be renamed says so.
    let refused =
        requests::may_be_refused(method) && !answer["error"].is_null() && answer["error"]["code"] != -32603;
    assert!(
        answer["error"] == Value::Null || refused,
        "{method} {uri}:{}:{}: {answer}\n{}",
        line + 1,
        character + 1,
        session.server.said()
    );
}

/// Line and UTF-16 column of each word, and of the dots and brackets between them.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    for (line, content) in text.lines().enumerate() {
        let (mut before, mut column) = (' ', 0);
        for c in content.chars() {
            let in_word = |c: char| c.is_alphanumeric() || c == '_';
            if in_word(c) && !in_word(before) || c == '.' || c == '(' {
                all.push((line, column));
            }
            before = c;
            column += c.len_utf16();
        }
    }
    all
}

/// Times by method.
#[derive(Default)]
struct Times(BTreeMap<&'static str, OfMethod>);

#[derive(Default)]
struct OfMethod {
    all: Vec<Duration>,
    /// How many took long on the wall, and how many of the processor.
    slow: [usize; 2],
    /// The request with the largest wall time and the request with the largest CPU time, with their
    /// positions.
    longest: [(Duration, String); 2],
}

impl Times {
    fn add(&mut self, method: &'static str, wall: Duration, worked: Duration, place: impl Fn() -> String) {
        let of_method = self.0.entry(method).or_default();
        of_method.all.push(wall);
        for (nth, time) in [wall, worked].into_iter().enumerate() {
            of_method.slow[nth] += usize::from(time > SLOW);
            if time > of_method.longest[nth].0 {
                of_method.longest[nth] = (time, place());
            }
        }
    }

    fn print(&mut self) {
        println!(
            "| request | asked | median | p99 | longest | over {SLOW:?} | most of the processor | over {SLOW:?} | that |\n|---|---|---|---|---|---|---|---|---|"
        );
        for (method, OfMethod { all, slow, longest: [(longest, _), (most, at)] }) in &mut self.0 {
            all.sort();
            let at_share = |percent: usize| all[(all.len() - 1) * percent / 100];
            println!(
                "| {method} | {} | {:.2?} | {:.2?} | {longest:.1?} | {} | {most:.1?} | {} | {at} |",
                all.len(),
                at_share(50),
                at_share(99),
                slow[0],
                slow[1],
            );
        }
    }

    /// Fails if one took more of the processor than it may.
    fn check(&self) {
        let Some(limit) = std::env::var("APG_SWEEP_LIMIT").ok().and_then(|limit| limit.parse().ok()) else {
            return;
        };
        let limit = Duration::from_millis(limit);
        let over: Vec<_> = self.0.iter().map(|(method, it)| (method, &it.longest[1])).collect();
        let over: Vec<_> = over.into_iter().filter(|(_, (time, _))| *time > limit).collect();
        assert!(over.is_empty(), "{over:?}");
    }
}
