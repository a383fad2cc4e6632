//! Programs that go wrong while they run: an X10 exception or a clear error, an exit status that is not 0,
//! and nothing left behind, neither a process nor a file.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use apg_tests::processes::{apg, end_of, files, members};

const FAULTS: &str = include_str!("runtime_errors/Faults.x10");

/// Runs the program with an argument and compares its exit status and, in this order, strings on standard
/// error.
#[track_caller]
fn fails(options: &[&str], argument: &str, status: i32, expected: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (found, errors) = run(folder.path(), options, argument);
    assert_eq!(found.code(), Some(status), "{argument}: {found}\n{errors}");
    let mut rest = errors.as_str();
    for text in expected {
        let at = rest.find(text).unwrap_or_else(|| panic!("{argument}: no `{text}` in:\n{errors}"));
        rest = &rest[at + text.len()..];
    }
}

fn run(folder: &Path, options: &[&str], argument: &str) -> (std::process::ExitStatus, String) {
    let child = start(folder, options, argument);
    let ended = end_of(child);
    leaves_nothing(folder);
    ended
}

/// What is built is in the cache, and nothing else is anywhere.
fn leaves_nothing(folder: &Path) {
    let mut left = files(folder);
    left.retain(|file| !file.contains("/cache/programs/") && !file.contains("/cache/objects/"));
    left.retain(|file| !file.contains("/cache/include/") && !file.ends_with("/Faults.x10"));
    assert_eq!(left, Vec::<String>::new());
}

fn start(folder: &Path, options: &[&str], argument: &str) -> Child {
    fs::write(folder.join("Faults.x10"), FAULTS).expect("written");
    let mut command = apg(folder, &["run", "Faults.x10"]);
    // What other tests have built of the library need not be built again.
    command.env_remove("APG_CACHE_DIR");
    command.env("TMPDIR", folder).args(options).args(["--", argument]).spawn().expect("it starts")
}

#[test]
fn what_a_statement_does_wrong() {
    for (argument, expected) in [
        ("null", &["in main: x10.lang.NullPointerException", "at Faults.main (Faults.x10:14)"][..]),
        ("index", &["ArrayIndexOutOfBoundsException: Index 7 out of range (Rail size 1)", "(Faults.x10:15)"]),
        ("cast", &["ClassCastException: Faults.Animal cannot be cast to Faults.Dog", "(Faults.x10:16)"]),
        ("zero", &["ArithmeticException: divide by zero", "(Faults.x10:17)"]),
        ("file", &["FileNotFoundException: cannot open /nowhere/at/all", "(Faults.x10:20)"]),
        ("memory", &["OutOfMemoryError: no room in the heap", "(Faults.x10:18)"]),
        (
            "stack",
            &["StackOverflowError: an activity has used up its stack", "at Faults.grow (Faults.x10:42)"],
        ),
    ] {
        fails(&["--heap", "64M"], argument, 1, expected);
    }
}

#[test]
fn an_optimised_program_says_where_its_stack_ends() {
    fails(
        &["--release"],
        "stack",
        1,
        &["StackOverflowError", "at Faults.grow (Faults.x10:42)", "... the same "],
    );
}

#[test]
fn exceptions_of_nested_activities_at_other_places() {
    let expected =
        ["MultipleExceptions: 3 exceptions", "MultipleExceptions", "Exception: from ", "Faults.x10:24"];
    fails(&["--places", "3"], "nested", 1, &expected);
}

#[test]
fn what_does_not_fit_where_it_is_sent() {
    let expected = ["OutOfMemoryError: no room in the heap for x10.lang.Rail[x10.lang.Byte]"];
    fails(&["--places", "2", "--heap", "80M"], "send", 1, &expected);
}

#[test]
fn a_million_activities() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (status, errors) = run(folder.path(), &[], "million");
    assert!(status.success() && errors.is_empty(), "{status}: {errors}");
}

/// The processes of the places of a program in whose group place 0 is, place 0 first.
fn processes(child: &Child) -> Vec<u32> {
    let mut all: Vec<u32> = members(&child.id().to_string())
        .iter()
        .filter_map(|stat| stat.split(' ').next()?.parse().ok())
        .collect();
    all.sort_by_key(|process| (*process != child.id(), *process));
    all
}

/// A program of three places that wait for ever, once all of them do.
fn waiting(folder: &Path) -> Child {
    begun(folder, "wait")
}

/// A program of three places, once each of them has printed a line.
fn begun(folder: &Path, argument: &str) -> Child {
    let mut child = start(folder, &["--places", "3"], argument);
    let mut lines = BufReader::new(child.stdout.take().expect("piped"));
    for _ in 0..3 {
        lines.read_line(&mut String::new()).expect("a line");
    }
    child
}

#[test]
fn a_place_that_is_killed_ends_the_program_with_its_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let child = waiting(folder.path());
    let all = processes(&child);
    assert_eq!(all.len(), 3, "{all:?}");
    let environment = |process: &&u32| fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    let second = |process: &&u32| {
        environment(process).split(|it| *it == 0).any(|it| it.starts_with(b"APG_PLACE_INVITATION=2/"))
    };
    let place = all.iter().find(second).expect("place 2");
    assert!(Command::new("kill").args(["-KILL", &place.to_string()]).status().expect("kill runs").success());
    let (status, errors) = end_of(child);
    assert_eq!(
        (status.code(), errors.trim()),
        (Some(137), "apg: place 2 ended unexpectedly (killed by signal 9)")
    );
    leaves_nothing(folder.path());
}

#[test]
fn nobody_outlives_place_0() {
    for argument in ["wait", "talk"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut child = begun(folder.path(), argument);
        child.kill().expect("killed");
        // Fails if a process of the group is left.
        assert_eq!(end_of(child).0.signal(), Some(9));
        leaves_nothing(folder.path());
    }
}

#[test]
fn strangers_at_the_door_do_no_harm() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let child = waiting(folder.path());
    let mut doors = 0;
    for process in processes(&child) {
        for port in listening(process) {
            doors += 1;
            for bytes in [&b"GET / HTTP/1.0\r\n\r\n"[..], &[0xff; 4096], b""] {
                let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
                let _ = stream.write_all(bytes);
                let _ = stream.set_read_timeout(Some(Duration::from_millis(100)));
                let _ = stream.read(&mut [0; 64]);
            }
        }
    }
    let alive = processes(&child);
    assert_eq!(alive.len(), 3, "{doors} ports, {alive:?}");
    apg_tests::processes::interrupt(&child);
    let (status, errors) = end_of(child);
    assert_eq!((status.signal(), errors.as_str()), (Some(2), ""));
}

/// Ports on which a process listens.
fn listening(process: u32) -> Vec<u16> {
    let own: Vec<String> = fs::read_dir(format!("/proc/{process}/fd"))
        .expect("its files")
        .filter_map(|entry| fs::read_link(entry.ok()?.path()).ok()?.to_str().map(str::to_owned))
        .collect();
    let table = fs::read_to_string(format!("/proc/{process}/net/tcp")).expect("its connections");
    let listens = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (address, state, inode) = (words.get(1)?, words.get(3)?, words.get(9)?);
        let port = u16::from_str_radix(address.split(':').nth(1)?, 16).ok()?;
        (*state == "0A" && own.contains(&format!("socket:[{inode}]"))).then_some(port)
    };
    table.lines().filter_map(listens).collect()
}
