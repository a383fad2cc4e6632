//! The log of the language server: in its file, and nowhere in the protocol.

use apg_tests::lsp::Server;
use apg_tests::session;
use serde_json::json;

#[test]
fn debug_log_has_durations_of_requests() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("logs/server.log");
    let mut command = session::command(&folder);
    command.env("APG_LOG", "apg_lsp=debug").arg("--log-file").arg(&log);
    let mut server =
        Server::start(command, json!({ "capabilities": {}, "processId": null, "rootUri": null }));
    let uri = format!("file://{}/A.x10", folder.path().display());
    server.open(&uri, "x10", "class A { }");
    let position = json!({ "line": 0, "character": 6 });
    let hover =
        server.request("textDocument/hover", json!({ "textDocument": { "uri": uri }, "position": position }));
    assert!(hover["contents"].is_object(), "{hover}");
    assert_eq!(server.request("apg/logFile", json!({})), json!(log));
    assert_eq!(server.end(), Some(0));
    let text = std::fs::read_to_string(&log).expect("a log file");
    let is_duration = |line: &str| {
        line.contains("message{method=\"textDocument/hover\"") && line.contains("close time.busy=")
    };
    assert!(text.lines().any(is_duration), "{text}");
    assert!(text.contains("started version="), "{text}");
}

#[test]
fn empty_name_writes_no_log_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = session::command(&folder);
    command.arg("--log-file").arg("");
    let mut server =
        Server::start(command, json!({ "capabilities": {}, "processId": null, "rootUri": null }));
    assert!(server.request("apg/logFile", json!({})).is_null());
    assert_eq!(server.end(), Some(0));
}
