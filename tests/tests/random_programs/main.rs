//! Random programs print what they must: each is a tree that is printed as X10 and evaluated here, and it
//! runs in development and optimised, at one place and at two, its kernels on a GPU where there is one.
//!
//! `APG_RANDOM_SECONDS` says for how long (as many programs as make sense in CI without it),
//! `APG_RANDOM_SEED` with which program to start. A program that prints something else is cut down to what is
//! needed for that, and stays in a folder that the failure names. `APG_RANDOM_REFERENCE` names an `apg` of
//! another version, which runs the same programs: so a change of the compiler is compared with the version
//! before (differential testing: McKeeman, Digital Technical Journal 1998).

mod evaluate;
mod expressions;
mod generate;
mod kernels;
mod print;
mod shrink;
mod statements;
mod tree;
mod values;

use std::path::{Path, PathBuf};
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
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
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
fn write(program: &Program, folder: &Path) -> PathBuf {
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

/// The compilers that run each program: the one under test, and the one to compare it with.
fn compilers() -> impl Iterator<Item = PathBuf> {
    let reference = std::env::var_os("APG_RANDOM_REFERENCE").map(PathBuf::from);
    std::iter::once(tools::apg().to_owned()).chain(reference)
}

/// What is wrong with what a program prints, in the first way in which something is.
fn difference(program: &Program) -> Option<Difference> {
    let folder = tempfile::tempdir().expect("a folder of temporary files");
    let path = write(program, folder.path());
    let expected = expected(program);
    let ways = compilers().flat_map(|apg| WAYS.map(|options| (apg.clone(), options)));
    for (apg, options) in ways {
        let mut command = Command::new(&apg);
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
            let way = format!("{} {}", apg.display(), options.join(" "));
            let wrong = wrong.join("\n");
            return Some(Difference(format!("{way}: status {}\n{wrong}\n{}", output.status, output.stderr)));
        }
    }
    None
}
