//! From analysis's types to the protocol's.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use apg_analysis::diagnostics as analysis;
use apg_analysis::ids::SourceFile;
use apg_project::sources;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionKind, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity,
    DocumentChangeOperation, DocumentChanges, Location, NumberOrString, OneOf,
    OptionalVersionedTextDocumentIdentifier, RenameFile, ResourceOp, TextDocumentEdit, TextEdit, Uri,
    WorkspaceEdit,
};

use crate::aside::Why;
use crate::document::{self, Document};
use crate::library;
use crate::position::LineText;
use crate::uri;
use crate::world::Snapshot;

/// A diagnostic; notes become further lines of the message.
pub fn diagnostic(snapshot: &Snapshot, document: &Document, found: &analysis::Diagnostic) -> Diagnostic {
    let mut message = found.message.clone();
    for note in &found.notes {
        message.push('\n');
        message.push_str(note);
    }
    let related: Vec<DiagnosticRelatedInformation> = found
        .related
        .iter()
        .filter_map(|related| {
            let (uri, text) = place(snapshot, related.file)?;
            let range = text.range(related.range, snapshot.settings.encoding);
            Some(DiagnosticRelatedInformation {
                location: Location { uri, range },
                message: related.message.clone(),
            })
        })
        .collect();
    Diagnostic {
        range: document.text.range(found.range, snapshot.settings.encoding),
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

/// What is said of a document that is not analysed.
pub fn too_large(document: &Document) -> Diagnostic {
    let megabytes = |bytes: usize| bytes.div_ceil(1 << 20);
    let message = format!(
        "this file has {} MB: files of more than {} MB are not analysed in the editor.\n`apg check` takes files of up to {} MB",
        megabytes(document.text.text().len()),
        megabytes(document::LARGEST),
        sources::MAX_SOURCE_BYTES >> 20
    );
    Diagnostic {
        severity: Some(DiagnosticSeverity::WARNING),
        source: Some("apg".into()),
        message,
        ..Diagnostic::default()
    }
}

/// What is said of a file that is set aside.
pub fn set_aside(why: Why, patience: Duration) -> Diagnostic {
    let what = match why {
        Why::Crash => "the server ended when it analysed this text, which is therefore set aside.\n\
                       Please report it, with this file"
            .to_owned(),
        Why::Time => format!("the analysis of this file took more than {patience:?} and was given up"),
    };
    Diagnostic {
        severity: Some(DiagnosticSeverity::WARNING),
        source: Some("apg".into()),
        message: format!("{what}.\nIt is tried again when the text changes"),
        ..Diagnostic::default()
    }
}

/// What is said of a document whose neighbours cannot be read.
pub fn elsewhere(uri: &Uri) -> Diagnostic {
    let (scheme, host) = (uri.scheme().as_str(), uri.authority().map(|authority| authority.as_str()));
    let place = match host {
        Some(host) if scheme == "file" => format!("of the machine `{host}`"),
        _ => format!("behind `{scheme}:`"),
    };
    Diagnostic {
        severity: Some(DiagnosticSeverity::INFORMATION),
        source: Some("apg".into()),
        message: format!(
            "only the syntax of this document is checked: apg cannot read the files beside it {place}.\n\
             Open a copy on this machine to have all of it checked"
        ),
        ..Diagnostic::default()
    }
}

/// What is said of a file whose analysis fails.
pub fn failed() -> Diagnostic {
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
pub fn fixes(snapshot: &Snapshot, document: &Document, found: &analysis::Diagnostic) -> Vec<CodeAction> {
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
pub fn workspace_edit(
    snapshot: &Snapshot,
    document: &Document,
    edits: &[analysis::TextEdit],
) -> Option<WorkspaceEdit> {
    let mut changes = Changes::default();
    for edit in edits {
        let (uri, text) = match edit.file {
            Some(file) if snapshot.analysis.source(file).0.is_absolute() => place(snapshot, file)?,
            Some(_) => return None,
            None => (document.uri.clone(), document.text.clone()),
        };
        changes.add(uri, text.edit(edit.range, &edit.text, snapshot.settings.encoding));
    }
    Some(changes.edit(snapshot, Vec::new()))
}

/// Edits of documents, to be made one edit of the workspace.
#[derive(Debug, Default)]
pub struct Changes {
    of: BTreeMap<String, (Uri, Vec<TextEdit>)>,
}

impl Changes {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// Adds an edit of a document.
    pub fn add(&mut self, uri: Uri, edit: TextEdit) {
        self.of.entry(uri.to_string()).or_insert((uri, Vec::new())).1.push(edit);
    }

    /// The edit. Of open documents it names the version that it is of, if the client takes that: it applies it to no other.
    /// Files and folders are renamed last: the edits before name them as they are.
    pub fn edit(self, snapshot: &Snapshot, renamed: Vec<RenameFile>) -> WorkspaceEdit {
        if !snapshot.settings.versioned_edits && renamed.is_empty() {
            let changes = self.of.into_values().collect::<HashMap<_, _>>();
            return WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
        }
        let of_document = |(uri, edits): (Uri, Vec<TextEdit>)| {
            let version = snapshot.version(&uri);
            DocumentChangeOperation::Edit(TextDocumentEdit {
                text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
                edits: edits.into_iter().map(OneOf::Left).collect(),
            })
        };
        let mut operations: Vec<_> = self.of.into_values().map(of_document).collect();
        operations.extend(
            renamed.into_iter().map(|renamed| DocumentChangeOperation::Op(ResourceOp::Rename(renamed))),
        );
        WorkspaceEdit {
            document_changes: Some(DocumentChanges::Operations(operations)),
            ..WorkspaceEdit::default()
        }
    }
}

/// A piece of a file on the disk.
pub fn location(snapshot: &Snapshot, file: SourceFile, range: apg_syntax::TextRange) -> Option<Location> {
    let (uri, text) = place(snapshot, file)?;
    Some(Location { uri, range: text.range(range, snapshot.settings.encoding) })
}

/// An edit of a file on the disk.
pub fn edit(
    snapshot: &Snapshot,
    file: SourceFile,
    range: apg_syntax::TextRange,
    insert: &str,
) -> Option<(Uri, TextEdit)> {
    let (uri, text) = place(snapshot, file)?;
    Some((uri, text.edit(range, insert, snapshot.settings.encoding)))
}

/// Pieces of files on the disk, in the order given. Those of a file that follow each other are looked up at once.
pub fn locations(
    snapshot: &Snapshot,
    found: impl IntoIterator<Item = (SourceFile, apg_syntax::TextRange)>,
) -> Vec<Location> {
    let mut of: Option<(SourceFile, Option<(Uri, LineText)>)> = None;
    let location = |(file, range)| {
        if of.as_ref().is_none_or(|(last, _)| *last != file) {
            of = Some((file, place(snapshot, file)));
        }
        let (uri, text) = of.as_ref()?.1.as_ref()?;
        Some(Location { uri: uri.clone(), range: text.range(range, snapshot.settings.encoding) })
    };
    found.into_iter().filter_map(location).collect()
}

/// The URI of a file.
pub fn uri(snapshot: &Snapshot, file: SourceFile) -> Option<Uri> {
    place(snapshot, file).map(|(uri, _)| uri)
}

/// URI and text of a file. One of the class library is put on the disk for the client to read.
fn place(snapshot: &Snapshot, file: SourceFile) -> Option<(Uri, LineText)> {
    let (path, text) = snapshot.analysis.source(file);
    if let Some(document) = snapshot.documents.get(path) {
        return Some((document.uri.clone(), document.text.clone()));
    }
    let shown = if path.is_absolute() { path.to_owned() } else { library::shown(path, text)? };
    Some((uri::from_path(&shown)?, LineText::new(text.clone())))
}
