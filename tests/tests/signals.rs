//! Ctrl-C and closed pipes: commands end at once, by the signal, without a word, and leave nothing behind.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;

use apg_tests::processes::{apg, end_of, files, interrupt};
use apg_tests::waiting::eventually;

const SIGINT: i32 = 2;
const SIGPIPE: i32 = 13;

const WAITS: &str = "public class Waits {
    public static def main(args:Rail[String]) {
        finish for (p in Place.places()) at (p) async {
            Console.OUT.println(\"started\");
            Console.OUT.print(\"unfinished at \" + here.id + \";\");
            new x10.io.File(\"printed\" + here.id).printer().close();
            if (here.id == 1) { var i:Long = 0; while (true) { i++; if (i < 0) break; } }
            else System.sleep(100000);
        }
    }
}
";

const TALKS: &str = "public class Talks {
    public static def main(args:Rail[String]) {
        finish for (p in Place.places()) at (p) async { while (true) Console.OUT.println(\"line\"); }
    }
}
";

#[test]
fn an_interrupted_program_ends_with_what_it_has_printed() {
    for arguments in [
        &["run", "Waits.x10", "--places", "3"][..],
        &["run", "Waits.x10", "--places", "3", "--message-format", "json"],
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("Waits.x10"), WAITS).expect("written");
        let mut child = apg(folder.path(), arguments).spawn().expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let started = lines.by_ref().map(|line| line.expect("text"));
        assert_eq!(started.filter(|line| line.contains("started\"") || line == "started").take(3).count(), 3);
        let has_printed = |place: u32| folder.path().join(format!("printed{place}")).exists();
        assert!(eventually(|| (0..3).all(has_printed)));
        interrupt(&child);
        let (status, errors) = end_of(child);
        let rest: String = lines.map(|line| line.expect("text")).collect();
        for place in 0..3 {
            assert!(rest.contains(&format!("unfinished at {place};")), "{rest}");
        }
        assert_eq!(errors, "");
        if arguments.contains(&"json") {
            assert_eq!(status.code(), Some(130));
            assert!(rest.ends_with("{\"event\":\"exit\",\"status\":130}"), "{rest}");
        } else {
            assert_eq!(status.signal(), Some(SIGINT), "a shell shows 130");
        }
    }
}

#[test]
fn an_interrupted_build_leaves_no_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("Waits.x10"), WAITS).expect("written");
    let compiler = folder.path().join("compiler");
    fs::write(&compiler, "#!/bin/sh\ntouch compiling\nexec sleep 100\n").expect("written");
    fs::set_permissions(&compiler, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("executable");
    let child = apg(folder.path(), &["run", "Waits.x10"]).env("CXX", &compiler).spawn().expect("it starts");
    assert!(eventually(|| folder.path().join("compiling").exists()), "nothing is compiled");
    interrupt(&child);
    let (status, errors) = end_of(child);
    assert_eq!((status.signal(), errors.as_str()), (Some(SIGINT), ""));
    // The headers may stay: they are what every build needs.
    let mut left = files(folder.path());
    left.retain(|file| !file.contains("/include/"));
    // So do the cache's lock, its tag and the time of its last removal.
    left.retain(|file| {
        !["lock", "trimmed", "CACHEDIR.TAG"].iter().any(|name| file.ends_with(&format!("/cache/{name}")))
    });
    left.sort();
    let of = |name: &str| folder.path().join(name).display().to_string();
    assert_eq!(left, [of("Waits.x10"), of("compiler"), of("compiling")]);
}

#[test]
fn a_reader_that_goes_ends_the_command_silently() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("Talks.x10"), TALKS).expect("written");
    fs::write(folder.path().join("bad.x10"), "class bad { val x:Int = true; }").expect("written");
    for arguments in [
        &["explain"][..],
        &["explain", "cuda/long-range"],
        &["build", "--emit", "cpp", "Talks.x10"],
        &["build", "--emit", "mir", "Talks.x10"],
        &["check", "--message-format", "json", "bad.x10"],
        &["check", "--message-format", "sarif", "bad.x10"],
        &["doctor"],
        &["places"],
        &["fmt", "--check", "bad.x10"],
        &["run", "Talks.x10"],
        &["run", "Talks.x10", "--places", "3"],
        &["run", "Talks.x10", "--message-format", "json"],
    ] {
        let mut command = apg(folder.path(), arguments);
        if arguments[0] != "run" {
            // What little is said would fit into the pipe before the reader goes: it is gone from the start.
            let (reader, writer) = std::io::pipe().expect("a pipe");
            drop(reader);
            command.stdout(writer);
        }
        let mut child = command.spawn().expect("it starts");
        drop(command);
        // The program is only heard once it runs.
        if let Some(output) = child.stdout.take() {
            let mut line = String::new();
            BufReader::new(output).read_line(&mut line).expect("a line");
        }
        let (status, errors) = end_of(child);
        assert_eq!((status.signal(), errors.as_str()), (Some(SIGPIPE), ""), "{arguments:?}: {status}");
    }
}
