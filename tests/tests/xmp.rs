//! Programs in C with XcalableMP over places: they print what the serial program prints, whatever the number
//! of places.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use apg_tests::programs::{self, Output};
use apg_tests::tools;

/// Far more than it takes: the machine may be busy.
const LIMIT: Duration = Duration::from_secs(300);

fn run(folder: &Path, program: impl AsRef<std::ffi::OsStr>, words: &[&str]) -> Output {
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .env("APG_CACHE_DIR", folder.join("cache"))
        .env("LC_ALL", "C")
        .env_remove("CC");
    command.env_remove("X10_NPLACES").args(words);
    programs::run(command, LIMIT).expect("it ends")
}

fn examples() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(tools::repository().join("examples/xmp")).expect("the folder");
    let mut found: Vec<PathBuf> = entries.map(|it| it.expect("an entry").path()).collect();
    found.sort();
    found
}

#[test]
fn examples_print_what_their_serial_programs_print() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let found = examples();
    assert!(found.len() >= 5, "{found:?}");
    for example in found {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = example.to_str().expect("a name");
        // A compiler that does not know the directives takes the program.
        let built = run(folder.path(), "cc", &["-O2", path, "-lm", "-o", "serial"]);
        assert_eq!(built.status, 0, "{path}: {}", built.stderr);
        let serial = run(folder.path(), folder.path().join("serial"), &[]);
        assert!(serial.status == 0 && !serial.stdout.is_empty(), "{path}: {}", serial.stderr);
        for places in ["1", "2", "4"] {
            let output = run(folder.path(), tools::apg(), &["run", path, "-lm", "--places", places]);
            assert_eq!(output.status, 0, "{path} over {places} places: {}", output.stderr);
            assert_eq!(output.stdout, serial.stdout, "{path} over {places} places");
        }
    }
}

/// The output of a program over two places.
fn of_two_places(text: &str) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.c"), text).expect("written");
    run(folder.path(), tools::apg(), &["run", "a.c", "--places", "2"])
}

#[test]
fn each_node_runs_main_and_the_first_status_counts() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let text = "#include <stdio.h>\n#include <stdlib.h>\n#include <xmp.h>\n#pragma xmp nodes p[2]\n\
        int main(void) {\n  printf(\"node %d of %d\\n\", xmpc_node_num(), xmp_num_nodes());\n\
        #pragma xmp task on p[1]\n  exit(3);\n  return 0;\n}\n";
    let output = of_two_places(text);
    let mut lines: Vec<&str> = output.stdout.lines().collect();
    lines.sort_unstable();
    assert_eq!((output.status, &lines[..]), (3, &["node 0 of 2", "node 1 of 2"][..]), "{}", output.stderr);
}

#[test]
fn what_cannot_be_is_one_error_with_its_directive() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let output = of_two_places("#pragma xmp nodes p[3]\nint main(void) { return 0; }\n");
    assert_eq!(output.status, 1, "{}", output.stderr);
    let errors = output.stderr.matches("error:").count();
    assert!(errors == 1 && output.stderr.contains("a.c:1: `nodes`"), "{}", output.stderr);
}

#[test]
fn places_are_for_programs_with_directives() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let output = of_two_places("int main(void) { return 0; }\n");
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(
        output.stderr.contains("--places is for programs with XcalableMP directives"),
        "{}",
        output.stderr
    );
}
