//! Code actions: quick fixes of diagnostics, refactorings of the selection, organized imports.

use apg_analysis::Cancelled;
use apg_analysis::SourceFile;
use apg_analysis::diagnostics::Diagnostic;
use apg_analysis::ide::{self, Assist, AssistKind};
use apg_analysis::rules::syntax;
use apg_source::TextRange;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionOrCommand, Range, Uri,
};

use crate::document::Document;
use crate::lsp::to_proto;
use crate::snapshot::Snapshot;

impl Snapshot {
    /// The code actions for a range: fixes first.
    pub(crate) fn code_actions(
        &self,
        uri: &Uri,
        range: Range,
        context: &CodeActionContext,
    ) -> Result<Vec<CodeActionOrCommand>, Cancelled> {
        if let Some((document, language)) = self.in_other_language(uri) {
            let mut fixes = language.fixes(self, document, range)?;
            fixes.retain(|action| is_requested(context, action.kind.as_ref()));
            return Ok(fixes.into_iter().map(CodeActionOrCommand::CodeAction).collect());
        }
        let Some((document, file)) = self.document(uri).filter(|(d, _)| d.path.is_absolute()) else {
            return Ok(Vec::new());
        };
        let range = document.text.text_range(range, self.config.encoding);
        let found = self.file_diagnostics(&document, file)?;
        let touches = |other: TextRange| other.intersect(range).is_some();
        let touched = found.iter().filter(|it| touches(it.range) || merged_ranges(it, file).any(touches));
        let mut actions: Vec<CodeAction> =
            touched.flat_map(|diagnostic| to_proto::fixes(self, &document, diagnostic)).collect();
        let (assists, imports) =
            self.analysis.with(|db| (ide::assists(db, file, range), ide::organized_imports(db, file)))?;
        actions.extend(assists.iter().filter_map(|assist| self.assist_action(&document, assist)));
        actions.extend(imports.map(|edit| CodeAction {
            title: "Organize imports".into(),
            kind: Some(CodeActionKind::SOURCE_ORGANIZE_IMPORTS),
            edit: to_proto::workspace_edit(self, &document, &[edit]),
            ..CodeAction::default()
        }));
        actions.retain(|action| is_requested(context, action.kind.as_ref()));
        Ok(actions.into_iter().map(CodeActionOrCommand::CodeAction).collect())
    }

    /// The code action of an assist; `None` if it edits a read-only file.
    fn assist_action(&self, document: &Document, assist: &Assist) -> Option<CodeAction> {
        Some(CodeAction {
            title: assist.title.clone(),
            kind: Some(match assist.kind {
                AssistKind::Extract => CodeActionKind::REFACTOR_EXTRACT,
                AssistKind::Rewrite => CodeActionKind::REFACTOR_REWRITE,
                AssistKind::QuickFix => CodeActionKind::QUICKFIX,
            }),
            edit: Some(to_proto::workspace_edit(self, document, &assist.edits)?),
            ..CodeAction::default()
        })
    }
}

/// The further ranges of a syntax error that is reported once: its fix also corrects those.
fn merged_ranges(found: &Diagnostic, file: SourceFile) -> impl Iterator<Item = TextRange> {
    // Related ranges of other rules are explanations.
    let is_syntax = found.code == syntax::error::RULE.code;
    found.related.iter().filter(move |it| is_syntax && it.file == file).map(|it| it.range)
}

/// Whether the client requested actions of this kind or of one above it. Source actions, such as *Organize
/// imports*, must be requested explicitly.
fn is_requested(context: &CodeActionContext, kind: Option<&CodeActionKind>) -> bool {
    let kind = kind.map_or("", |kind| kind.as_str());
    match &context.only {
        Some(only) => only.iter().any(|requested| {
            let requested = requested.as_str();
            kind == requested || kind.strip_prefix(requested).is_some_and(|rest| rest.starts_with('.'))
        }),
        None => !kind.starts_with("source."),
    }
}
