//! From `didChange` to the diagnostics of the new text of a C file with OpenMP and system headers, through
//! the protocol: an edit in a region in the middle of a generated file of 2,000 lines and, where
//! `APG_C_SUITES` names folders with NAS benchmarks in C that are configured (`npbparams.h`), in the middle
//! of those. Peer, where it is on the PATH: `clangd` on the same files. Budget: p50 10 ms, p99 50 ms.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use apg_tests::baselines::{C_SUBJECTS, Subject};
use apg_tests::measure::{ABSENT, Times, head, machine, rows};

const EDITS: usize = 100;
const LINES: usize = 2_000;

/// The benchmarks and their sources.
const NAS: [&str; 8] = ["BT", "CG", "EP", "FT", "IS", "LU", "MG", "SP"];

/// A file that is edited.
struct Edited {
    text: String,
    /// The headers that stand beside it.
    headers: Vec<PathBuf>,
    /// Where in its text a term is written and removed again: behind an `=`.
    offset: usize,
}

fn main() {
    println!("machine: {}", machine());
    let text = apg_tests::sources::c(LINES);
    let generated = Edited { offset: assignment(&text), text, headers: Vec::new() };
    compare(&format!("an edit in a region to diagnostics, {LINES} lines of C"), &generated);
    let folders = std::env::var_os("APG_C_SUITES").unwrap_or_default();
    for folder in std::env::split_paths(&folders) {
        for name in NAS {
            if let Some(edited) = benchmark(&folder, name) {
                let lines = edited.text.lines().count();
                compare(&format!("an edit to diagnostics, NAS {name}, {lines} lines"), &edited);
            }
        }
    }
}

/// The file of a NAS benchmark in a folder with all of them, if it is configured.
fn benchmark(folder: &Path, name: &str) -> Option<Edited> {
    let own = folder.join(name);
    let text = std::fs::read_to_string(own.join(format!("{}.c", name.to_lowercase()))).ok()?;
    if !own.join("npbparams.h").is_file() {
        println!("SKIP {}: it has no npbparams.h, which `sys/setparams` writes", own.display());
        return None;
    }
    let of = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
    let headers = of(&own).chain(of(&folder.join("common")));
    let headers = headers.filter(|it| it.extension().is_some_and(|it| it == "h")).collect();
    Some(Edited { offset: assignment(&text), text, headers })
}

/// The place behind the first ` = ` in the second half of a text.
fn assignment(text: &str) -> usize {
    let middle = (text.len() / 2..).find(|it| text.is_char_boundary(*it)).unwrap_or_default();
    middle + text[middle..].find(" = ").expect("an assignment") + 3
}

fn compare(title: &str, edited: &Edited) {
    head(title);
    rows(
        C_SUBJECTS
            .each_ref()
            .map(|subject| (subject.name, measure(subject, edited).ok_or_else(|| ABSENT.to_owned()))),
    );
}

/// Writes a term at one edit and removes it at the next.
fn measure(subject: &Subject, edited: &Edited) -> Option<Times> {
    let mut opened = subject.open_among(std::slice::from_ref(&edited.text), &edited.headers)?;
    let before = &edited.text[..edited.offset];
    let small = |number: usize| u32::try_from(number).expect("small");
    let line = small(before.matches('\n').count());
    let column = small(before.len() - before.rfind('\n').map_or(0, |it| it + 1));
    let term = "0 + ";
    let mut times = Vec::new();
    for number in 0..EDITS {
        let (end, new) = if number % 2 == 0 { (column, term) } else { (column + small(term.len()), "") };
        let start = Instant::now();
        opened.change([line, column, line, end], new);
        opened.diagnosed();
        times.push(start.elapsed());
        // As fast as a person types, so that work after the answer does not count for the next.
        std::thread::sleep(Duration::from_millis(20));
    }
    opened.server.end();
    Some(times.into_iter().collect())
}
