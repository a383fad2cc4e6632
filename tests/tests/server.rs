//! The language server between its client and the disk: edits that come first, files that change, what is
//! asked again.

use apg_tests::requests;
use apg_tests::session::Session;
use apg_tests::waiting::eventually;
use serde_json::{Value, json};

const SHAPE: &str = "package shapes;\npublic class Shape {\n    public def area():Double = 1.0;\n}\n";

const MAIN: &str = "import shapes.Shape;
public class Main {
    // See https://x10-lang.org.
    public static def main(args:Rail[String]) {
        val shape = new Shape();
        Console.OUT.println(shape.area());
    }
}
";

/// A workspace whose client supports refresh requests and versioned edits.
fn session() -> (Session, String) {
    let refresh = json!({ "refreshSupport": true });
    let capabilities = json!({
        "workspace": {
            "workspaceEdit": { "documentChanges": true },
            "semanticTokens": refresh, "inlayHint": refresh, "codeLens": refresh,
        },
        "textDocument": { "typeHierarchy": {} },
    });
    let options = json!({ "commands": ["apg.showReferences", "apg.runOnGpu"] });
    let mut session = Session::workspace_for(&[("shapes/Shape.x10", SHAPE)], capabilities, options);
    let uri = session.open("Main.x10", MAIN);
    assert_eq!(session.server.diagnostics(&uri, 1), Vec::<Value>::new());
    (session, uri)
}

/// A request about a position, then an edit: either it is answered from the text it was asked of or it says
/// that the text is no more. Never from the text after the edit, where the position is that of another name.
#[test]
fn a_position_is_never_one_of_a_later_text() {
    let (mut session, uri) = session();
    for round in 0..20 {
        let version = 2 + 2 * round;
        let place = json!({ "textDocument": { "uri": uri }, "position": { "line": 4, "character": 13 } });
        let id = session.server.send_request("textDocument/hover", place);
        session.server.change(&uri, version, [4, 0, 4, 0], "        val other = 1;\n");
        let answer = session.server.answer(id);
        let text = answer["result"]["contents"]["value"].as_str().unwrap_or("shape");
        assert!(text.contains("shape"), "{answer}");
        assert!(answer["error"].is_null() || answer["error"]["code"] == -32801, "{answer}");
        session.server.change(&uri, version + 1, [4, 0, 5, 0], "");
    }
    assert_eq!(session.server.end(), Some(0));
}

/// Kernels are compiled when nobody types, and what they need is shown where they stand, also when they have
/// moved.
#[test]
fn what_a_kernel_needs_is_shown_once_it_is_compiled() {
    let kernel = "import x10.compiler.CUDA;
public class Scale {
    public static def main(args:Rail[String]) {
        val out = new GlobalRail[Float](new Rail[Float](64));
        finish async at (here) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    out(block * 32n + thread) = 2.0f * thread;
                }
            }
        }
    }
}
";
    if apg_runtime::device::architectures().is_empty() {
        return apg_tests::tools::skip("the CUDA run-time compiler is not installed");
    }
    let capabilities = json!({ "workspace": { "inlayHint": { "refreshSupport": true } } });
    let mut session = Session::workspace_for(&[], capabilities, json!({ "kernelResources": true }));
    let uri = session.open("Scale.x10", kernel);
    let hints = |session: &mut Session| {
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
        let asked = json!({ "textDocument": { "uri": uri }, "range": range });
        session.server.request("textDocument/inlayHint", asked).to_string()
    };
    assert!(hints(&mut session).contains("2 × 32 threads"));
    while !hints(&mut session).contains("registers") {
        session.server.notification("workspace/inlayHint/refresh");
    }
    let hover = session.at("textDocument/hover", &uri, 4, 22)["contents"]["value"].to_string();
    for part in ["Compiled with 32 threads", "sm_90", "occupancy", "limited by", "constant", "spills"] {
        assert!(hover.contains(part), "no `{part}` in {hover}");
    }
    session.server.change(&uri, 2, [0, 0, 0, 0], "// moved\n");
    assert!(hints(&mut session).contains("registers"));
    session.server.change(&uri, 3, [8, 48, 8, 52], "3.0f");
    assert!(!hints(&mut session).contains("registers"));
    assert_eq!(session.server.end(), Some(0));
}

#[test]
fn edits_say_of_which_version_they_are() {
    let (mut session, uri) = session();
    session.server.change(&uri, 2, [7, 1, 7, 1], " // end");
    let range = json!({ "start": { "line": 5, "character": 8 }, "end": { "line": 5, "character": 42 } });
    let actions = session.server.request(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } }),
    );
    assert!(!actions[0].is_null(), "{actions}");
    for action in actions.as_array().expect("actions") {
        assert_eq!(action["edit"]["documentChanges"][0]["textDocument"]["version"], 2, "{action}");
    }
}

/// No client of ours says what changes on the disk: the server sees it itself.
#[test]
fn files_on_the_disk_are_watched_and_the_client_asks_again() {
    let (mut session, uri) = session();
    let path = session.folder.path().join("shapes/Shape.x10");
    std::fs::write(&path, SHAPE.replace("area", "size")).expect("written");
    let found = session.server.diagnostics(&uri, 1);
    assert_eq!(found[0]["code"], "name/unresolved-member", "{found:?}");
    session.server.notification("workspace/semanticTokens/refresh");
    // A package may be called as output folders are.
    let folder = session.folder.path().join("build");
    std::fs::create_dir(&folder).expect("made");
    std::fs::write(folder.join("New.x10"), "package build;\npublic class New {}").expect("written");
    let is_seen = eventually(|| {
        let symbols = session.server.request("workspace/symbol", json!({ "query": "New" }));
        symbols.as_array().is_some_and(|all| all.iter().any(|s| s["containerName"] == "build"))
    });
    assert!(is_seen, "a new folder is not seen");
}

#[test]
fn folders_of_the_workspace_come_and_go() {
    let (mut session, _) = session();
    let other = tempfile::tempdir().expect("a folder");
    std::fs::write(other.path().join("Elsewhere.x10"), "public class Elsewhere {}").expect("written");
    let folder = json!([{ "uri": format!("file://{}", other.path().display()), "name": "other" }]);
    let known = |session: &mut Session| {
        let symbols = session.server.request("workspace/symbol", json!({ "query": "Elsewhere" }));
        symbols.as_array().is_some_and(|all| all.iter().any(|symbol| symbol["name"] == "Elsewhere"))
    };
    assert!(!known(&mut session));
    let change = json!({ "event": { "added": folder, "removed": [] } });
    session.server.notify("workspace/didChangeWorkspaceFolders", change);
    // Handlers of notifications other than those of documents may overtake each other.
    assert!(eventually(|| known(&mut session)));
    let change = json!({ "event": { "added": [], "removed": folder } });
    session.server.notify("workspace/didChangeWorkspaceFolders", change);
    assert!(eventually(|| !known(&mut session)));
}

#[test]
fn settings_change_while_it_runs() {
    let (mut session, _) = session();
    let packages = tempfile::tempdir().expect("a folder");
    let class = packages.path().join("extra/Extra.x10");
    std::fs::create_dir(packages.path().join("extra")).expect("made");
    std::fs::write(class, "package extra;\npublic class Extra {}\n").expect("written");
    let uri = session.open("User.x10", "import extra.Extra;\nclass User { val extra:Extra = null; }\n");
    let leads = |session: &mut Session| session.at("textDocument/definition", &uri, 1, 25) != Value::Null;
    assert!(!leads(&mut session));
    let settings = json!({ "settings": { "apg": { "sourcePath": [packages.path()] } } });
    session.server.notify("workspace/didChangeConfiguration", settings);
    let comes = |session: &mut Session, wanted: bool| eventually(|| leads(session) == wanted);
    assert!(comes(&mut session, true));
    // A folder beside that of the workspace.
    for (folder, wanted) in [(None, false), (packages.path().file_name(), true)] {
        let folders: Vec<_> = folder.iter().map(|it| std::path::Path::new("..").join(it)).collect();
        let settings = json!({ "settings": { "apg": { "sourcePath": folders } } });
        session.server.notify("workspace/didChangeConfiguration", settings);
        assert!(comes(&mut session, wanted), "{folder:?}");
    }
}

#[test]
fn tokens_come_as_differences() {
    let (mut session, uri) = session();
    let all = session.of("textDocument/semanticTokens/full", &uri);
    session.server.change(&uri, 2, [4, 8, 4, 11], "var");
    let known = json!({ "textDocument": { "uri": uri }, "previousResultId": all["resultId"] });
    let delta = session.server.request("textDocument/semanticTokens/full/delta", known);
    let edit = &delta["edits"][0];
    let mut tokens: Vec<Value> = all["data"].as_array().expect("numbers").clone();
    let number = |name: &str| usize::try_from(edit[name].as_u64().expect("a number")).expect("small");
    let new = edit["data"].as_array().cloned().unwrap_or_default();
    tokens.splice(number("start")..number("start") + number("deleteCount"), new);
    assert_eq!(json!(tokens), session.of("textDocument/semanticTokens/full", &uri)["data"]);
    // Of an answer that nobody knows there is no difference.
    let unknown = json!({ "textDocument": { "uri": uri }, "previousResultId": "nonsense" });
    let full = session.server.request("textDocument/semanticTokens/full/delta", unknown);
    assert!(full["data"].is_array(), "{full}");
}

#[test]
fn links_lenses_and_linked_names() {
    let (mut session, uri) = session();
    let links = session.of("textDocument/documentLink", &uri);
    let shape = session.uri("shapes/Shape.x10");
    assert_eq!(links[0]["target"], format!("{shape}#L2"));
    assert_eq!(links[1]["target"], "https://x10-lang.org");
    let linked = session.at("textDocument/linkedEditingRange", &uri, 4, 13);
    assert_eq!(linked["ranges"].as_array().map(Vec::len), Some(2), "{linked}");
    let lenses = session.of("textDocument/codeLens", &uri);
    let lenses = lenses.as_array().expect("lenses").clone();
    // There is no kernel to choose a place for.
    assert!(lenses.iter().any(|lens| lens["command"]["command"] == "apg.run"));
    assert!(lenses.iter().all(|lens| lens["command"]["command"] != "apg.runOnGpu"));
    assert!(lenses.iter().all(|lens| lens["command"]["command"] != "apg.runWithPlaces"));
    let counted = lenses.iter().find(|lens| lens["command"].is_null()).expect("one to be counted");
    let resolved = session.server.request("codeLens/resolve", counted.clone());
    assert_eq!(resolved["command"]["title"], "0 references");
    let memory = session.server.request("apg/memory", json!({}));
    assert_eq!((&memory["files"], &memory["documents"]), (&json!(2), &json!(1)), "{memory}");
}

#[test]
fn labels_are_linked() {
    let (mut session, _) = session();
    let text = "class L {\n    def f() {\n        all: while (true) { while (true) break all; }\n    }\n}\n";
    let uri = session.open("L.x10", text);
    let linked = session.at("textDocument/linkedEditingRange", &uri, 2, 9);
    let starts: Vec<u64> = linked["ranges"].as_array().expect("ranges").iter().map(column).collect();
    assert_eq!(starts, [8, 47]);
}

fn column(range: &Value) -> u64 {
    range["start"]["character"].as_u64().expect("a column")
}

/// What is asked of a file that is not open is answered from the disk's text, as if it were open.
#[test]
fn files_need_not_be_open() {
    let files = [("Main.x10", MAIN), ("shapes/Shape.x10", SHAPE)];
    let capabilities = json!({ "workspace": { "workspaceEdit": { "documentChanges": true } } });
    let mut session = Session::workspace_for(&files, capabilities, Value::Null);
    let uri = session.uri("Main.x10");
    let ask = |session: &mut Session| {
        let mut answers = Vec::new();
        for method in requests::OF_A_PLACE.iter().chain(requests::OF_A_DOCUMENT) {
            for place in [[4, 12], [4, 23], [5, 37]] {
                let id =
                    session.server.send_request(method, requests::at(&uri, place, [place[0], place[1] + 1]));
                let mut answer = session.server.answer(id);
                answer.as_object_mut().expect("an answer").remove("id");
                answers.push((*method, place, answer));
            }
        }
        answers
    };
    let closed = ask(&mut session);
    session.server.open(&uri, "x10", MAIN);
    let open = ask(&mut session);
    for (closed, open) in closed.iter().zip(&open) {
        // What is edited names the version that it is of, and each list of tokens has a name of its own.
        let plain = |answer: &Value| {
            let text = answer.to_string().replace("\"version\":1", "\"version\":null");
            text.replace("\"resultId\":\"2\"", "\"resultId\":\"1\"")
        };
        if open.0 != "textDocument/semanticTokens/full" {
            assert_eq!(plain(&closed.2), plain(&open.2), "{} {:?}", closed.0, closed.1);
        }
        assert_eq!(closed.2["result"]["data"], open.2["result"]["data"], "{}", closed.0);
    }
    let unanswered = |(_, _, answer): &&(&str, [u32; 2], Value)| answer["result"].is_null();
    assert!(closed.iter().filter(unanswered).count() < closed.len() / 3, "{closed:#?}");
    // Nothing is known of what is on no disk.
    let nowhere = session.uri("Nowhere.x10");
    assert!(session.of("textDocument/documentSymbol", &nowhere).is_null());
}

#[test]
fn remote_machines_have_lenses_and_are_listed() {
    let files = [("apg.toml", "[remote.gpu]\nhost = \"me@gpu1:22\"\n")];
    let options = json!({ "commands": ["apg.runOn", "apg.debugOn"] });
    let mut session = Session::workspace_for(&files, json!({}), options);
    let uri = session.open("Main.x10", MAIN);
    let lenses = session.of("textDocument/codeLens", &uri);
    for (name, title) in [("apg.runOn", "Run on gpu"), ("apg.debugOn", "Debug on gpu")] {
        let lens = lenses.as_array().expect("lenses").iter().find(|it| it["command"]["command"] == name);
        let command = &lens.expect("a lens")["command"];
        assert_eq!((&command["title"], &command["arguments"]), (&json!(title), &json!([uri, "gpu"])));
    }
    let listed = session.server.request("apg/remotes", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(listed["error"], Value::Null);
    let remotes = listed["remotes"].as_array().expect("remotes");
    assert!(remotes.contains(&json!({ "name": "gpu", "host": "me@gpu1:22" })), "{listed}");
    let mut add = |name: &str, host: &str| {
        let machine = json!({ "textDocument": { "uri": uri }, "name": name, "host": host });
        session.server.request("apg/addRemote", machine)
    };
    let added = add("second", "b");
    let file = added["file"].as_str().unwrap_or_else(|| panic!("{added}"));
    assert!(std::fs::read_to_string(file).expect("a file").contains("[remote.second]\nhost = \"b\""));
    assert!(add("second", "c")["error"].as_str().expect("an error").contains("already"));
    assert!(add("third", "-x")["error"].as_str().expect("an error").contains("[user@]host[:port]"));
    let listed = session.server.request("apg/remotes", json!({ "textDocument": { "uri": uri } }));
    assert!(
        listed["remotes"].as_array().expect("remotes").iter().any(|it| it["name"] == "second"),
        "{listed}"
    );
}

#[test]
fn only_a_real_main_can_be_run() {
    let (mut session, _) = session();
    let uri = session.open(
        "Mains.x10",
        "class A { static def main(args:Rail[String]) {} }
class B { public def main(args:Rail[String]) {} }
class C { public static def main(n:Long) {} }
class D { public static def main() {} }
class E { public static def main(args:Rail[String]):Long = 1; }
",
    );
    let lenses = session.of("textDocument/codeLens", &uri);
    let runs = lenses.as_array().expect("lenses").iter().filter(|l| l["command"]["command"] == "apg.run");
    let lines: Vec<&Value> = runs.map(|lens| &lens["range"]["start"]["line"]).collect();
    assert_eq!(lines, [&json!(3)]);
}

#[test]
fn the_workspace_is_diagnosed_for_those_who_ask() {
    let broken = "package shapes;\nclass Broken extends Missing {}\n";
    let capabilities = json!({ "textDocument": { "diagnostic": {} } });
    let files = [("shapes/Shape.x10", SHAPE), ("shapes/Broken.x10", broken)];
    let mut session = Session::workspace_for(&files, capabilities, Value::Null);
    let report = session.server.request("workspace/diagnostic", json!({ "previousResultIds": [] }));
    let items = report["items"].as_array().expect("reports").clone();
    assert_eq!(items.len(), 2, "{report}");
    let of_broken = items
        .iter()
        .find(|item| item["uri"] == session.uri("shapes/Broken.x10"))
        .expect("diagnostics of the file");
    assert_eq!(of_broken["items"][0]["code"], "name/unknown-type");
    let known: Vec<Value> =
        items.iter().map(|item| json!({ "uri": item["uri"], "value": item["resultId"] })).collect();
    let again = session.server.request("workspace/diagnostic", json!({ "previousResultIds": known }));
    assert!(again["items"].as_array().is_some_and(|all| all.iter().all(|i| i["kind"] == "unchanged")));
}

/// Each line of generated code says which of the source it is from.
#[test]
fn generated_code_names_the_lines_it_is_from() {
    let (mut session, uri) = session();
    for kind in ["cpp", "mir"] {
        let parameters = json!({ "textDocument": { "uri": uri }, "kind": kind });
        let code = session.server.request("apg/generatedCode", parameters);
        let lines = code["lines"].as_array().expect("lines");
        let entry = lines.iter().position(|entry| entry[1] == 5).expect("a line of `println`");
        let first =
            |entry: &Value| entry[0].as_u64().and_then(|n| usize::try_from(n).ok()).expect("a number");
        let text: Vec<&str> = code["text"].as_str().expect("a text").lines().collect();
        let made = text[first(&lines[entry])..lines.get(entry + 1).map_or(text.len(), first)].join("\n");
        assert!(made.contains("area") || made.contains("println"), "{kind}: {made}");
    }
    let unknown = json!({ "textDocument": { "uri": uri }, "kind": "nonsense" });
    let refused = session.server.request("apg/generatedCode", unknown);
    assert!(refused["text"].as_str().is_some_and(|text| text.contains("no form")), "{refused}");
}

/// A file that gets another name or folder: its class, its package, and all who name it.
#[test]
fn files_take_their_classes_along() {
    let circle =
        "package shapes;\npublic class Circle extends Shape {\n    static def unit() = new Circle();\n}\n";
    let files = [
        ("shapes/Shape.x10", "package shapes;\npublic class Shape { val c:Circle = null; }\n"),
        ("shapes/Circle.x10", circle),
        (
            "Main.x10",
            "import shapes.Circle;\nclass Main { val a = new Circle(); val b:shapes.Circle = a; }\n",
        ),
        ("Star.x10", "import shapes.*;\nclass Star { val a:Circle = null; }\n"),
    ];
    let mut session = Session::workspace(&files);
    let ask = |session: &mut Session, to: &str| {
        let moved = json!({ "oldUri": session.uri("shapes/Circle.x10"), "newUri": session.uri(to) });
        let answer = session.server.request("workspace/willRenameFiles", json!({ "files": [moved] }));
        let mut edited_files: Vec<(String, String)> = Vec::new();
        for document in answer["documentChanges"].as_array().into_iter().flatten() {
            let uri = document["textDocument"]["uri"].as_str().unwrap_or_default();
            let (name, text) = files.iter().find(|(name, _)| uri.ends_with(name)).expect("a known file");
            edited_files.push(((*name).to_owned(), edited(text, &document["edits"])));
        }
        edited_files.sort();
        edited_files
    };
    let text = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    assert_eq!(
        ask(&mut session, "shapes/Ring.x10"),
        [
            text(
                "Main.x10",
                "import shapes.Ring;\nclass Main { val a = new Ring(); val b:shapes.Ring = a; }\n"
            ),
            text("Star.x10", "import shapes.*;\nclass Star { val a:Ring = null; }\n"),
            text("shapes/Circle.x10", &circle.replace("Circle", "Ring")),
            text("shapes/Shape.x10", "package shapes;\npublic class Shape { val c:Ring = null; }\n"),
        ]
    );
    assert_eq!(
        ask(&mut session, "round/Circle.x10"),
        [
            text(
                "Main.x10",
                "import round.Circle;\nclass Main { val a = new Circle(); val b:round.Circle = a; }\n"
            ),
            text("Star.x10", "import shapes.*;\nimport round.Circle;\nclass Star { val a:Circle = null; }\n"),
            text(
                "shapes/Circle.x10",
                &circle.replace("package shapes;\n", "package round;\n\nimport shapes.Shape;\n"),
            ),
            text(
                "shapes/Shape.x10",
                "package shapes;\n\nimport round.Circle;\npublic class Shape { val c:Circle = null; }\n",
            ),
        ]
    );
    let moved = json!({ "oldUri": session.uri("shapes"), "newUri": session.uri("forms") });
    let answer = session.server.request("workspace/willRenameFiles", json!({ "files": [moved] }));
    assert_eq!(answer["documentChanges"].as_array().map(Vec::len), Some(4), "{answer}");
    assert_eq!(session.server.end(), Some(0));
}

/// What is inserted ends its lines as the file does that it is inserted into, also if that is not open.
#[test]
fn inserted_lines_end_as_those_of_the_file() {
    let windows = |text: &str| text.replace('\n', "\r\n");
    let user = "import shapes.Shape;\nclass User implements Comparable[User] {\n    def f(s:Shape) {\n        s.grow(1);\n    }\n}\n";
    let mut session = Session::workspace(&[("shapes/Shape.x10", &windows(SHAPE))]);
    let uri = session.open("User.x10", &windows(user));
    assert_eq!(session.server.diagnostics(&uri, 1).len(), 2);
    let mut inserted = |line: u32, character: u32, title: &str| {
        let at = json!({ "line": line, "character": character });
        let asked = json!({
            "textDocument": { "uri": uri }, "range": { "start": at, "end": at }, "context": { "diagnostics": [] },
        });
        let actions = session.server.request("textDocument/codeAction", asked);
        let action = actions.as_array().into_iter().flatten().find(|it| it["title"] == title);
        let change = &action.expect("offered")["edit"]["documentChanges"][0];
        change["edits"][0]["newText"].as_str().expect("a text").to_owned()
    };
    let here = inserted(1, 6, "Implement the missing method");
    let elsewhere = inserted(3, 10, "Create method `grow`");
    for text in [here, elsewhere] {
        assert!(text.contains("def "), "{text}");
        assert!(!text.replace("\r\n", "").contains('\n'), "{text:?}");
    }
    let moved = json!({ "oldUri": session.uri("User.x10"), "newUri": session.uri("round/User.x10") });
    let answer = session.server.request("workspace/willRenameFiles", json!({ "files": [moved] })).to_string();
    assert!(answer.contains(r"package round;\r\n"), "{answer}");
    assert!(!answer.replace(r"\r\n", "").contains(r"\n"), "{answer}");
    assert_eq!(session.server.end(), Some(0));
}

/// A problem that is reported once can be fixed from each of its positions.
#[test]
fn fix_is_offered_at_each_position_of_a_problem() {
    let text = "class Main {\n    def f() {\n        val at = 1;\n        val b = at;\n    }\n}\n";
    let mut session = Session::workspace(&[]);
    let uri = session.open("Main.x10", text);
    assert_eq!(session.server.diagnostics(&uri, 1).len(), 1);
    let mut edits = |line: u32, character: u32| {
        let at = json!({ "line": line, "character": character });
        let asked = json!({
            "textDocument": { "uri": uri }, "range": { "start": at, "end": at }, "context": { "diagnostics": [], "only": ["quickfix"] },
        });
        let actions = session.server.request("textDocument/codeAction", asked);
        actions.as_array().into_iter().flatten().map(|it| it["edit"].clone()).collect::<Vec<_>>()
    };
    let first = edits(2, 12);
    assert_eq!(first.len(), 1, "{first:?}");
    assert_eq!(edits(3, 16), first);
    assert!(edits(3, 9).is_empty());
    assert_eq!(session.server.end(), Some(0));
}

/// A text after edits of its lines.
fn edited(text: &str, edits: &Value) -> String {
    let mut text = text.to_owned();
    let mut edits: Vec<&Value> = edits.as_array().into_iter().flatten().collect();
    let offset = |text: &str, position: &Value| {
        let number = |key: &str| usize::try_from(position[key].as_u64().unwrap_or(0)).unwrap_or(0);
        let before: usize = text.split_inclusive('\n').take(number("line")).map(str::len).sum();
        before + number("character")
    };
    edits.sort_by_key(|edit| offset(&text, &edit["range"]["start"]));
    for edit in edits.into_iter().rev() {
        let (start, end) = (offset(&text, &edit["range"]["start"]), offset(&text, &edit["range"]["end"]));
        text.replace_range(start..end, edit["newText"].as_str().unwrap_or_default());
    }
    text
}

/// A package is renamed with its folder, its declarations, and where it is named.
#[test]
fn packages_are_renamed_with_their_folders() {
    let files = [
        ("shapes/Shape.x10", SHAPE),
        ("shapes/round/Circle.x10", "package shapes.round;\npublic class Circle extends shapes.Shape { }\n"),
        (
            "Main.x10",
            "import shapes.round.*;\nclass Main {\n    val shapes = 1;\n    val a:shapes.Shape = new Circle();\n}\n",
        ),
        ("other/Other.x10", "package other;\npublic class Other { }\n"),
    ];
    let mut session = Session::workspace(&files);
    let uri = session.open("shapes/round/Circle.x10", files[1].1);
    let rename = |session: &mut Session, uri: &str, character: u32, new: &str| {
        let place = json!({ "line": 0, "character": character });
        let parameters = json!({ "textDocument": { "uri": uri }, "position": place, "newName": new });
        let id = session.server.send_request("textDocument/rename", parameters);
        session.server.answer(id)
    };
    let answer = rename(&mut session, &uri, 9, "forms");
    let changes = answer["result"]["documentChanges"].as_array().expect("changes").clone();
    let mut edited: Vec<(String, usize)> = changes
        .iter()
        .filter_map(|change| {
            let uri = change["textDocument"]["uri"].as_str()?;
            Some((uri.rsplit('/').next()?.to_owned(), change["edits"].as_array()?.len()))
        })
        .collect();
    edited.sort();
    let counts = [("Circle.x10", 2), ("Main.x10", 2), ("Shape.x10", 1)].map(|(name, n)| (name.to_owned(), n));
    assert_eq!(edited, counts, "{answer}");
    let moved = changes.last().expect("a folder");
    assert_eq!(
        (&moved["oldUri"], &moved["newUri"]),
        (&json!(session.uri("shapes")), &json!(session.uri("forms")))
    );
    // The inner package for itself.
    let answer = rename(&mut session, &uri, 17, "oval");
    let moved =
        answer["result"]["documentChanges"].as_array().and_then(|all| all.last()).expect("a folder").clone();
    assert_eq!(moved["newUri"], json!(session.uri("shapes/oval")), "{answer}");
    let taken = rename(&mut session, &uri, 9, "other");
    assert!(
        taken["error"]["message"].as_str().is_some_and(|why| why.contains("already a package")),
        "{taken}"
    );
    assert_eq!(session.server.end(), Some(0));
}
