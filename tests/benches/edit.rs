//! From `didChange` to the published diagnostics, through the protocol: an edit in a body in the middle of a file of 1,000 and of
//! 10,000 lines, a new local there, and the changed result of a method that 500 others call. Peers, when they are on the PATH: `ty server` on a Python file and `clangd` on a C++ file of the same size and shape. Budget: p50 5 ms, p99 16 ms.

use std::process::Command;
use std::time::{Duration, Instant};

use apg_tests::lsp::Server;
use apg_tests::measure::{Times, head, machine, row};
use apg_tests::sources::{Results, cpp, on_path, python, python_calling, x10, x10_calling};
use apg_tests::tools;
use serde_json::json;

const EDITS: i64 = 100;

/// What is typed, again and again: one of two texts in place of the other.
struct Edit<'a> {
    text: String,
    /// The place: where this is found, in or after the line of that number.
    at: (&'a str, usize),
    texts: [&'a str; 2],
}

fn main() {
    println!("machine: {}", machine());
    for lines in [1_000, 10_000] {
        let edit = |text: String| Edit { text, at: ("= 1000", lines / 2), texts: ["= 1000", "= 10007"] };
        compare(
            &format!("an edit in a body to diagnostics, {lines} lines"),
            &edit(x10(lines)),
            &edit(python(lines)),
            Some(&edit(cpp(lines))),
        );
    }
    let lines = 10_000;
    let local = |text: String, more| Edit { text, at: ("= 1000", lines / 2), texts: ["= 1000", more] };
    compare(
        "a new local to diagnostics, 10000 lines",
        &local(x10(lines), "= 1000; val more = 7"),
        &local(python(lines), "= 1000; more = 7"),
        Some(&local(cpp(lines), "= 1000; const long more = 7")),
    );
    let signature = |(text, texts): (String, Results)| {
        let at = (texts[0], text.lines().position(|line| line.contains("def shared")).expect("it is there"));
        Edit { text, at, texts }
    };
    compare(
        "a changed signature with 500 dependents to diagnostics, 10000 lines",
        &signature(x10_calling(lines, 500)),
        &signature(python_calling(lines, 500)),
        None,
    );
}

fn compare(title: &str, x10: &Edit<'_>, python: &Edit<'_>, cpp: Option<&Edit<'_>>) {
    let apg = measure(Command::new(tools::apg_lsp()), "x10", x10);
    let peer = on_path("ty").map(|ty| {
        let mut command = Command::new(ty);
        command.arg("server");
        measure(command, "python", python)
    });
    head(title);
    row("apg-lsp", &apg, peer.as_ref());
    match &peer {
        Some(peer) => row("peer: ty server, Python", peer, None),
        None => println!("(no peer: `ty` is not on the PATH)"),
    }
    let Some(cpp) = cpp else { return };
    match on_path("clangd") {
        Some(clangd) => {
            let mut command = Command::new(clangd);
            command.args(["--background-index=false", "--log=error"]);
            row("peer: clangd, C++", &measure(command, "cpp", cpp), None);
        }
        None => println!("(no peer: `clangd` is not on the PATH)"),
    }
}

/// Types the one text and the other in turn.
fn measure(command: Command, language: &str, edit: &Edit<'_>) -> Times {
    let text = &edit.text;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ending = if language == "python" { "py" } else { language };
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
    let (wanted, from) = edit.at;
    let (line, column) = text
        .lines()
        .enumerate()
        .skip(from)
        .find_map(|(line, content)| Some((line, content.find(wanted)?)))
        .expect("what is edited");
    let small = |number: usize| u32::try_from(number).expect("small");
    let mut times = Vec::new();
    for version in 0..EDITS {
        let [old, new] = if version % 2 == 0 { edit.texts } else { [edit.texts[1], edit.texts[0]] };
        let range = [small(line), small(column), small(line), small(column + old.len())];
        let start = Instant::now();
        server.change(&uri, version + 2, range, new);
        server.diagnostics(&uri, version + 2);
        times.push(start.elapsed());
        // As fast as a person types, so that work after the answer does not count for the next.
        std::thread::sleep(Duration::from_millis(20));
    }
    server.end();
    times.into_iter().collect()
}
