//! A server that can start no further thread: it keeps its database, and answers.
#![cfg(target_os = "linux")]

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use apg_tests::lsp::Server;
use apg_tests::{programs, session, tools};
use serde_json::{Value, json};

const LIB: &str = "package p;\npublic class Lib {\n    public static def twice(n:Long) = 2 * n;\n}\n";
const MAIN: &str = "import p.Lib;
public class Main {
    static def f(n:Long) = Lib.twice(n);
    static val name = \"\";
}
";

/// A library that lets no thread be started while a file is there.
fn fault(folder: &tempfile::TempDir) -> PathBuf {
    let library = folder.path().join("no_threads.so");
    let source = tools::repository().join("tests/tests/no_threads/no_threads.c");
    let compiled =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-ldl").status();
    assert!(compiled.expect("a C compiler").success());
    library
}

#[test]
fn without_any_thread_the_server_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = session::command(&folder);
    command.env("LD_PRELOAD", fault(&folder)).env("APG_TEST_NO_THREADS", folder.path());
    let output = programs::run(command, Duration::from_secs(60)).expect("it ends");
    assert_eq!(output.status, 1, "{}", output.stderr);
    assert!(
        output.stderr.starts_with("apg-lsp: the threads of the server cannot be started"),
        "{}",
        output.stderr
    );
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
}

#[test]
fn the_database_stays_when_no_thread_can_be_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let uri = |name: &str| format!("file://{}", path(name).display());
    for (name, text) in [("w/p/Lib.x10", LIB), ("w/Main.x10", MAIN), ("v/Far.x10", "public class Far { }")] {
        std::fs::create_dir_all(path(name).parent().expect("a folder")).expect("made");
        std::fs::write(path(name), text).expect("written");
    }
    let flag = path("flag");
    let mut command = session::command(&folder);
    command.env("LD_PRELOAD", fault(&folder)).env("APG_TEST_NO_THREADS", &flag);
    let folders = json!([{ "uri": uri("w"), "name": "w" }]);
    let start = json!({ "capabilities": {}, "processId": std::process::id(), "workspaceFolders": folders });
    let mut server = Server::start(command, start);
    server.set_answer_timeout(Duration::from_secs(60));
    let main = uri("w/Main.x10");
    server.open(&main, "x10", MAIN);
    assert_eq!(server.diagnostics(&main, 1), Vec::<Value>::new());
    std::fs::write(&flag, "").expect("written");
    let at = |line: u32, column: u32| json!({ "textDocument": { "uri": main }, "position": { "line": line, "character": column } });
    // Edits end what is being asked, which is where the database was lost.
    for version in 2..60 {
        let asked = [
            server.send_request("textDocument/references", {
                let mut references = at(2, 15);
                references["context"] = json!({ "includeDeclaration": true });
                references
            }),
            server
                .send_request("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": main } })),
        ];
        server.change(&main, version, [3, 23, 3, 23], "x");
        for id in asked {
            let answer = server.answer(id);
            assert!(answer["error"].is_null() || answer["error"]["code"] == -32801, "{answer}");
        }
    }
    let definition = server.request("textDocument/definition", at(2, 33));
    assert_eq!(definition["uri"], uri("w/p/Lib.x10"), "{definition}");
    // The files of a folder that comes are read, and what needs them is answered.
    let event = json!({ "added": [{ "uri": uri("v"), "name": "v" }], "removed": [] });
    server.notify("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    let found = server.request("workspace/symbol", json!({ "query": "Far" }));
    assert_eq!(found[0]["name"], "Far", "{found}");
    server.change(&main, 60, [2, 27, 2, 30], "Missing");
    assert_eq!(server.diagnostics(&main, 60)[0]["code"], "name/unresolved");
    assert_eq!(server.end(), Some(0));
}
