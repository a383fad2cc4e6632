//! Whole programs: each at its numbers of places, on CPU places; with a GPU also there, where the output must be the same.

use apg_tests::{programs, tools};
use libtest_mimic::{Arguments, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let gpu = std::path::Path::new("/dev/nvidia0").exists();
    let mut trials = Vec::new();
    for program in programs::all(&tools::repository().join("tests/programs")) {
        for places in program.places.clone() {
            let mut add = |accels: &'static str| {
                let program = program.clone();
                let name = format!("{} at {places} ({accels})", program.name());
                trials.push(Trial::test(name, move || program.check(places, accels).map_err(Into::into)));
            };
            add("none");
            if gpu {
                add("all");
            }
        }
    }
    assert!(!trials.is_empty(), "tests/programs has no program");
    libtest_mimic::run(&arguments, trials).exit();
}
