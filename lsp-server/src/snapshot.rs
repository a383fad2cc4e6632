//! Snapshots of the global state, which answer requests on other threads.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::SourceFile;
use apg_analysis::{Analysis, Cancelled, check};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use tower_lsp_server::ls_types::Uri;

use crate::cancellation::RequestHandle;
use crate::config::Config;
use crate::document::{Document, document_path};
use crate::in_flight::QueryGuard;
use crate::kernels::usage::KernelUsages;
use crate::language::{self, Language};
use crate::lsp::position::LineText;
use crate::quarantine::{AnalysisMark, Quarantine, mark_analyzing};

/// Members that a thread types in a row before it looks for other work.
const MEMBERS_PER_CHUNK: usize = 16;

/// The global state at one moment. While it lives, edits of the database wait.
pub(crate) struct Snapshot {
    /// The database.
    pub analysis: Analysis,
    /// The database of C files.
    pub c: apg_c_analysis::Analysis,
    /// The open documents.
    pub documents: Arc<FxHashMap<PathBuf, Document>>,
    /// The configuration.
    pub config: Arc<Config>,
    /// The sources in quarantine.
    pub quarantine: Arc<Quarantine>,
    /// Resource usage of compiled kernels.
    pub kernels: Arc<KernelUsages>,
    /// The request that this answers.
    pub request: RequestHandle,
    /// Registration as a query in flight. Declared, and so dropped, after `analysis`.
    pub _query: QueryGuard,
}

impl Snapshot {
    /// Marks the text of a document or file as being analysed by this thread.
    pub(crate) fn mark_analyzing(&self, path: &Path) -> Option<AnalysisMark<'_>> {
        if let Some(document) = self.documents.get(path) {
            return Some(mark_analyzing(&document.path, document.text.text()));
        }
        let (path, text) = self.analysis.source(self.analysis.file(path)?);
        Some(mark_analyzing(path, text))
    }

    /// Whether a text is in quarantine.
    pub(crate) fn is_quarantined(&self, path: &Path, text: &str) -> bool {
        self.quarantine.reason(path, text).is_some()
    }

    /// A document and its file: the open document, or else one made of the file on the disk.
    pub(crate) fn document(&self, uri: &Uri) -> Option<(Cow<'_, Document>, SourceFile)> {
        let path = document_path(uri);
        let file = self.analysis.file(&path)?;
        if let Some(open) = self.documents.get(&path) {
            return Some((Cow::Borrowed(open), file));
        }
        let text = LineText::new(self.analysis.source(file).1.clone());
        Some((Cow::Owned(Document { uri: uri.clone(), path, version: 0, text, revision: 0 }), file))
    }

    /// An open document in another language than X10, with that language.
    pub(crate) fn in_other_language(&self, uri: &Uri) -> Option<(&Document, &'static dyn Language)> {
        let document = self.documents.get(&document_path(uri))?;
        Some((document, language::of(&document.path)?))
    }

    /// The version of a document that the client has open.
    pub(crate) fn version(&self, uri: &Uri) -> Option<i32> {
        self.documents.get(&document_path(uri)).map(|document| document.version)
    }

    /// The file of a URI, open or not, of the workspace or the class library.
    pub(crate) fn any_file(&self, uri: &Uri) -> Option<SourceFile> {
        self.analysis.file(&document_path(uri))
    }

    /// Types all members of a document on the threads of the pool that this runs in.
    ///
    /// # Errors
    /// An edit cancelled the snapshot.
    pub(crate) fn type_members(&self, document: &Document) -> Result<(), Cancelled> {
        let text = document.text.text();
        if self.is_quarantined(&document.path, text) {
            return Ok(());
        }
        let Some(file) = self.analysis.file(&document.path) else { return Ok(()) };
        let _mark = mark_analyzing(&document.path, text);
        // A panic becomes a diagnostic when the diagnostics of the file are computed.
        let code = catch_unwind(AssertUnwindSafe(|| self.analysis.with(|db| check::code_of(db, file))));
        let Ok(code) = code else { return Ok(()) };
        let code = code?;
        code.par_chunks(MEMBERS_PER_CHUNK)
            .map_with(self.analysis.clone(), |analysis, code| {
                let _mark = mark_analyzing(&document.path, text);
                analysis.with(|db| check::prepare(db, code))
            })
            .collect()
    }
}
