//! Sources that are no regular files: none of them fills memory or is waited for, and each gives one error
//! that says what it is.
#![cfg(unix)]

use std::fs::File;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use apg_tests::programs::{self, Output};
use apg_tests::session::Session;
use apg_tests::tools;
use serde_json::json;

/// So much address space a command may take: what reads without end fails at once.
const MAX_MEMORY_KB: u32 = 4 << 20;

/// A kind of irregular file: its name, what makes one, and what is said of it.
type Kind = (&'static str, fn(&Path), &'static str);

const KINDS: [Kind; 7] = [
    (
        "a device",
        |path| symlink("/dev/zero", path).expect("linked"),
        "is a link to `/dev/zero`, which is a character device",
    ),
    ("a pipe", make_pipe, "is a named pipe"),
    ("a link to a pipe", link_to_pipe, "is a link to `"),
    ("a socket", |path| drop(UnixListener::bind(path).expect("bound")), "is a socket"),
    (
        "a dangling link",
        |path| symlink("gone", path).expect("linked"),
        "is a link to `gone`, which is not there",
    ),
    ("a link loop", |path| symlink(path, path).expect("linked"), "is a link that leads back to itself"),
    (
        "a file of holes",
        |path| File::create(path).and_then(|it| it.set_len(1 << 40)).expect("made"),
        "is larger than",
    ),
];

fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo");
    assert!(made.success());
}

fn link_to_pipe(path: &Path) {
    let pipe = path.with_extension("pipe");
    make_pipe(&pipe);
    symlink(pipe, path).expect("linked");
}

fn apg(folder: &Path, arguments: &[&str]) -> Output {
    apg_with_input(folder, arguments, "/dev/null")
}

fn apg_with_input(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new("sh");
    let line = format!("ulimit -v {MAX_MEMORY_KB}; exec \"$0\" \"$@\" < {input}");
    command.args(["-c", &line]).arg(tools::apg()).args(arguments).current_dir(folder);
    command.env("APG_CACHE_DIR", folder.join(".cache"));
    programs::run(command, Duration::from_secs(60)).expect("it ends")
}

#[track_caller]
fn one_error(output: &Output, part: &str) {
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    let errors = output.stderr.lines().filter(|line| line.starts_with("error")).count();
    assert_eq!(errors, 1, "{}", output.stderr);
    // The note may be broken into lines.
    let words = |text: &str| {
        text.split_whitespace().filter(|it| *it != "|" && *it != "│").collect::<Vec<_>>().join(" ")
    };
    assert!(words(&output.stderr).contains(part), "no `{part}` in:\n{}", output.stderr);
}

const USER: &str = "public class User {
    public static def main(args:Rail[String]) {
        Console.OUT.println(new B().toString());
    }
}
";

#[test]
fn named_sources() {
    for (kind, make, said) in KINDS {
        let folder = tempfile::tempdir().expect("a folder");
        make(&folder.path().join("B.x10"));
        let all: [&[&str]; 6] =
            [&["check"], &["check", "--syntax-only"], &["run"], &["build"], &["fmt"], &["fmt", "--check"]];
        // Every kind once, and every command with a file that would block it.
        for command in if kind == "a pipe" { &all[..] } else { &all[..1] } {
            let arguments = [*command, &["B.x10"]].concat();
            let output = apg(folder.path(), &arguments);
            eprintln!("{kind}, {command:?}");
            one_error(&output, &format!("`B.x10` {said}"));
        }
    }
}

#[test]
fn sources_beside_the_program_and_of_imported_packages() {
    for (kind, make, said) in KINDS {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for name in ["app", "p", "library/q"] {
            std::fs::create_dir_all(path(name)).expect("made");
        }
        std::fs::write(path("app/User.x10"), USER).expect("written");
        std::fs::write(path("app/Other.x10"), "public class Other { }").expect("written");
        std::fs::write(path("P.x10"), format!("import p.B;\n{}", USER.replace("User", "P")))
            .expect("written");
        std::fs::write(path("Q.x10"), format!("import q.*;\n{}", USER.replace("User", "Q")))
            .expect("written");
        for name in ["app/B.x10", "p/B.x10", "library/q/B.x10"] {
            make(&path(name));
        }
        eprintln!("{kind}");
        let check = |arguments: &[&str]| apg(folder.path(), arguments);
        one_error(&check(&["check", "app/User.x10"]), said);
        one_error(&check(&["run", "app/User.x10"]), said);
        one_error(&check(&["check", "Q.x10", "--source-path", "library"]), said);
        let imported = check(&["check", "P.x10"]);
        assert_eq!(imported.status, 1, "{}", imported.stderr);
        assert!(imported.stderr.contains("was not read"), "{}", imported.stderr);
        // A program that does not use it gets no error.
        let other = check(&["check", "app/Other.x10"]);
        assert_eq!((other.status, other.stderr.contains("B.x10")), (0, false), "{}", other.stderr);
    }
}

/// A folder may be called as a source, and what editors lay beside one is none.
#[test]
fn folders_and_hidden_files() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("B.x10")).expect("made");
    std::fs::write(folder.path().join("Main.x10"), USER.replace("new B().toString()", "\"main\""))
        .expect("written");
    symlink("user@host.1:2", folder.path().join(".#Main.x10")).expect("linked");
    let run = apg(folder.path(), &["check", "."]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    one_error(&apg(folder.path(), &["run", "B.x10"]), "is a folder");
    make_pipe(&folder.path().join("C.x10"));
    one_error(&apg(folder.path(), &["check", "."]), "C.x10` is a named pipe");
}

#[test]
fn standard_input_without_end() {
    let folder = tempfile::tempdir().expect("a folder");
    one_error(
        &apg_with_input(folder.path(), &["fmt", "--stdin"], "/dev/zero"),
        "standard input has more than",
    );
}

/// Files that the program's C++ code includes are not left to the compiler, which would wait for them.
#[test]
fn native_files() {
    let program = "import x10.compiler.*;
@NativeCPPInclude(\"b.h\")
public class Uses {
    @Native(\"c++\", \"answer()\") static native def answer():Int;
    public static def main(args:Rail[String]) { Console.OUT.println(answer()); }
}
";
    for (nested, (_, make, said)) in [(false, KINDS[1]), (true, KINDS[0])] {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("Uses.x10"), program).expect("written");
        if nested {
            std::fs::write(folder.path().join("b.h"), "#include \"c.h\"\n").expect("written");
        }
        make(&folder.path().join(if nested { "c.h" } else { "b.h" }));
        one_error(&apg(folder.path(), &["build", "Uses.x10"]), said);
    }
}

/// The server continues, says why a name is unknown, and knows it when there is a file.
#[test]
fn the_server_reads_regular_files_only() {
    for (kind, make, said) in [KINDS[0], KINDS[1], KINDS[6]] {
        eprintln!("{kind}");
        let mut session = Session::workspace(&[("Other.x10", "public class Other { }")]);
        session.server.set_answer_timeout(Duration::from_secs(60));
        let path = session.folder.path().join("B.x10");
        make(&path);
        let uri = session.open("User.x10", USER);
        let found = session.server.diagnostics(&uri, 1);
        assert_eq!(found[0]["code"], "name/unknown-type", "{found:?}");
        assert!(found[0]["message"].as_str().is_some_and(|it| it.contains(said)), "{found:?}");
        let change = json!({ "changes": [{ "uri": session.uri("B.x10"), "type": 2 }] });
        session.server.notify("workspace/didChangeWatchedFiles", change.clone());
        assert!(session.at("textDocument/hover", &uri, 0, 14)["contents"].is_object());
        std::fs::remove_file(&path).expect("removed");
        std::fs::write(&path, "public class B { }").expect("written");
        session.server.notify("workspace/didChangeWatchedFiles", change);
        let resolved = (0..10).any(|_| session.server.diagnostics(&uri, 1).is_empty());
        assert!(resolved);
        assert_eq!(session.server.end(), Some(0));
    }
}
