//! Allocation and collection: binary trees, beside a conservative collector (Boehm), `malloc` and Java where
//! they are installed. What `--gc-stats` says of the pauses is printed as well.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use apg_tests::measure::{Times, head, machine, row};
use apg_tests::tools;

const DEPTH: &str = "18";

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sources = tools::repository().join("tests/bench");
    println!("machine: {}", machine());
    head(&format!("binary trees to depth {DEPTH}"));
    let mut command = Command::new(tools::apg());
    command.args(["run", "--release", "--accels", "none", "--gc-stats"]).arg(sources.join("trees.x10"));
    let (own, said) = rounds(command.args(["--", DEPTH]));
    let peers = [
        ("Boehm's collector", compiled(folder.path(), &sources, "boehm", &["-lgc"]), "apt install libgc-dev"),
        ("`malloc` and `free`", compiled(folder.path(), &sources, "malloc", &["-DMALLOC"]), "a C++ compiler"),
        ("Java", java(&sources), "apt install default-jdk"),
    ];
    let mut shown = false;
    for (name, command, missing) in peers {
        let Some(mut command) = command else {
            println!("| peer: {name} | skipped: {missing} | | | |");
            continue;
        };
        let (times, _) = rounds(command.arg(DEPTH));
        row(&format!("apg, beside {name}"), &own, Some(&times));
        row(&format!("peer: {name}"), &times, None);
        shown = true;
    }
    if !shown {
        row("apg", &own, None);
    }
    println!("\n{said}");
}

fn compiled(folder: &Path, sources: &Path, name: &str, flags: &[&str]) -> Option<Command> {
    let program = folder.join(name);
    let mut command = Command::new("c++");
    command.args(["-O3", "-march=native", "-std=gnu++20"]).arg(sources.join("trees.cpp"));
    let output = command.args(flags).arg("-o").arg(&program).output().ok()?;
    output.status.success().then(|| Command::new(program))
}

fn java(sources: &Path) -> Option<Command> {
    let mut command = Command::new("java");
    command.arg(sources.join("trees.java"));
    let works = Command::new("java").arg(sources.join("trees.java")).arg("1").output().ok()?.status.success();
    works.then_some(command)
}

/// The rounds that a program times itself, and what it says beside.
fn rounds(command: &mut Command) -> (Times, String) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let times = text.lines().map(|line| Duration::from_nanos(line.parse().expect("nanoseconds"))).collect();
    (times, String::from_utf8_lossy(&output.stderr).into_owned())
}
