//! Clients that do what no client should: nonsense for messages, places that are not there, too many files,
//! too large ones, silence, sudden death. Each gets the right error, nothing hangs, and memory comes back.

use std::fmt::Write;
use std::process::Command;
use std::time::Duration;

use apg_tests::lsp::Server;
use apg_tests::requests;
use apg_tests::session::{self, Session};
use apg_tests::tools;
use apg_tests::waiting::find_eventually;
use serde_json::{Value, json};

/// Nothing special is claimed.
fn plain() -> Value {
    json!({ "capabilities": {}, "processId": null, "rootUri": null })
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or(0)
}

fn framed(body: &[u8]) -> Vec<u8> {
    [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

#[test]
fn malformed_message_is_reported_and_next_one_answered() {
    let mut session = Session::start();
    let wrong: &[(&[u8], i64)] = &[
        (b"{\"a\":", -32700),
        (b"\xff\xfe\x00", -32700),
        (b"[]", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"x\"}", -32600),
    ];
    for (body, expected) in wrong {
        session.server.send_bytes(&framed(body));
        let answer = session.server.message();
        assert_eq!(code(&answer), *expected, "{answer}");
    }
    session.server.send_bytes(b"Content-Length: many\r\n\r\n");
    assert_eq!(code(&session.server.message()), -32700);
    session.server.send_bytes(b"GET / HTTP/1.1\r\n\r\n");
    assert_eq!(code(&session.server.message()), -32700);
    // An answer to a question that nobody asked.
    session.server.send_bytes(&framed(b"{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":null}"));
    let symbols = session.server.request("workspace/symbol", json!({ "query": "ArrayList" }));
    assert!(symbols.is_array(), "{symbols}");
    assert_eq!(session.server.end(), Some(0));
}

#[test]
fn the_order_of_a_session_is_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut server = Server::spawn(session::command(&folder));
    let early = server.send_request("workspace/symbol", json!({ "query": "" }));
    assert_eq!(code(&server.answer(early)), -32002);
    let early_document = "file:///none/Early.x10";
    server.open(early_document, "x10", "class Early extends Missing { }");
    server.request("initialize", plain());
    let again = server.send_request("initialize", plain());
    assert_eq!(code(&server.answer(again)), -32600);
    let twice = r#"{"jsonrpc":"2.0","id":70,"method":"foo"}"#;
    server.send_bytes(&framed(twice.as_bytes()));
    assert_eq!(code(&server.answer(70)), -32601);
    // Earlier notifications belong to no document.
    let document = json!({ "textDocument": { "uri": early_document } });
    assert!(server.request("textDocument/documentSymbol", document).is_null());
    server.request("shutdown", Value::Null);
    server.open(early_document, "x10", "class Late extends Missing { }");
    let late = server.send_request("workspace/symbol", json!({ "query": "" }));
    assert_eq!(code(&server.answer(late)), -32600);
    server.notify("exit", Value::Null);
    assert_eq!(server.wait(), Some(0));
    // Without `shutdown` the status says so.
    let mut server = Server::start(session::command(&folder), plain());
    server.notify("exit", Value::Null);
    assert_eq!(server.wait(), Some(1));
}

#[test]
fn documents_and_places_that_are_not_there() {
    let mut session = Session::start();
    let open = session.open("Odd.x10", "class Odd { def f(s:String) = s.length(); }\r\n\r\n");
    let uris = [
        &*open,
        "file:///never/opened.x10",
        "untitled:Untitled-1",
        "untitled:",
        "vscode-notebook-cell:/x/y.ipynb#W0sZ",
        "http://host/a.x10",
        "file://host/%ff.x10",
        "file:///a%2Fb/%00/%F0%9F%98%80%20%23.x10",
        "FILE:///c%3A/../x.x10",
        "file:",
        "file:///",
    ];
    let places = [[[0, 12], [0, 15]], [[u32::MAX; 2]; 2], [[9, 9], [0, 0]], [[0, u32::MAX], [u32::MAX, 0]]];
    for uri in uris {
        for [start, end] in places {
            for method in requests::all().chain(requests::OF_AN_ANSWER.iter().copied()) {
                let id = session.server.send_request(method, requests::at(uri, start, end));
                let answer = session.server.answer(id);
                // A rename says why there is none; all others have nothing to say.
                let refused = requests::may_be_refused(method) && matches!(code(&answer), -32602 | -32803);
                assert!(answer["error"].is_null() || refused, "{method} {uri} {start:?}: {answer}");
            }
        }
    }
    for bad in ["", "::::", "no uri"] {
        let id = session.server.send_request("textDocument/hover", requests::at(bad, [0, 0], [0, 0]));
        assert_eq!(code(&session.server.answer(id)), -32602, "{bad}");
    }
    for params in [Value::Null, json!([]), json!({}), json!({ "textDocument": 3 })] {
        for method in requests::OF_A_PLACE {
            let id = session.server.send_request(method, params.clone());
            assert_eq!(code(&session.server.answer(id)), -32602, "{method} {params}");
        }
    }
    assert_eq!(session.server.end(), Some(0));
}

/// Positions count what was agreed: behind an emoji (4, 2 or 1), after CR LF, in edits, questions and
/// answers.
#[test]
fn columns_in_every_encoding() {
    const TEXT: &str = "class Odd {\r\n    val s = \"é😀\"; val wrong:Nonsense = null; def f() = s;\r\n}\r\n";
    // Units of everything before a byte of the second line, by encoding.
    let line = TEXT.lines().nth(1).expect("it has two");
    let units = |encoding: &str, what: &str| {
        let before = &line[..line.find(what).expect("it is there")];
        let count = match encoding {
            "utf-8" => before.len(),
            "utf-16" => before.encode_utf16().count(),
            _ => before.chars().count(),
        };
        u32::try_from(count).expect("small")
    };
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        let mut session = Session::with(json!({
            "capabilities": { "general": { "positionEncodings": [encoding] } }, "processId": null, "rootUri": null,
        }));
        let uri = session.open("Odd.x10", TEXT);
        let unknown = |diagnostics: &[Value]| {
            let found = diagnostics.iter().find(|d| d["code"] == "name/unknown-type").expect("reported");
            (found["range"]["start"].clone(), found["range"]["end"].clone())
        };
        let column = units(encoding, "Nonsense");
        let at = |line: u32, character: u32| json!({ "line": line, "character": character });
        let diagnostics = session.server.diagnostics(&uri, 1);
        assert_eq!(unknown(&diagnostics), (at(1, column), at(1, column + 8)), "{encoding}");
        let target = session.at("textDocument/definition", &uri, 1, units(encoding, "s;"));
        assert_eq!(target["range"]["start"], at(1, 8), "{encoding}: {target}");
        // The emoji becomes two; what is behind it moves.
        let (start, end) = (units(encoding, "😀"), units(encoding, "\";"));
        session.server.change(&uri, 2, [1, start, 1, end], "😀😀");
        let moved = column + end - start;
        let diagnostics = session.server.diagnostics(&uri, 2);
        assert_eq!(unknown(&diagnostics), (at(1, moved), at(1, moved + 8)), "{encoding}");
        // CR and LF are split and joined again.
        session.server.change(&uri, 3, [0, 11, 1, 0], "\r");
        session.server.change(&uri, 4, [0, 11, 1, 0], "\r\n\r\n");
        let diagnostics = session.server.diagnostics(&uri, 4);
        assert_eq!(unknown(&diagnostics), (at(2, moved), at(2, moved + 8)), "{encoding}");
        assert_eq!(session.server.end(), Some(0));
    }
}

/// Kilobytes that a process has in memory.
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[test]
fn a_thousand_files_opened_at_once() {
    a_thousand(false);
}

/// Each has a thousand neighbours, which are read once.
#[test]
fn a_thousand_files_of_the_disk_opened_at_once() {
    a_thousand(true);
}

fn a_thousand(on_disk: bool) {
    let mut session = Session::start();
    let mut uris = Vec::new();
    let text = |n| format!("class A{n} {{ def f():A{} = null; def g():Missing = null; }}\n", (n + 1) % 1000);
    if on_disk {
        for n in 0..1000 {
            std::fs::write(session.folder.path().join(format!("A{n}.x10")), text(n)).expect("written");
        }
    }
    for n in 0..1000 {
        let text = text(n);
        let uri = session.uri(&format!("A{n}.x10"));
        session.server.open(&uri, "x10", &text);
        uris.push(uri);
    }
    let mut left: std::collections::HashSet<String> = uris.iter().cloned().collect();
    while !left.is_empty() {
        let published = session.server.notification("textDocument/publishDiagnostics");
        let codes = published["diagnostics"].as_array().expect("diagnostics");
        assert_eq!(
            codes.iter().map(|d| &d["code"]).collect::<Vec<_>>(),
            ["name/unknown-type"],
            "{published}"
        );
        left.remove(published["uri"].as_str().expect("a URI"));
    }
    for uri in &uris {
        session.server.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
    let symbols = session.server.request("workspace/symbol", json!({ "query": "A999" }));
    assert_eq!(symbols.to_string().contains("A999.x10"), on_disk, "closed: {symbols}");
    assert_eq!(session.server.end(), Some(0));
}

/// Opening, editing and closing the same again and again does not take more and more memory.
#[test]
fn memory_comes_back() {
    let mut session = Session::start();
    let mut text = String::from("class Big {\n");
    for n in 0..300 {
        let _ = writeln!(text, "    def f{n}(a:Long):Long {{ val b = a + {n}; return b * f{n}(b); }}");
    }
    text += "}\n";
    let uri = session.uri("Big.x10");
    let round = |session: &mut Session| {
        session.server.open(&uri, "x10", &text);
        for version in 2..12 {
            session.server.change(&uri, version, [5, 0, 5, 0], " ");
            session.of("textDocument/semanticTokens/full", &uri);
        }
        session.server.diagnostics(&uri, 11);
        session.server.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
        session.server.request("workspace/symbol", json!({ "query": "none of this name" }));
    };
    for _ in 0..5 {
        round(&mut session);
    }
    let before = memory(session.server.process());
    for _ in 0..20 {
        round(&mut session);
    }
    let after = memory(session.server.process());
    assert!(after < before + before / 4, "{before} kB became {after} kB");
    assert_eq!(session.server.end(), Some(0));
}

#[test]
fn a_file_too_large_to_be_source_is_said_to_be() {
    // `APG_LARGE_MEGABYTES=100` is what to try by hand; it takes a while without optimisation.
    let megabytes = std::env::var("APG_LARGE_MEGABYTES").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let line = "    static def method(a:Rail[Double]):Double { return a(0) + a(1); }\n";
    let text = format!("class Big {{\n{}}}\n", line.repeat(megabytes * 1_000_000 / line.len()));
    let mut session = Session::start();
    let uri = session.uri("Big.x10");
    session.server.open(&uri, "x10", &text);
    let diagnostics = session.server.diagnostics(&uri, 1);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    assert!(
        diagnostics[0]["message"].as_str().is_some_and(|m| m.contains("more than 8 MB")),
        "{diagnostics:?}"
    );
    for method in requests::all() {
        let id = session.server.send_request(method, requests::at(&uri, [5, 16], [9, 0]));
        let answer = session.server.answer(id);
        assert!(answer["error"].is_null() || requests::may_be_refused(method), "{method}: {answer}");
    }
    session.server.change(&uri, 2, [5, 0, 5, 0], " ");
    assert_eq!(session.server.diagnostics(&uri, 2).len(), 1);
    // Another document is served as ever.
    let other = session.open("Other.x10", "class Other extends Missing { }");
    assert_eq!(session.server.diagnostics(&other, 1)[0]["code"], "name/unknown-type");
    // Cut down to a source, it is one.
    session.server.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": uri, "version": 3 }, "contentChanges": [{ "text": "class Big { }" }] }),
    );
    assert_eq!(session.server.diagnostics(&uri, 3), Vec::<Value>::new());
    assert_eq!(session.server.end(), Some(0));
}

/// Too large to be source, beside a source.
#[test]
fn a_large_file_on_the_disk_is_not_read() {
    let mut session = Session::start();
    let line = "    static def method(a:Rail[Double]):Double { return a(0) + a(1); }\n";
    let text = format!("public class Big {{\n{}}}\n", line.repeat(9_000_000 / line.len()));
    std::fs::write(session.folder.path().join("Big.x10"), text).expect("written");
    let uri = session.open("Small.x10", "class Small { def f():Big = null; def g():Near = null; }");
    let diagnostics = session.server.diagnostics(&uri, 1);
    assert_eq!(diagnostics.iter().map(|d| &d["code"]).collect::<Vec<_>>(), ["name/unknown-type"; 2]);
    assert_eq!(session.server.end(), Some(0));
}

#[test]
fn a_client_that_dies() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Server::start(session::command(&folder), plain());
    assert_eq!(server.hang_up(), Some(1));
    // In the middle of a message.
    let mut server = Server::start(session::command(&folder), plain());
    server.send_bytes(b"Content-Length: 1000\r\n\r\n{");
    assert_eq!(server.hang_up(), Some(1));
    // Its pipe stays open in another process: the number of the process tells.
    let mut client = Command::new("sleep").arg("600").spawn().expect("it starts");
    let mut initialize = plain();
    initialize["processId"] = json!(client.id());
    let mut server = Server::start(session::command(&folder), initialize);
    client.kill().and_then(|()| client.wait()).expect("it ends");
    assert_eq!(server.wait(), Some(1));
}

#[test]
fn a_client_that_never_answers() {
    let mut session = Session::with(json!({
        "capabilities": {
            "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } },
            "textDocument": { "typeHierarchy": { "dynamicRegistration": true } },
            "window": { "workDoneProgress": true },
        },
        "processId": null, "rootUri": null,
    }));
    session.server.be_silent();
    let uri = session.open("Broken.x10", "class Broken extends Missing { }");
    assert_eq!(session.server.diagnostics(&uri, 1)[0]["code"], "name/unknown-type");
    for version in 2..30 {
        session.server.change(&uri, version, [0, 0, 0, 0], " ");
        session.at("textDocument/hover", &uri, 0, 40);
    }
    assert_eq!(session.server.diagnostics(&uri, 29).len(), 1);
    assert_eq!(session.server.end(), Some(0));
}

/// A client that asks and asks and reads nothing is not read from any more; memory does not grow, and when it
/// goes the server does.
#[test]
fn a_client_that_does_not_read() {
    use std::io::Write as _;
    use std::process::Stdio;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static SENT: AtomicUsize = AtomicUsize::new(0);
    let mut command = Command::new(tools::apg_lsp());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    let mut send = move |message: &Value| input.write_all(&framed(message.to_string().as_bytes()));
    send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": plain() })).expect("it reads");
    send(&json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} })).expect("it reads");
    std::thread::spawn(move || {
        let question =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "workspace/symbol", "params": { "query": "a" } });
        for id in 1..1_000_000 {
            let mut question = question.clone();
            question["id"] = json!(id);
            if send(&question).is_err() {
                return;
            }
            SENT.store(id, Ordering::Relaxed);
        }
    });
    // Until no more is taken.
    let mut before = 0;
    for _ in 0..600 {
        std::thread::sleep(Duration::from_millis(500));
        let sent = SENT.load(Ordering::Relaxed);
        if sent == before && sent > 0 {
            break;
        }
        before = sent;
    }
    let (sent, kilobytes) = (SENT.load(Ordering::Relaxed), memory(child.id()));
    assert!(sent < 100_000 && kilobytes < 1_000_000, "{sent} questions were taken, {kilobytes} kB");
    drop(child.stdout.take());
    // A machine that is busy takes its time.
    let ended = find_eventually(|| child.try_wait().ok().flatten());
    let _ = child.kill();
    assert_eq!(ended.and_then(|status| status.code()), Some(1));
}

/// Pulled and pushed diagnostics are the same; a client that can both gets each once.
#[test]
fn with_and_without_pulling() {
    const TEXT: &str = "class Broken { val b:Missing = null; val a = unknown; }";
    let client =
        |text: Value| json!({ "capabilities": { "textDocument": text }, "processId": null, "rootUri": null });
    let mut pushed = Session::with(client(json!({ "publishDiagnostics": {} })));
    let uri = pushed.open("Broken.x10", TEXT);
    let by_push = pushed.server.diagnostics(&uri, 1);
    let mut pulled = Session::with(client(json!({ "diagnostic": {} })));
    let uri = pulled.open("Broken.x10", TEXT);
    let by_pull = pulled.of("textDocument/diagnostic", &uri);
    let codes = |all: &[Value]| all.iter().map(|d| d["code"].clone()).collect::<Vec<_>>();
    assert_eq!(codes(&by_push), codes(by_pull["items"].as_array().expect("items")));
    assert_eq!(by_push.len(), 2);
    assert_eq!(pulled.server.end(), Some(0));
}

/// Edits that no client should send: the server continues, and the next full text replaces its document.
#[test]
fn edits_that_make_no_sense() {
    let mut session = Session::start();
    let uri = session.open("Odd.x10", "class Odd { val s = \"é😀\"; }\n");
    let place = |line: i64, character: i64| json!({ "line": line, "character": character });
    let ranges = [
        (place(0, 5), place(0, 2)),
        (place(9, 0), place(0, 0)),
        // In the middle of the two units of an emoji.
        (place(0, 23), place(0, 23)),
        (place(0, 22), place(0, 23)),
        (place(0, -1), place(0, 4)),
        (place(0, 1 << 40), place(1 << 40, 0)),
    ];
    let mut version = 1;
    for (start, end) in ranges {
        for text in ["", "\u{feff}", "\0", "\r", "😀", "{{{{"] {
            version += 1;
            let document = json!({ "uri": uri, "version": version });
            let changes = json!([{ "range": { "start": start, "end": end }, "text": text }]);
            let params = json!({ "textDocument": document, "contentChanges": changes });
            session.server.notify("textDocument/didChange", params);
            session.of("textDocument/documentSymbol", &uri);
        }
    }
    // Without a text, of no document, opened twice, closed twice, changed when closed.
    for params in [Value::Null, json!({}), json!({ "textDocument": { "uri": uri }, "contentChanges": 3 })] {
        session.server.notify("textDocument/didChange", params.clone());
        session.server.notify("textDocument/didOpen", params);
    }
    session.server.open(&uri, "x10", "class Twice { }");
    for _ in 0..2 {
        session.server.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
    session.server.change(&uri, 99, [0, 0, 0, 1], "x");
    // What is not open is what the disk has.
    assert_eq!(session.of("textDocument/documentSymbol", &uri)[0]["name"], "Odd");
    // Its version is no other's: those of before may have been published, or not.
    let last =
        json!({ "uri": uri, "languageId": "x10", "version": 100, "text": "class Last extends Missing { }" });
    session.server.notify("textDocument/didOpen", json!({ "textDocument": last }));
    assert_eq!(session.server.diagnostics(&uri, 100)[0]["code"], "name/unknown-type");
    assert_eq!(session.of("textDocument/documentSymbol", &uri)[0]["name"], "Last");
    assert_eq!(session.server.end(), Some(0));
}

/// Positions are clamped and versions are what they can be: no text is lost that the client has.
#[test]
fn edits_with_odd_numbers() {
    let mut session = Session::start();
    let uri = session.open("Odd.x10", "class Odd { }\r");
    let zero = json!({ "line": 0, "character": 0 });
    let mut expected = String::from("Odd");
    for version in [Value::Null, json!("x"), json!(-7), json!(3_000_000_000_i64), json!(1e300), json!(1.5)] {
        expected.push('d');
        let name = format!("class {expected} {{ }}\r");
        let range = json!({ "start": { "line": -1, "character": -5 }, "end": { "line": 1_i64 << 40, "character": 0 } });
        for change in [json!({ "text": "" }), json!({ "range": range, "text": name, "rangeLength": -1 })] {
            let document = json!({ "uri": uri, "version": version });
            let params = json!({ "textDocument": document, "contentChanges": [change] });
            session.server.notify("textDocument/didChange", params);
        }
        assert_eq!(session.of("textDocument/documentSymbol", &uri)[0]["name"], json!(expected), "{version}");
    }
    // Nothing to read: full changes without a text, and no changes.
    for changes in [json!([]), json!([{ "range": { "start": zero, "end": zero } }]), json!([3]), Value::Null]
    {
        let params = json!({ "textDocument": { "uri": uri, "version": 9 }, "contentChanges": changes });
        session.server.notify("textDocument/didChange", params);
    }
    assert_eq!(session.of("textDocument/documentSymbol", &uri)[0]["name"], json!(expected));
    // CR alone ends a line, before and after edits.
    let uri = session.open("Other.x10", "class Other {\r    val a = 1;\r\r    val b:Missing = null;\r}");
    let start = |found: &[Value]| found[0]["range"]["start"].clone();
    assert_eq!(start(&session.server.diagnostics(&uri, 1)), json!({ "line": 3, "character": 10 }));
    session.server.change(&uri, 2, [1, 14, 2, 0], "");
    assert_eq!(start(&session.server.diagnostics(&uri, 2)), json!({ "line": 2, "character": 10 }));
    assert_eq!(session.server.end(), Some(0));
}

/// Who asks waits for an answer, also to what the protocol does not answer.
#[test]
fn notifications_with_numbers_and_requests_without() {
    let mut session = Session::start();
    let uri = session.uri("Odd.x10");
    for method in ["$/none", "$/setTrace", "textDocument/didOpen", "textDocument/didChange", "initialized"] {
        let document = json!({ "uri": uri, "languageId": "x10", "version": 1, "text": "class Odd { }" });
        let id = session.server.send_request(method, json!({ "textDocument": document, "value": "off" }));
        assert!(matches!(code(&session.server.answer(id)), -32601 | -32600), "{method}");
    }
    assert!(session.of("textDocument/documentSymbol", &uri).is_null(), "nothing was opened");
    for method in requests::all() {
        session.server.notify(method, requests::at(&uri, [0, 0], [0, 0]));
    }
    // One number for two questions: the second is refused, and the first answered.
    let question =
        r#"{"jsonrpc":"2.0","id":"twice","method":"workspace/diagnostic","params":{"previousResultIds":[]}}"#;
    session.server.send_bytes(&[framed(question.as_bytes()), framed(question.as_bytes())].concat());
    let mut codes = [session.server.message(), session.server.message()].map(|answer| code(&answer));
    codes.sort_unstable();
    assert!(matches!(codes, [-32600 | 0, 0]), "{codes:?}");
    assert_eq!(session.server.end(), Some(0));
}

/// Settings are requested once, and once more when the client has answered, however often it says that they
/// changed.
#[test]
fn a_client_whose_settings_change_all_the_time() {
    let mut session = Session::with(json!({
        "capabilities": { "workspace": { "configuration": true } }, "processId": null, "rootUri": null,
    }));
    session.server.be_silent();
    for _ in 0..100 {
        session.server.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    }
    session.server.request("workspace/symbol", json!({ "query": "ArrayList" }));
    let asked = session.server.notification("workspace/configuration");
    assert_eq!(asked["items"][0]["section"], "apg");
    let waiting = session.server.send_request("workspace/symbol", json!({ "query": "ArrayList" }));
    // The next message would be another question.
    assert_eq!(session.server.message()["id"], waiting);
    assert_eq!(session.server.end(), Some(0));
}

/// A request for settings that is never answered does not block later ones: later changes are requested and
/// applied.
#[test]
fn a_client_that_never_says_what_its_settings_are() {
    let mut session = Session::with(json!({
        "capabilities": { "workspace": { "configuration": true } }, "processId": null, "rootUri": null,
        "initializationOptions": { "patience": 0.2 },
    }));
    session.server.be_silent();
    let changed = json!({ "settings": null });
    session.server.notify("workspace/didChangeConfiguration", changed.clone());
    session.server.notification("workspace/configuration");
    // It changes again, and the client is asked again though it did not answer.
    session.server.notify("workspace/didChangeConfiguration", changed.clone());
    session.server.notification("workspace/configuration");
    // Nothing changed since: it is asked once.
    std::thread::sleep(std::time::Duration::from_millis(500));
    session.server.notify("workspace/didChangeConfiguration", changed);
    session.server.notification("workspace/configuration");
    assert_eq!(session.server.end(), Some(0));
}

/// Numbers, names and depths of messages that are allowed, and some that are not.
#[test]
fn odd_messages() {
    let mut session = Session::start();
    let ask = |session: &mut Session, id: &str| {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"workspace/symbol","params":{{"query":"ArrayList"}}}}"#
        );
        session.server.send_bytes(&framed(body.as_bytes()));
        session.server.message()
    };
    for id in ["\"text\"", "-1", "9007199254740991", "\"\""] {
        let answer = ask(&mut session, id);
        assert_eq!(answer["id"].to_string(), id, "{answer}");
        assert!(answer["result"].is_array(), "{answer}");
    }
    // Deeper than any reader goes.
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let body = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":{deep}}}"#);
    session.server.send_bytes(&framed(body.as_bytes()));
    assert!(code(&session.server.message()) < 0);
    // Cancelling what is not there, progress that nobody shows.
    session.server.notify("$/cancelRequest", json!({ "id": 12_345 }));
    session.server.notify("$/cancelRequest", json!({ "id": null }));
    session.server.notify("window/workDoneProgress/cancel", json!({ "token": "none" }));
    session.server.notify("window/workDoneProgress/cancel", json!([]));
    session.server.notify("$/setTrace", json!({ "value": "verbose" }));
    session.server.notify("$/unknown", json!({}));
    let symbols = session.server.request("workspace/symbol", json!({ "query": "ArrayList" }));
    assert!(symbols.is_array());
    assert_eq!(session.server.end(), Some(0));
}
