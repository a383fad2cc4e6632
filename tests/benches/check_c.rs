//! `apg check` of C files with OpenMP beside `gcc -fsyntax-only -fopenmp` on the same files, one process for
//! each file, in alternation: the NAS benchmarks and Rodinia below the folders that `APG_C_SUITES` names.
//! Files that gcc rejects, as their headers are not there, are left out. Errors that apg reports of a file
//! that gcc accepts are false, and are printed. Budget: at most twice the time.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use apg_tests::measure::machine;
use apg_tests::tools;

/// How often each file is checked by each; the least time counts.
const RUNS: usize = 5;

/// The times of the files of one folder.
#[derive(Default)]
struct Total {
    files: usize,
    lines: usize,
    ours: Duration,
    peer: Duration,
    /// The greatest ratio, and the name of its file.
    worst: (f64, String),
    /// Files with false errors.
    false_errors: Vec<String>,
}

fn main() {
    println!("machine: {}\n", machine());
    let Some(folders) = std::env::var_os("APG_C_SUITES") else {
        return println!("skipped: `APG_C_SUITES` is not set");
    };
    println!("| folder | files | lines | apg check | gcc -fsyntax-only | ratio | worst | false errors |");
    println!("|---|---|---|---|---|---|---|---|");
    for folder in std::env::split_paths(&folders) {
        let mut files = Vec::new();
        c_files(&folder, &mut files);
        files.sort();
        let mut total = Total::default();
        files.iter().for_each(|it| add(&mut total, &folder, it));
        print(&folder, &total);
    }
}

/// The C files below a folder.
fn c_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => c_files(&path, found),
            false if path.extension().is_some_and(|it| it == "c") => found.push(path),
            false => {}
        }
    }
}

/// Checks a file, if gcc accepts it.
fn add(total: &mut Total, folder: &Path, file: &Path) {
    let common = format!("-I{}", folder.join("common").display());
    let mut gcc = Command::new("gcc");
    gcc.args(["-fsyntax-only", "-fopenmp", "-w", &common]).arg(file);
    let mut apg = Command::new(tools::apg());
    apg.arg("check").arg(file).arg(&common);
    let (mut ours, mut peer) = (Duration::MAX, Duration::MAX);
    for _ in 0..RUNS {
        let (taken, is_accepted) = timed(&mut gcc);
        if !is_accepted {
            return;
        }
        peer = peer.min(taken);
        let (taken, is_accepted) = timed(&mut apg);
        ours = ours.min(taken);
        let name = file.display().to_string();
        if !is_accepted && total.false_errors.last() != Some(&name) {
            total.false_errors.push(name);
        }
    }
    total.files += 1;
    total.lines += std::fs::read(file).map_or(0, |it| String::from_utf8_lossy(&it).lines().count());
    total.ours += ours;
    total.peer += peer;
    let ratio = ours.as_secs_f64() / peer.as_secs_f64();
    if ratio > total.worst.0 {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        total.worst = (ratio, name);
    }
}

/// How long a command takes, and whether its status is 0.
fn timed(command: &mut Command) -> (Duration, bool) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().expect("it starts");
    (start.elapsed(), status.success())
}

fn print(folder: &Path, total: &Total) {
    if total.files == 0 {
        return println!("(no file below {} that gcc accepts)", folder.display());
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    println!(
        "| {name} | {} | {} | {:.0} ms | {:.0} ms | {:.2} | {:.2} {} | {} |",
        total.files,
        total.lines,
        total.ours.as_secs_f64() * 1e3,
        total.peer.as_secs_f64() * 1e3,
        total.ours.as_secs_f64() / total.peer.as_secs_f64(),
        total.worst.0,
        total.worst.1,
        total.false_errors.len()
    );
    total.false_errors.iter().for_each(|it| println!("false error: {it}"));
}
