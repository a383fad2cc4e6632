//! URIs as clients write them: folders and files with odd names, escaped or not, and documents that are in no
//! file.

use std::path::Path;
use std::time::Duration;

use apg_tests::lsp::Server;
use apg_tests::session::{self, Session};
use serde_json::{Value, json};

const LIB: &str = "package p;\npublic class Lib {\n    public static def twice(n:Long) = 2 * n;\n}\n";
const MAIN: &str = "import p.Lib;
public class Main {
    public static def main(args:Rail[String]) {
        Console.OUT.println(Lib.twice(21));
    }
}
";
/// A folder with all that needs an escape, but for what ends a path in a URI.
const FOLDER: &str = "a b/[c]{d}/100%/é日本/x+y=&';,@:$!()";

/// Escapes what a client escapes.
fn escaped(text: &str, capital: bool, is_plain: impl Fn(u8) -> bool) -> String {
    let escape = |byte: u8| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false if capital => format!("%{byte:02X}"),
        false => format!("%{byte:02x}"),
    };
    text.bytes().map(escape).collect()
}

/// The ways in which clients write a path, each named.
fn spellings(path: &Path) -> Vec<(&'static str, String)> {
    let text = path.to_str().expect("UTF-8");
    let unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let allowed = move |byte: u8| unreserved(byte) || b"!$&'()*+,;=:@".contains(&byte);
    vec![
        ("as the standard says", format!("file://{}", escaped(text, true, allowed))),
        ("all that may be is escaped", format!("file://{}", escaped(text, true, unreserved))),
        ("in small digits", format!("file://{}", escaped(text, false, unreserved))),
        ("letters too", format!("file://{}", escaped(text, false, |byte| b"/.".contains(&byte)))),
        ("nothing is escaped", format!("file://{text}")),
        ("the percent sign alone is escaped", format!("file://{}", text.replace('%', "%25"))),
        ("a host", format!("file://localhost{}", escaped(text, true, allowed))),
        ("one slash", format!("file:{}", escaped(text, true, allowed))),
    ]
}

#[test]
fn a_session_in_a_folder_with_an_odd_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join(FOLDER);
    std::fs::create_dir_all(root.join("p")).expect("made");
    std::fs::write(root.join("p/Lib.x10"), LIB).expect("written");
    std::fs::write(root.join("Main.x10"), MAIN).expect("written");
    let all = spellings(&root);
    for (name, uri) in &all {
        let capabilities = json!({ "workspace": { "workspaceEdit": { "documentChanges": true } } });
        let start = json!({
            "capabilities": capabilities, "processId": null, "rootUri": uri,
            "workspaceFolders": [{ "uri": uri, "name": "odd" }],
        });
        let mut server = Server::start(session::command(&folder), start);
        server.set_answer_timeout(Duration::from_secs(60));
        let main = format!("{uri}/Main.x10");
        server.open(&main, "x10", MAIN);
        assert_eq!(server.diagnostics(&main, 1), Vec::<Value>::new(), "{name}");
        // A file that is not open is named as the folder is.
        let at = |uri: &str, line, column| {
            let position = json!({ "line": line, "character": column });
            json!({ "textDocument": { "uri": uri }, "position": position })
        };
        let definition = server.request("textDocument/definition", at(&main, 3, 34));
        assert_eq!(definition["uri"], format!("{uri}/p/Lib.x10"), "{name}");
        let lib = definition["uri"].as_str().expect("a text").to_owned();
        server.open(&lib, "x10", LIB);
        assert_eq!(server.diagnostics(&lib, 1), Vec::<Value>::new(), "{name}");
        let mut rename = at(&lib, 2, 26);
        rename["newName"] = json!("double");
        let edit = server.request("textDocument/rename", rename);
        let mut edited: Vec<&Value> = edit["documentChanges"]
            .as_array()
            .expect("edits")
            .iter()
            .map(|it| &it["textDocument"]["uri"])
            .collect();
        edited.sort_by_key(|uri| uri.to_string());
        assert_eq!(edited, [&json!(main), &json!(lib)], "{name}");
        let lenses = server.request("textDocument/codeLens", json!({ "textDocument": { "uri": main } }));
        assert_eq!(lenses[0]["command"]["arguments"], json!([main]), "{name}");
        // Whatever spelling is used next, it is the same document, and its answers keep the name that it was
        // opened with.
        let (_, other) = &all[0];
        let definition = server.request("textDocument/definition", at(&format!("{other}/Main.x10"), 3, 34));
        assert_eq!(definition["uri"], lib, "{name}");
        server.change(&main, 2, [3, 28, 3, 33], "trice");
        assert_eq!(server.diagnostics(&main, 2)[0]["code"], "name/unresolved", "{name}");
        server.notify("textDocument/didClose", json!({ "textDocument": { "uri": main } }));
        let taken_back = (0..10).any(|_| {
            let published = server.notification("textDocument/publishDiagnostics");
            published["uri"] == main && published["version"].is_null()
        });
        assert!(taken_back, "{name}");
        assert_eq!(server.end(), Some(0), "{name}");
    }
}

#[test]
fn a_document_without_a_uri_is_refused_with_a_reason() {
    let start = json!({ "capabilities": {}, "processId": null, "rootUri": "", "workspaceFolders": [{ "uri": "w", "name": "w" }] });
    let mut session = Session::with(start);
    for uri in ["Main.x10", "", "file:", "file:///a%00.x10"] {
        session.server.open(uri, "x10", MAIN);
        let shown = session.server.notification("window/showMessage");
        let message = shown["message"].as_str().unwrap_or_default();
        assert!(message.contains(&format!("`{uri}` names no document")), "{shown}");
        let asked = json!({ "textDocument": { "uri": uri } });
        let id = session.server.send_request("textDocument/documentSymbol", asked);
        let answer = session.server.answer(id);
        if uri.starts_with("file:") {
            assert_eq!(answer["result"], Value::Null, "{answer}");
        } else {
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
            assert!(answer["error"]["message"].as_str().is_some_and(|it| it.contains("names no document")));
        }
    }
    assert_eq!(session.server.end(), Some(0));
}

/// What only the client can read is analysed by itself: its syntax is checked, and the reason stands above
/// it.
#[test]
fn documents_of_other_file_systems() {
    let mut session = Session::workspace(&[]);
    let documents = [
        ("vscode-vfs://github/owner/my repo/src/Main.x10", "behind `vscode-vfs:`"),
        ("vscode-remote://ssh-remote%2Bhost/home/u/{p}/Main.x10", "behind `vscode-remote:`"),
        ("git:/w/Main.x10?{\"ref\":\"~\"}", "behind `git:`"),
        ("file://server/share/Main.x10", "of the machine `server`"),
    ];
    for (uri, reason) in documents {
        let text = MAIN.replace("Console.OUT", "val 1 = 2;\n        Console.OUT");
        session.server.open(uri, "x10", &text);
        let found = session.server.diagnostics(uri, 1);
        assert!(found[0]["message"].as_str().is_some_and(|it| it.contains(reason)), "{found:?}");
        assert_eq!((&found[0]["severity"], found.len()), (&json!(3), 2), "{found:?}");
        assert_eq!(found[1]["code"], "syntax/error", "{found:?}");
        let symbols = session.of("textDocument/documentSymbol", uri);
        assert_eq!(symbols[0]["name"], "Main", "{symbols}");
        session.server.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
    // A document without a file is checked as a whole.
    for uri in ["untitled:Untitled-1", "untitled:/home/u/a b/Main.x10", "untitled:Ärger [1]"] {
        session.server.open(uri, "x10", MAIN);
        let found = session.server.diagnostics(uri, 1);
        assert!(
            !found.is_empty() && found.iter().all(|it| it["code"].to_string().contains("name/")),
            "{found:?}"
        );
        assert!(session.at("textDocument/hover", uri, 3, 18)["contents"].is_object());
        session.server.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
    assert_eq!(session.server.end(), Some(0));
}
