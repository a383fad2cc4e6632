//! Output that cannot be written: said once, and never with exit status 0.

use std::fs::File;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::{Command, Stdio};

use apg_tests::processes::apg;

const SOURCE: &str = include_str!("lost_output/Prints.x10");

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").expect("the device").into()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("Prints.x10"), SOURCE).expect("written");
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = apg(folder, arguments);
    command.env_remove("APG_CACHE_DIR");
    command
}

/// Runs a command with a full standard output: it says so once, and fails.
#[track_caller]
fn fails(mut command: Command, says: &str) {
    let output = command.stdout(full()).output().expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert_eq!(errors.matches(says).count(), 1, "no `{says}`, or more than one, in:\n{errors}");
}

#[test]
fn a_program_fails_when_its_output_is_lost() {
    let folder = folder();
    let says = "apg: cannot write standard output: No space left on device";
    for to in ["out", "rest"] {
        fails(command(folder.path(), &["run", "Prints.x10", to]), says);
    }
    let there = command(folder.path(), &["run", "Prints.x10", "--places", "2", "there"]);
    fails(there, "apg: place 1: cannot write standard output: No space left on device");
    let open = command(folder.path(), &["run", "Prints.x10", "open"]);
    fails(open, "apg: cannot write /dev/full: No space left on device");

    let built = command(folder.path(), &["build", "Prints.x10", "-o", "prints"]).status().expect("it starts");
    assert!(built.success());
    let mut program = Command::new(folder.path().join("prints"));
    program.arg("out").stderr(Stdio::piped());
    fails(program, says);
}

#[test]
fn standard_error_counts_and_failures_that_the_program_handles_do_not() {
    let folder = folder();
    let status = command(folder.path(), &["run", "Prints.x10", "err"]).stderr(full()).status();
    assert_eq!(status.expect("it starts").code(), Some(1));
    let output = command(folder.path(), &["run", "Prints.x10", "caught"]).output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stdout, b"caught\n");
}

#[test]
fn commands_fail_when_their_output_is_lost() {
    let folder = folder();
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["explain", "cuda/recursion"],
        &["completions", "bash"],
        &["build", "Prints.x10", "--emit", "mir"],
        &["run", "Prints.x10", "--message-format", "json", "rest"],
    ] {
        fails(command(folder.path(), arguments), "cannot print: No space left on device");
    }
    let profiled = command(folder.path(), &["run", "Prints.x10", "--profile", "/dev/full", "none"]);
    let output = { profiled }.output().expect("it starts");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn a_program_is_written_to_a_device_and_does_not_replace_it() {
    let folder = folder();
    // A link, so that a fault of this cannot take the machine's device away.
    let device = folder.path().join("device");
    std::os::unix::fs::symlink("/dev/null", &device).expect("a link");
    let status = command(folder.path(), &["build", "Prints.x10", "-o", "device"]).status();
    assert!(status.expect("it starts").success());
    assert!(std::fs::symlink_metadata(&device).expect("there").is_symlink());
    assert!(std::fs::metadata(&device).expect("there").file_type().is_char_device());
}
