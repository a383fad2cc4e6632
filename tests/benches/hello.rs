//! From `apg run` to the first output, cold (empty build cache) and warm, beside a C++ compiler and an
//! interpreter in the same run; and how long a larger program takes to build. Budget: 1 s cold, 50 ms warm.

use std::path::Path;
use std::process::{Command, Stdio};

use apg_tests::measure::{Times, head, machine, row};
use apg_tests::tools;

const CPP: &str = "#include <cstdio>\nint main() { std::puts(\"Hello\"); }\n";

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Built before anything is timed.
    tools::apg();
    let hello = tools::repository().join("examples/hello.x10");
    let apg = |cache: &Path| {
        let mut command = Command::new(tools::apg());
        command.arg("run").arg(&hello).env("APG_CACHE_DIR", cache).args(["--accels", "none"]);
        succeed(&mut command);
    };
    let mut next = 0;
    let cold = Times::of(5, || {
        next += 1;
        apg(&folder.path().join(next.to_string()));
    });
    let warm = Times::of(30, || apg(&folder.path().join("1")));

    let source = folder.path().join("hello.cpp");
    std::fs::write(&source, CPP).expect("written");
    let program = folder.path().join("hello");
    let compile = || succeed(Command::new("c++").arg("-O1").arg(&source).arg("-o").arg(&program));
    let compiled = Times::of(5, || {
        compile();
        succeed(&mut Command::new(&program));
    });
    let python = Times::of(30, || succeed(Command::new("python3").args(["-c", "print('Hello')"])));

    println!("machine: {}", machine());
    head("hello world: command to end");
    row("`apg run`, cold", &cold, Some(&compiled));
    row("peer: `c++ -O1` of a C++ hello, then its run", &compiled, None);
    row("`apg run`, warm", &warm, Some(&python));
    row("peer: `python3 -c`", &python, None);
    builds(folder.path());
}

/// Builds of `examples/kmeans.x10`, into an empty cache and again.
fn builds(folder: &Path) {
    head("`apg build` of examples/kmeans.x10");
    let program = folder.join("kmeans");
    for (name, release) in [("dev", false), ("release", true)] {
        let mut next = 0;
        let mut build = |cold: bool| {
            next += u32::from(cold);
            let mut command = Command::new(tools::apg());
            command.env("APG_CACHE_DIR", folder.join(format!("kmeans-{name}-{next}")));
            command.arg("build").arg(tools::repository().join("examples/kmeans.x10")).arg("-o").arg(&program);
            succeed(command.args(release.then_some("--release")));
        };
        row(&format!("{name}, cold"), &Times::of(3, || build(true)), None);
        row(&format!("{name}, warm"), &Times::of(10, || build(false)), None);
    }
}

fn succeed(command: &mut Command) {
    let status =
        command.stdout(Stdio::null()).status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}
