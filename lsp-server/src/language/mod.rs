//! Languages beside X10, which the handlers of requests answer themselves: what the server asks of each.

mod c;

use std::path::Path;

use apg_analysis::Cancelled;
use apg_analysis::ide::Token;
use apg_project::c::{self as c_sources, AnalysedFile};
use apg_source::TextRange;
use tower_lsp_server::ls_types::{
    CodeAction, CodeLens, CompletionItem, Diagnostic, Hover, InlayHint, Position, Range,
};

use crate::document::Document;
use crate::lsp::generated_code::GeneratedCode;
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

    /// The semantic tokens of a range.
    fn semantic_tokens(
        &self,
        snapshot: &Snapshot,
        document: &Document,
        range: TextRange,
    ) -> Result<Vec<Token>, Cancelled>;

    /// The code lenses of a document.
    fn code_lenses(&self, snapshot: &Snapshot, document: &Document) -> Result<Vec<CodeLens>, Cancelled>;

    /// A document for the generation of its code; `None` if the database does not have it.
    fn analysed(&self, snapshot: &Snapshot, document: &Document) -> Result<Option<AnalysedFile>, Cancelled>;

    /// What constructs move, as text; `None` if the database does not have the document.
    fn plan(
        &self,
        snapshot: &Snapshot,
        document: &Document,
        kind: PlanKind,
    ) -> Result<Option<GeneratedCode>, Cancelled>;
}

/// Between whom data moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlanKind {
    /// Host and device.
    Transfers,
    /// Nodes of XcalableMP.
    Communication,
}

/// The language of a file; `None` is X10. A header has no diagnostics of its own: those of the files that
/// include it are about it too.
pub(crate) fn of(path: &Path) -> Option<&'static dyn Language> {
    (c_sources::is_source(path) || c_sources::is_header(path)).then_some(&c::C)
}
