//! Programs with XcalableMP whose loops run on accelerators: the CPUs as a device with memory of its own show
//! what is not copied. They print what the serial program prints, whatever the number of places.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use apg_tests::programs::{self, Output};
use apg_tests::tools;

/// Far more than it takes: the machine may be busy.
const LIMIT: Duration = Duration::from_secs(300);

fn run(folder: &Path, program: impl AsRef<std::ffi::OsStr>, words: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.current_dir(folder).env("APG_CACHE_DIR", folder.join("cache")).env("LC_ALL", "C");
    command.env_remove("CC").env_remove("X10_NPLACES").env("OMP_NUM_THREADS", "1").args(words);
    programs::run(command, LIMIT).expect("it ends")
}

/// Runs a program serially, and over places with a device each and without one. `left_to_host` is the number
/// of its regions that have no device form.
#[track_caller]
fn assert_same_everywhere(name: &str, left_to_host: usize) {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let path = tools::repository().join(name);
    let (path, folder) = (path.to_str().expect("a name"), tempfile::tempdir().expect("a temporary folder"));
    let built = run(folder.path(), "cc", &["-O2", path, "-lm", "-o", "serial"]);
    assert_eq!(built.status, 0, "{path}: {}", built.stderr);
    let serial = run(folder.path(), folder.path().join("serial"), &[]);
    assert!(serial.status == 0 && !serial.stdout.is_empty(), "{path}: {}", serial.stderr);
    for (places, accelerators) in [("1", "cpu"), ("2", "cpu"), ("4", "cpu"), ("2", "none")] {
        let words = ["run", path, "-lm", "--places", places, "--accels", accelerators];
        let output = run(folder.path(), tools::apg(), &words);
        assert_eq!(output.status, 0, "{words:?}: {}", output.stderr);
        assert_eq!(output.stdout, serial.stdout, "{words:?}");
        let on_host = output.stderr.matches("= note: the host runs the region").count();
        assert_eq!(
            on_host,
            if accelerators == "cpu" { left_to_host } else { 0 },
            "{words:?}: {}",
            output.stderr
        );
        assert!(on_host > 0 || output.stderr.is_empty(), "{words:?}: {}", output.stderr);
    }
}

#[test]
fn bodies_move_on_accelerators() {
    assert_same_everywhere("examples/xmp/nbody_accelerators.c", 0);
}

#[test]
fn stencil_with_shadows_on_accelerators_is_that_of_the_host() {
    assert_same_everywhere("examples/xmp/laplace_accelerators.c", 0);
}

#[test]
fn directives_of_both_spellings_compute_on_accelerators() {
    assert_same_everywhere("tests/c-programs/xmp/accelerators.c", 0);
}

#[test]
fn loops_of_one_region_are_what_they_are_serially() {
    // A loop inside of a sequential one has no device form.
    assert_same_everywhere("tests/c-programs/xmp/accelerator_regions.c", 1);
}

/// The output of statements over four places with a device each, of an array of five elements.
fn of_four_places(statements: &str) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = format!(
        "#include <stdio.h>\n#pragma xmp nodes p[4]\n#pragma xmp template t[5]\n#pragma xmp distribute t[block] onto p\n\
         int a[5];\n#pragma xmp align a[i] with t[i]\n#pragma xmp shadow a[1]\nint main(void) {{\nint s = 0;\n\
         {statements}\n#pragma xmp task on p[0]\nprintf(\"%d\\n\", s);\nreturn 0;\n}}\n"
    );
    std::fs::write(folder.path().join("a.c"), text).expect("written");
    run(folder.path(), tools::apg(), &["run", "a.c", "--places", "4", "--accels", "cpu"])
}

#[test]
fn node_without_elements_has_no_region() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let output = of_four_places(
        "#pragma acc data copy(a)\n{\n#pragma xmp loop on t[i] acc\nfor (int i = 0; i < 5; i++) a[i] = i;\n\
         #pragma xmp loop on t[i] reduction(+:s)\n#pragma acc parallel loop reduction(+:s)\n\
         for (int i = 0; i < 5; i++) s += a[i];\n}",
    );
    assert_eq!((output.status, &output.stdout[..]), (0, "10\n"), "{}", output.stderr);
}

#[test]
fn reflection_on_accelerators_ends_with_its_wait() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let output = of_four_places(
        "#pragma acc data copy(a)\n{\n#pragma xmp loop on t[i] acc\nfor (int i = 0; i < 5; i++) a[i] = i;\n\
         #pragma xmp reflect (a) acc async(7)\n#pragma xmp wait_async (7)\n#pragma xmp loop on t[i] reduction(+:s)\n\
         #pragma acc parallel loop reduction(+:s)\nfor (int i = 1; i < 4; i++) s += a[i - 1] * a[i + 1];\n}",
    );
    assert_eq!((output.status, &output.stdout[..]), (0, "11\n"), "{}", output.stderr);
}

#[test]
fn constructs_with_acc_leave_values_of_the_host_alone() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    // On the accelerators: a is the index, b the number of the node; on the hosts all are 100.
    let output = of_four_places(
        "int b[2] = {100, 100}, c[5] = {100, 100, 100, 100, 100}, me = 0, on_host = 0;\n\
         #pragma xmp loop on t[i]\nfor (int i = 0; i < 5; i++) { a[i] = 100; me = i / 2; }\n\
         #pragma acc data copyin(a, b, c)\n{\n#pragma xmp loop on t[i] acc\nfor (int i = 0; i < 5; i++) a[i] = i;\n\
         #pragma acc parallel loop\nfor (int i = 0; i < 2; i++) b[i] = 1 + i;\n\
         #pragma xmp reduction(+: b) acc\n#pragma xmp gmove acc\nc[0:5] = a[0:5];\n\
         on_host = b[0] + b[1] + c[3];\n\
         #pragma acc parallel loop reduction(+:s)\nfor (int i = 0; i < 5; i++) s += b[i % 2] * 100 + c[i];\n\
         #pragma acc parallel loop\nfor (int i = 0; i < 2; i++) b[i] = me;\n\
         #pragma xmp bcast (b) from p[1] acc\n\
         #pragma acc parallel loop reduction(+:s)\nfor (int i = 0; i < 2; i++) s += 10000 * b[i];\n}\n\
         s = on_host == 300 ? s : -on_host;",
    );
    // Four nodes: b is 4, 8, and in 5 elements 4 + 8 + 4 + 8 + 4; c is 0 to 4; then b is 1, 1.
    assert_eq!((output.status, &output.stdout[..]), (0, "22810\n"), "{}", output.stderr);
}

#[test]
fn parts_and_what_pointers_point_to_are_moved_between_accelerators() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    // On the accelerators: four elements of b are those of node 1, and the fifth of a is 7.
    let output = of_four_places(
        "struct { int x; } e[4] = {{100}, {100}, {100}, {100}};\n\
         int b[8] = {100, 100, 100, 100, 100, 100, 100, 100}, *q = b, me = 0;\n\
         #pragma xmp loop on t[i]\nfor (int i = 0; i < 5; i++) { a[i] = 100; me = i / 2; }\n\
         for (int i = 0; i < 4; i++) b[i] = 10 * me + i;\n\
         #pragma acc data copyin(a, b[0:4], e)\n{\nfor (int i = 0; i < 4; i++) b[i] = 100;\n\
         #pragma acc parallel loop\nfor (int i = 0; i < 4; i++) e[i].x = 7;\n\
         #pragma xmp bcast (b[0:4]) from p[1] acc\n#pragma xmp gmove acc\na[0:4] = q[0:4];\n\
         #pragma xmp gmove acc\na[4] = e[1].x;\n\
         #pragma xmp loop on t[i] reduction(+:s) acc\nfor (int i = 0; i < 5; i++) s += a[i] * (i + 1);\n}\n\
         s = b[0] == 100 ? s : -b[0];",
    );
    assert_eq!((output.status, &output.stdout[..]), (0, "155\n"), "{}", output.stderr);
}

/// Coarrays of two places in the memory of their accelerators: `statements` access them.
fn of_two_images(statements: &str, accelerators: &str) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = format!(
        "#include <stdio.h>\n#include <xmp.h>\n#pragma xmp nodes p[2]\nint x[3][4]:[*], y[3][4]:[*], z[3][4]:[*];\n\
         #pragma acc declare create(x, y)\nint main(void) {{\nint me = xmpc_this_image();\n\
         for (int i = 0; i < 12; i++) x[i / 4][i % 4] = y[i / 4][i % 4] = -1;\n#pragma acc update device(x, y)\n\
         #pragma acc parallel loop\nfor (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) x[i][j] = 100 * me + 10 * i + j;\n\
         xmp_sync_all(NULL);\n{statements}\nxmp_sync_all(NULL);\n#pragma acc update host(y)\n\
         if (me == 0) for (int i = 0; i < 12; i++) printf(\"%d \", y[i / 4][i % 4]);\nreturn 0;\n}}\n"
    );
    std::fs::write(folder.path().join("a.c"), text).expect("written");
    run(folder.path(), tools::apg(), &["run", "a.c", "--places", "2", "--accels", accelerators])
}

#[test]
fn coarrays_move_between_memories_of_accelerators() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let get = "if (me == 0)\n#pragma acc host_data use_device(x, y)\ny[0:3][1:2] = x[0:3][1:2]:[1];";
    let put = "if (me == 1) {\n#pragma acc host_data use_device(x, y)\ny[1:2][0:2:2]:[0] = x[0:2][0:2:2];\n}";
    for accelerators in ["cpu", "none"] {
        let output = of_two_images(get, accelerators);
        let expected = "-1 101 102 -1 -1 111 112 -1 -1 121 122 -1 ";
        assert_eq!((output.status, &output.stdout[..]), (0, expected), "{}", output.stderr);
        let output = of_two_images(put, accelerators);
        let expected = "-1 -1 -1 -1 100 -1 102 -1 110 -1 112 -1 ";
        assert_eq!((output.status, &output.stdout[..]), (0, expected), "{}", output.stderr);
    }
}

#[test]
fn coarray_that_the_accelerator_lacks_is_one_error() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    for (access, line) in [
        (
            "z[0:3][0:4]:[1] = x[0:3][0:4]",
            "node 1 does not write elements of this one: this memory is not in",
        ),
        (
            "x[0:3][0:4] = z[0:3][0:4]:[1]",
            "node 1 does not read elements for this one: this memory is not in that of the accelerator",
        ),
    ] {
        let statements = format!("if (me == 0)\n#pragma acc host_data use_device(x, z)\n{access};");
        let output = of_two_images(&statements, "cpu");
        assert_eq!(output.status, 1, "{access}: {}", output.stderr);
        assert!(output.stderr.contains(line), "{access}: {}", output.stderr);
        assert_eq!(output.stderr.matches("error:").count(), 1, "{access}: {}", output.stderr);
    }
}

#[test]
fn data_that_the_accelerator_lacks_is_one_error() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    for (statements, line) in [
        ("#pragma xmp reflect (a) acc", "a.c:10: `reflect`"),
        ("#pragma xmp loop on t[i] acc\nfor (int i = 0; i < 5; i++) a[i] = i;", "a.c:10: `loop`"),
        ("#pragma acc data present(a)\n;", "a.c:10: `data`"),
    ] {
        let output = of_four_places(statements);
        assert_eq!(output.status, 1, "{statements}: {}", output.stderr);
        let expected = format!("error: {line}: `a` is not in the memory of the accelerator\n");
        assert!(output.stderr.contains(&expected), "{statements}: {}", output.stderr);
        assert_eq!(output.stderr.matches("error:").count(), 1, "{statements}: {}", output.stderr);
    }
}
