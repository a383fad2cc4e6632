//! Passes over the kernel IR as text in, text out: `tests/kernel-ir/PASS/NAME.mir` is a program with one
//! kernel, the kernel IR in front of the pass, and the kernel IR behind it.
//!
//! `APG_BLESS=1` writes both.

use std::fs;
use std::path::{Path, PathBuf};

use apg_mir::text;
use apg_passes::kernel_ir::text::print_schedule;
use apg_passes::pipeline::{PASSES, Stage, form_kernel};
use libtest_mimic::{Arguments, Failed, Trial};

/// Between a program and the kernel IR in front of the pass.
const BEFORE: &str = "// ---- before\n";
/// Between the kernel IR in front of the pass and what the pass makes of it.
const AFTER: &str = "// ---- after\n";

fn main() {
    let mut trials = Vec::new();
    for name in names() {
        let cases = cases(name);
        let count = cases.len();
        trials.push(Trial::test(format!("{name}: has a case"), move || {
            if count > 0 { Ok(()) } else { Err(format!("no case in {}", folder(name).display()).into()) }
        }));
        for case in cases {
            let stem = case.file_stem().unwrap_or_default().to_string_lossy();
            trials.push(Trial::test(format!("{name}/{stem}"), move || check(name, &case)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// The passes, each once.
fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> =
        PASSES.iter().filter(|it| it.stage() == Stage::KernelIr).map(|it| it.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn folder(pass: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernel-ir").join(pass)
}

fn cases(pass: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(pass)).into_iter().flatten().flatten();
    let mut cases: Vec<PathBuf> =
        entries.map(|it| it.path()).filter(|it| it.extension().is_some_and(|it| it == "mir")).collect();
    cases.sort();
    cases
}

/// Runs the pipeline up to the first place of a pass, prints the IR, runs the pass, and prints the IR again.
fn check(pass: &str, case: &Path) -> Result<(), Failed> {
    let file = fs::read_to_string(case)?;
    let input = file.split_once(BEFORE).map_or(file.as_str(), |it| it.0);
    if !input.starts_with("// ") {
        return Err("the first line is a comment that says what the case shows".into());
    }
    let mut program = text::parse(input).map_err(|error| format!("{}:{error}", case.display()))?;
    program.assign_ids();
    let kernel = program.kernels.first().ok_or("the program has no kernel")?;
    let mut kernel = form_kernel(&program, kernel);
    let at = PASSES.iter().position(|it| it.name == pass).ok_or("no such pass")?;
    PASSES[..at].iter().for_each(|it| it.run_on_kernel(&mut kernel));
    let before = print_schedule(&program, &kernel);
    PASSES[at].run_on_kernel(&mut kernel);
    let after = print_schedule(&program, &kernel);
    let found = format!("{}\n{BEFORE}{before}{AFTER}{after}", input.trim_end());
    if found == file {
        return Ok(());
    }
    if std::env::var_os("APG_BLESS").is_some() {
        fs::write(case, found)?;
        return Ok(());
    }
    Err(format!("{} differs from what the pass makes now:\n{found}", case.display()).into())
}
