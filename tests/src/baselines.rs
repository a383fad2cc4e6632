//! Our language server and its peers, each on a source of the same size and shape in its language, for
//! benchmarks.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::lsp::Server;
use crate::sources::{self, Calling, on_path};
use crate::tools;

/// A server and the language of its documents.
#[derive(Debug)]
pub struct Subject {
    /// For the reader of a table.
    pub name: &'static str,
    command: fn() -> Option<Command>,
    language: &'static str,
    ending: &'static str,
    /// A source of about that many lines.
    pub text: fn(usize) -> String,
    /// The same, with a first method that the given number of others call.
    pub calling: fn(usize, usize) -> Calling,
    /// Replacement of `= 1000` that adds a local.
    pub more: &'static str,
    /// It finds the uses of a name in files that are not open, without an index that is made before.
    pub searches_files: bool,
    /// Diagnostics that did not change are not published again: they are requested.
    is_asked: bool,
}

/// Ours and its peer on C with OpenMP. Ours comes first.
pub const C_SUBJECTS: [Subject; 2] = [
    Subject {
        language: "c",
        ending: "c",
        text: sources::c,
        calling: sources::c_calling,
        more: "= 1000; const long more = 7",
        ..SUBJECTS[0]
    },
    Subject {
        name: "peer: clangd, C with OpenMP",
        command: || {
            let clangd = ["clangd", "clangd-19"].iter().find_map(|it| on_path(it))?;
            with(Command::new(clangd), &["--background-index=false", "--log=error"])
        },
        language: "c",
        ending: "c",
        text: sources::c,
        calling: sources::c_calling,
        more: "= 1000; const long more = 7",
        ..SUBJECTS[2]
    },
];

/// A server that answers later than this is given up.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// Ours comes first.
pub const SUBJECTS: [Subject; 4] = [
    Subject {
        name: "apg-lsp",
        command: || Some(Command::new(tools::apg_lsp())),
        language: "x10",
        ending: "x10",
        text: sources::x10,
        calling: sources::x10_calling,
        more: "= 1000; val more = 7",
        searches_files: true,
        is_asked: false,
    },
    Subject {
        name: "peer: ty server, Python",
        command: || with(Command::new(on_path("ty")?), &["server"]),
        language: "python",
        ending: "py",
        text: sources::python,
        calling: sources::python_calling,
        more: "= 1000; more = 7",
        searches_files: true,
        is_asked: false,
    },
    Subject {
        name: "peer: clangd, C++",
        // No files of its own on this machine, and nothing in the background that the others do not do
        // either.
        command: || with(Command::new(on_path("clangd")?), &["--background-index=false", "--log=error"]),
        language: "cpp",
        ending: "cpp",
        text: sources::cpp,
        calling: sources::cpp_calling,
        more: "= 1000; const long more = 7",
        searches_files: false,
        is_asked: false,
    },
    Subject {
        name: "peer: rust-analyzer, Rust",
        command: rust_analyzer,
        language: "rust",
        ending: "rs",
        text: sources::rust,
        calling: sources::rust_calling,
        more: "= 1000; let more = 7",
        searches_files: true,
        is_asked: true,
    },
];

#[expect(clippy::unnecessary_wraps, reason = "the others of the table may be absent")]
fn with(mut command: Command, arguments: &[&str]) -> Option<Command> {
    command.args(arguments);
    Some(command)
}

/// Rustup has a command of that name also where there is no server.
fn rust_analyzer() -> Option<Command> {
    let path = on_path("rust-analyzer")?;
    let works = Command::new(&path).arg("--version").output().is_ok_and(|output| output.status.success());
    works.then(|| Command::new(path))
}

/// A server with an open document.
#[derive(Debug)]
pub struct Opened {
    /// The server.
    pub server: Server,
    /// The document.
    pub uri: String,
    version: i64,
    is_asked: bool,
    _folder: TempDir,
}

impl Subject {
    /// Whether it is installed.
    pub fn is_there(&self) -> bool {
        (self.command)().is_some()
    }

    /// A server on a folder with these sources; the first is opened, and its diagnostics waited for. None if
    /// the server is not installed.
    pub fn open(&self, sources: &[String]) -> Option<Opened> {
        self.open_among(sources, &[])
    }

    /// The same, in a folder that has copies of other files too.
    pub fn open_among(&self, sources: &[String], others: &[PathBuf]) -> Option<Opened> {
        let command = (self.command)()?;
        let folder = tempfile::tempdir().expect("a temporary folder");
        if self.language == "c" {
            std::fs::write(folder.path().join("compile_flags.txt"), "-fopenmp\n").expect("written");
        }
        for file in others {
            let name = file.file_name().expect("a file");
            std::fs::copy(file, folder.path().join(name)).expect("copied");
        }
        let names: Vec<String> = (0..sources.len()).map(|number| self.file_name(number)).collect();
        for (name, text) in names.iter().zip(sources) {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        let root = format!("file://{}", folder.path().display());
        let mut document = json!({ "publishDiagnostics": { "versionSupport": true } });
        if self.is_asked {
            document["diagnostic"] = json!({});
        }
        let mut server = Server::start(
            command,
            json!({
                "processId": null, "rootUri": root, "workspaceFolders": [{ "uri": root, "name": "bench" }],
                "capabilities": {
                    "textDocument": document,
                    "experimental": { "serverStatusNotification": true },
                },
                "initializationOptions": self.options(&folder, &names),
            }),
        );
        server.set_answer_timeout(ANSWER_TIMEOUT);
        let uri = format!("{root}/{}", names[0]);
        server.open(&uri, self.language, &sources[0]);
        if self.is_asked {
            // It answers before it has read everything, and answers something else then.
            while server.notification("experimental/serverStatus")["quiescent"] != true {}
        }
        let mut opened = Opened { server, uri, version: 1, is_asked: self.is_asked, _folder: folder };
        opened.diagnosed();
        Some(opened)
    }

    fn file_name(&self, number: usize) -> String {
        match number {
            0 => format!("Edited.{}", self.ending),
            _ => format!("Part{number}.{}", self.ending),
        }
    }

    /// What a server wants to know that finds no project.
    fn options(&self, folder: &TempDir, names: &[String]) -> Value {
        if self.language != "rust" {
            return Value::Null;
        }
        let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output();
        let sysroot =
            sysroot.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
        let root = |name: &String| {
            let path = folder.path().join(name);
            json!({ "root_module": path, "edition": "2021", "deps": [], "is_workspace_member": true })
        };
        let crates: Vec<Value> = names.iter().map(root).collect();
        json!({
            "linkedProjects": [{ "sysroot": sysroot.trim(), "crates": crates }],
            "checkOnSave": false, "cachePriming": { "enable": false },
        })
    }
}

impl Opened {
    /// Replaces a range (line, column to line, column) of the document.
    pub fn change(&mut self, range: [u32; 4], text: &str) {
        self.version += 1;
        self.server.change(&self.uri, self.version, range, text);
    }

    /// Waits for the diagnostics of the document as it is now.
    pub fn diagnosed(&mut self) {
        if self.is_asked {
            self.server.request("textDocument/diagnostic", json!({ "textDocument": { "uri": self.uri } }));
        } else {
            self.server.diagnostics(&self.uri, self.version);
        }
    }
}
