//! Messages between two places of one machine, beside Open MPI. Budget: twice MPI.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use apg_tests::measure::{Times, head, machine, row};
use apg_tests::tools;

/// What is measured, how often in a round, with how many bytes, and what that is.
const CASES: [(&str, u64, u64, &str); 6] = [
    ("at", 20_000, 0, "round trips, `at (p) { }`"),
    ("rail", 5_000, 64 << 10, "times a rail captured by `at`"),
    ("rail", 300, 1_000_000, "times a rail captured by `at`"),
    ("put", 5_000, 64 << 10, "times `Rail.asyncCopy`"),
    ("put", 300, 1_000_000, "times `Rail.asyncCopy`"),
    ("put", 16, 100_000_000, "times `Rail.asyncCopy`"),
];

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let peer = folder.path().join("mpi");
    let has_mpi = compile_peer(&peer);
    println!("machine: {}", machine());
    if !has_mpi {
        println!("SKIPPED: no MPI to compare with; `apt install openmpi-bin libopenmpi-dev` has one");
    }
    for (what, count, bytes, title) in CASES {
        head(&format!("{count} {title}, {bytes} bytes"));
        let numbers = [count, bytes].map(|it| it.to_string());
        let mpi = has_mpi.then(|| {
            let mut command = Command::new("mpirun");
            command.args(["--allow-run-as-root", "--oversubscribe", "-np", "2"]).arg(&peer);
            rounds(command.args(&numbers))
        });
        let mut command = Command::new(tools::apg());
        command.args(["run", "--release", "--accels", "none", "--places", "2"]);
        command.arg(tools::repository().join("tests/bench/spawn.x10"));
        row("apg", &rounds(command.args(["--", what]).args(&numbers)), mpi.as_ref());
        if let Some(mpi) = &mpi {
            row("peer: Open MPI, as much there, nothing back", mpi, None);
        }
    }
}

/// False without MPI.
fn compile_peer(to: &Path) -> bool {
    let source = tools::repository().join("tests/bench/mpi.c");
    Command::new("mpicc").arg("-O2").arg(source).arg("-o").arg(to).status().is_ok_and(|it| it.success())
}

/// The rounds that a program times itself.
fn rounds(command: &mut Command) -> Times {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| Duration::from_nanos(line.parse().expect("nanoseconds"))).collect()
}
