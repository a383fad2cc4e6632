//! C files with directives, checked by the command and in the language server: diagnostics while they are
//! edited, fixes, hover, hints, completion.

use std::process::Command;
use std::time::Duration;

use apg_tests::programs;
use apg_tests::session::Session;
use apg_tests::tools;
use serde_json::{Value, json};

const SUM: &str = "double sum(const double *a, int n) {
    double s = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}
int main(void) { return 0; }
";

fn codes(found: &[Value]) -> Vec<&str> {
    found.iter().filter_map(|it| it["code"].as_str()).collect()
}

#[test]
fn the_command_checks_and_fixes_files_and_folders_of_c() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("sum.c"), SUM).expect("written");
    let check = |arguments: &[&str]| {
        let mut command = Command::new(tools::apg());
        command.arg("check").args(arguments).current_dir(folder.path());
        programs::run(command, Duration::from_secs(60)).expect("it ends")
    };
    let json = check(&["--message-format", "json", "."]);
    let found: Value = serde_json::from_str(json.stdout.trim()).expect("one diagnostic");
    assert_eq!((found["code"].as_str(), found["line"].as_u64()), (Some("omp/missing-reduction"), Some(4)));
    check(&["--fix", "sum.c"]);
    let text = std::fs::read_to_string(folder.path().join("sum.c")).expect("a file");
    assert!(text.contains("parallel for reduction(+: s)"), "{text}");
    assert_eq!(check(&["--message-format", "json", "sum.c"]).stdout, "");
    assert!(check(&["missing.c"]).stderr.contains("there is no file `missing.c`"));
}

#[test]
fn the_transfer_plan_is_printed_for_scripts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "void f(int n, double *a) {\n    #pragma omp target map(to: a[0:n])\n    a[0] += n;\n}\n";
    std::fs::write(folder.path().join("a.c"), text).expect("written");
    let mut command = Command::new(tools::apg());
    command.args(["check", "a.c", "--message-format", "json"]).current_dir(folder.path());
    let output = programs::run(command, Duration::from_secs(60)).expect("it ends");
    let objects: Vec<Value> =
        output.stdout.lines().map(|it| serde_json::from_str(it).expect("an object")).collect();
    let plan = objects.iter().find(|it| it["transfers"].is_array()).expect("a plan");
    assert_eq!(
        (&plan["file"], &plan["line"], &plan["directive"]),
        (&json!("a.c"), &json!(2), &json!("target"))
    );
    let first = &plan["transfers"][0];
    assert_eq!((&first["name"], &first["bytes"]), (&json!("a[0:n]"), &json!("n * 8")));
    assert_eq!((&first["to_device"], &first["to_host"]), (&json!(true), &json!(false)));
    assert_eq!(first["why"], "by the clause `map(to: a[0:n])`");
}

#[test]
fn a_race_is_shown_and_fixed_while_typing() {
    let mut session = Session::workspace_for(&[], json!({}), json!({}));
    let uri = session.open("sum.c", SUM);
    let found = session.server.diagnostics(&uri, 1);
    assert_eq!(codes(&found), ["omp/missing-reduction"], "{found:?}");
    let range = found[0]["range"].clone();
    let params = json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } });
    let actions = session.server.request("textDocument/codeAction", params);
    let edit = &actions[0]["edit"]["changes"][&uri][0];
    assert_eq!(edit["newText"], " reduction(+: s)", "{actions}");
    let at = edit["range"]["start"]["character"].as_u64().unwrap() as u32;
    session.server.change(&uri, 2, [2, at, 2, at], " reduction(+: s)");
    assert_eq!(session.server.diagnostics(&uri, 2), Vec::<Value>::new());
    assert_eq!(session.server.end(), Some(0));
}

#[test]
fn directives_have_hover_hints_completion_and_lenses() {
    let mut session = Session::workspace_for(&[], json!({}), json!({}));
    let uri = session.open("sum.c", SUM);
    session.server.diagnostics(&uri, 1);
    let document = json!({ "uri": uri });
    let place = |line: u32, character: u32| json!({ "textDocument": document, "position": { "line": line, "character": character } });
    let hover = session.server.request("textDocument/hover", place(2, 18));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("| `s` | shared | 8 bytes |"), "{hover}");
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 7, "character": 0 } });
    let hints =
        session.server.request("textDocument/inlayHint", json!({ "textDocument": document, "range": whole }));
    assert_eq!(hints[0]["label"], "shared(n, s, a)", "{hints}");
    let items = session.server.request("textDocument/completion", place(2, 28));
    assert!(items.as_array().unwrap().iter().any(|it| it["label"] == "for"), "{items}");
    let lenses = session.server.request("textDocument/codeLens", json!({ "textDocument": document }));
    let commands = lenses.as_array().unwrap().iter().map(|it| it["command"]["command"].as_str().unwrap());
    assert_eq!(commands.collect::<Vec<_>>(), ["apg.showCuda", "apg.run"], "{lenses}");
    assert_eq!(session.server.end(), Some(0));
}

#[test]
fn flags_of_the_compilation_database_and_unsaved_headers_count() {
    let mut session = Session::workspace_for(&[], json!({}), json!({}));
    let folder = session.folder.path().to_path_buf();
    std::fs::create_dir(folder.join("include")).expect("made");
    std::fs::write(folder.join("include/parallel.h"), "#define CLAUSES schedule(static)\n").expect("written");
    let entry = json!([{ "directory": folder, "file": "sum.c", "command": "cc -Iinclude -DOMP=1 -c sum.c" }]);
    std::fs::write(folder.join("compile_commands.json"), entry.to_string()).expect("written");
    let pragma = "#ifdef OMP\n    #pragma omp parallel for CLAUSES\n#endif";
    let text = format!("#include <parallel.h>\n{}", SUM.replace("#pragma omp parallel for", pragma));
    let uri = session.open("sum.c", &text);
    assert_eq!(codes(&session.server.diagnostics(&uri, 1)), ["omp/missing-reduction"]);
    // The header as it is in the editor, not as it is on the disk.
    let header = session.uri("include/parallel.h");
    session.server.open(&header, "c", "#define CLAUSES reduction(+: s)\n");
    while !session.server.diagnostics(&uri, 1).is_empty() {}
    assert_eq!(session.server.end(), Some(0));
}

#[test]
fn directives_have_semantic_tokens() {
    let mut session = Session::workspace_for(&[], json!({}), json!({}));
    let uri = session.open("sum.c", &SUM.replace("for\n", "for reduction(+: s)\n"));
    session.server.diagnostics(&uri, 1);
    let document = json!({ "textDocument": { "uri": uri } });
    let tokens = session.server.request("textDocument/semanticTokens/full", document);
    let data: Vec<u64> =
        tokens["data"].as_array().expect("tokens").iter().filter_map(Value::as_u64).collect();
    // `parallel`, `for`, `reduction` and `s`: line and column by difference, length.
    let places: Vec<&[u64]> = data.chunks(5).map(|it| &it[..3]).collect();
    assert_eq!(places, [[2, 16, 8], [0, 9, 3], [0, 4, 9], [0, 13, 1]]);
    assert_eq!(session.server.end(), Some(0));
}

const SCALE: &str = "void scale(int n, double *a) {
    #pragma omp target teams distribute parallel for map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] *= 2;
}
int main(void) {
    int seen[4];
    #pragma omp parallel for
    for (int i = 0; i < 4; i++) seen[i] = i;
    return seen[0];
}
";

#[test]
fn lenses_show_what_becomes_of_regions() {
    let commands = ["apg.runOnGpu", "apg.showHostCode", "apg.showTransfers", "apg.runWithPlaces"];
    let mut session = Session::workspace_for(&[], json!({}), json!({ "commands": commands }));
    let uri = session.open("scale.c", SCALE);
    session.server.diagnostics(&uri, 1);
    let document = json!({ "uri": uri });
    let lenses = session.server.request("textDocument/codeLens", json!({ "textDocument": document }));
    let found = lenses.as_array().expect("lenses").iter().map(|it| {
        assert_eq!(it["command"]["arguments"][0], json!(uri));
        (it["range"]["start"]["line"].as_u64().unwrap(), it["command"]["command"].as_str().unwrap())
    });
    let found: Vec<(u64, &str)> = found.collect();
    let wanted = [
        (1, "apg.showCuda"),
        (1, "apg.showTransfers"),
        (4, "apg.run"),
        (4, "apg.runOnGpu"),
        (4, "apg.showHostCode"),
        (6, "apg.showCuda"),
    ];
    assert_eq!(found, wanted);
    assert_eq!(session.server.end(), Some(0));
}

#[test]
fn regions_of_accelerators_of_xcalablemp_have_lenses() {
    let mut session = Session::workspace_for(&[], json!({}), json!({ "commands": ["apg.runOnGpu"] }));
    let path = tools::repository().join("examples/xmp/laplace_accelerators.c");
    let text = std::fs::read_to_string(path).expect("an example");
    let uri = session.open("laplace.c", &text);
    session.server.diagnostics(&uri, 1);
    let lenses = session.server.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    let lines = |name: &str| -> Vec<&str> {
        let of_name = lenses.as_array().expect("lenses").iter().filter(|it| it["command"]["command"] == name);
        let line = |it: &Value| it["range"]["start"]["line"].as_u64().unwrap() as usize;
        of_name.map(|it| text.lines().nth(line(it)).unwrap().split('(').next().unwrap()).collect()
    };
    assert_eq!(lines("apg.showCuda"), ["#pragma acc parallel loop collapse"; 2], "{lenses}");
    assert_eq!(lines("apg.runOnGpu"), ["int main"], "{lenses}");
    // It has the devices by itself.
    let is_run = |it: &&Value| it["command"]["command"] == "apg.runOnGpu";
    let run = lenses.as_array().unwrap().iter().find(is_run).unwrap();
    assert_eq!(run["command"]["arguments"], json!([uri]));
    assert_eq!(session.server.end(), Some(0));
}

#[test]
fn directives_that_communicate_have_lenses_and_a_plan() {
    let commands = json!({ "commands": ["apg.showCommunication", "apg.runWithPlaces"] });
    let mut session = Session::workspace_for(&[], json!({}), commands);
    let path = tools::repository().join("examples/xmp/laplace.c");
    let text = std::fs::read_to_string(path).expect("an example");
    let uri = session.open("laplace.c", &text);
    session.server.diagnostics(&uri, 1);
    let lenses = session.server.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    let found = |name: &str| -> Vec<usize> {
        let of_name = lenses.as_array().expect("lenses").iter().filter(|it| it["command"]["command"] == name);
        of_name.map(|it| it["range"]["start"]["line"].as_u64().unwrap() as usize).collect()
    };
    let lines = found("apg.showCommunication");
    let words = |line: &usize| text.lines().nth(*line).unwrap().split_whitespace().nth(2).unwrap();
    assert_eq!(lines.iter().map(words).collect::<Vec<_>>(), ["reflect", "loop"], "{lenses}");
    assert_eq!(found("apg.runWithPlaces").len(), 1, "{lenses}");
    let parameters = json!({ "textDocument": { "uri": uri }, "kind": "communication" });
    let plan = session.server.request("apg/generatedCode", parameters);
    assert_eq!(plan["isCode"], true, "{plan}");
    let said = plan["text"].as_str().unwrap();
    let first = format!("line {}: reflect\n    `u`, axis 0: each node of `p` gets 1 section", lines[0] + 1);
    assert!(said.starts_with(&first), "{said}");
    assert_eq!(plan["lines"], json!([[0, lines[0]], [3, lines[1]]]), "{said}");
    assert_eq!(session.server.end(), Some(0));
}

#[test]
fn generated_code_of_c_names_the_lines_that_it_comes_from() {
    let mut session = Session::workspace_for(&[], json!({}), json!({}));
    let uri = session.open("scale.c", SCALE);
    session.server.diagnostics(&uri, 1);
    let mut shown = |kind: &str| {
        let parameters = json!({ "textDocument": { "uri": uri }, "kind": kind });
        session.server.request("apg/generatedCode", parameters)
    };
    let has_line = |answer: &Value, line: i64| {
        answer["lines"].as_array().expect("a map").iter().any(|it| it[1] == json!(line))
    };
    let cuda = shown("cuda");
    assert!(cuda["text"].as_str().unwrap().contains("__global__"), "{cuda}");
    assert!(cuda["isCode"] == true && has_line(&cuda, 2), "{cuda}");
    let c = shown("c");
    let text = c["text"].as_str().unwrap();
    assert!(text.contains("apg_site") && text.contains("int seen[4];"), "{text}");
    assert!(!text.contains("#line") && has_line(&c, 4), "{c}");
    let end = text.lines().position(|it| it.contains("return seen[0]")).expect("the end of main");
    assert!(c["lines"].as_array().unwrap().contains(&json!([end, 8])), "{c}");
    let mir = shown("mir");
    assert!(mir["text"].as_str().unwrap().contains("kernel @"), "{mir}");
    let transfers = shown("transfers");
    let text = "line 2: target teams distribute parallel for\n    \
                a[0:n]: to the device and back, n * 8 bytes; by the clause `map(tofrom: a[0:n])`\n";
    assert_eq!(transfers["text"], text);
    assert_eq!(transfers["lines"], json!([[0, 1]]));
    let other = shown("llvm");
    assert!(other["text"].as_str().unwrap().contains("There is no form `llvm`"), "{other}");
    assert_eq!(other["isCode"], false);
    // What a device does not do is said with its line, and the other region is shown.
    session.server.change(&uri, 2, [2, 41, 2, 41], " + getpid()");
    let mut refused = |kind: &str| {
        let parameters = json!({ "textDocument": { "uri": uri }, "kind": kind });
        session.server.request("apg/generatedCode", parameters)
    };
    let cuda = refused("cuda");
    let text = cuda["text"].as_str().unwrap();
    assert!(text.starts_with("// line 3 stays on the host:") && text.contains("getpid"), "{text}");
    assert_eq!(cuda["lines"][0], json!([0, 2]));
    assert_eq!(session.server.end(), Some(0));
}

#[test]
fn a_file_whose_regions_all_stay_on_the_host_says_why() {
    let mut session = Session::workspace_for(&[], json!({}), json!({}));
    let text = "int main(void) {
    double x = 1;
    #pragma omp target map(tofrom: x)
    {
        long double y = x;
        x = (double)y;
    }
    return (int)x;
}
";
    let uri = session.open("long.c", text);
    session.server.diagnostics(&uri, 1);
    let mut shown = |kind: &str| {
        let parameters = json!({ "textDocument": { "uri": uri }, "kind": kind });
        session.server.request("apg/generatedCode", parameters)
    };
    for kind in ["cuda", "mir", "cpp"] {
        let answer = shown(kind);
        let text = answer["text"].as_str().unwrap();
        assert!(text.starts_with("// line 5 stays on the host:") && text.contains("long double"), "{answer}");
        assert_eq!((&answer["isCode"], &answer["lines"]), (&json!(true), &json!([[0, 4]])));
    }
    let other = shown("llvm");
    assert!(other["text"].as_str().unwrap().contains("There is no form `llvm`"), "{other}");
    assert_eq!(session.server.end(), Some(0));
}

#[test]
fn a_file_without_regions_has_no_code_of_them() {
    let mut session = Session::workspace_for(&[], json!({}), json!({}));
    let uri = session.open("plain.c", "int main(void) { return 0; }\n");
    session.server.diagnostics(&uri, 1);
    for kind in ["cuda", "mir", "cpp"] {
        let parameters = json!({ "textDocument": { "uri": uri }, "kind": kind });
        let answer = session.server.request("apg/generatedCode", parameters);
        assert_eq!(answer["text"], "// This file has no region that has device code.\n", "{kind}");
        assert_eq!(answer["isCode"], false, "{kind}");
    }
    assert_eq!(session.server.end(), Some(0));
}
