//! Conversion of the analysis's types to the protocol's.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use apg_analysis::SourceFile;
use apg_analysis::diagnostics as analysis;
use apg_project::sources;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionKind, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity,
    DocumentChangeOperation, DocumentChanges, Location, NumberOrString, OneOf,
    OptionalVersionedTextDocumentIdentifier, RenameFile, ResourceOp, TextDocumentEdit, TextEdit, Uri,
    WorkspaceEdit,
};

use crate::document::Document;
use crate::lsp::position::LineText;
use crate::lsp::uri;
use crate::quarantine::QuarantineReason;
use crate::snapshot::Snapshot;
use crate::workspace::{self, library};

/// Converts a diagnostic. Notes become further lines of the message.
pub(crate) fn diagnostic(
    snapshot: &Snapshot,
    document: &Document,
    found: &analysis::Diagnostic,
) -> Diagnostic {
    let mut message = found.message.clone();
    for note in &found.notes {
        message.push('\n');
        message.push_str(note);
    }
    let related: Vec<DiagnosticRelatedInformation> = found
        .related
        .iter()
        .filter_map(|related| {
            let (uri, text) = uri_and_text(snapshot, related.file)?;
            let range = text.range(related.range, snapshot.config.encoding);
            Some(DiagnosticRelatedInformation {
                location: Location { uri, range },
                message: related.message.clone(),
            })
        })
        .collect();
    Diagnostic {
        range: document.text.range(found.range, snapshot.config.encoding),
        severity: Some(match found.severity {
            analysis::Severity::Error => DiagnosticSeverity::ERROR,
            analysis::Severity::Warning => DiagnosticSeverity::WARNING,
            analysis::Severity::Info => DiagnosticSeverity::INFORMATION,
            analysis::Severity::Hint => DiagnosticSeverity::HINT,
        }),
        code: Some(NumberOrString::String(found.code.into())),
        source: Some("apg".into()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

/// The diagnostic of a document that is too large to be analysed.
pub(crate) fn too_large(document: &Document) -> Diagnostic {
    let megabytes = |bytes: usize| bytes.div_ceil(1 << 20);
    let message = format!(
        "this file has {} MB: files of more than {} MB are not analysed in the editor.\n`apg check` takes files of up to {} MB",
        megabytes(document.text.text().len()),
        megabytes(workspace::MAX_ANALYZED_BYTES),
        sources::MAX_SOURCE_BYTES >> 20
    );
    Diagnostic {
        severity: Some(DiagnosticSeverity::WARNING),
        source: Some("apg".into()),
        message,
        ..Diagnostic::default()
    }
}

/// The diagnostic of a text in quarantine.
pub(crate) fn quarantined(reason: QuarantineReason, analysis_timeout: Duration) -> Diagnostic {
    let problem = match reason {
        QuarantineReason::Crash => {
            "analysis of this text crashed the server, so that it is disabled.\nPlease report it, with this file"
                .to_owned()
        }
        QuarantineReason::Timeout => {
            format!("the analysis of this file took more than {analysis_timeout:?} and was given up")
        }
    };
    Diagnostic {
        severity: Some(DiagnosticSeverity::WARNING),
        source: Some("apg".into()),
        message: format!("{problem}.\nIt is tried again when the text changes"),
        ..Diagnostic::default()
    }
}

/// The diagnostic of a document of another machine or of a file system that only the client can read.
pub(crate) fn remote_document(uri: &Uri) -> Diagnostic {
    let (scheme, host) = (uri.scheme().as_str(), uri.authority().map(|authority| authority.as_str()));
    let location = match host {
        Some(host) if scheme == "file" => format!("of the machine `{host}`"),
        _ => format!("behind `{scheme}:`"),
    };
    Diagnostic {
        severity: Some(DiagnosticSeverity::INFORMATION),
        source: Some("apg".into()),
        message: format!(
            "only the syntax of this document is checked: apg cannot read the files beside it {location}.\n\
             Open a copy on this machine to have all of it checked"
        ),
        ..Diagnostic::default()
    }
}

/// The diagnostic of a file whose analysis panics.
pub(crate) fn analysis_failed() -> Diagnostic {
    Diagnostic {
        severity: Some(DiagnosticSeverity::ERROR),
        code: Some(NumberOrString::String("internal/panic".into())),
        source: Some("apg".into()),
        message: "the analysis of this file failed inside apg. Please report it, with this file.\n\
                  It is tried again when the text changes"
            .into(),
        ..Diagnostic::default()
    }
}

/// The fixes of a diagnostic as quick fixes, the first one preferred.
pub(crate) fn fixes(
    snapshot: &Snapshot,
    document: &Document,
    found: &analysis::Diagnostic,
) -> Vec<CodeAction> {
    let fixed = diagnostic(snapshot, document, found);
    let action = |(n, fix): (usize, &analysis::Fix)| {
        Some(CodeAction {
            title: fix.title.clone(),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![fixed.clone()]),
            edit: Some(workspace_edit(snapshot, document, &fix.edits)?),
            is_preferred: Some(n == 0),
            ..CodeAction::default()
        })
    };
    found.fixes.iter().enumerate().filter_map(action).collect()
}

/// `None` if an edit is in a file that cannot be changed.
pub(crate) fn workspace_edit(
    snapshot: &Snapshot,
    document: &Document,
    edits: &[analysis::TextEdit],
) -> Option<WorkspaceEdit> {
    let mut changes = WorkspaceEditBuilder::default();
    for edit in edits {
        let (uri, text) = match edit.file {
            Some(file) if snapshot.analysis.source(file).0.is_absolute() => uri_and_text(snapshot, file)?,
            Some(_) => return None,
            None => (document.uri.clone(), document.text.clone()),
        };
        changes.add(uri, text.edit(edit.range, &edit.text, snapshot.config.encoding));
    }
    Some(changes.finish(snapshot, Vec::new()))
}

/// Collects edits of documents for one edit of the workspace.
#[derive(Debug, Default)]
pub(crate) struct WorkspaceEditBuilder {
    by_document: BTreeMap<String, (Uri, Vec<TextEdit>)>,
}

impl WorkspaceEditBuilder {
    /// Whether there are no edits.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_document.is_empty()
    }

    /// Adds an edit of a document.
    pub(crate) fn add(&mut self, uri: Uri, edit: TextEdit) {
        self.by_document.entry(uri.to_string()).or_insert((uri, Vec::new())).1.push(edit);
    }

    /// The edit. It names the versions of open documents if the client supports that, so that it is applied
    /// to no other version. Files and folders are renamed last, because the edits name them as they are.
    pub(crate) fn finish(self, snapshot: &Snapshot, renamed: Vec<RenameFile>) -> WorkspaceEdit {
        if !snapshot.config.versioned_edits && renamed.is_empty() {
            let changes = self.by_document.into_values().collect::<HashMap<_, _>>();
            return WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
        }
        let of_document = |(uri, edits): (Uri, Vec<TextEdit>)| {
            let version = snapshot.version(&uri);
            DocumentChangeOperation::Edit(TextDocumentEdit {
                text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
                edits: edits.into_iter().map(OneOf::Left).collect(),
            })
        };
        let mut operations: Vec<_> = self.by_document.into_values().map(of_document).collect();
        operations.extend(
            renamed.into_iter().map(|renamed| DocumentChangeOperation::Op(ResourceOp::Rename(renamed))),
        );
        WorkspaceEdit {
            document_changes: Some(DocumentChanges::Operations(operations)),
            ..WorkspaceEdit::default()
        }
    }
}

/// The location of a range. A file of the class library is written to the disk for the client to read.
pub(crate) fn location(
    snapshot: &Snapshot,
    file: SourceFile,
    range: apg_source::TextRange,
) -> Option<Location> {
    let (uri, text) = uri_and_text(snapshot, file)?;
    Some(Location { uri, range: text.range(range, snapshot.config.encoding) })
}

/// An edit of a file.
pub(crate) fn text_edit(
    snapshot: &Snapshot,
    file: SourceFile,
    range: apg_source::TextRange,
    insert: &str,
) -> Option<(Uri, TextEdit)> {
    let (uri, text) = uri_and_text(snapshot, file)?;
    Some((uri, text.edit(range, insert, snapshot.config.encoding)))
}

/// The locations of ranges, in the order given. The lines of a file are computed once for consecutive ranges.
pub(crate) fn locations(
    snapshot: &Snapshot,
    found: impl IntoIterator<Item = (SourceFile, apg_source::TextRange)>,
) -> Vec<Location> {
    let mut last: Option<(SourceFile, Option<(Uri, LineText)>)> = None;
    let location = |(file, range)| {
        if last.as_ref().is_none_or(|(of, _)| *of != file) {
            last = Some((file, uri_and_text(snapshot, file)));
        }
        let (uri, text) = last.as_ref()?.1.as_ref()?;
        Some(Location { uri: uri.clone(), range: text.range(range, snapshot.config.encoding) })
    };
    found.into_iter().filter_map(location).collect()
}

/// The URI of a file.
pub(crate) fn uri(snapshot: &Snapshot, file: SourceFile) -> Option<Uri> {
    uri_and_text(snapshot, file).map(|(uri, _)| uri)
}

/// URI and text of a file. A file of the class library is written to the disk for the client to read.
fn uri_and_text(snapshot: &Snapshot, file: SourceFile) -> Option<(Uri, LineText)> {
    let (path, text) = snapshot.analysis.source(file);
    if let Some(document) = snapshot.documents.get(path) {
        return Some((document.uri.clone(), document.text.clone()));
    }
    let path = if path.is_absolute() { path.to_owned() } else { library::materialize(path, text)? };
    Some((uri::from_path(&path)?, LineText::new(text.clone())))
}
