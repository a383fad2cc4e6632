//! What the server bears: files that take too long or take it down, work that nobody waits for any more, too
//! little memory.

use std::fmt::Write;
use std::time::Duration;

use apg_tests::lsp::Server;
use apg_tests::requests;
use apg_tests::session::{self, Session};
use apg_tests::waiting::eventually;
use serde_json::{Value, json};

/// A class of many methods, each with something to infer.
fn long(methods: usize) -> String {
    let mut text = String::from("class Slow {\n");
    for n in 0..methods {
        let _ = writeln!(
            text,
            "    def f{n}(a:Rail[Long]) {{ var s:Long = 0; for (x in a) s += x * {n}; return s; }}"
        );
    }
    text + "}\n"
}

fn message(diagnostics: &[Value]) -> &str {
    diagnostics.first().and_then(|found| found["message"].as_str()).unwrap_or_default()
}

fn replace(server: &mut Server, uri: &str, version: i64, text: &str) {
    let document = json!({ "uri": uri, "version": version });
    let changes = json!([{ "text": text }]);
    server.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
}

#[test]
fn file_that_exceeds_the_time_limit_is_quarantined_until_it_changes() {
    for pulls in [false, true] {
        let diagnostics =
            if pulls { json!({ "diagnostic": {} }) } else { json!({ "publishDiagnostics": {} }) };
        let options = json!({ "analysisTimeout": 0.5 });
        let mut session = Session::workspace_for(&[], json!({ "textDocument": diagnostics }), options);
        let uri = session.uri("Slow.x10");
        let ask = |session: &mut Session, version| {
            if pulls {
                session.of("textDocument/diagnostic", &uri)["items"].as_array().cloned().unwrap_or_default()
            } else {
                loop {
                    let found = session.server.diagnostics(&uri, version);
                    if !found.is_empty() {
                        return found;
                    }
                }
            }
        };
        session.server.open(&uri, "x10", &long(8000));
        let found = ask(&mut session, 1);
        assert!(message(&found).contains("more than 500ms"), "{}", message(&found));
        // It answers as ever.
        let outline = session.of("textDocument/documentSymbol", &uri);
        assert_eq!(outline[0]["children"].as_array().map(Vec::len), Some(8000));
        // On a busy machine even a short text may take its time.
        let tried_again = (2..50).any(|version| {
            replace(&mut session.server, &uri, version, "class Slow extends Missing { }");
            ask(&mut session, version)[0]["code"] == "name/unknown-type"
        });
        assert!(tried_again);
        assert_eq!(session.server.end(), Some(0));
    }
}

/// More declarations that lean on each other than any stack bears: the server goes down once, and not again.
#[test]
fn file_that_crashed_the_server_is_quarantined() {
    let many = 10_000;
    let mut text = String::from("class Deep {\n");
    for n in 0..many {
        let _ = writeln!(text, "    def a{n}() = a{}();", n + 1);
    }
    let _ = writeln!(text, "    def a{many}() = 1;\n}}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let uri = format!("file://{}/Deep.x10", folder.path().display());
    let plain = || json!({ "capabilities": {}, "processId": null, "rootUri": null });
    let command = || {
        let mut command = session::command(&folder);
        command.env("APG_STACK", "8");
        command
    };
    let mut server = Server::start(command(), plain());
    server.open(&uri, "x10", &text);
    assert!(eventually(|| server.has_ended()), "this needs more stack than there is: make it deeper");
    let mut server = Server::start(command(), plain());
    server.open(&uri, "x10", &text);
    let found = server.diagnostics(&uri, 1);
    assert!(message(&found).contains("crashed the server"), "{found:?}");
    for method in requests::all() {
        let id = server.send_request(method, requests::at(&uri, [1, 8], [3, 0]));
        let answer = server.answer(id);
        assert!(answer["error"].is_null() || requests::may_be_refused(method), "{method}: {answer}");
    }
    replace(&mut server, &uri, 2, "class Deep extends Missing { }");
    assert_eq!(server.diagnostics(&uri, 2)[0]["code"], "name/unknown-type");
    assert_eq!(server.end(), Some(0));
}

/// A session with a workspace of classes of that many methods.
fn large_workspace(methods: usize, options: Value) -> Session {
    let sources: Vec<(String, String)> = (0..20)
        .map(|n| (format!("Slow{n}.x10"), long(methods).replace("Slow {", &format!("Slow{n} {{"))))
        .collect();
    let files: Vec<(&str, &str)> = sources.iter().map(|(name, text)| (&**name, &**text)).collect();
    let capabilities =
        json!({ "window": { "workDoneProgress": true }, "textDocument": { "diagnostic": {} } });
    Session::workspace_for(&files, capabilities, options)
}

#[test]
fn long_work_is_shown_and_can_be_ended() {
    // Some seconds of work: what takes less than a moment is not shown.
    let mut session = large_workspace(1_200, Value::Null);
    let ask = |session: &mut Session, token: Value| {
        let mut parameters = json!({ "previousResultIds": [] });
        if !token.is_null() {
            parameters["workDoneToken"] = token;
        }
        session.server.send_request("workspace/diagnostic", parameters)
    };
    // Under a name of the client's, and of the server's.
    for token in [json!("mine"), Value::Null] {
        let id = ask(&mut session, token.clone());
        let begun = session.server.notification("$/progress");
        assert_eq!(begun["value"]["kind"], "begin", "{begun}");
        assert_eq!(begun["value"]["cancellable"], true);
        assert!(token.is_null() || begun["token"] == token, "{begun}");
        let cancel = json!({ "token": begun["token"] });
        session.server.notify("window/workDoneProgress/cancel", cancel);
        assert_eq!(session.server.answer(id)["error"]["code"], -32800);
        let ended = (0..100).find(|_| session.server.notification("$/progress")["value"]["kind"] == "end");
        assert!(ended.is_some());
    }
    // A request that the client takes back shows nothing any more either.
    let id = ask(&mut session, json!("third"));
    session.server.notification("$/progress");
    session.server.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(session.server.answer(id)["error"]["code"], -32800);
    let ended = (0..100).find(|_| session.server.notification("$/progress")["value"]["kind"] == "end");
    assert!(ended.is_some());
    // And a request that nobody cancels is answered.
    let id = ask(&mut session, Value::Null);
    assert_eq!(session.server.answer(id)["result"]["items"].as_array().map(Vec::len), Some(20));
    assert_eq!(session.server.end(), Some(0));
}

/// With less memory than the work takes, what was computed is forgotten, and answers stay the same.
#[test]
fn memory_is_bounded() {
    let diagnose = |session: &mut Session| {
        let report = session.server.request("workspace/diagnostic", json!({ "previousResultIds": [] }));
        let mut ids: Vec<String> =
            report["items"].as_array().expect("reports").iter().map(Value::to_string).collect();
        ids.sort();
        ids.len()
    };
    let resident = |session: &mut Session| {
        session.server.request("apg/memory", json!({}))["residentBytes"].as_u64().unwrap_or(0) >> 20
    };
    let mut free = large_workspace(200, json!({ "memoryLimit": 0 }));
    let before = resident(&mut free);
    let expected = diagnose(&mut free);
    let after = resident(&mut free);
    let limit = u64::midpoint(before, after);
    let mut bound = large_workspace(200, json!({ "memoryLimit": limit }));
    assert_eq!(diagnose(&mut bound), expected);
    // The next moment of rest is when it forgets.
    let forgotten = eventually(|| {
        std::thread::sleep(Duration::from_millis(100));
        resident(&mut bound) < limit
    });
    assert!(forgotten, "from {before} to {after} MB, and {} with a limit of {limit}", resident(&mut bound));
    assert_eq!(diagnose(&mut bound), expected);
    assert_eq!(bound.server.end(), Some(0));
}

/// A document without a file is analysed like one with a file.
#[test]
fn documents_without_a_file() {
    let mut session = Session::workspace(&[("Shape.x10", "public class Shape { public def area() = 1.0; }")]);
    let uri = "untitled:Untitled-1";
    let text = "public class Any1 {\n    val n:Missing = null;\n    static val m = 3;\n    def f() = m;\n}\n";
    session.server.open(uri, "x10", text);
    let found = session.server.diagnostics(uri, 1);
    assert_eq!(found.iter().map(|d| &d["code"]).collect::<Vec<_>>(), ["name/unknown-type"]);
    let target = session.at("textDocument/definition", uri, 3, 14);
    assert_eq!((&target["uri"], &target["range"]["start"]["line"]), (&json!(uri), &json!(2)), "{target}");
    let edit = session.server.request(
        "textDocument/rename",
        json!({ "textDocument": { "uri": uri }, "position": { "line": 3, "character": 14 }, "newName": "k" }),
    );
    assert_eq!(edit["documentChanges"][0]["textDocument"]["uri"], uri, "{edit}");
    // Saved, it is another document.
    session.server.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    let saved = session.open("Any1.x10", text);
    assert_eq!(session.server.diagnostics(&saved, 1).len(), 1);
    let symbols = session.server.request("workspace/symbol", json!({ "query": "Any1" }));
    assert_eq!(symbols.as_array().map(Vec::len), Some(1), "{symbols}");
    assert_eq!(session.server.end(), Some(0));
}

/// What is on no disk yet uses the packages that its imports name, as they are being written.
#[test]
fn unsaved_documents_import_from_the_source_path() {
    let library = tempfile::tempdir().expect("a folder");
    let folder = library.path().join("p/q");
    std::fs::create_dir_all(&folder).expect("made");
    std::fs::write(folder.join("C.x10"), "package p.q; public class C { public def f() = 1; }")
        .expect("written");
    let options = json!({ "sourcePath": [library.path(), "/not/there"] });
    let mut session = Session::workspace_for(&[], json!({}), options);
    for uri in [session.uri("New.x10"), session.uri("a/b/New2.x10"), "untitled:Untitled-1".to_owned()] {
        let text = "import p.q.C;\nclass New { val c:C = null; def f() = c.f(); }\n";
        session.server.open(&uri, "x10", text);
        assert_eq!(session.server.diagnostics(&uri, 1), Vec::<Value>::new(), "{uri}");
        let target = session.at("textDocument/definition", &uri, 1, 40);
        assert!(target["uri"].as_str().is_some_and(|it| it.ends_with("p/q/C.x10")), "{uri}: {target}");
        session.server.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
    // Written word by word.
    std::fs::create_dir_all(library.path().join("r")).expect("made");
    std::fs::write(library.path().join("r/D.x10"), "package r; public class D { }").expect("written");
    let uri = "untitled:Untitled-2";
    session.server.open(uri, "x10", "\nclass New { val d:D = null; }\n");
    assert_eq!(session.server.diagnostics(uri, 1)[0]["code"], "name/unknown-type");
    session.server.change(uri, 2, [0, 0, 0, 0], "import r.");
    session.server.change(uri, 3, [0, 9, 0, 9], "D;");
    assert_eq!(session.server.diagnostics(uri, 3), Vec::<Value>::new());
    assert_eq!(session.server.end(), Some(0));
}
