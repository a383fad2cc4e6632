//! Formatting: a document, a range, what was just typed.

use apg_analysis::{Cancelled, db};
use apg_syntax::{Edit, Parse};
use tower_lsp_server::ls_types::{Range, TextEdit, Uri};

use crate::document::Document;
use crate::position::Encoding;
use crate::world::Snapshot;

/// What is to be formatted.
#[derive(Clone, Copy, Debug)]
pub enum Formatting {
    /// All of it.
    Document,
    /// A range.
    Range,
    /// What this character, just typed before the range, ends: a line, a block.
    Typed(char),
}

/// A document to be formatted, for itself: the database is not needed for it.
pub struct Unformatted {
    document: Document,
    parse: Parse,
    encoding: Encoding,
    range: Range,
    what: Formatting,
}

impl Snapshot {
    /// The document; `None` if there is none.
    pub fn unformatted(
        &self,
        uri: &Uri,
        range: Range,
        what: Formatting,
    ) -> Result<Option<Unformatted>, Cancelled> {
        let Some((document, file)) = self.document(uri) else { return Ok(None) };
        let parse = self.analysis.with(|db| db::parse(db, file).clone())?;
        Ok(Some(Unformatted {
            document: document.into_owned(),
            parse,
            encoding: self.settings.encoding,
            range,
            what,
        }))
    }
}

impl Unformatted {
    /// The edits; none while the document has syntax errors, but for those of what was just typed.
    pub fn edits(unformatted: Option<Unformatted>) -> Option<Vec<TextEdit>> {
        let Unformatted { document, parse, encoding, range, what } = unformatted?;
        let range = document.text.text_range(range, encoding);
        let edits = match what {
            Formatting::Document => apg_syntax::format_parsed(&parse, None).ok()?,
            Formatting::Range => apg_syntax::format_parsed(&parse, Some(range)).ok()?,
            Formatting::Typed(typed) => apg_syntax::format_on_type(&parse, range.start(), typed),
        };
        let edit =
            |edit: Edit| TextEdit { range: document.text.range(edit.range, encoding), new_text: edit.insert };
        Some(edits.into_iter().map(edit).collect())
    }
}
