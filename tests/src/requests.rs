//! The requests of the server, for tests that ask all of them. One list: a request that is not in it is
//! tested nowhere.

use serde_json::{Value, json};

/// About one place of a document.
pub const OF_A_PLACE: &[&str] = &[
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/definition",
    "textDocument/declaration",
    "textDocument/typeDefinition",
    "textDocument/implementation",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/linkedEditingRange",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/prepareCallHierarchy",
    "textDocument/prepareTypeHierarchy",
    "textDocument/selectionRange",
    "textDocument/codeAction",
    "textDocument/onTypeFormatting",
];

/// About a whole document or a range of it.
pub const OF_A_DOCUMENT: &[&str] = &[
    "textDocument/documentSymbol",
    "textDocument/documentLink",
    "textDocument/codeLens",
    "textDocument/inlayHint",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
    "textDocument/foldingRange",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "textDocument/diagnostic",
    "apg/generatedCode",
];

/// About the workspace.
pub const OF_THE_WORKSPACE: &[&str] = &["workspace/symbol", "workspace/diagnostic", "apg/memory"];

/// About what an earlier answer said, or an editor is about to do.
pub const OF_AN_ANSWER: &[&str] = &[
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
    "typeHierarchy/supertypes",
    "typeHierarchy/subtypes",
    "textDocument/semanticTokens/full/delta",
    "codeLens/resolve",
    "workspace/willRenameFiles",
];

/// All but those that need an answer before.
pub fn all() -> impl Iterator<Item = &'static str> {
    OF_A_PLACE.iter().chain(OF_A_DOCUMENT).chain(OF_THE_WORKSPACE).copied()
}

/// Whether a request may be refused with an error that says why: what has no name, or would break the
/// program.
pub fn may_be_refused(method: &str) -> bool {
    matches!(method, "textDocument/rename" | "textDocument/prepareRename")
}

/// Parameters that suit all requests: about the place `start` (line, column), and from there to `end`.
pub fn at(uri: &str, start: [u32; 2], end: [u32; 2]) -> Value {
    let place = |[line, character]: [u32; 2]| json!({ "line": line, "character": character });
    let range = json!({ "start": place(start), "end": place(end) });
    json!({
        "textDocument": { "uri": uri }, "position": place(start), "positions": [place(start)],
        "range": range,
        "item": { "name": "it", "kind": 6, "uri": uri, "range": range, "selectionRange": range },
        "files": [{ "oldUri": uri, "newUri": format!("{uri}.x10") }], "previousResultId": "none",
        "newName": "other", "ch": "}", "kind": "mir", "query": "e", "previousResultIds": [],
        "context": { "includeDeclaration": true, "diagnostics": [], "triggerKind": 1, "isRetrigger": false },
        "options": { "tabSize": 4, "insertSpaces": true },
    })
}
