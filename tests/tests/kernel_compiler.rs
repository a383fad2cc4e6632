//! The compiler of kernels is no part of the server: it runs when somebody asks for it, in a process of its
//! own that is ended when it takes too long, when nobody wants its answer any more, and with the server.
#![cfg(target_os = "linux")]

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use apg_tests::lsp::Server;
use apg_tests::waiting::eventually;
use apg_tests::{session, tools};
use serde_json::{Value, json};

const KERNEL: &str = "import x10.compiler.CUDA;
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

struct Fixture {
    folder: tempfile::TempDir,
    server: Server,
    uri: String,
}

impl Fixture {
    /// A server whose compiler behaves like this, with a kernel in an open document.
    fn start(behaviour: &str, options: Value) -> Fixture {
        let folder = tempfile::tempdir().expect("a folder");
        let libraries = folder.path().join("libraries");
        std::fs::create_dir(&libraries).expect("made");
        let source = tools::repository().join("tests/tests/kernel_compiler/bad_nvrtc.c");
        let library = libraries.join("libnvrtc.so");
        let compiled =
            Command::new("cc").args(["-shared", "-fPIC", "-w", "-o"]).arg(library).arg(source).status();
        assert!(compiled.expect("a C compiler").success());
        let mut command = session::command(&folder);
        command.env("LD_LIBRARY_PATH", libraries).env("APG_TEST_COMPILER", behaviour);
        command.env("APG_TEST_COMPILED", folder.path().join("compiled"));
        let start = json!({
            "capabilities": { "workspace": { "inlayHint": { "refreshSupport": true } } },
            "processId": null, "rootUri": null, "initializationOptions": options,
        });
        let mut server = Server::start(command, start);
        server.set_answer_timeout(Duration::from_secs(120));
        let uri = format!("file://{}", folder.path().join("Scale.x10").display());
        server.open(&uri, "x10", KERNEL);
        assert_eq!(server.diagnostics(&uri, 1).iter().filter(|it| it["severity"] == 1).count(), 0);
        Fixture { folder, server, uri }
    }

    /// The processes that have compiled a kernel.
    fn compilers(&self) -> Vec<u32> {
        let text = std::fs::read_to_string(self.folder.path().join("compiled")).unwrap_or_default();
        text.lines().filter_map(|line| line.parse().ok()).collect()
    }

    /// Waits for a process that compiles.
    fn compiler(&self) -> u32 {
        let first = || self.compilers().first().copied();
        assert!(eventually(|| first().is_some()));
        let process = first().expect("one");
        assert_ne!(process, self.server.process());
        process
    }

    fn generated(&mut self, kind: &str) -> Value {
        let asked = json!({ "textDocument": { "uri": self.uri }, "kind": kind });
        self.server.request("apg/generatedCode", asked)
    }

    fn hints(&mut self) -> String {
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
        let asked = json!({ "textDocument": { "uri": self.uri }, "range": range });
        self.server.request("textDocument/inlayHint", asked).to_string()
    }
}

fn lives(process: u32) -> bool {
    PathBuf::from(format!("/proc/{process}")).exists()
}

#[test]
fn nothing_is_compiled_unless_somebody_asks() {
    let mut fixture = Fixture::start("none", Value::Null);
    assert!(fixture.hints().contains("2 × 32 threads"));
    // Longer than nobody may type before kernels are compiled, for those who want that.
    std::thread::sleep(Duration::from_secs(1));
    assert!(!fixture.hints().contains("registers"));
    assert_eq!(fixture.compilers(), Vec::<u32>::new());
    let resources = fixture.generated("resources");
    assert!(resources["text"].as_str().is_some_and(|it| it.contains("40 registers")), "{resources}");
    let ptx = fixture.generated("ptx");
    assert!(ptx["text"].as_str().is_some_and(|it| it.contains(".version 9")), "{ptx}");
    let compilers = fixture.compilers();
    assert_eq!(compilers.len(), 2);
    assert!(!compilers.contains(&fixture.server.process()));
    assert!(eventually(|| !compilers.iter().any(|it| lives(*it))));
    assert_eq!(fixture.server.end(), Some(0));
}

#[test]
fn what_is_compiled_in_the_background_is_shown() {
    let mut fixture = Fixture::start("none", json!({ "kernelResources": true }));
    while !fixture.hints().contains("40 registers") {
        fixture.server.notification("workspace/inlayHint/refresh");
    }
    assert!(!fixture.compilers().contains(&fixture.server.process()));
    assert_eq!(fixture.server.end(), Some(0));
}

#[test]
fn an_edit_ends_a_compilation() {
    let mut fixture = Fixture::start("hang", json!({ "kernelResources": true }));
    let first = fixture.compiler();
    assert!(fixture.hints().contains("2 × 32 threads"));
    let uri = fixture.uri.clone();
    fixture.server.change(&uri, 2, [7, 48, 7, 52], "3.0f");
    assert!(eventually(|| !lives(first)));
    // The new text is compiled, by one process, which ends with the server.
    assert!(eventually(|| fixture.compilers().len() == 2));
    let second = fixture.compilers()[1];
    assert_eq!(fixture.server.end(), Some(0));
    assert!(eventually(|| !lives(second)));
}

#[test]
fn a_request_that_is_cancelled_ends_its_compilation() {
    let mut fixture = Fixture::start("hang", Value::Null);
    let asked = json!({ "textDocument": { "uri": fixture.uri }, "kind": "ptx" });
    let id = fixture.server.send_request("apg/generatedCode", asked);
    let process = fixture.compiler();
    fixture.server.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(fixture.server.answer(id)["error"]["code"], -32800);
    assert!(eventually(|| !lives(process)));
    assert_eq!(fixture.server.end(), Some(0));
}

#[test]
fn a_failing_compiler_is_reported_and_the_server_continues() {
    for (behaviour, said) in
        [("hang", "took more than 1s"), ("fill", "out of memory"), ("crash", "signal: 6")]
    {
        let mut fixture = Fixture::start(behaviour, json!({ "analysisTimeout": 1 }));
        for kind in ["ptx", "resources"] {
            let found = fixture.generated(kind);
            let text = found["text"].as_str().unwrap_or_default().replace("\n// ", " ");
            assert!(text.contains(said) && found["isCode"] == false, "{behaviour}, {kind}: {text}");
        }
        assert!(fixture.hints().contains("2 × 32 threads"));
        assert!(fixture.generated("cuda")["text"].as_str().is_some_and(|it| it.contains("__global__")));
        assert_eq!(fixture.server.end(), Some(0));
    }
}
