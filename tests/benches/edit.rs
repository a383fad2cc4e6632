//! From `didChange` to the published diagnostics, through the protocol: one character in the middle of a file of 1,000 and of 10,000
//! lines. Peer, when it is on the PATH: `ty server` on a Python file of the same size and shape. Budget: p50 5 ms, p99 16 ms.

use std::process::Command;
use std::time::{Duration, Instant};

use apg_tests::lsp::Server;
use apg_tests::measure::{Times, head, machine, row};
use apg_tests::sources::{on_path, python, x10};
use apg_tests::tools;
use serde_json::json;

const EDITS: i64 = 100;

fn main() {
    println!("machine: {}", machine());
    for lines in [1_000, 10_000] {
        let apg = measure(Command::new(tools::apg_lsp()), "x10", &x10(lines));
        let peer = on_path("ty").map(|ty| {
            let mut command = Command::new(ty);
            command.arg("server");
            measure(command, "python", &python(lines))
        });
        head(&format!("edit to diagnostics, {lines} lines"));
        row("apg-lsp", &apg, peer.as_ref());
        match &peer {
            Some(peer) => row("peer: ty server, Python", peer, None),
            None => println!("(no peer: `ty` is not on the PATH)"),
        }
    }
}

/// Types digits into a number in the middle of the file and takes them out again.
fn measure(command: Command, language: &str, text: &str) -> Times {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ending = if language == "x10" { "x10" } else { "py" };
    let file = folder.path().join(format!("Edited.{ending}"));
    std::fs::write(&file, text).expect("written");
    let uri = format!("file://{}", file.display());
    let root = format!("file://{}", folder.path().display());
    let mut server = Server::start(
        command,
        json!({ "processId": null, "rootUri": root, "workspaceFolders": [{ "uri": root, "name": "bench" }],
                "capabilities": { "textDocument": { "publishDiagnostics": { "versionSupport": true } } } }),
    );
    server.open(&uri, language, text);
    server.diagnostics(&uri, 1);
    let middle = text.lines().count() / 2;
    let (line, column) = text
        .lines()
        .enumerate()
        .skip(middle)
        .find_map(|(line, content)| Some((line, content.find("= 1000")? + 3)))
        .expect("a number in the middle");
    let (line, column) = (u32::try_from(line).expect("small"), u32::try_from(column).expect("small"));
    let mut times = Vec::new();
    for edit in 0..EDITS {
        let insert = edit % 2 == 0;
        let range = [line, column, line, column + u32::from(!insert)];
        let start = Instant::now();
        server.change(&uri, edit + 2, range, if insert { "7" } else { "" });
        server.diagnostics(&uri, edit + 2);
        times.push(start.elapsed());
        // As fast as a person types, so that work after the answer does not count for the next.
        std::thread::sleep(Duration::from_millis(20));
    }
    server.end();
    times.into_iter().collect()
}
