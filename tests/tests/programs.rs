//! Whole programs: each at its numbers of places, on CPU places; with a GPU also there, where the output must
//! be the same; and with all places in one process, whose messages a seeded schedule delivers.
//!
//! With `--ignored` (or `--include-ignored`) also optimised, with each sanitizer, and compiled by Clang, at
//! 1, 2 and 4 places; of those a few always run.

use std::path::Path;

use apg_tests::programs::{self, Program};
use apg_tests::tools;
use libtest_mimic::{Arguments, Trial};

/// Ways to run a program, with a name for each.
const WAYS: [(&str, &[&str]); 5] = [
    ("plain", &["--accels", "none"]),
    ("release", &["--accels", "none", "--release"]),
    ("address", &["--accels", "none", "--sanitize", "address"]),
    ("undefined", &["--accels", "none", "--sanitize", "undefined"]),
    ("thread", &["--accels", "none", "--sanitize", "thread"]),
];

/// Programs of several places that always run with all of them in one process: `finish`, `at`, clocks, Team,
/// GlobalRef, PlaceLocalHandle, static fields, collections, exceptions, global load balancing.
const IN_PROCESS: [&str; 15] = [
    "at_each",
    "clocks_of_places",
    "clocks_travel",
    "collecting_finish",
    "concurrent",
    "dist_arrays",
    "exceptions",
    "global_refs",
    "heat_spmd",
    "places",
    "remote",
    "serialization",
    "statics",
    "teams",
    "unbalanced_tree",
];

/// Numbers of places in one process, and the seeds of their schedules.
const IN_PROCESS_RUNS: [(u32, &str); 3] = [(2, "in-process:1"), (4, "in-process:2"), (4, "in-process:3")];

/// What always runs of the ways that take long: enough to see that each works.
const SAMPLE: [(&str, &str); 5] = [
    ("kernel_checks", "release"),
    ("collection", "address"),
    ("arithmetic", "undefined"),
    ("concurrent", "thread"),
    ("exceptions", "thread"),
];

/// What is always compiled by Clang: the compiler that is found first is GCC nearly everywhere.
const BY_CLANG: [&str; 3] = ["kernel_columns", "kernel_lanes", "collection"];

fn main() {
    let arguments = Arguments::from_args();
    let gpu = std::path::Path::new("/dev/nvidia0").exists();
    let clang = tools::optional_tool("clang++");
    let mut trials = Vec::new();
    for program in programs::all(&tools::repository().join("tests/programs")) {
        for places in program.places.clone() {
            trials.push(trial(&program, places, "none", &["--accels", "none"], None));
            if gpu {
                trials.push(trial(&program, places, "all", &["--accels", "all"], None));
            }
        }
        for (places, transport) in IN_PROCESS_RUNS {
            let is_run = program.all_places().contains(&places);
            if is_run && !program.without.iter().any(|without| without == "in-process") {
                let options = Vec::from(["--accels", "none", "--transport", transport]).leak();
                let trial = trial(&program, places, transport, options, None);
                trials.push(trial.with_ignored_flag(!IN_PROCESS.contains(&program.name().as_str())));
            }
        }
        for (way, options) in WAYS {
            if program.without.iter().any(|without| without == way) {
                continue;
            }
            for places in program.all_places() {
                if way == "plain" && program.places.contains(&places) {
                    continue;
                }
                let sampled = places == 2 && SAMPLE.contains(&(&program.name(), way));
                trials.push(trial(&program, places, way, options, None).with_ignored_flag(!sampled));
            }
        }
        if let Some(clang) = clang.as_ref().filter(|_| !program.without.iter().any(|it| it == "clang")) {
            let places = program.places.first().copied().unwrap_or(1);
            let sampled = BY_CLANG.contains(&program.name().as_str());
            let trial = trial(&program, places, "clang", &["--accels", "none"], Some(clang));
            trials.push(trial.with_ignored_flag(!sampled));
        }
    }
    assert!(!trials.is_empty(), "tests/programs has no program");
    libtest_mimic::run(&arguments, trials).exit();
}

fn trial(
    program: &Program,
    places: u32,
    way: &str,
    options: &'static [&str],
    compiler: Option<&Path>,
) -> Trial {
    let (program, compiler) = (program.clone(), compiler.map(Path::to_owned));
    let name = format!("{} at {places} ({way})", program.name());
    Trial::test(name, move || {
        let variables = compiler.as_deref().map(|compiler| ("CXX", compiler));
        program.check(places, options, variables.as_slice()).map_err(Into::into)
    })
}
