//! `x10-suite front`: what must compile has no error; what must not has one at every marked line.

use std::collections::BTreeSet;
use std::path::Path;

use apg_tests::x10_suite::checker::{ClassLibrary, Found};
use apg_tests::x10_suite::passes;
use apg_tests::x10_suite::record::{self, Summary};
use apg_tests::x10_suite::tests::{self, Counts, Outcome, Test};
use clap::{Args, ValueEnum};
use serde_json::json;

/// Check all of x10.tests; print rates by folder and what does not match
#[derive(Args)]
pub(crate) struct Front {
    /// Only tests in this folder (below x10.tests/tests)
    #[arg(long)]
    folder: Option<String>,

    /// Only tests whose path contains this text
    #[arg(long)]
    filter: Option<String>,

    /// One JSON object a test, with all its errors
    #[arg(long)]
    json: bool,

    /// All errors of the tests that do not match
    #[arg(long)]
    verbose: bool,

    /// The class library that the tests use
    #[arg(long, value_enum, default_value_t)]
    library: WhichLibrary,

    /// Write what does not match to tests/x10-suite/front.json (front-x10-library.json)
    #[arg(long, conflicts_with_all = ["folder", "filter"])]
    record: bool,

    /// How many files are checked at once
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

/// What `--library` takes.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum WhichLibrary {
    /// apg's
    #[default]
    Ours,
    /// X10's own sources
    X10,
}

impl From<WhichLibrary> for ClassLibrary {
    fn from(which: WhichLibrary) -> ClassLibrary {
        match which {
            WhichLibrary::Ours => ClassLibrary::Ours,
            WhichLibrary::X10 => ClassLibrary::X10,
        }
    }
}

impl Front {
    pub(crate) fn run(&self, home: &Path) -> bool {
        let mut chosen = tests::all(home);
        chosen.retain(|test| {
            self.folder.as_ref().is_none_or(|folder| test.name.starts_with(&format!("{folder}/")))
                && self.filter.as_ref().is_none_or(|text| test.name.contains(text.as_str()))
        });
        let progress = super::progress(chosen.len());
        let (found, outcomes) = passes::suite(&chosen, home, self.library.into(), self.threads, &progress);
        if self.json {
            print_json(&chosen, &found, &outcomes);
        } else {
            self.print(&chosen, &found, &outcomes);
        }
        let summary = Summary::of(&chosen, &outcomes);
        if self.record {
            summary.write(record::front(self.library.into()));
        }
        summary.mismatches.is_empty()
    }

    fn print(&self, chosen: &[Test], found: &[Vec<Found>], outcomes: &[Outcome]) {
        let print_errors = |found: &[Found], lines: &BTreeSet<usize>| {
            for it in found {
                let mark = if lines.contains(&it.line) { '+' } else { ' ' };
                println!("    {mark} line {}: [{}] {}", it.line, it.code, it.message);
            }
        };
        for ((test, found), outcome) in chosen.iter().zip(found).zip(outcomes) {
            match outcome {
                Outcome::Right if !self.verbose => continue,
                Outcome::Right => println!("right {}", test.name),
                Outcome::FalseErrors(_) => println!("false-error {}", test.name),
                Outcome::Accepted => println!("accepted {} (marked {:?})", test.name, test.marked),
                Outcome::MissedLines(lines) => println!("missed {} lines {lines:?}", test.name),
            }
            if self.verbose || matches!(outcome, Outcome::FalseErrors(_)) {
                print_errors(found, &test.marked);
            }
        }
        let folders = tests::by_folder(chosen, outcomes);
        println!("{:<28} {:>18}  {:>18} {:>9}", "folder", "clean", "rejected", "all lines");
        for (folder, counts) in &folders {
            print_counts(folder, counts);
        }
        print_counts("all", &Summary::of(chosen, outcomes).counts);
    }
}

fn print_counts(name: &str, counts: &Counts) {
    let rate = |part: usize, all: usize| match all {
        0 => "-".to_owned(),
        _ => format!("{part}/{all} {:>5.1}%", 100.0 * part as f64 / all as f64),
    };
    println!(
        "{name:<28} {:>18}  {:>18} {:>9}",
        rate(counts.clean, counts.must_compile),
        rate(counts.rejected, counts.must_fail),
        counts.all_lines,
    );
}

fn print_json(chosen: &[Test], found: &[Vec<Found>], outcomes: &[Outcome]) {
    for ((test, found), outcome) in chosen.iter().zip(found).zip(outcomes) {
        let outcome = match outcome {
            Outcome::Right => "right",
            Outcome::FalseErrors(_) => "false-error",
            Outcome::Accepted => "accepted",
            Outcome::MissedLines(_) => "missed-lines",
        };
        let errors: Vec<_> = found
            .iter()
            .map(|it| json!({ "line": it.line, "code": it.code, "message": it.message }))
            .collect();
        let object = json!({
            "name": test.name, "must_fail": test.must_fail, "outcome": outcome, "marked": test.marked,
            "errors": errors,
        });
        println!("{object}");
    }
}
