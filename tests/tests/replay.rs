//! Sessions of real editors, recorded by `tests/sessions/record.mjs`, played to the server again: what it
//! says must be what was recorded. `APG_UPDATE=1` records what it says now.
//!
//! A recording is a line for each message. The first one says which files there are. Before the client says
//! something it has heard what stands before it in the recording.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use apg_tests::lsp::Server;
use apg_tests::{session, tools};
use serde_json::{Value, json};

#[test]
fn recorded_sessions_go_as_they_went() {
    let folder = tools::repository().join("tests/sessions");
    let files = std::fs::read_dir(&folder).expect("the folder is there").flatten().map(|entry| entry.path());
    let mut recordings: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == "jsonl")).collect();
    recordings.sort();
    assert!(!recordings.is_empty());
    for recording in recordings {
        replay(&recording);
    }
}

/// A session that is played again.
struct Replay {
    server: Server,
    /// Where its files are, for `$FOLDER`.
    folder: String,
    /// The methods of the client's requests that are still to be answered.
    asked: HashMap<String, (i64, String)>,
    /// The last version of each document.
    versions: HashMap<String, i64>,
}

fn replay(recording: &Path) {
    let text = std::fs::read_to_string(recording).expect("readable");
    let name = recording.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut lines = text.lines();
    let first: Value = serde_json::from_str(lines.next().unwrap_or_default()).expect("a line of JSON");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in first["files"].as_object().expect("files") {
        std::fs::write(folder.path().join(path), text.as_str().expect("a text")).expect("written");
    }
    let path = folder.path().display().to_string();
    let mut replay = Replay {
        server: Server::spawn(session::command(&folder)),
        folder: path,
        asked: HashMap::new(),
        versions: HashMap::new(),
    };
    let updates = std::env::var_os("APG_UPDATE").is_some();
    let mut updated = first.to_string() + "\n";
    for (nth, line) in lines.enumerate() {
        let message: Value = serde_json::from_str(line).expect("a line of JSON");
        if let Some(said) = message.get("client") {
            replay.say(said);
            updated += &format!("{}\n", json!({ "client": said }));
        } else if let Some(expected) = message.get("server")
            && let Some(heard) = replay.hear(expected)
        {
            let expected = replay.compared(expected);
            let same =
                updates || expected == heard || heard["offered"].is_array() && offers(&heard, &expected);
            assert!(same, "{name}:{}: expected\n{expected}\nheard\n{heard}", nth + 2);
            updated += &format!("{}\n", json!({ "server": heard }));
        }
    }
    assert_eq!(replay.server.wait(), Some(0), "{name}");
    if updates {
        std::fs::write(recording, updated).expect("written");
    }
}

impl Replay {
    fn say(&mut self, message: &Value) {
        let text = message.to_string().replace("$FOLDER", &self.folder);
        let mut message: Value = serde_json::from_str(&text).expect("JSON");
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        if method.is_empty() {
            // The client of the tests answers by itself.
            return;
        }
        let document = &message["params"]["textDocument"];
        if let (Some(uri), Some(version)) = (document["uri"].as_str(), document["version"].as_i64()) {
            self.versions.insert(uri.to_owned(), version);
        }
        if method == "initialize" {
            // The process that recorded it is gone.
            message["params"]["processId"] = Value::Null;
        }
        let params = message["params"].take();
        match message.get("id") {
            Some(id) => {
                let number = self.server.send_request(&method, params);
                self.asked.insert(id.to_string(), (number, method));
            }
            None => self.server.notify(&method, params),
        }
    }

    /// What the server says instead of what it said, as it is compared; none where it may as well say
    /// nothing.
    fn hear(&mut self, expected: &Value) -> Option<Value> {
        if let Some(id) = expected.get("id").filter(|_| expected.get("method").is_none()) {
            let (number, method) = self.asked.remove(&id.to_string())?;
            let mut answer = self.server.answer(number);
            // An edit that came first, or did not.
            if [expected, &answer]
                .iter()
                .any(|a| matches!(a["error"]["code"].as_i64(), Some(-32800 | -32801)))
            {
                return None;
            }
            answer["id"] = id.clone();
            if method == "textDocument/completion" {
                let items = answer["result"].as_array().cloned().unwrap_or_default();
                let labels = items.into_iter().map(|mut item| item["label"].take());
                return Some(json!({ "id": id, "offered": labels.collect::<Vec<_>>() }));
            }
            return Some(self.compared(&answer));
        }
        let published = &expected["params"];
        if expected["method"] != "textDocument/publishDiagnostics" {
            return None;
        }
        let uri = published["uri"].as_str()?.replace("$FOLDER", &self.folder);
        let version =
            published["version"].as_i64().filter(|version| self.versions.get(&uri) == Some(version))?;
        let diagnostics = self.server.diagnostics(&uri, version);
        let params = json!({ "uri": uri, "version": version, "diagnostics": diagnostics });
        Some(self.compared(&json!({ "method": "textDocument/publishDiagnostics", "params": params })))
    }

    /// A message without what differs from one session to the next.
    fn compared(&self, message: &Value) -> Value {
        let text = message.to_string().replace(&self.folder, "$FOLDER");
        let mut message: Value = serde_json::from_str(&text).expect("JSON");
        forget(&mut message);
        message
    }
}

/// Takes out what numbers answers and versions of the server.
fn forget(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(forget),
        Value::Object(fields) => {
            for name in ["resultId", "serverInfo", "jsonrpc"] {
                fields.remove(name);
            }
            fields.values_mut().for_each(forget);
        }
        _ => {}
    }
}

/// Whether all is offered that was: a class library that grows has more.
fn offers(heard: &Value, expected: &Value) -> bool {
    let offered = |answer: &Value| answer["offered"].as_array().cloned().unwrap_or_default();
    let heard = offered(heard);
    offered(expected).iter().all(|label| heard.contains(label))
}
