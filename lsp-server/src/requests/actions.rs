//! Code actions: the quick fixes of diagnostics.

use apg_analysis::Cancelled;
use tower_lsp_server::ls_types::{CodeActionOrCommand, Range, Uri};

use crate::convert;
use crate::world::Snapshot;

impl Snapshot {
    /// The quick fixes of the diagnostics that touch a range.
    pub fn code_actions(&self, uri: &Uri, range: Range) -> Result<Vec<CodeActionOrCommand>, Cancelled> {
        let Some((document, file)) = self.document(uri) else { return Ok(Vec::new()) };
        let range = document.text.text_range(range, self.settings.encoding);
        let found = self.analysis.with(|db| apg_analysis::file_diagnostics(db, file).to_vec())?;
        let touched = found.iter().filter(|diagnostic| diagnostic.range.intersect(range).is_some());
        let actions = touched.flat_map(|diagnostic| convert::fixes(self, document, diagnostic));
        Ok(actions.map(CodeActionOrCommand::CodeAction).collect())
    }
}
