//! Random programs print what they must: each is a tree that is printed as X10 and evaluated here, and it
//! runs in development and optimised, at one place and at two, its kernels on a GPU where there is one.
//!
//! `APG_RANDOM_SECONDS` says for how long (as many programs as make sense in CI without it),
//! `APG_RANDOM_SEED` with which program to start. A program that prints something else is cut down to what is
//! needed for that, and stays in a folder that the failure names.

mod evaluate;
mod expressions;
mod generate;
mod kernels;
mod print;
mod shrink;
mod statements;
mod tree;
mod values;

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use apg_tests::{programs, tools};
use tree::Program;

/// Ways to run a program: kernels on a device, where there is one, and on the CPU.
const WAYS: [&[&str]; 3] = [
    &["--places", "1"],
    &["--places", "2", "--accels", "none"],
    &["--places", "2", "--release", "--accels", "none"],
];

/// How many programs run if there is no hunt.
const PROGRAMS: u64 = 6;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn random_programs_print_what_they_must() {
    let seed = number("APG_RANDOM_SEED");
    let first = seed.unwrap_or(1);
    // Without a seed the same programs each time, however fast the machine is.
    let seconds = seed.and_then(|_| number("APG_RANDOM_SECONDS"));
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let next = AtomicU64::new(first);
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let ended = end.map_or(seed >= first + PROGRAMS, |end| Instant::now() >= end);
            if ended {
                return;
            }
            check(seed);
        }
    };
    // Most of the time compilers run, one for a program.
    let workers = std::thread::available_parallelism().map_or(2, usize::from).min(8);
    std::thread::scope(|scope| {
        (1..workers).for_each(|_| {
            scope.spawn(work);
        });
        work();
    });
    let tried = next.load(Ordering::Relaxed) - first;
    println!("{} programs", tried.saturating_sub(workers as u64));
}

/// Runs the program of a seed in all ways.
fn check(seed: u64) {
    let program = generate::program(seed);
    let Some(difference) = difference(&program) else { return };
    // Cutting it down takes a while, and a hunt may be stopped meanwhile.
    eprintln!("seed {seed}: {}", difference.0);
    let folder = std::env::temp_dir().join(format!("apg-random-{seed}"));
    std::fs::create_dir_all(&folder).expect("a folder of temporary files");
    write(&program, &folder.join("whole"));
    // The compiler says itself what it refuses, and a program that is cut down it may refuse for another
    // reason.
    let fails = |other: &Program| self::difference(other).is_some_and(|other| !other.is_refused());
    let smallest = if difference.is_refused() { program } else { shrink::shrink(program, &fails) };
    let path = write(&smallest, &folder.join("smallest"));
    let difference = self::difference(&smallest).unwrap_or(difference);
    panic!("seed {seed}, cut down in {}:\n{}", path.display(), difference.0);
}

/// Writes a program into a folder with what it must print beside it.
fn write(program: &Program, folder: &Path) -> std::path::PathBuf {
    std::fs::create_dir_all(folder).expect("a folder");
    let path = folder.join(format!("{}.x10", program.name));
    std::fs::write(&path, print::program(program)).expect("written");
    std::fs::write(path.with_extension("out"), expected(program)).expect("written");
    path
}

fn expected(program: &Program) -> String {
    program.calls.iter().map(|call| format!("{}\n", call.prints)).collect()
}

/// What is wrong with a program.
struct Difference(String);

impl Difference {
    fn is_refused(&self) -> bool {
        self.0.contains("\nerror[")
    }
}

/// What is wrong with what a program prints, in the first way in which something is.
fn difference(program: &Program) -> Option<Difference> {
    let folder = tempfile::tempdir().expect("a folder of temporary files");
    let path = write(program, folder.path());
    let expected = expected(program);
    for options in WAYS {
        let mut command = Command::new(tools::apg());
        command.arg("run").arg(&path).args(options);
        let output = match programs::run(command, Duration::from_secs(300)) {
            Ok(output) => output,
            Err(error) => return Some(Difference(error)),
        };
        if output.stdout != expected || output.status != 0 {
            let lines = output.stdout.lines().zip(expected.lines()).enumerate();
            let wrong: Vec<String> = lines
                .filter(|(_, (found, expected))| found != expected)
                .map(|(line, (found, expected))| format!("line {}: {found}, not {expected}", line + 1))
                .collect();
            let (way, wrong) = (options.join(" "), wrong.join("\n"));
            return Some(Difference(format!("{way}: status {}\n{wrong}\n{}", output.status, output.stderr)));
        }
    }
    None
}
