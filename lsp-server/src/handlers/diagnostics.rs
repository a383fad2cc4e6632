//! Diagnostics of a document and, for clients that pull them, of the workspace.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use apg_analysis::Cancelled;
use apg_analysis::SourceFile;
use apg_analysis::diagnostics as analysis;
use tower_lsp_server::ls_types::{
    Diagnostic, DocumentDiagnosticReport, FullDocumentDiagnosticReport, PreviousResultId,
    RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport,
    UnchangedDocumentDiagnosticReport, Uri, WorkspaceDiagnosticReport, WorkspaceDocumentDiagnosticReport,
    WorkspaceFullDocumentDiagnosticReport, WorkspaceUnchangedDocumentDiagnosticReport,
};

use crate::document::Document;
use crate::language;
use crate::lsp::position::LineText;
use crate::lsp::{to_proto, uri};
use crate::quarantine::mark_analyzing;
use crate::snapshot::Snapshot;

/// Diagnostics of a file of the workspace, with its version if it is open.
pub(crate) struct FileDiagnostics {
    uri: Uri,
    version: Option<i64>,
    items: Vec<Diagnostic>,
}

/// The report of a document: unchanged if the client has it already.
pub(crate) fn report(items: Vec<Diagnostic>, previous: Option<&str>) -> DocumentDiagnosticReport {
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

/// The report of the workspace.
pub(crate) fn workspace_report(
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
    /// All diagnostics of a document. Those of the class library are of no use to its readers.
    pub(crate) fn diagnostics(&self, document: &Document) -> Result<Vec<Diagnostic>, Cancelled> {
        if document.is_too_large() {
            return Ok(vec![to_proto::too_large(document)]);
        }
        if let Some(reason) = self.quarantine.reason(&document.path, document.text.text()) {
            return Ok(vec![to_proto::quarantined(reason, self.config.analysis_timeout)]);
        }
        if let Some(language) = language::of(&document.path) {
            return language.diagnostics(self, document);
        }
        let file = self.analysis.file(&document.path).filter(|_| document.path.is_absolute());
        let Some(file) = file else { return Ok(Vec::new()) };
        let _mark = mark_analyzing(&document.path, document.text.text());
        let found = self.file_diagnostics(document, file)?;
        let found = found.iter().map(|diagnostic| to_proto::diagnostic(self, document, diagnostic));
        let remote = uri::is_remote(&document.uri).then(|| to_proto::remote_document(&document.uri));
        Ok(remote.into_iter().chain(found).collect())
    }

    /// The analysis's diagnostics of a document. Those of a remote document are syntax errors only: names may
    /// be declared in files beside it, which cannot be read.
    pub(super) fn file_diagnostics(
        &self,
        document: &Document,
        file: SourceFile,
    ) -> Result<Vec<analysis::Diagnostic>, Cancelled> {
        let mut found = self.analysis.with(|db| apg_analysis::file_diagnostics(db, file).to_vec())?;
        if uri::is_remote(&document.uri) {
            found.retain(|diagnostic| diagnostic.code.starts_with("syntax/"));
        }
        Ok(found)
    }

    /// The diagnostics of all files of the workspace, open or not.
    pub(crate) fn workspace_diagnostics(&self) -> Result<Vec<FileDiagnostics>, Cancelled> {
        let mut all = Vec::new();
        let files = self.analysis.user_files();
        for (index, file) in files.iter().copied().enumerate() {
            self.request.set_progress(index, files.len());
            let (path, text) = self.analysis.source(file);
            let open = self.documents.get(path).cloned();
            let version = open.as_ref().map(|document| i64::from(document.version));
            let closed = || {
                let uri = uri::from_path(path)?;
                let text = LineText::new(text.clone());
                Some(Document { uri, path: path.to_owned(), version: 0, text, revision: 0 })
            };
            let Some(document) = open.or_else(closed) else { continue };
            let items = self.diagnostics(&document)?;
            all.push(FileDiagnostics { uri: document.uri, version, items });
        }
        Ok(all)
    }
}
