//! The command `apg-mir`: its output, errors and exit statuses.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = "function @f(%n: i64): i64 @0:3:1-5:2 {
  var [%i: i64];
  %i = 0; @0:2:3-9
  L0: while %i < 4 unroll 64 { @0:4:3-9
    %i = %i + 1;
  }
  return %i@5:3-4;
}
";

/// Runs the command on a text at its standard input.
fn apg_mir(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_apg-mir"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // A command that refuses its arguments reads nothing.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the command ends")
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_program_is_printed_with_the_requested_positions() {
    let plain = stdout(&apg_mir(&["--spans", "none"], PROGRAM));
    assert!(!plain.contains(":3"), "{plain}");
    let statements = stdout(&apg_mir(&[], PROGRAM));
    assert!(statements.contains("{ @4:3-9\n") && statements.contains("return %i;"), "{statements}");
    let all = stdout(&apg_mir(&["--spans", "all"], PROGRAM));
    assert!(all.contains("return %i@5:3-4;"), "{all}");
    assert_eq!(stdout(&apg_mir(&["--spans", "all"], &all)), all);
}

#[test]
fn passes_run_on_the_program() {
    // The trip count is known where the counter begins at a constant.
    for (passes, expected) in [
        (&[][..], "unroll 64 {"),
        (&["--pass", "outlining"], "unroll 64 {"),
        (&["--pass", "outlining", "--pass", "unroll-limits"], "unroll 4 {"),
    ] {
        let text = stdout(&apg_mir(passes, PROGRAM));
        assert!(text.contains(expected), "{passes:?}: {text}");
    }
}

#[test]
fn errors_have_the_file_and_the_place() {
    let output = apg_mir(&[], &PROGRAM.replace("return %i", "return %j"));
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("<stdin>:7:10: a local named `%j` is not declared"), "{output:?}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("bad.mir");
    std::fs::write(&file, "class @C extends @C { }").expect("it is written");
    let output = apg_mir(&[&file.display().to_string()], "");
    assert_eq!(output.status.code(), Some(1));
    let expected = format!("{}:1:18: a superclass is declared above its subclasses", file.display());
    assert!(stderr(&output).starts_with(&expected), "{output:?}");
    let output = apg_mir(&["no such file.mir"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("error: no such file.mir: "), "{output:?}");
    std::fs::write(&file, [0xff, 0xfe]).expect("it is written");
    assert_eq!(apg_mir(&[&file.display().to_string()], "").status.code(), Some(1));
}

#[test]
fn violations_of_rules_are_errors_unless_they_are_not_wanted() {
    let unassigned = PROGRAM.replace("  %i = 0; @0:2:3-9\n", "");
    let output = apg_mir(&[], &unassigned);
    assert_eq!(output.status.code(), Some(1));
    let expected = "<stdin>: in `f`, file 0, 4:3: the local `i` (1) is read before it is assigned";
    assert!(stderr(&output).starts_with(expected), "{output:?}");
    assert!(stdout(&apg_mir(&["--verify", "false"], &unassigned)).contains("return %i;"));
}

#[test]
fn unknown_passes_are_misuse_and_known_ones_are_listed() {
    let output = apg_mir(&["--pass", "unroll"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("unroll-limits"), "{output:?}");
    let listed = stdout(&apg_mir(&["--list"], ""));
    let names: Vec<&str> = listed.lines().filter_map(|it| it.split_whitespace().next()).collect();
    let table: Vec<&str> = apg_passes::pipeline::PASSES.iter().map(|it| it.name).collect();
    assert_eq!(names, table);
}

#[test]
fn passes_over_the_kernel_ir_print_it_and_follow_those_over_mir() {
    let case = include_str!("../../passes/tests/kernel-ir/unroll-factors/shared_memory.mir");
    let program = case.split_once("// ---- before").expect("the case has an input").0;
    let output = apg_mir(&["--pass", "inlining", "--pass", "unroll-factors"], program);
    assert!(output.status.success(), "{output:?}");
    let printed = stdout(&output);
    assert!(printed.contains("region"), "{printed}");
    let output = apg_mir(&["--pass", "unroll-factors", "--pass", "inlining"], program);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("`inlining` transforms MIR and cannot follow `unroll-factors`"),
        "{output:?}"
    );
}
