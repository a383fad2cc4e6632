//! Findings of programs in X10 with their sources, as reports show them.

use apg_analysis::diagnostics::Diagnostic;
use apg_analysis::{Analysis, SourceFile};
use apg_diagnostics::render::{Finding, Span};

use crate::sources::display_path;

/// All findings of one file.
pub fn file_findings(analysis: &Analysis, file: SourceFile) -> Vec<Finding> {
    // Nothing changes the host while a command runs: no query is cancelled.
    let diagnostics =
        analysis.with(|db| apg_analysis::file_diagnostics(db, file).to_vec()).unwrap_or_default();
    diagnostics.into_iter().map(|diagnostic| finding(analysis, file, diagnostic)).collect()
}

fn finding(analysis: &Analysis, file: SourceFile, diagnostic: Diagnostic) -> Finding {
    let span = |file: SourceFile, range: apg_syntax::TextRange| {
        let (path, text) = analysis.source(file);
        Span { file: display_path(path), text: text.clone(), range: range.into() }
    };
    let related =
        diagnostic.related.into_iter().map(|related| (span(related.file, related.range), related.message));
    let fixes = diagnostic.fixes.into_iter().map(|fix| {
        let edits =
            fix.edits.into_iter().map(|edit| (span(edit.file.unwrap_or(file), edit.range), edit.text));
        (fix.title, edits.collect())
    });
    Finding {
        code: diagnostic.code,
        severity: diagnostic.severity,
        message: diagnostic.message,
        span: span(file, diagnostic.range),
        notes: diagnostic.notes,
        related: related.collect(),
        fixes: fixes.collect(),
    }
}
