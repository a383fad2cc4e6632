//! Formatting: a document, a range, what was just typed.

use apg_analysis::{Cancelled, db};
use apg_syntax::Edit;
use tower_lsp_server::ls_types::{Position, Range, TextEdit, Uri};

use crate::document::Document;
use crate::world::Snapshot;

impl Snapshot {
    /// The edits that format a document or a range of it; none while it has syntax errors.
    pub fn format(&self, uri: &Uri, range: Option<Range>) -> Result<Option<Vec<TextEdit>>, Cancelled> {
        let Some((document, file)) = self.document(uri) else { return Ok(None) };
        let parse = self.analysis.with(|db| db::parse(db, file).clone())?;
        let range = range.map(|range| document.text.text_range(range, self.settings.encoding));
        Ok(apg_syntax::format_parsed(&parse, range).ok().map(|edits| self.text_edits(document, edits)))
    }

    /// The edits that put right what was typed: the line that ended, the block that closed.
    pub fn format_on_type(
        &self,
        uri: &Uri,
        position: Position,
        typed: &str,
    ) -> Result<Option<Vec<TextEdit>>, Cancelled> {
        let Some((document, file, offset)) = self.at(uri, position) else { return Ok(None) };
        let Some(typed) = typed.chars().next() else { return Ok(None) };
        let parse = self.analysis.with(|db| db::parse(db, file).clone())?;
        Ok(Some(self.text_edits(document, apg_syntax::format_on_type(&parse, offset, typed))))
    }

    fn text_edits(&self, document: &Document, edits: Vec<Edit>) -> Vec<TextEdit> {
        let edit = |edit: Edit| TextEdit { range: self.range(document, edit.range), new_text: edit.insert };
        edits.into_iter().map(edit).collect()
    }
}
