//! Logging: the server's log is in its file and nowhere in the protocol; the command logs only where
//! `APG_LOG` is set.

use std::process::Command;

use apg_tests::lsp::Server;
use apg_tests::{session, tools};
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

#[test]
fn command_logs_only_where_apg_log_is_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("Hello.x10");
    let program =
        "public class Hello { public static def main(args:Rail[String]) { Console.OUT.println(1); } }";
    std::fs::write(&file, program).expect("written");
    let run = |filter: Option<&str>| {
        let mut command = Command::new(tools::apg());
        command.args(["run", "--places", "2", "--accels", "none"]).arg(&file);
        command.env("APG_CACHE_DIR", folder.path().join("cache")).env_remove("APG_LOG");
        command.envs(filter.map(|filter| ("APG_LOG", filter)));
        let output = command.output().expect("apg starts");
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let log = run(Some("apg=debug"));
    for event in ["is_cached=false", "compile{unit=", "place joins place=1"] {
        assert!(log.contains(event), "no `{event}` in:\n{log}");
    }
    assert!(!run(None).contains("is_cached"));
}
