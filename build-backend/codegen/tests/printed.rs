//! Printed kernels as text in, text out: `tests/printed/NAME.mir` is a program with kernels, the C++ of their
//! form for CPUs and of their launches, and their CUDA C++.
//!
//! `APG_BLESS=1` writes both.

mod device;

use std::fs;
use std::path::{Path, PathBuf};

use apg_codegen::UnitKind;
use apg_mir::text;
use apg_passes::pipeline::optimize_kernels;
use device::compile_device_code;
use libtest_mimic::{Arguments, Failed, Trial};

/// Between a program and its code for hosts.
const CPU: &str = "// ---- cpu\n";
/// Between the code for hosts and that for devices.
const CUDA: &str = "// ---- cuda\n";
/// What device code begins with.
const DEVICE_HEADER: &str = include_str!("../src/include/apg_device.h");

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/printed");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut cases: Vec<PathBuf> =
        entries.map(|it| it.path()).filter(|it| it.extension().is_some_and(|it| it == "mir")).collect();
    cases.sort();
    let has_cases = !cases.is_empty();
    let trials = cases.into_iter().map(|case| {
        let name = case.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(name, move || check(&case))
    });
    let mut trials: Vec<Trial> = trials.collect();
    trials.push(Trial::test("there are cases", move || {
        if has_cases { Ok(()) } else { Err("the folder is empty".into()) }
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Prints the kernels of a file's program and compares.
fn check(case: &Path) -> Result<(), Failed> {
    let file = fs::read_to_string(case)?;
    let input = file.split_once(CPU).map_or(file.as_str(), |it| it.0);
    if !input.starts_with("// ") {
        return Err("the first line is a comment that says what the case shows".into());
    }
    let mut program = text::parse(input).map_err(|error| format!("{}:{error}", case.display()))?;
    program.assign_ids();
    optimize_kernels(&mut program);
    let emitted = apg_codegen::emit(&program, false).map_err(|errors| format!("{errors:?}"))?;
    compile_device_code(&emitted.cuda)?;
    let host = emitted.units.iter().find(|it| it.kind == UnitKind::Kernels).ok_or("it has no kernel")?;
    let mut found = format!("{}\n{CPU}{}\n{CUDA}", input.trim_end(), without_includes(&host.text).trim_end());
    for device in &emitted.cuda {
        let own = device.split_once(DEVICE_HEADER).ok_or("device code begins with its header")?.1;
        found.push_str(own.trim_start());
    }
    if found == file {
        return Ok(());
    }
    if std::env::var_os("APG_BLESS").is_some() {
        fs::write(case, found)?;
        return Ok(());
    }
    Err(format!("{} differs from what is printed now:\n{found}", case.display()).into())
}

/// The lines behind the first `#include`s.
fn without_includes(text: &str) -> String {
    let lines = text.lines().skip_while(|it| it.starts_with("#include") || it.is_empty());
    lines.map(|it| format!("{it}\n")).collect()
}
