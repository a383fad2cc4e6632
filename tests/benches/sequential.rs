//! Sequential kernels over arrays and rails, and small programs as their users write them, beside the same in
//! C++ at the optimisation of `--release`. CPU time is compared: a run with many iterations less a run with
//! none, so that neither start nor other programs count. Budget: 1.1.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use apg_tests::measure::{Times, head, machine, row};
use apg_tests::tools;

/// The kernels, and how often each runs.
const KERNELS: [(&str, u32); 24] = [
    ("matmul", 6),
    ("dot", 1),
    ("stencil", 12),
    ("bodies", 10),
    ("spectral", 40),
    ("sieve", 12),
    ("regions", 100),
    ("text", 20),
    ("map", 4),
    ("list", 40),
    ("shapes", 60),
    ("fib", 10),
    ("mandelbrot", 4),
    ("random", 4),
    ("words", 4),
    ("concat", 4),
    ("jagged", 4),
    ("closures", 40),
    ("arrayClosures", 40),
    ("integrate", 10),
    ("sort", 4),
    ("move", 40),
    ("mathematics", 6),
    ("tree", 20),
];
/// The programs, and how often each runs.
const PROGRAMS: [(&str, u32); 25] = [
    ("filling", 100),
    ("scaled", 100),
    ("triangle", 150),
    ("distributed", 100),
    ("neighbours", 80),
    ("indexed", 150),
    ("sets", 8),
    ("sorted", 5),
    ("dijkstra", 5),
    ("append", 100),
    ("records", 10),
    ("counted", 12),
    ("vowels", 120),
    ("chain", 12),
    ("primes", 20),
    ("queens", 3),
    ("lu", 15),
    ("fourier", 20),
    ("terms", 60),
    ("linked", 40),
    ("generic", 40),
    ("mixed", 12),
    ("folded", 200),
    ("chunks", 150),
    ("collatz", 5),
];
/// The classics, and how often each runs.
const CLASSICS: [(&str, u32); 12] = [
    ("floyd", 15),
    ("knapsack", 200),
    ("breadth", 6),
    ("permutations", 100),
    ("rationals", 30),
    ("trees", 15),
    ("distance", 20),
    ("bits", 200),
    ("springs", 80),
    ("shapes", 20),
    ("brackets", 40),
    ("heapsort", 5),
];
const RUNS: usize = 5;

fn main() {
    println!("machine: {}", machine());
    compare("sequential", "sequential kernels", &KERNELS);
    compare("programs", "programs as their users write them", &PROGRAMS);
    compare("classics", "classics", &CLASSICS);
}

/// Builds the two files of that name and runs each kernel of one and the other in alternation.
fn compare(file: &str, title: &str, kernels: &[(&str, u32)]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sources = tools::repository().join("tests/bench/sequential");
    let (x10, cpp) = (folder.path().join("x10"), folder.path().join("cpp"));
    succeed(
        Command::new(tools::apg())
            .args(["build", "--release", "-o"])
            .arg(&x10)
            .arg(sources.join(file).with_extension("x10")),
    );
    succeed(
        Command::new("c++")
            .args(["-O3", "-march=native", "-ffp-contract=off", "-std=gnu++20", "-o"])
            .arg(&cpp)
            .arg(sources.join(file).with_extension("cpp")),
    );
    head(&format!("{title}, CPU time per iteration"));
    for (name, iterations) in kernels {
        let (mut own, mut peer) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            own.push(measure(&x10, name, *iterations));
            peer.push(measure(&cpp, name, *iterations));
        }
        let (own, peer): (Times, Times) = (own.into_iter().collect(), peer.into_iter().collect());
        row(name, &own, Some(&peer));
        row(&format!("peer: C++ {name}"), &peer, None);
    }
}

/// CPU time per iteration.
fn measure(program: &Path, name: &str, iterations: u32) -> Duration {
    let run = |iterations: u32| {
        let before = children();
        succeed(Command::new(program).arg(name).arg(iterations.to_string()));
        children() - before
    };
    run(iterations).saturating_sub(run(0)) / iterations
}

/// The processor time of all programs that have ended.
fn children() -> Duration {
    // SAFETY: the call fills the structure, for which zeros are valid.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let of = |time: libc::timeval| {
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_usec).unwrap_or(0) * 1000)
    };
    of(usage.ru_utime)
}

fn succeed(command: &mut Command) {
    let status =
        command.stdout(Stdio::null()).status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}
