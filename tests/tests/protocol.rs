//! The language server through its protocol: diagnostics in the order of the edits, fixes, hover, lenses, and
//! bad messages.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use apg_tests::session::Session;
use apg_tests::tools;
use serde_json::{Value, json};

const KERNEL: &str = "import x10.compiler.CUDA;
public class Kernel {
    public static def main(args:Rail[String]) {
        val data = new Rail[Float](64);
        val out = new GlobalRail[Float](data);
        val scale = 2.0f;
        finish async at (here) @CUDA {
            finish for (block in 0n..7n) async {
                val tile = new Rail[Float](32, 0.0f);
                clocked finish for (thread in 0n..31n) clocked async {
                    tile(thread) = scale;
                    Clock.advanceAll();
                    out(thread) = tile(31n - thread);
                }
            }
        }
    }
}
";

/// The codes of all diagnostics but hints.
fn codes(diagnostics: &[Value]) -> Vec<&str> {
    let problems = diagnostics.iter().filter(|diagnostic| diagnostic["severity"] != 4);
    problems.map(|diagnostic| diagnostic["code"].as_str().unwrap_or_default()).collect()
}

#[test]
fn hover_says_how_a_kernel_launches_and_lenses_offer_to_run_it() {
    let mut session = Session::start();
    let uri = session.open("Kernel.x10", KERNEL);
    assert_eq!(codes(&session.server.diagnostics(&uri, 1)), Vec::<&str>::new());
    let hover = session.at("textDocument/hover", &uri, 6, 22);
    let text = hover["contents"]["value"].as_str().expect("markdown");
    for part in [
        "8 blocks",
        "32 threads",
        "128 bytes",
        "`scale`",
        "`out`",
        "GlobalRail[Float]",
        "wait for each other",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
    let lenses = session.server.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    let commands: Vec<&str> = lenses
        .as_array()
        .expect("lenses")
        .iter()
        .filter_map(|lens| lens["command"]["command"].as_str())
        .collect();
    assert_eq!(commands, ["apg.run", "apg.showCuda"]);
    let generated = session
        .server
        .request("apg/generatedCode", json!({ "textDocument": { "uri": uri }, "kind": "cuda" }));
    assert!(generated["text"].as_str().is_some_and(|text| text.contains("__global__")), "{generated}");
    let definition = session.at("textDocument/definition", &uri, 10, 36);
    assert_eq!(definition["range"]["start"], json!({ "line": 5, "character": 12 }), "{definition}");
    assert_eq!(session.server.end(), Some(0));
}

#[test]
fn fix_of_a_broken_kernel_removes_its_error() {
    let mut session = Session::start();
    let uri = session.open("Kernel.x10", &KERNEL.replace(") clocked async", ") async"));
    let diagnostics = session.server.diagnostics(&uri, 1);
    assert_eq!(codes(&diagnostics), ["cuda/missing-clocked-async"]);
    let broken = diagnostics.iter().find(|d| d["code"] == "cuda/missing-clocked-async").expect("reported");
    let actions = session.server.request(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": uri }, "range": broken["range"], "context": { "diagnostics": [] } }),
    );
    let edit = &actions[0]["edit"]["changes"][&uri][0];
    let position = |end: &str| {
        let at = &edit["range"][end];
        let number = |name: &str| u32::try_from(at[name].as_u64().expect("a number")).expect("small");
        [number("line"), number("character")]
    };
    let ([line, column], [end_line, end_column]) = (position("start"), position("end"));
    session.server.change(
        &uri,
        2,
        [line, column, end_line, end_column],
        edit["newText"].as_str().expect("text"),
    );
    assert_eq!(codes(&session.server.diagnostics(&uri, 2)), Vec::<&str>::new());
}

/// Handlers of the transport may overtake each other; edits must not: an edit out of order would leave
/// another text, and so other diagnostics.
#[test]
fn three_hundred_edits_at_once_arrive_in_order() {
    let mut session = Session::start();
    let uri = session.open("Edited.x10", "class Edited { val a = ; }\n");
    let last = 302;
    for version in 2..last {
        // Types one more digit behind the last: the number says which edits came in which order.
        let column = 23 + u32::try_from(version).expect("small") - 2;
        let digit = (version % 10).to_string();
        session.server.change(&uri, version, [0, column, 0, column], &digit);
    }
    session.server.change(&uri, last, [0, 23, 0, 23 + 300], "missing");
    let diagnostics = session.server.diagnostics(&uri, last);
    assert_eq!(codes(&diagnostics), ["name/unresolved"], "{diagnostics:?}");
    assert_eq!(diagnostics[0]["range"]["end"], json!({ "line": 0, "character": 30 }));
}

#[test]
fn requests_between_edits_are_all_answered() {
    let mut session = Session::start();
    let uri = session.open("Kernel.x10", KERNEL);
    let mut requests = Vec::new();
    for version in 2..60 {
        session.server.change(&uri, version, [5, 0, 5, 0], if version % 2 == 0 { "//" } else { "  " });
        let place = json!({ "textDocument": { "uri": uri }, "position": { "line": 6, "character": 16 } });
        requests.push(session.server.send_request("textDocument/hover", place));
        requests.push(
            session.server.send_request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } })),
        );
    }
    for request in requests {
        // An edit may have come before the answer: positions are of the text that was there.
        let answer = session.server.answer(request);
        assert!(answer["error"].is_null() || answer["error"]["code"] == -32801, "{answer}");
    }
    assert_eq!(session.server.end(), Some(0));
}

#[test]
fn bad_messages_do_no_harm() {
    let mut session = Session::start();
    let unknown = session.server.send_request("textDocument/nonsense", json!({}));
    assert_eq!(session.server.answer(unknown)["error"]["code"], -32601);
    let never_opened = json!({ "textDocument": { "uri": "file:///never/opened.x10" }, "position": { "line": 0, "character": 0 } });
    assert_eq!(session.server.request("textDocument/hover", never_opened), Value::Null);
    session.server.change("file:///never/opened.x10", 2, [0, 0, 0, 0], "x");
    session.server.notify("textDocument/didOpen", json!({ "nonsense": true }));
    let uri = session.open("Odd.x10", "class Odd { val s = \"é😀\"; val t:Nonsense; }\r\n\0\u{feff}");
    let out_of_range = json!({ "textDocument": { "uri": uri }, "position": { "line": 99, "character": 99 } });
    session.server.request("textDocument/hover", out_of_range);
    session.server.change(&uri, 2, [7, 7, 3, 3], "\n// end");
    // Columns are UTF-16 units unless agreed otherwise.
    let diagnostics = session.server.diagnostics(&uri, 2);
    let unknown =
        diagnostics.iter().find(|diagnostic| diagnostic["code"] == "name/unknown-type").expect("reported");
    assert_eq!(unknown["range"]["start"], json!({ "line": 0, "character": 33 }));
    assert_eq!(session.server.end(), Some(0));
}

#[test]
fn closing_a_document_takes_its_diagnostics_back() {
    let mut session = Session::start();
    let uri = session.open("Broken.x10", "class Broken extends Missing { }");
    assert_eq!(codes(&session.server.diagnostics(&uri, 1)), ["name/unknown-type"]);
    session.server.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    let published = session.server.notification("textDocument/publishDiagnostics");
    assert_eq!(published["diagnostics"], json!([]));
}

#[test]
fn a_client_connects_to_an_address() {
    let mut child = Command::new(tools::apg_lsp())
        .args(["--listen", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut said = String::new();
    BufReader::new(child.stderr.take().expect("piped")).read_line(&mut said).expect("a line");
    let address = said.trim().rsplit(' ').next().expect("an address");
    let stream = TcpStream::connect(address).unwrap_or_else(|error| panic!("{said}: {error}"));
    let send = |message: Value| {
        let body = message.to_string();
        write!(&stream, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("it reads");
    };
    let params = json!({ "capabilities": {}, "processId": null, "rootUri": null });
    send(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }));
    let mut answer = [0; 100];
    (&stream).read_exact(&mut answer).expect("an answer");
    assert!(String::from_utf8_lossy(&answer).contains("result"));
    send(json!({ "jsonrpc": "2.0", "id": 2, "method": "shutdown" }));
    send(json!({ "jsonrpc": "2.0", "method": "exit" }));
    let mut answers = String::new();
    (&stream).read_to_string(&mut answers).expect("it answers and ends");
    assert!(answers.contains("\"id\":2"), "{answers}");
    assert!(child.wait().expect("it ends").success());
    // Nobody else on the network is served.
    let refused = Command::new(tools::apg_lsp()).args(["--listen", "0.0.0.0:0"]).output().expect("it starts");
    assert_eq!(refused.status.code(), Some(2));
}
