//! A cold `apg check`, class library included: a generated project of 100,000 lines in 100 files and, where
//! `APG_X10_HOME` names a checkout of X10, its samples and class library. Processor time, since other work on
//! the machine counts in the time on the wall; memory is the most that the process had. Peers, where they are
//! on the PATH: `ty check` on Python of the same size and shape. Budget: 1 s on 2 CPUs for 100,000 lines, and
//! 1 kB a line.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use apg_tests::measure::machine;
use apg_tests::sources::{on_path, python, x10};
use apg_tests::tools;

const FILES: usize = 100;
const LINES: usize = 1_000;
const RUNS: usize = 5;

/// What one run took.
#[derive(Clone, Copy)]
struct Cost {
    processor: Duration,
    wall: Duration,
    /// In bytes.
    memory: u64,
}

fn main() {
    println!("machine: {}\n", machine());
    println!(
        "| cold check | lines | processor time | on the wall | lines a second of processor time | memory a line |"
    );
    println!("|---|---|---|---|---|---|");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for file in 0..FILES {
        let source = x10(LINES).replace("class Edited", &format!("class Part{file}"));
        std::fs::write(folder.path().join(format!("Part{file}.x10")), source).expect("written");
        std::fs::write(folder.path().join(format!("part{file}.py")), python(LINES)).expect("written");
    }
    row("`apg check`, generated", lines(folder.path(), "x10"), &apg(folder.path()));
    match on_path("ty") {
        Some(ty) => {
            let mut command = Command::new(ty);
            command.arg("check").arg(folder.path());
            row("peer: `ty check`, the same in Python", lines(folder.path(), "py"), &median(&mut command));
        }
        None => println!("(no peer: `ty` is not on the PATH)"),
    }
    match std::env::var_os("APG_X10_HOME") {
        Some(home) => {
            let samples = Path::new(&home).join("x10.dist/samples");
            row("`apg check`, X10's samples", lines(&samples, "x10"), &apg(&samples));
            let library = Path::new(&home).join("x10.runtime/src-x10/x10");
            row("`apg check`, X10's class library", lines(&library, "x10"), &apg(&library));
        }
        None => println!("(X10's files skipped: `APG_X10_HOME` is not set)"),
    }
}

fn apg(folder: &Path) -> Cost {
    let mut command = Command::new(tools::apg());
    command.arg("check").arg(folder);
    median(&mut command)
}

fn row(what: &str, lines: usize, cost: &Cost) {
    #[expect(clippy::cast_precision_loss, reason = "a figure of a benchmark")]
    let (count, memory) = (lines as f64, cost.memory as f64);
    println!(
        "| {what} | {lines} | {:.2} s | {:.2} s | {:.0} | {:.2} kB |",
        cost.processor.as_secs_f64(),
        cost.wall.as_secs_f64(),
        count / cost.processor.as_secs_f64(),
        memory / 1e3 / count
    );
}

/// The run of the middle processor time.
fn median(command: &mut Command) -> Cost {
    command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let mut costs: Vec<Cost> = (0..RUNS).map(|_| run(command)).collect();
    costs.sort_by_key(|cost| cost.processor);
    costs[RUNS / 2]
}

fn run(command: &mut Command) -> Cost {
    let start = Instant::now();
    // `wait4` below waits for it, and says what it used.
    #[expect(clippy::zombie_processes, reason = "wait4 reaps the process")]
    let child = command.spawn().expect("it starts");
    let mut status = 0;
    // SAFETY: the child is ours and waited for once; a structure of plain numbers, which the call fills in.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let pid = libc::pid_t::try_from(child.id()).expect("a process id");
        assert_eq!(libc::wait4(pid, &mut status, 0, &mut usage), pid, "it ends");
        usage
    };
    let time = |it: libc::timeval| {
        Duration::from_secs(u64::try_from(it.tv_sec).unwrap_or(0))
            + Duration::from_micros(u64::try_from(it.tv_usec).unwrap_or(0))
    };
    Cost {
        processor: time(usage.ru_utime) + time(usage.ru_stime),
        wall: start.elapsed(),
        memory: u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024,
    }
}

/// The lines of the files with this ending below a folder.
fn lines(folder: &Path, ending: &str) -> usize {
    let mut count = 0;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            count += lines(&path, ending);
        } else if path.extension().is_some_and(|it| it == ending) {
            count += String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()).lines().count();
        }
    }
    count
}
