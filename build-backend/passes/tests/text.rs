//! Passes over MIR as text in, text out: `tests/PASS/NAME.mir` is a program, [`SEPARATOR`], and the
//! program after the pass.
//!
//! `APG_BLESS=1` writes what is behind the separator.

use std::fs;
use std::path::{Path, PathBuf};

use apg_mir::text::{self, SpanDetail};
use apg_passes::pipeline::{PASSES, Pass, Stage};
use libtest_mimic::{Arguments, Failed, Trial};

/// Between a program and what the pass makes of it.
const SEPARATOR: &str = "// ---- after\n";

/// How many cases each pass has at least: a change, and a program that it leaves alone.
const MIN_CASES: usize = 2;

fn main() {
    let mut trials = Vec::new();
    for pass in PASSES.iter().filter(|it| it.stage() == Stage::Mir) {
        let cases = cases(pass);
        let count = cases.len();
        trials.push(Trial::test(format!("{}: has cases", pass.name), move || {
            if count >= MIN_CASES {
                Ok(())
            } else {
                Err(format!("{count} cases in {}", folder(pass).display()).into())
            }
        }));
        for case in cases {
            let name = case.file_stem().unwrap_or_default().to_string_lossy();
            trials.push(Trial::test(format!("{}/{name}", pass.name), move || check(pass, &case)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn folder(pass: &Pass) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(pass.name)
}

fn cases(pass: &Pass) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(pass)).into_iter().flatten().flatten();
    let mut cases: Vec<PathBuf> =
        entries.map(|it| it.path()).filter(|it| it.extension().is_some_and(|it| it == "mir")).collect();
    cases.sort();
    cases
}

/// Runs a pass on a file's program and compares.
fn check(pass: &Pass, case: &Path) -> Result<(), Failed> {
    let file = fs::read_to_string(case)?;
    let (input, expected) = match file.split_once(SEPARATOR) {
        Some(parts) => parts,
        None => (file.as_str(), ""),
    };
    if !input.starts_with("// ") {
        return Err("the first line is a comment that says what the case shows".into());
    }
    let mut program = text::parse(input).map_err(|error| format!("{}:{error}", case.display()))?;
    pass.run(&mut program);
    let found = text::print(&program, SpanDetail::Statements);
    let again = text::parse(&found).map_err(|error| format!("the result is no program: {error}\n{found}"))?;
    assert_eq!(text::print(&again, SpanDetail::Statements), found);
    if found == expected {
        return Ok(());
    }
    if std::env::var_os("APG_BLESS").is_some() {
        fs::write(case, format!("{}\n{SEPARATOR}{found}", input.trim_end()))?;
        return Ok(());
    }
    Err(format!("{}\n---- expected\n{expected}---- found\n{found}", case.display()).into())
}
