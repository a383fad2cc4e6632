//! Diagnostics for clients that ask for them, of a document and of the workspace.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use apg_analysis::Cancelled;
use tower_lsp_server::ls_types::{
    Diagnostic, DocumentDiagnosticReport, FullDocumentDiagnosticReport, PreviousResultId,
    RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport,
    UnchangedDocumentDiagnosticReport, Uri, WorkspaceDiagnosticReport, WorkspaceDocumentDiagnosticReport,
    WorkspaceFullDocumentDiagnosticReport, WorkspaceUnchangedDocumentDiagnosticReport,
};

use crate::document::Document;
use crate::position::LineText;
use crate::uri;
use crate::world::Snapshot;

/// What was found in a file of the workspace, and the version of its text if it is open.
pub struct FileDiagnostics {
    uri: Uri,
    version: Option<i64>,
    items: Vec<Diagnostic>,
}

/// The answer about a document: nothing if it is what the client has.
pub fn report(items: Vec<Diagnostic>, previous: Option<&str>) -> DocumentDiagnosticReport {
    let result_id = result_id(&items);
    if previous == Some(&result_id) {
        return DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
            related_documents: None,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
        });
    }
    DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
        related_documents: None,
        full_document_diagnostic_report: FullDocumentDiagnosticReport { result_id: Some(result_id), items },
    })
}

/// The answer about the workspace.
pub fn workspace_report(
    found: Vec<FileDiagnostics>,
    previous: &[PreviousResultId],
) -> WorkspaceDiagnosticReport {
    let report = |FileDiagnostics { uri, version, items }: FileDiagnostics| {
        let result_id = result_id(&items);
        if previous.iter().any(|known| known.uri == uri && known.value == result_id) {
            return WorkspaceDocumentDiagnosticReport::Unchanged(
                WorkspaceUnchangedDocumentDiagnosticReport {
                    uri,
                    version,
                    unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
                },
            );
        }
        let full = FullDocumentDiagnosticReport { result_id: Some(result_id), items };
        WorkspaceDocumentDiagnosticReport::Full(WorkspaceFullDocumentDiagnosticReport {
            uri,
            version,
            full_document_diagnostic_report: full,
        })
    };
    WorkspaceDiagnosticReport { items: found.into_iter().map(report).collect() }
}

fn result_id(items: &[Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(items).unwrap_or_default().hash(&mut hasher);
    format!("{:x}", hasher.finish())
}

impl Snapshot {
    /// The diagnostics of all files of the workspace, open or not.
    pub fn workspace_diagnostics(&self) -> Result<Vec<FileDiagnostics>, Cancelled> {
        let mut all = Vec::new();
        let files = self.analysis.user_files();
        for (nth, file) in files.iter().copied().enumerate() {
            self.task.done(nth, files.len());
            let (path, text) = self.analysis.source(file);
            let open = self.documents.get(path).cloned();
            let version = open.as_ref().map(|document| i64::from(document.version));
            let closed = || {
                let uri = uri::from_path(path)?;
                let text = LineText::new(text.clone());
                Some(Document { uri, path: path.to_owned(), version: 0, text, stamp: 0 })
            };
            let Some(document) = open.or_else(closed) else { continue };
            let items = self.diagnostics(&document)?;
            all.push(FileDiagnostics { uri: document.uri, version, items });
        }
        Ok(all)
    }
}
