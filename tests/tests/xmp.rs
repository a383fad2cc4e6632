//! Programs in C with XcalableMP over places: they print what the serial program prints, whatever the number
//! of places.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use apg_tests::programs::{self, Output};
use apg_tests::tools;

/// Far more than it takes: the machine may be busy.
const LIMIT: Duration = Duration::from_secs(300);

fn command(folder: &Path, program: impl AsRef<std::ffi::OsStr>, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .env("APG_CACHE_DIR", folder.join("cache"))
        .env("LC_ALL", "C")
        .env_remove("CC");
    command.env_remove("X10_NPLACES").args(words);
    command
}

fn run(folder: &Path, program: impl AsRef<std::ffi::OsStr>, words: &[&str]) -> Output {
    programs::run(command(folder, program, words), LIMIT).expect("it ends")
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
fn loop_over_an_unsigned_variable_ends_on_nodes_without_iterations() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let text = "#include <stdio.h>\n#pragma xmp nodes p[2]\n#pragma xmp template t[1]\n\
        #pragma xmp distribute t[block] onto p\nint main(void) {\n  int count = 0;\n\
        #pragma xmp loop on t[i] reduction(+:count)\n\
          for (size_t i = 0; i < 1; ++i) ++count;\n\
          printf(\"%d\\n\", count);\n  return 0;\n}\n";
    let output = of_two_places(text);
    assert_eq!((output.status, &output.stdout[..]), (0, "1\n1\n"), "{}", output.stderr);
}

#[test]
fn values_of_images_are_converted_and_stored_in_any_target() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let text = "#include <stdio.h>\n#include <xmp.h>\nint a:[*];\nstruct { double x; } s;\n\
        int main(void) {\n  int v = 0, *p = &v;\n  a = 10 + xmpc_this_image();\n  xmp_sync_all(NULL);\n\
          *p = a:[1];\n  s.x = a:[1];\n  printf(\"%d %g\\n\", v, s.x);\n  xmp_sync_all(NULL);\n\
          if (xmpc_this_image() == 0) a:[1] = 2.75;\n  xmp_sync_all(NULL);\n\
          if (xmpc_this_image() == 1 && a != 2) return 9;\n  return 0;\n}\n";
    let output = of_two_places(text);
    assert_eq!((output.status, &output.stdout[..]), (0, "11 11\n11 11\n"), "{}", output.stderr);
}

#[test]
fn node_that_a_signal_kills_is_one_message_with_its_status() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let text = "#include <signal.h>\n#include <xmp.h>\nint main(void) {\n\
          if (xmpc_node_num() == 1) { signal(SIGSEGV, SIG_DFL); raise(SIGSEGV); }\n\
        #pragma xmp barrier\n  return 0;\n}\n";
    let output = of_two_places(text);
    assert_eq!((output.status, output.stderr.lines().count()), (139, 1), "{}", output.stderr);
    assert!(output.stderr.contains("signal"), "{}", output.stderr);
}

#[test]
fn access_to_a_parameter_by_one_node_is_an_error() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let text = "#pragma xmp nodes p[2]\n#pragma xmp template t[8]\n#pragma xmp distribute t[block] onto p\n\
        int a[8];\n#pragma xmp align a[i] with t[i]\n\
        static int f(int b[8]) {\n#pragma xmp align b[i] with t[i]\n  int x[1];\n\
        #pragma xmp gmove in\n  x[0:1] = b[7:1];\n  return x[0];\n}\n\
        int main(void) { return f(a); }\n";
    let output = of_two_places(text);
    assert_eq!(output.status, 1, "{}", output.stderr);
    assert!(output.stderr.contains("`b` is a parameter or another file's"), "{}", output.stderr);
}

#[test]
fn objects_of_files_with_directives_are_refused() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "#pragma xmp nodes p[*]\nint main(void) { return 0; }\n";
    std::fs::write(folder.path().join("a.c"), text).expect("written");
    let output = run(folder.path(), tools::apg(), &["build", "-c", "a.c"]);
    assert!(
        output.status == 2 && output.stderr.contains("`-c` is for programs without"),
        "{}",
        output.stderr
    );
}

#[test]
fn number_of_places_of_other_programs_is_none_of_plain_c() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.c"), "int main(void) { return 0; }\n").expect("written");
    let mut command = command(folder.path(), tools::apg(), &["run", "a.c"]);
    command.env("X10_NPLACES", "4");
    let output = programs::run(command, LIMIT).expect("it ends");
    assert_eq!(output.status, 0, "{}", output.stderr);
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

#[test]
fn members_of_structs_are_divided_and_reflected() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let text = "#include <stdio.h>\n#include <xmp.h>\n#pragma xmp nodes p[2]\n#pragma xmp template t[8]\n\
        #pragma xmp distribute t[block] onto p\nstruct s { int n, a[8]; };\n\
        #pragma xmp align s.a[i] with t[i]\n#pragma xmp shadow s.a[1]\nstruct s x;\nint w[8];\n\
        #pragma xmp align w[i] with t[i]\n\
        static int sum(struct s *q) {\n  int all = 0;\n\
        #pragma xmp loop on t[i] reduction(+:all)\n\
          for (int i = 0; i < 8; i++) all += q->a[i];\n  return all;\n}\n\
        int main(void) {\n  struct s y;\n  int near = 0;\n\
        #pragma xmp loop on t[i]\n  for (int i = 0; i < 8; i++) { x.a[i] = i; y.a[i] = 10 * i; }\n\
        #pragma xmp reflect (x.a)\n\
        #pragma xmp loop on t[i] reduction(+:near)\n  for (int i = 1; i < 8; i++) near += x.a[i - 1];\n\
        #pragma xmp gmove\n  w[0:4] = y.a[4:4];\n  int moved = 0;\n\
        #pragma xmp loop on t[i] reduction(+:moved)\n  for (int i = 0; i < 4; i++) moved += w[i];\n\
        #pragma xmp array on t[:]\n  y.a[:] = 3;\n\
          printf(\"%d %d %d %d\\n\", sum(&x), near, moved, sum(&y));\n  return 0;\n}\n";
    let output = of_two_places(text);
    let line = "28 21 220 24\n";
    assert_eq!((output.status, &output.stdout[..]), (0, &line.repeat(2)[..]), "{}", output.stderr);
}

#[test]
fn part_of_an_axis_has_the_loop() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let text = "#include <stdio.h>\n#include <xmp.h>\n#pragma xmp nodes p[2]\n#pragma xmp template t[4][8]\n\
        #pragma xmp distribute t[*][block] onto p\nint main(void) {\n  int count = 0;\n\
        #pragma xmp loop on t[i][0:4]\n  for (int i = 0; i < 4; i++) ++count;\n\
        #pragma xmp task on p(2)\n  printf(\"second %d\\n\", count);\n\
        #pragma xmp task on p[0]\n  printf(\"first %d\\n\", count);\n  return 0;\n}\n";
    let output = of_two_places(text);
    let mut lines: Vec<&str> = output.stdout.lines().collect();
    lines.sort_unstable();
    assert_eq!((output.status, &lines[..]), (0, &["first 4", "second 0"][..]), "{}", output.stderr);
}
