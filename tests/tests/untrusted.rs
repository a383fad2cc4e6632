//! To open or check a file starts no program, whatever the workspace names.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use apg_tests::lsp::Server;
use apg_tests::{programs, requests, session, tools};
use serde_json::{Value, json};

/// A program that names C++ files and has a kernel: all that would need a compiler.
const PROGRAM: &str = "import x10.compiler.*;
@NativeCPPInclude(\"bait.h\")
@NativeCPPCompilationUnit(\"bait.cc\")
public class Bait {
    @Native(\"c++\", \"bait()\") static native def bait():Int;
    public static def main(args:Rail[String]) {
        val out = new GlobalRail[Float](new Rail[Float](64));
        finish async at (here) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    out(block * 32n + thread) = 2.0f * thread;
                }
            }
        }
        Console.OUT.println(bait());
    }
}
";

/// A workspace with what tools take settings from, and programs under the names that are looked for.
fn workspace(folder: &Path) {
    let settings = json!({ "apg.server.path": "./apg-lsp", "apg.command.path": "./apg", "apg.run.options": ["-fplugin=./bait.so"] });
    let files = [
        ("Bait.x10", PROGRAM),
        ("bait.h", "extern int bait();\n"),
        ("bait.cc", "int bait() { return 1; }\n"),
        (".vscode/settings.json", &settings.to_string()),
        ("apg.toml", "[build]\ncxx = \"./c++\"\n[server]\npath = \"./apg-lsp\"\n"),
        (".nvim.lua", "os.execute('./c++')\n"),
        ("c++", "#!/bin/sh\n"),
        ("apg", "#!/bin/sh\n"),
        ("libnvrtc.so", "no library"),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("below")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    for name in ["c++", "apg"] {
        assert!(Command::new("chmod").arg("+x").arg(folder.join(name)).status().expect("chmod").success());
    }
}

/// What makes a process note what it starts.
fn watched(command: &mut Command, folder: &Path) -> PathBuf {
    let library = folder.join("starts.so");
    let source = tools::repository().join("tests/tests/untrusted/starts.c");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-w", "-o"])
        .arg(&library)
        .arg(source)
        .arg("-ldl")
        .status();
    assert!(compiled.expect("a C compiler").success());
    let starts = folder.join("starts");
    command.env("LD_PRELOAD", library).env("APG_TEST_STARTS", &starts);
    starts
}

fn noted(starts: &Path) -> String {
    std::fs::read_to_string(starts).unwrap_or_default()
}

#[test]
fn checking_starts_nothing() {
    let (folder, tests) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    workspace(folder.path());
    let apg = |arguments: &[&str]| {
        let mut command = Command::new(tools::apg());
        let starts = watched(&mut command, tests.path());
        command.args(arguments).current_dir(folder.path()).env("APG_CACHE_DIR", tests.path().join("cache"));
        let output = programs::run(command, Duration::from_secs(120)).expect("it ends");
        assert_eq!(output.status, 0, "{}", output.stderr);
        noted(&starts)
    };
    for arguments in [
        &["check", "."][..],
        &["check", "--fix", "Bait.x10"],
        &["fmt", "--check", "."],
        &["build", "--emit", "cpp", "Bait.x10"],
    ] {
        assert_eq!(apg(arguments), "", "{arguments:?}");
    }
    // What a build starts is noted, so that nothing noted means something.
    assert!(apg(&["build", "Bait.x10", "-o", "bait"]).contains("c++"));
}

#[test]
fn opening_and_editing_start_nothing() {
    let (folder, tests) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    workspace(folder.path());
    let mut command = session::command(&tests);
    let starts = watched(&mut command, tests.path());
    command.current_dir(folder.path());
    let root = format!("file://{}", folder.path().display());
    let start = json!({
        "capabilities": { "workspace": { "configuration": true, "inlayHint": { "refreshSupport": true } } },
        "processId": null, "workspaceFolders": [{ "uri": root, "name": "untrusted" }],
        // What a client may pass on from a workspace.
        "initializationOptions": { "server": { "path": "./apg-lsp" }, "command": { "path": "./apg" }, "cxx": "./c++" },
    });
    let mut server = Server::start(command, start);
    server.set_answer_timeout(Duration::from_secs(120));
    let uri = format!("{root}/Bait.x10");
    server.open(&uri, "x10", PROGRAM);
    assert_eq!(server.diagnostics(&uri, 1).iter().filter(|it| it["severity"] == 1).count(), 0);
    let settings =
        json!({ "settings": { "apg": { "server": { "path": "./apg-lsp" }, "kernelResources": true } } });
    server.notify("workspace/didChangeConfiguration", settings);
    for (version, place) in (2..).zip([[4, 18], [10, 24], [14, 30]]) {
        server.change(&uri, version, [0, 0, 0, 0], " ");
        server.diagnostics(&uri, version);
        for method in requests::all() {
            let id = server.send_request(method, requests::at(&uri, place, place));
            let answer: Value = server.answer(id);
            assert!(answer["error"].is_null() || requests::may_be_refused(method), "{method}: {answer}");
        }
    }
    let cuda = server.request("apg/generatedCode", json!({ "textDocument": { "uri": uri }, "kind": "cuda" }));
    assert_eq!(cuda["isCode"], true, "{cuda}");
    assert_eq!(noted(&starts), "");
    assert_eq!(server.end(), Some(0));
}

/// In VS Code no setting that names a program or a file to write, or that is given to a program, is taken
/// from a workspace that is not trusted.
#[test]
fn settings_that_name_programs_are_restricted() {
    let path = tools::repository().join("editors/vscode/package.json");
    let manifest: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("there")).expect("JSON");
    let untrusted = &manifest["capabilities"]["untrustedWorkspaces"];
    assert_eq!(untrusted["supported"], "limited");
    assert!(untrusted["description"].as_str().is_some_and(|it| !it.is_empty()));
    let restricted = untrusted["restrictedConfigurations"].as_array().expect("a list");
    let properties = manifest["contributes"]["configuration"]["properties"].as_object().expect("settings");
    assert!(restricted.iter().all(|name| name.as_str().is_some_and(|name| properties.contains_key(name))));
    for name in properties.keys() {
        let is_program =
            name.ends_with(".path") || name.starts_with("apg.run.") || name == "apg.kernelResources";
        let is_log = name.starts_with("apg.server.log");
        assert_eq!(restricted.contains(&json!(name)), is_program || is_log, "{name}");
    }
}
