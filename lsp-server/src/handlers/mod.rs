//! Handlers of requests: one file for each family, as methods of [`Snapshot`].

mod call_hierarchy;
mod code_actions;
pub(crate) mod code_lenses;
mod completion;
pub(crate) mod diagnostics;
pub(crate) mod formatting;
pub(crate) mod generated_code;
mod hints;
mod kernel_usage;
mod links;
pub(crate) mod memory_report;
mod navigation;
pub(crate) mod remotes;
pub(crate) mod rename;
pub(crate) mod semantic_tokens;
mod symbols;
mod type_hierarchy;

use std::borrow::Cow;

use apg_analysis::SourceFile;
use apg_analysis::ide::Symbol;
use apg_analysis::{Cancelled, ide};
use apg_source::TextSize;
use tower_lsp_server::ls_types::{Position, Range, Uri};

use crate::document::Document;
use crate::snapshot::Snapshot;

impl Snapshot {
    /// A document, its file, and the offset of a position in it.
    fn resolve(&self, uri: &Uri, position: Position) -> Option<(Cow<'_, Document>, SourceFile, TextSize)> {
        let (document, file) = self.document(uri)?;
        let offset = document.text.offset(position, self.config.encoding);
        Some((document, file, offset))
    }

    /// The symbol that is named at a position.
    fn symbol_at(&self, uri: &Uri, position: Position) -> Result<Option<Symbol>, Cancelled> {
        let Some((_, file, offset)) = self.resolve(uri, position) else { return Ok(None) };
        self.analysis.with(|db| ide::symbol_at(db, file, offset).map(|(symbol, _)| symbol))
    }

    /// A byte range of a document in the client's unit.
    fn range(&self, document: &Document, range: apg_source::TextRange) -> Range {
        document.text.range(range, self.config.encoding)
    }
}
