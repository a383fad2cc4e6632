//! C files: what concerns their directives. An editor has another server for the rest of C.

use std::collections::HashMap;
use std::sync::Arc;

use apg_analysis::Cancelled;
use apg_analysis::ide::Token;
use apg_c_analysis::ide::{self, CommunicationPlan, CompletionKind, LensKind, TokenKind, TransferPlan};
use apg_c_analysis::{Parsed, file_diagnostics, parsed};
use apg_diagnostics::Severity;
use apg_project::c::AnalysedFile;
use apg_source::TextRange;
use apg_syntax::services::HighlightKind;
use serde_json::{Value, json};
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionKind, CodeLens, CompletionItem, CompletionItemKind, CompletionTextEdit, Diagnostic,
    DiagnosticRelatedInformation, DiagnosticSeverity, Hover, HoverContents, InlayHint, InlayHintLabel,
    InlayHintTooltip, Location, MarkupContent, MarkupKind, NumberOrString, Position, Range, TextEdit,
    WorkspaceEdit,
};

use super::{Language, PlanKind};
use crate::document::Document;
use crate::lsp::generated_code::GeneratedCode;
use crate::lsp::lens::{command_on, lens_of};
use crate::quarantine::mark_analyzing;
use crate::snapshot::Snapshot;

/// The command with an optional second argument: what `--parallel` takes.
const RUN_ON_GPU: &str = "apg.runOnGpu";

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
        let mut all = Vec::new();
        for lens in ide::lenses(&program) {
            let range = document.text.range(lens.range, snapshot.config.encoding);
            let with =
                |title, name, also: &[Value]| lens_of(range, command_on(&document.uri, title, name, also));
            let command = |title, name| with(title, name, &[]);
            let optional = |title, name| snapshot.has_command(name).then(|| command(title, name));
            match lens.kind {
                LensKind::Run { has_regions, has_parallel_alone, is_distributed } => {
                    all.push(command("▶ Run", "apg.run"));
                    all.extend(optional("Debug", "apg.debug"));
                    if has_regions && snapshot.has_command(RUN_ON_GPU) {
                        let parallel = has_parallel_alone.then(|| json!("device"));
                        all.push(with("Run on GPU", RUN_ON_GPU, parallel.as_slice()));
                    }
                    if is_distributed {
                        all.extend(optional("Run with places…", "apg.runWithPlaces"));
                    }
                    let on_remotes = snapshot.remote_commands(&document.uri, &document.uri);
                    all.extend(on_remotes.map(|it| lens_of(range, it)));
                    if has_regions || is_distributed {
                        all.extend(optional("Show host code", "apg.showHostCode"));
                    }
                }
                LensKind::ShowCuda => all.push(command("Show CUDA", "apg.showCuda")),
                LensKind::ShowTransfers => all.extend(optional("Show transfers", "apg.showTransfers")),
                LensKind::ShowCommunication => {
                    all.extend(optional("Show communication", "apg.showCommunication"));
                }
            }
        }
        Ok(all)
    }

    fn analysed(&self, snapshot: &Snapshot, document: &Document) -> Result<Option<AnalysedFile>, Cancelled> {
        let Some(file) = snapshot.c.file(&document.path) else { return Ok(None) };
        let _mark = mark_analyzing(&document.path, document.text.text());
        snapshot.c.with(|db| AnalysedFile::new(db, file)).map(Some)
    }

    fn plan(
        &self,
        snapshot: &Snapshot,
        document: &Document,
        kind: PlanKind,
    ) -> Result<Option<GeneratedCode>, Cancelled> {
        let Some(program) = program(snapshot, document)? else { return Ok(None) };
        let line = |it: TextRange| document.text.position(it.start(), snapshot.config.encoding).line;
        let (plans, otherwise): (Vec<Paragraph>, _) = match kind {
            PlanKind::Transfers => (
                ide::transfer_plans(&program).iter().map(|it| of_transfers(line(it.range), it)).collect(),
                "No construct of this file moves data between host and device.",
            ),
            PlanKind::Communication => {
                let plans = ide::communication_plans(&program).into_iter();
                let paragraph = |it: CommunicationPlan| (line(it.range), it.directive, it.lines);
                (plans.map(paragraph).collect(), "No directive of this file moves data between nodes.")
            }
        };
        Ok(Some(describe(&plans, otherwise)))
    }
}

/// The line from 0 of a directive, its name, and what is said of it.
type Paragraph = (u32, String, Vec<String>);

/// What is said of a transfer plan.
fn of_transfers(line: u32, plan: &TransferPlan) -> Paragraph {
    let said = plan.transfers.iter().map(|it| {
        let said = format!("{}: {}, {}; {}", it.name, it.direction(), it.size.text(), it.why);
        // What is written in several lines is said in one.
        said.split_whitespace().filter(|it| *it != "\\").collect::<Vec<_>>().join(" ")
    });
    (line, plan.directive.clone(), said.collect())
}

/// Plans as text, a paragraph each; a comment if there is none.
fn describe(plans: &[Paragraph], otherwise: &str) -> GeneratedCode {
    if plans.is_empty() {
        return GeneratedCode { text: format!("// {otherwise}\n"), lines: vec![(0, -1)], is_code: false };
    }
    let mut code = GeneratedCode { is_code: true, ..GeneratedCode::default() };
    let mut at = 0;
    for (line, directive, said) in plans {
        code.lines.push((at, i64::from(*line)));
        code.text.push_str(&format!("line {}: {directive}\n", line + 1));
        said.iter().for_each(|it| code.text.push_str(&format!("    {it}\n")));
        at += u32::try_from(said.len()).unwrap_or(u32::MAX).saturating_add(1);
    }
    code
}
