//! What an editor asks of the language server, through its protocol, over a workspace of two files.

use apg_tests::requests;
use apg_tests::session::Session;
use serde_json::{Value, json};

const SHAPE: &str = "package shapes;
/** Something with sides. */
public class Shape(sides:Long) {
    public def this(sides:Long) { property(sides); }
    /** How large it is. */
    public def area():Double = sides * 1.0;
}
";

const MAIN: &str = "import shapes.Shape;
public class Main {
    static def twice(shape:Shape) = shape.area() * 2;
    public static def main(args:Rail[String]) {
        val shape = new Shape(4);
        Console.OUT.println(twice(shape));
    }
}
";

fn session() -> (Session, String) {
    let mut session = Session::workspace(&[("shapes/Shape.x10", SHAPE)]);
    let uri = session.open("Main.x10", MAIN);
    assert_eq!(session.server.diagnostics(&uri, 1), Vec::<Value>::new());
    (session, uri)
}

fn labels(items: &Value) -> Vec<&str> {
    items.as_array().expect("items").iter().filter_map(|item| item["label"].as_str()).collect()
}

#[test]
fn names_lead_to_their_declarations_also_into_closed_files_and_the_library() {
    let (mut session, uri) = session();
    let shape = session.uri("shapes/Shape.x10");
    let found = session.at("textDocument/definition", &uri, 2, 43);
    assert_eq!((&found["uri"], &found["range"]["start"]["line"]), (&json!(shape), &json!(5)), "{found}");
    let found = session.at("textDocument/typeDefinition", &uri, 4, 13);
    assert_eq!((&found["uri"], &found["range"]["start"]["line"]), (&json!(shape), &json!(2)), "{found}");
    // The library's files are shown from the cache, and answer questions themselves.
    let found = session.at("textDocument/definition", &uri, 5, 22);
    let library = found["uri"].as_str().expect("a file").to_owned();
    assert!(library.ends_with("x10/io/Printer.x10"), "{found}");
    let path = library.strip_prefix("file://").expect("a file");
    let text = std::fs::read_to_string(path).expect("it is on the disk");
    session.server.open(&library, "x10", &text);
    let line = u32::try_from(found["range"]["start"]["line"].as_u64().expect("a line")).expect("small");
    let column =
        u32::try_from(found["range"]["start"]["character"].as_u64().expect("a column")).expect("small");
    let hover = session.at("textDocument/hover", &library, line, column);
    assert!(hover["contents"]["value"].as_str().is_some_and(|t| t.contains("println")), "{hover}");
    let lenses = session.of("textDocument/codeLens", &library);
    assert_eq!(lenses, json!([]));
    assert_eq!(session.server.end(), Some(0));
}

#[test]
fn a_class_is_renamed_in_closed_files_and_its_file_with_it() {
    let (mut session, uri) = session();
    let place = json!({ "textDocument": { "uri": uri }, "position": { "line": 4, "character": 25 } });
    let prepared = session.server.request("textDocument/prepareRename", place.clone());
    assert_eq!(prepared["placeholder"], "Shape");
    let mut params = place;
    params["newName"] = json!("Form");
    let edit = session.server.request("textDocument/rename", params);
    let operations = edit["documentChanges"].as_array().expect("operations");
    let count = |uri: &str| {
        let of = operations.iter().find(|o| o["textDocument"]["uri"] == uri);
        of.and_then(|o| o["edits"].as_array()).map(Vec::len)
    };
    assert_eq!(count(&uri), Some(3));
    assert_eq!(count(&session.uri("shapes/Shape.x10")), Some(1));
    let renamed = operations.last().expect("operations");
    assert_eq!(renamed["kind"], "rename");
    assert_eq!(renamed["newUri"], session.uri("shapes/Form.x10"));
    // A refusal says why.
    let place = json!({ "textDocument": { "uri": uri }, "position": { "line": 5, "character": 22 }, "newName": "say" });
    let id = session.server.send_request("textDocument/rename", place);
    let answer = session.server.answer(id);
    assert!(answer["error"]["message"].as_str().is_some_and(|m| m.contains("class library")), "{answer}");
}

#[test]
fn uses_are_found_over_the_workspace() {
    let (mut session, uri) = session();
    let references = session.server.request(
        "textDocument/references",
        json!({
            "textDocument": { "uri": uri },
            "position": { "line": 2, "character": 43 },
            "context": { "includeDeclaration": true },
        }),
    );
    assert_eq!(references.as_array().map(Vec::len), Some(2), "{references}");
    let highlights = session.at("textDocument/documentHighlight", &uri, 4, 13);
    assert_eq!(highlights.as_array().map(Vec::len), Some(2), "{highlights}");
    let symbols = session.server.request("workspace/symbol", json!({ "query": "shap" }));
    assert!(symbols.as_array().is_some_and(|all| all.iter().any(|s| s["name"] == "Shape")), "{symbols}");
    let calls = session.at("textDocument/prepareCallHierarchy", &uri, 2, 16);
    let incoming = session.server.request("callHierarchy/incomingCalls", json!({ "item": calls[0] }));
    assert_eq!(incoming[0]["from"]["name"], "main");
    let outgoing = session.server.request("callHierarchy/outgoingCalls", json!({ "item": calls[0] }));
    assert!(
        outgoing.as_array().is_some_and(|all| all.iter().any(|c| c["to"]["name"] == "area")),
        "{outgoing}"
    );
    let types = session.at("textDocument/prepareTypeHierarchy", &uri, 4, 13);
    let supertypes = session.server.request("typeHierarchy/supertypes", json!({ "item": types[0] }));
    assert!(supertypes.is_array(), "{supertypes}");
}

#[test]
fn completion_knows_members_imports_and_documentation() {
    let (mut session, uri) = session();
    session.server.change(&uri, 2, [5, 8, 5, 8], "shape.; val map = new HashMa;\n");
    let members = session.at("textDocument/completion", &uri, 5, 14);
    let area =
        members.as_array().expect("items").iter().find(|item| item["label"] == "area").expect("a member");
    assert_eq!(area["insertTextFormat"], 2);
    let resolved = session.server.request("completionItem/resolve", area.clone());
    assert_eq!(resolved["documentation"]["value"], "How large it is.");
    let types = session.at("textDocument/completion", &uri, 5, 36);
    let map =
        types.as_array().expect("items").iter().find(|item| item["label"] == "HashMap").expect("a class");
    assert!(
        map["additionalTextEdits"][0]["newText"]
            .as_str()
            .is_some_and(|t| t.contains("import x10.util.HashMap;"))
    );
    let help = session.at("textDocument/signatureHelp", &uri, 6, 20);
    assert!(help["signatures"][0]["label"].as_str().is_some_and(|l| l.starts_with("println(")), "{help}");
    assert!(labels(&session.at("textDocument/completion", &uri, 6, 0)).contains(&"finish"));
}

#[test]
fn document_symbols_folding_and_selection_are_answered() {
    let (mut session, uri) = session();
    let outline = session.of("textDocument/documentSymbol", &uri);
    assert_eq!(outline[0]["children"][1]["name"], "main");
    let folds = session.of("textDocument/foldingRange", &uri);
    assert!(folds.as_array().is_some_and(|all| all.len() >= 2), "{folds}");
    let positions = json!([{ "line": 2, "character": 40 }]);
    let selections = session.server.request(
        "textDocument/selectionRange",
        json!({ "textDocument": { "uri": uri }, "positions": positions }),
    );
    assert_eq!(selections[0]["range"]["start"], json!({ "line": 2, "character": 36 }), "{selections}");
    let tokens = session.of("textDocument/semanticTokens/full", &uri);
    assert!(tokens["data"].as_array().is_some_and(|data| !data.is_empty() && data.len() % 5 == 0));
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints = session
        .server
        .request("textDocument/inlayHint", json!({ "textDocument": { "uri": uri }, "range": whole }));
    assert!(hints.as_array().is_some_and(|all| all.iter().any(|h| h["label"] == ":Double")), "{hints}");
    let options = json!({ "tabSize": 4, "insertSpaces": true });
    let formatted = session.server.request(
        "textDocument/rangeFormatting",
        json!({ "textDocument": { "uri": uri }, "range": whole, "options": options }),
    );
    assert_eq!(formatted, json!([]));
}

#[test]
fn a_client_that_pulls_diagnostics_gets_no_others() {
    let initialize = json!({
        "capabilities": { "textDocument": { "diagnostic": {} } }, "processId": null, "rootUri": null,
    });
    let mut session = Session::with(initialize);
    let uri = session.open("Broken.x10", "class Broken extends Missing { }");
    let report = session.of("textDocument/diagnostic", &uri);
    assert_eq!(report["items"][0]["code"], "name/unknown-type", "{report}");
    let again = session.server.request(
        "textDocument/diagnostic",
        json!({ "textDocument": { "uri": uri }, "previousResultId": report["resultId"] }),
    );
    assert_eq!(again["kind"], "unchanged");
    assert_eq!(session.server.end(), Some(0));
}

/// Every request on the tokens of the examples is answered without an error.
#[test]
fn every_request_on_every_token_is_answered() {
    let examples = apg_tests::tools::repository().join("examples");
    let mut paths: Vec<_> =
        std::fs::read_dir(examples).expect("examples").flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "x10")) {
        let text = std::fs::read_to_string(path).expect("readable");
        let mut session = Session::start();
        let uri = session.open(&path.file_name().expect("a name").to_string_lossy(), &text);
        for (line, column) in words(&text).into_iter().step_by(5) {
            // A rename checks the program anew each time.
            for method in requests::OF_A_PLACE.iter().filter(|method| **method != "textDocument/rename") {
                let id =
                    session.server.send_request(method, requests::at(&uri, [line, column], [line, column]));
                let answer = session.server.answer(id);
                let refused = requests::may_be_refused(method) && answer["error"]["code"] != -32603;
                assert!(answer["error"].is_null() || refused, "{method} {line}:{column}: {answer}");
            }
        }
        assert_eq!(session.server.end(), Some(0));
    }
}

/// The positions of the words of an ASCII text.
fn words(text: &str) -> Vec<(u32, u32)> {
    let number = |n: usize| u32::try_from(n).expect("small");
    let mut all = Vec::new();
    for (line, content) in text.lines().enumerate() {
        let mut before = ' ';
        for (column, c) in content.chars().enumerate() {
            if c.is_alphanumeric() && !before.is_alphanumeric() || c == '.' || c == '(' {
                all.push((number(line), number(column)));
            }
            before = c;
        }
    }
    all
}
