//! Formatting of a document, a range, or the construct that was just typed.

use apg_analysis::{Cancelled, parse};
use apg_syntax::{Edit, Parse};
use tower_lsp_server::ls_types::{Range, TextEdit, Uri};

use crate::document::Document;
use crate::lsp::position::Encoding;
use crate::snapshot::Snapshot;

/// The part that is formatted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Formatting {
    /// The whole document.
    Document,
    /// A range.
    Range,
    /// The line or block that ends with this character, which was just typed before the range.
    Typed(char),
}

/// A document to be formatted, without the database.
pub(crate) struct Unformatted {
    document: Document,
    parse: Parse,
    encoding: Encoding,
    range: Range,
    formatting: Formatting,
}

impl Snapshot {
    /// A document to be formatted; `None` if there is no such document.
    pub(crate) fn unformatted(
        &self,
        uri: &Uri,
        range: Range,
        formatting: Formatting,
    ) -> Result<Option<Unformatted>, Cancelled> {
        let Some((document, file)) = self.document(uri) else { return Ok(None) };
        let parse = self.analysis.with(|db| parse(db, file).clone())?;
        Ok(Some(Unformatted {
            document: document.into_owned(),
            parse,
            encoding: self.config.encoding,
            range,
            formatting,
        }))
    }
}

impl Unformatted {
    /// The edits; `None` if the document has syntax errors, except for what was just typed.
    pub(crate) fn edits(unformatted: Option<Unformatted>) -> Option<Vec<TextEdit>> {
        let Unformatted { document, parse, encoding, range, formatting } = unformatted?;
        let range = document.text.text_range(range, encoding);
        let edits = match formatting {
            Formatting::Document => apg_syntax::format_parsed(&parse, None).ok()?,
            Formatting::Range => apg_syntax::format_parsed(&parse, Some(range)).ok()?,
            Formatting::Typed(typed) => apg_syntax::format_on_type(&parse, range.start(), typed),
        };
        let edit =
            |edit: Edit| TextEdit { range: document.text.range(edit.range, encoding), new_text: edit.insert };
        Some(edits.into_iter().map(edit).collect())
    }
}
