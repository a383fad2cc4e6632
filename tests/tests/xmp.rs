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
    of_places(text, 2)
}

fn of_places(text: &str, places: u32) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.c"), text).expect("written");
    run(folder.path(), tools::apg(), &["run", "a.c", "--places", &places.to_string()])
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
fn reductions_of_long_double_keep_its_precision() {
    if tools::optional_tool("cc").is_none() || !cfg!(target_arch = "x86_64") {
        return;
    }
    let text = "#include <stdio.h>\n#include <xmp.h>\n#pragma xmp nodes p[2]\n#pragma xmp template t[8]\n\
        #pragma xmp distribute t[block] onto p\nint main(void) {\n  long double s = 1, top = -1e4000L;\n\
        #pragma xmp loop on t[i] reduction(+:s)\n  for (int i = 0; i < 8; i++) s += 0x1p-62L;\n\
        #pragma xmp loop on t[i] reduction(max:top)\n  for (int i = 0; i < 8; i++) if (i > top) top = i - 1e-18L;\n\
        #pragma xmp task on p[0]\n  printf(\"%d %d\\n\", s == 1 + 0x1p-59L, top == 7 - 1e-18L);\n  return 0;\n}\n";
    let output = of_two_places(text);
    assert_eq!((output.status, &output.stdout[..]), (0, "1 1\n"), "{}", output.stderr);
}

#[test]
fn local_alias_is_the_block_of_a_node() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let text = "#include <stdio.h>\n#include <xmp.h>\n#pragma xmp nodes p[2]\n#pragma xmp template t[8]\n\
        #pragma xmp distribute t[block] onto p\nint a[8], *x, b[8][3];\n#pragma xmp align a[i] with t[i]\n\
        #pragma xmp align b[i][*] with t[i]\n#pragma xmp local_alias x => a\nint main(void) {\n  int (*y)[3];\n\
        #pragma xmp local_alias y => b\n  for (int i = 0; i < 4; i++) {\n    x[i] = 10 * xmpc_node_num() + i;\n\
          y[i][2] = -x[i];\n  }\n  int sum = 0;\n\
        #pragma xmp loop on t[i] reduction(+:sum)\n  for (int i = 0; i < 8; i++) sum += (a[i] + 1) * (a[i] == -b[i][2]);\n\
        #pragma xmp task on p[0]\n  printf(\"%d\\n\", sum);\n  return 0;\n}\n";
    let output = of_two_places(text);
    assert_eq!((output.status, &output.stdout[..]), (0, "60\n"), "{}", output.stderr);
    let output = of_two_places(&text.replace("int (*y)[3]", "int y[4][3]"));
    assert!(output.status == 1 && output.stderr.contains("`y` is no pointer"), "{}", output.stderr);
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

/// A program whose array has a shadow that is wider than blocks, with a shape that is known when it runs.
const DEFERRED: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <xmp.h>\n\
    #pragma xmp nodes p[*]\n#pragma xmp template t[:]\n#pragma xmp distribute t[block] onto p\n\
    int *a;\n#pragma xmp align a[i] with t[i]\n#pragma xmp shadow a[3]\n\
    int main(int argc, char **argv) {\n  int n = atoi(argv[1]), sum = 0;\n\
    #pragma xmp template_fix t[n]\n  a = xmp_malloc(xmp_desc_of(a), n);\n\
    #pragma xmp loop on t[i]\n  for (int i = 0; i < n; i++) a[i] = i * i;\n\
    #pragma xmp reflect (a)\n\
    #pragma xmp loop on t[i] reduction(+:sum)\n  for (int i = 3; i < n - 3; i++) sum += a[i - 3] + a[i] + a[i + 3];\n\
    #pragma xmp task on p[0]\n  printf(\"%d\\n\", sum);\n  return 0;\n}\n";

#[test]
fn any_shape_over_any_number_of_nodes_is_right_or_one_error() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.c"), DEFERRED).expect("written");
    let built = run(folder.path(), tools::apg(), &["build", "a.c", "-o", "a"]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    let over = |places: &str, size: &str| {
        let mut command = command(folder.path(), folder.path().join("a"), &[size]);
        command.env("X10_NPLACES", places);
        programs::run(command, LIMIT).expect("it ends")
    };
    // Of 7 elements 4 places have blocks of 2 and one of 1; of 2 elements two have none.
    for (size, sum) in [("0", 0), ("2", 0), ("7", 45), ("10", 330)] {
        for places in ["1", "2", "4"] {
            let output = over(places, size);
            let expected = (0, format!("{sum}\n"));
            assert_eq!((output.status, output.stdout), expected, "{size} over {places}: {}", output.stderr);
        }
    }
    let output = over("2", "-5");
    assert_eq!((output.status, output.stderr.matches("error:").count()), (1, 1), "{}", output.stderr);
    assert!(output.stderr.contains("a.c:12: `template_fix`"), "{}", output.stderr);
}

#[test]
fn what_nodes_cannot_do_together_is_one_error() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let head = "#include <stdlib.h>\n#include <xmp.h>\n#pragma xmp nodes p[2]\n";
    let array = "#pragma xmp template t[8]\n#pragma xmp distribute t[cyclic(3)] onto p\nint a[8], b[8];\n\
        #pragma xmp align [i] with t[i] :: a, b\n";
    let programs = [
        (
            "#pragma xmp template t[100]\n#pragma xmp distribute t[block(10)] onto p\nint main(void) { return 0; }\n",
            "block(10) on 2 nodes has room for 20 indices, and the axis has 100",
        ),
        (
            "int sizes[2] = {3, 4};\n#pragma xmp template t[8]\n#pragma xmp distribute t[gblock(sizes)] onto p\n\
             int main(void) { return 0; }\n",
            "the sizes of the 2 nodes add up to 7, and the axis has 8 indices",
        ),
        (
            "int main(void) {\n  if (xmpc_node_num() == 1) return 0;\n  int x = 1;\n\
             #pragma xmp reduction(+:x)\n  return 0;\n}\n",
            "node 0 waits in `reduction` for node 1, which has ended with status 0",
        ),
        (
            "int main(void) {\n  int n = atoi(\"2\");\n#pragma xmp bcast (n) from p[n]\n  return 0;\n}\n",
            "the index 2 is outside of `p`, whose axis has the indices 0 to 1",
        ),
        (
            "int main(void) {\n  int n = atoi(\"5\");\n#pragma xmp gmove\n  a[0:n] = b[0:4];\n  return 0;\n}\n",
            "a section of [4] elements is assigned to one of [5]",
        ),
        (
            "int main(void) {\n  int n = atoi(\"9\");\n#pragma xmp gmove\n  a[0:n] = b[0:n];\n  return 0;\n}\n",
            "the indices 0 to 8 are outside of axis 0 of `a`, which has 8 elements",
        ),
    ];
    for (rest, error) in programs {
        let declarations = if rest.contains("gmove") { array } else { "" };
        let output = of_two_places(&format!("{head}{declarations}{rest}"));
        assert_ne!(output.status, 0, "{rest}");
        assert_eq!(output.stderr.matches("error:").count(), 1, "{rest}: {}", output.stderr);
        assert!(output.stderr.contains(error), "{rest}: {}", output.stderr);
    }
}

#[test]
fn reductions_and_broadcasts_that_are_waited_for_later_have_their_values() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let text = "#include <stdio.h>\n#include <xmp.h>\n#pragma xmp nodes p[3]\n#pragma xmp template t[6]\n\
        #pragma xmp distribute t[block] onto p\nint a[6];\n#pragma xmp align a[i] with t[i]\n\
        #pragma xmp shadow a[1]\nint main(void) {\n  int sum = xmpc_node_num() + 1, value = 5 + xmpc_node_num();\n\
        #pragma xmp loop on t[i]\n  for (int i = 0; i < 6; i++) a[i] = i;\n\
        #pragma xmp reduction(+:sum) async(1)\n#pragma xmp bcast (value) from p[1] async(2)\n\
        #pragma xmp reflect (a)\n  int own = 0;\n\
        #pragma xmp loop on t[i] reduction(+:own)\n  for (int i = 1; i < 5; i++) own += a[i - 1] + a[i + 1];\n\
        #pragma xmp wait_async(2)\n#pragma xmp wait_async(1)\n  printf(\"%d %d %d\\n\", sum, value, own);\n  return 0;\n}\n";
    let output = of_places(text, 3);
    assert_eq!((output.status, &output.stdout[..]), (0, "6 6 20\n6 6 20\n6 6 20\n"), "{}", output.stderr);
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
fn forms_of_loops_reductions_descriptors_and_locks_give_what_serial_loops_give() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let path = tools::repository().join("tests/c-programs/xmp/forms.c");
    for places in ["1", "2", "4"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let words = ["run", path.to_str().expect("a name"), "--places", places];
        let output = run(folder.path(), tools::apg(), &words);
        assert_eq!((output.status, &output.stdout[..]), (0, "0 failures\n"), "{places}: {}", output.stderr);
    }
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
