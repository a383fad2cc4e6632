//! Languages beside X10, which the handlers of requests answer themselves: what the server asks of each.

mod c;

use std::path::Path;

use apg_analysis::Cancelled;
use tower_lsp_server::ls_types::{
    CodeAction, CodeLens, CompletionItem, Diagnostic, Hover, InlayHint, Position, Range,
};

use crate::document::Document;
use crate::snapshot::Snapshot;

/// What the server asks of a language. An edit cancels any answer.
pub(crate) trait Language {
    /// All diagnostics of a document.
    fn diagnostics(&self, snapshot: &Snapshot, document: &Document) -> Result<Vec<Diagnostic>, Cancelled>;

    /// Quick fixes of the diagnostics in a range, and rewrites.
    fn fixes(
        &self,
        snapshot: &Snapshot,
        document: &Document,
        range: Range,
    ) -> Result<Vec<CodeAction>, Cancelled>;

    /// What is shown at a position.
    fn hover(
        &self,
        snapshot: &Snapshot,
        document: &Document,
        position: Position,
    ) -> Result<Option<Hover>, Cancelled>;

    /// What can be inserted at a position.
    fn completion(
        &self,
        snapshot: &Snapshot,
        document: &Document,
        position: Position,
    ) -> Result<Vec<CompletionItem>, Cancelled>;

    /// The inlay hints of a range.
    fn inlay_hints(
        &self,
        snapshot: &Snapshot,
        document: &Document,
        range: Range,
    ) -> Result<Vec<InlayHint>, Cancelled>;

    /// The code lenses of a document.
    fn code_lenses(&self, snapshot: &Snapshot, document: &Document) -> Result<Vec<CodeLens>, Cancelled>;
}

/// The language of a file; `None` is X10.
pub(crate) fn of(path: &Path) -> Option<&'static dyn Language> {
    apg_project::c::is_source(path).then_some(&c::C)
}
