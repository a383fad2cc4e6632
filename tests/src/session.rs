//! A session with our language server: a folder of its own, documents in it, questions about them.

use std::process::Command;

use serde_json::{Value, json};

use crate::lsp::Server;
use crate::tools;

/// A server and the folder that it works in.
#[derive(Debug)]
pub struct Session {
    /// The server.
    pub server: Server,
    /// The workspace.
    pub folder: tempfile::TempDir,
}

impl Session {
    /// A server with a client that can do nothing special, and no workspace.
    pub fn start() -> Self {
        Self::with(json!({ "capabilities": {}, "processId": null, "rootUri": null }))
    }

    /// A server for a workspace with these files, and a client that can do what editors can.
    pub fn workspace(files: &[(&str, &str)]) -> Self {
        let capabilities = json!({
            "workspace": { "workspaceEdit": { "documentChanges": true, "resourceOperations": ["rename"] } },
            "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } },
        });
        Self::workspace_for(files, capabilities, Value::Null)
    }

    /// A server for a workspace with these files, a client that can do this, and its options.
    pub fn workspace_for(files: &[(&str, &str)], capabilities: Value, options: Value) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("below the folder")).expect("made");
            std::fs::write(path, text).expect("written");
        }
        let root = format!("file://{}", folder.path().display());
        let folders = json!([{ "uri": root, "name": "workspace" }]);
        let initialize = json!({
            "capabilities": capabilities, "processId": null, "workspaceFolders": folders,
            "initializationOptions": options,
        });
        Self { server: Server::start(command(&folder), initialize), folder }
    }

    /// A server for a client that says this at the start.
    pub fn with(initialize: Value) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { server: Server::start(command(&folder), initialize), folder }
    }

    /// The URI of a file of the folder.
    pub fn uri(&self, name: &str) -> String {
        format!("file://{}", self.folder.path().join(name).display())
    }

    /// Writes a file and opens it; its URI.
    pub fn open(&mut self, name: &str, text: &str) -> String {
        std::fs::write(self.folder.path().join(name), text).expect("written");
        let uri = self.uri(name);
        self.server.open(&uri, "x10", text);
        uri
    }

    /// Asks about a position of a document.
    pub fn at(&mut self, method: &str, uri: &str, line: u32, character: u32) -> Value {
        let position = json!({ "line": line, "character": character });
        self.server.request(method, json!({ "textDocument": { "uri": uri }, "position": position }))
    }

    /// Asks about a document.
    pub fn of(&mut self, method: &str, uri: &str) -> Value {
        self.server.request(method, json!({ "textDocument": { "uri": uri } }))
    }
}

/// The server, with a cache and a log of its own beside the documents.
pub fn command(folder: &tempfile::TempDir) -> Command {
    let mut command = Command::new(tools::apg_lsp());
    command.env("APG_CACHE_DIR", folder.path().join(".cache"));
    command.env("APG_LOG_FILE", folder.path().join(".log/apg-lsp.log"));
    command
}
