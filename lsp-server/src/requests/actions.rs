//! Code actions: the quick fixes of diagnostics, refactorings of what is selected, imports in order.

use apg_analysis::Cancelled;
use apg_analysis::diagnostics::Diagnostic;
use apg_analysis::ide::{self, Assist, AssistKind};
use apg_analysis::ids::SourceFile;
use apg_analysis::rules::syntax;
use apg_syntax::TextRange;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionOrCommand, Range, Uri,
};

use crate::convert;
use crate::document::Document;
use crate::world::Snapshot;

impl Snapshot {
    /// What can be done to a range: fixes first.
    pub fn code_actions(
        &self,
        uri: &Uri,
        range: Range,
        context: &CodeActionContext,
    ) -> Result<Vec<CodeActionOrCommand>, Cancelled> {
        let Some((document, file)) = self.document(uri).filter(|(d, _)| d.path.is_absolute()) else {
            return Ok(Vec::new());
        };
        let range = document.text.text_range(range, self.settings.encoding);
        let found = self.found(&document, file)?;
        let is_here = |place: TextRange| place.intersect(range).is_some();
        let touched = found.iter().filter(|it| is_here(it.range) || merged(it, file).any(is_here));
        let mut actions: Vec<CodeAction> =
            touched.flat_map(|diagnostic| convert::fixes(self, &document, diagnostic)).collect();
        let (assists, imports) =
            self.analysis.with(|db| (ide::assists(db, file, range), ide::organized_imports(db, file)))?;
        actions.extend(assists.iter().filter_map(|assist| self.action_of(&document, assist)));
        actions.extend(imports.map(|edit| CodeAction {
            title: "Organize imports".into(),
            kind: Some(CodeActionKind::SOURCE_ORGANIZE_IMPORTS),
            edit: convert::workspace_edit(self, &document, &[edit]),
            ..CodeAction::default()
        }));
        actions.retain(|action| wanted(context, action.kind.as_ref()));
        Ok(actions.into_iter().map(CodeActionOrCommand::CodeAction).collect())
    }

    /// `None` if it changes a file that cannot be changed.
    fn action_of(&self, document: &Document, assist: &Assist) -> Option<CodeAction> {
        Some(CodeAction {
            title: assist.title.clone(),
            kind: Some(match assist.kind {
                AssistKind::Extract => CodeActionKind::REFACTOR_EXTRACT,
                AssistKind::Rewrite => CodeActionKind::REFACTOR_REWRITE,
                AssistKind::QuickFix => CodeActionKind::QUICKFIX,
            }),
            edit: Some(convert::workspace_edit(self, document, &assist.edits)?),
            ..CodeAction::default()
        })
    }
}

/// The other places of a mistake that is told once: its fix mends them, too.
fn merged(found: &Diagnostic, file: SourceFile) -> impl Iterator<Item = TextRange> {
    // Of other rules, other places only explain.
    let is_syntax = found.code == syntax::error::RULE.code;
    found.related.iter().filter(move |it| is_syntax && it.file == file).map(|it| it.range)
}

/// Whether the client asked for actions of this kind: a kind stands for all that start with it. Imports are only put in
/// order for those who ask for everything of a source, not for each cursor.
fn wanted(context: &CodeActionContext, kind: Option<&CodeActionKind>) -> bool {
    let kind = kind.map_or("", |kind| kind.as_str());
    match &context.only {
        Some(only) => only.iter().any(|wanted| {
            let wanted = wanted.as_str();
            kind == wanted || kind.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.'))
        }),
        None => !kind.starts_with("source."),
    }
}
