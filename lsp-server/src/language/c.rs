//! C files: what concerns their directives. An editor has another server for the rest of C.

use std::collections::HashMap;
use std::sync::Arc;

use apg_analysis::Cancelled;
use apg_analysis::ide::Token;
use apg_c_analysis::ide::{self, CompletionKind, TokenKind};
use apg_c_analysis::{Parsed, file_diagnostics, parsed};
use apg_diagnostics::Severity;
use apg_source::TextRange;
use apg_syntax::services::HighlightKind;
use serde_json::json;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionKind, CodeLens, Command, CompletionItem, CompletionItemKind, CompletionTextEdit,
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Hover, HoverContents, InlayHint,
    InlayHintLabel, InlayHintTooltip, Location, MarkupContent, MarkupKind, NumberOrString, Position, Range,
    TextEdit, WorkspaceEdit,
};

use super::Language;
use crate::document::Document;
use crate::quarantine::mark_analyzing;
use crate::snapshot::Snapshot;

/// C with directives.
pub(super) struct C;

/// The program of a document; `None` if the database does not have it.
fn program(snapshot: &Snapshot, document: &Document) -> Result<Option<Arc<Parsed>>, Cancelled> {
    let Some(file) = snapshot.c.file(&document.path) else { return Ok(None) };
    let _mark = mark_analyzing(&document.path, document.text.text());
    snapshot.c.with(|db| parsed(db, file).clone()).map(Some)
}

fn found(snapshot: &Snapshot, document: &Document) -> Result<Vec<apg_c_analysis::Diagnostic>, Cancelled> {
    let Some(file) = snapshot.c.file(&document.path) else { return Ok(Vec::new()) };
    let _mark = mark_analyzing(&document.path, document.text.text());
    snapshot.c.with(|db| file_diagnostics(db, file).clone())
}

fn diagnostic(snapshot: &Snapshot, document: &Document, found: &apg_c_analysis::Diagnostic) -> Diagnostic {
    let encoding = snapshot.config.encoding;
    let message = [std::slice::from_ref(&found.message), &found.notes].concat().join("\n");
    // All places are in the document.
    let related: Vec<_> = found
        .related
        .iter()
        .map(|it| DiagnosticRelatedInformation {
            location: Location { uri: document.uri.clone(), range: document.text.range(it.range, encoding) },
            message: it.message.clone(),
        })
        .collect();
    Diagnostic {
        range: document.text.range(found.range, encoding),
        severity: Some(match found.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Info => DiagnosticSeverity::INFORMATION,
            Severity::Hint => DiagnosticSeverity::HINT,
        }),
        code: Some(NumberOrString::String(found.code.into())),
        source: Some("apg".into()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

fn markdown(value: String) -> MarkupContent {
    MarkupContent { kind: MarkupKind::Markdown, value }
}

impl Language for C {
    fn diagnostics(&self, snapshot: &Snapshot, document: &Document) -> Result<Vec<Diagnostic>, Cancelled> {
        Ok(found(snapshot, document)?.iter().map(|it| diagnostic(snapshot, document, it)).collect())
    }

    fn fixes(
        &self,
        snapshot: &Snapshot,
        document: &Document,
        range: Range,
    ) -> Result<Vec<CodeAction>, Cancelled> {
        let encoding = snapshot.config.encoding;
        let range = document.text.text_range(range, encoding);
        let found = found(snapshot, document)?;
        let touched = found.iter().filter(|it| it.range.intersect(range).is_some());
        let actions = touched.flat_map(|it| {
            let of = diagnostic(snapshot, document, it);
            it.fixes.iter().enumerate().map(move |(number, fix)| {
                let edits = fix.edits.iter();
                let edits: Vec<TextEdit> =
                    edits.map(|it| document.text.edit(it.range, &it.text, encoding)).collect();
                let changes = HashMap::from([(document.uri.clone(), edits)]);
                CodeAction {
                    title: fix.title.clone(),
                    kind: Some(CodeActionKind::QUICKFIX),
                    diagnostics: Some(vec![of.clone()]),
                    edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
                    is_preferred: Some(number == 0),
                    ..CodeAction::default()
                }
            })
        });
        let mut actions: Vec<CodeAction> = actions.collect();
        let program = program(snapshot, document)?;
        let rewrites = program.iter().flat_map(|it| ide::assists(it, range));
        actions.extend(rewrites.map(|fix| {
            let edits = fix.edits.iter();
            let edits: Vec<TextEdit> =
                edits.map(|it| document.text.edit(it.range, &it.text, encoding)).collect();
            let changes = HashMap::from([(document.uri.clone(), edits)]);
            CodeAction {
                title: fix.title,
                kind: Some(CodeActionKind::REFACTOR_REWRITE),
                edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
                ..CodeAction::default()
            }
        }));
        Ok(actions)
    }

    fn hover(
        &self,
        snapshot: &Snapshot,
        document: &Document,
        position: Position,
    ) -> Result<Option<Hover>, Cancelled> {
        let encoding = snapshot.config.encoding;
        let Some(program) = program(snapshot, document)? else { return Ok(None) };
        let found = ide::hover(&program, document.text.offset(position, encoding));
        Ok(found.map(|it| Hover {
            contents: HoverContents::Markup(markdown(it.markdown)),
            range: Some(document.text.range(it.range, encoding)),
        }))
    }

    fn completion(
        &self,
        snapshot: &Snapshot,
        document: &Document,
        position: Position,
    ) -> Result<Vec<CompletionItem>, Cancelled> {
        let encoding = snapshot.config.encoding;
        let Some(program) = program(snapshot, document)? else { return Ok(Vec::new()) };
        let found = ide::completions(&program, document.text.offset(position, encoding));
        let item = |it: ide::Completion| CompletionItem {
            text_edit: Some(CompletionTextEdit::Edit(document.text.edit(it.replace, &it.text, encoding))),
            kind: Some(match it.kind {
                CompletionKind::Directive => CompletionItemKind::KEYWORD,
                CompletionKind::Clause => CompletionItemKind::PROPERTY,
                CompletionKind::Variable => CompletionItemKind::VARIABLE,
                CompletionKind::Word => CompletionItemKind::ENUM_MEMBER,
            }),
            label: it.text,
            detail: it.detail,
            ..CompletionItem::default()
        };
        Ok(found.into_iter().map(item).collect())
    }

    fn inlay_hints(
        &self,
        snapshot: &Snapshot,
        document: &Document,
        range: Range,
    ) -> Result<Vec<InlayHint>, Cancelled> {
        let encoding = snapshot.config.encoding;
        let Some(program) = program(snapshot, document)? else { return Ok(Vec::new()) };
        let found = ide::inlays(&program, document.text.text_range(range, encoding));
        let hint = |it: ide::Inlay| InlayHint {
            position: document.text.position(it.at, encoding),
            label: InlayHintLabel::String(it.label),
            kind: None,
            text_edits: None,
            tooltip: Some(InlayHintTooltip::MarkupContent(markdown(it.tooltip))),
            padding_left: Some(true),
            padding_right: None,
            data: None,
        };
        Ok(found.into_iter().map(hint).collect())
    }

    fn semantic_tokens(
        &self,
        snapshot: &Snapshot,
        document: &Document,
        range: TextRange,
    ) -> Result<Vec<Token>, Cancelled> {
        let Some(program) = program(snapshot, document)? else { return Ok(Vec::new()) };
        let token = |it: ide::Token| Token {
            range: it.range,
            kind: match it.kind {
                TokenKind::Directive => HighlightKind::Keyword,
                TokenKind::Clause => HighlightKind::Modifier,
                TokenKind::Word => HighlightKind::Property,
                TokenKind::Variable => HighlightKind::Variable,
                TokenKind::Number => HighlightKind::Number,
            },
            is_declaration: false,
            is_mutable: true,
            is_static: false,
        };
        Ok(ide::tokens(&program, range).into_iter().map(token).collect())
    }

    fn code_lenses(&self, snapshot: &Snapshot, document: &Document) -> Result<Vec<CodeLens>, Cancelled> {
        let Some(program) = program(snapshot, document)? else { return Ok(Vec::new()) };
        // A file without directives is none of ours.
        let main = ide::main_function(&program).filter(|_| !program.program.directives.is_empty());
        let lens = |range| {
            let command = Command {
                title: "▶ Run".into(),
                command: "apg.run".into(),
                arguments: Some(vec![json!(document.uri)]),
            };
            let range = document.text.range(range, snapshot.config.encoding);
            CodeLens { range, command: Some(command), data: None }
        };
        Ok(main.into_iter().map(lens).collect())
    }
}
