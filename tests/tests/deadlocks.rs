//! Programs of which all activities wait for ever end with an error that says where each waits; programs that
//! wait for something that will come do not.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use apg_tests::processes::{apg, end_of};

const PROGRAM: &str = include_str!("deadlocks/Deadlocks.x10");
const PLACES: [&str; 3] = ["1", "2", "4"];

fn start(folder: &Path, places: &str, which: &str) -> Child {
    fs::write(folder.join("Deadlocks.x10"), PROGRAM).expect("written");
    let options = ["run", "--accels", "none", "--threads", "2", "--places", places];
    let mut command = apg(folder, &options);
    // What other tests have built of the library need not be built again.
    command.env_remove("APG_CACHE_DIR").stdin(Stdio::piped());
    command.args(["Deadlocks.x10", "--", which]).spawn().expect("it starts")
}

/// Runs a program that deadlocks, at several numbers of places: the report says where activities wait.
#[track_caller]
fn check_deadlock_report(which: &str, expected: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for places in PLACES {
        let (status, errors) = end_of(start(folder.path(), places, which));
        assert_eq!(status.code(), Some(1), "{which} at {places}: {errors}");
        assert!(
            errors.starts_with("apg: deadlock: every activity of the program waits"),
            "{which}: {errors}"
        );
        for text in expected {
            assert!(errors.contains(text), "{which} at {places}: no `{text}` in:\n{errors}");
        }
    }
}

#[track_caller]
fn check_no_deadlock_report(which: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for places in PLACES {
        let mut child = start(folder.path(), places, which);
        let mut input = child.stdin.take().expect("piped");
        if which == "input" {
            std::thread::sleep(Duration::from_millis(1500));
        }
        // A program that is at its end already does not read.
        let _ = input.write_all(b"a line\n");
        let (status, errors) = end_of(child);
        assert!(status.success() && errors.is_empty(), "{which} at {places}: {status}: {errors}");
    }
}

#[test]
fn conditions_that_never_hold() {
    check_deadlock_report("when", &["an activity waits\n\tat Deadlocks.waits (Deadlocks.x10:"]);
    check_deadlock_report(
        "finish",
        &["4 activities wait\n\tat Deadlocks.waits", "\tat Deadlocks.afterTheFinish (Deadlocks.x10:"],
    );
    check_deadlock_report("collected", &["at Deadlocks.collected.closure (Deadlocks.x10:"]);
}

#[test]
fn clocks_that_do_not_advance() {
    check_deadlock_report(
        "registered",
        &["at Clock.advance (", "at Deadlocks.registered.closure (Deadlocks.x10:"],
    );
    check_deadlock_report(
        "phases",
        &["at Deadlocks.phases (Deadlocks.x10:", "at Deadlocks.phases.closure (Deadlocks.x10:"],
    );
}

#[test]
fn places_that_wait_for_each_other() {
    check_deadlock_report("crossed", &["at Deadlocks.crossed.closure (Deadlocks.x10:"]);
    check_deadlock_report("barrier", &["at Deadlocks.waits", "at Deadlocks.barrier.closure (Deadlocks.x10:"]);
    check_deadlock_report(
        "chain",
        &["at Deadlocks.waits", "at Deadlocks.chain.closure (Deadlocks.x10:", "at Deadlocks.main"],
    );
}

#[test]
fn locks_and_latches() {
    check_deadlock_report("locks", &["at Lock.lock (", "at Deadlocks.locks.closure (Deadlocks.x10:"]);
    check_deadlock_report(
        "latches",
        &["999 activities wait\n\tat Latch.await (", "an activity waits\n\tat Latch.await ("],
    );
}

#[test]
fn what_comes_late_is_waited_for() {
    check_no_deadlock_report("slow");
    check_no_deadlock_report("uncounted");
    check_no_deadlock_report("input");
}
