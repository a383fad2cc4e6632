//! The answers: one file a family of requests, each a question to a snapshot.

mod actions;
mod calls;
mod completion;
pub mod diagnostics;
pub mod format;
pub mod generated;
mod hints;
mod lenses;
mod links;
pub mod memory;
mod navigate;
pub mod rename;
mod structure;
pub mod tokens;
mod types;

pub use tokens::legend;

use std::borrow::Cow;

use apg_analysis::ide::Symbol;
use apg_analysis::ids::SourceFile;
use apg_analysis::{Cancelled, ide};
use apg_syntax::TextSize;
use tower_lsp_server::ls_types::{Position, Range, Uri};

use crate::document::Document;
use crate::world::Snapshot;

impl Snapshot {
    /// A document, its file, and the offset of a position in it.
    fn at(&self, uri: &Uri, position: Position) -> Option<(Cow<'_, Document>, SourceFile, TextSize)> {
        let (document, file) = self.document(uri)?;
        let offset = document.text.offset(position, self.settings.encoding);
        Some((document, file, offset))
    }

    /// What the name at a position stands for.
    fn symbol(&self, uri: &Uri, position: Position) -> Result<Option<Symbol>, Cancelled> {
        let Some((_, file, offset)) = self.at(uri, position) else { return Ok(None) };
        self.analysis.with(|db| ide::symbol_at(db, file, offset).map(|(symbol, _)| symbol))
    }

    /// A byte range of a document as the client counts.
    fn range(&self, document: &Document, range: apg_syntax::TextRange) -> Range {
        document.text.range(range, self.settings.encoding)
    }
}
