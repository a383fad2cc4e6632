//! Global state: the database, the open documents and the configuration. The main loop changes it; requests
//! are answered from [`Snapshot`]s.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use apg_analysis::AnalysisHost;
use apg_project::sources::{self, Neighbours};
use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp_server::ls_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, Uri,
};

use crate::c_files::CFiles;
use crate::cancellation::RequestHandle;
use crate::config::Config;
use crate::document::{Document, document_path};
use crate::in_flight::InFlight;
use crate::kernels::usage::KernelUsages;
use crate::language;
use crate::lsp::position::LineText;
use crate::lsp::uri;
use crate::quarantine::{Quarantine, mark_analyzing};
use crate::query_canceller::{QueryCanceller, TimedOut};
use crate::snapshot::Snapshot;
use crate::workspace;

/// The longest time that an edit waits for cancelled queries to end.
const MAX_CANCELLATION_TIME: Duration = Duration::from_secs(10);

/// A notification about documents or files.
#[derive(Debug)]
pub(crate) enum Edit {
    /// `textDocument/didOpen`
    Open(DidOpenTextDocumentParams),
    /// `textDocument/didChange`
    Change(DidChangeTextDocumentParams),
    /// `textDocument/didClose`
    Close(DidCloseTextDocumentParams),
    /// `textDocument/didSave`
    Save(DidSaveTextDocumentParams),
    /// `workspace/didChangeWatchedFiles`
    Watched(DidChangeWatchedFilesParams),
}

/// Effects of an edit beyond the text of one document.
#[derive(Debug, Default)]
pub(crate) struct EditOutcome {
    /// A closed document, whose diagnostics are to be withdrawn.
    pub closed: Option<Uri>,
    /// Declarations that other files see may have changed.
    pub declarations_changed: bool,
}

/// The database, the open documents and the configuration.
pub(crate) struct GlobalState {
    host: AnalysisHost,
    /// The database of C files.
    c_files: CFiles,
    /// The thread that cancels queries; `None` if it could not be started or is blocked by an abandoned
    /// database.
    canceller: Option<QueryCanceller>,
    /// An empty database that takes the place of `host` while its queries are cancelled.
    spare: Option<AnalysisHost>,
    in_flight: InFlight,
    /// The database was replaced since [`Self::take_replaced`] was last called.
    is_replaced: bool,
    documents: Arc<FxHashMap<PathBuf, Document>>,
    config: Arc<Config>,
    quarantine: Arc<Quarantine>,
    kernels: Arc<KernelUsages>,
    /// Files that could not be read, with the reason.
    unreadable: BTreeMap<PathBuf, String>,
    /// Documents whose neighbours (other files of their packages and imports) must be read before the next
    /// snapshot.
    unloaded_neighbours: FxHashSet<PathBuf>,
}

impl Default for GlobalState {
    fn default() -> Self {
        Self {
            host: library_host(),
            c_files: CFiles::default(),
            canceller: QueryCanceller::start().ok(),
            spare: None,
            in_flight: InFlight::default(),
            is_replaced: false,
            documents: Arc::default(),
            config: Arc::default(),
            quarantine: Arc::default(),
            kernels: Arc::default(),
            unreadable: BTreeMap::new(),
            unloaded_neighbours: FxHashSet::default(),
        }
    }
}

/// A database with the class library and no other files.
fn library_host() -> AnalysisHost {
    let library = apg_runtime::class_library::files();
    AnalysisHost::new(library.into_iter().map(|(path, text)| (path.to_owned(), Arc::from(text))))
}

impl GlobalState {
    /// A state with a quarantine.
    pub(crate) fn new(quarantine: Quarantine) -> Self {
        Self { quarantine: Arc::new(quarantine), ..Self::default() }
    }

    /// Cancels all queries, so that the database can be changed. A database whose queries do not end in time
    /// is abandoned and replaced.
    fn cancel_queries(&mut self) {
        if self.in_flight.is_empty() {
            return;
        }
        let canceller = match self.canceller.take().map_or_else(QueryCanceller::start, Ok) {
            Ok(canceller) => canceller,
            // Without the thread this one waits, however long it takes.
            Err(error) => {
                tracing::warn!("no thread to cancel queries: {error}");
                self.host.end_questions();
                return;
            }
        };
        let timeout = Some(self.config.analysis_timeout).filter(|timeout| !timeout.is_zero());
        let timeout = timeout.unwrap_or(MAX_CANCELLATION_TIME).min(MAX_CANCELLATION_TIME);
        let spare = self.spare.take().unwrap_or_else(|| AnalysisHost::new([]));
        let host = std::mem::replace(&mut self.host, spare);
        match canceller.cancel_queries(host, timeout) {
            Ok(host) => {
                self.spare = Some(std::mem::replace(&mut self.host, host));
                self.canceller = Some(canceller);
            }
            Err(TimedOut) => {
                tracing::error!("did not end within {timeout:?}: {}", self.in_flight.describe());
                self.replace_database();
            }
        }
    }

    /// Abandons the database to its queries and makes a new one of the open documents. The caller reads the
    /// other files of the workspace again.
    pub(crate) fn replace_database(&mut self) {
        self.host = library_host();
        self.c_files = CFiles::default();
        self.in_flight = InFlight::default();
        self.is_replaced = true;
        for document in self.open_documents() {
            self.update_file(document);
        }
        self.set_roots();
        self.set_source_path(self.config.source_path.clone());
    }

    /// Whether the database was replaced since the last call.
    pub(crate) fn take_replaced(&mut self) -> bool {
        std::mem::take(&mut self.is_replaced)
    }

    /// The queries in flight, for the log.
    pub(crate) fn describe_queries(&self) -> String {
        self.in_flight.describe()
    }

    /// Puts the text of a document into quarantine, because its analysis takes too long.
    pub(crate) fn quarantine(&mut self, path: &Path) {
        if let Some(document) = self.documents.get(path) {
            Arc::make_mut(&mut self.quarantine).add_timed_out(path, document.text.text());
        }
    }

    /// Drops everything that was computed.
    pub(crate) fn drop_results(&mut self) {
        self.cancel_queries();
        let host = std::mem::replace(&mut self.host, AnalysisHost::new([]));
        self.host = host.renewed();
    }

    /// Frees results that were replaced since the last edit, so that the next edit need not. Returns false,
    /// and does nothing, while a query is in flight.
    pub(crate) fn trim(&mut self) -> bool {
        let is_idle = self.in_flight.is_empty();
        if is_idle {
            self.host.drop_replaced();
        }
        is_idle
    }

    /// Takes the configuration of `initialize`.
    pub(crate) fn set_config(&mut self, config: Config) {
        let source_path = config.source_path.clone();
        self.config = Arc::new(config);
        self.set_source_path(source_path);
    }

    /// The configuration.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// Applies the edit with this number.
    pub(crate) fn apply(&mut self, number: u64, edit: Edit) -> EditOutcome {
        self.try_apply(number, edit).unwrap_or_default()
    }

    /// `None` if the edit is of a document that is not open.
    fn try_apply(&mut self, number: u64, edit: Edit) -> Option<EditOutcome> {
        let mut outcome = EditOutcome::default();
        self.cancel_queries();
        match edit {
            Edit::Open(params) => {
                let opened = params.text_document;
                let path = document_path(&opened.uri);
                let text = LineText::new(opened.text.into());
                let document =
                    Document { uri: opened.uri, path, version: opened.version, text, revision: number };
                if language::of(&document.path).is_none() {
                    self.unloaded_neighbours.insert(document.path.clone());
                }
                self.update_file(document);
                outcome.declarations_changed = true;
            }
            Edit::Change(params) => {
                let mut document = self.documents.get(&document_path(&params.text_document.uri))?.clone();
                let before = document.text.text().clone();
                document.change(params.text_document.version, params.content_changes, self.config.encoding);
                // Requests about an unchanged text stay valid.
                if before != *document.text.text() {
                    document.revision = number;
                }
                let (path, text) = (document.path.clone(), document.text.text().clone());
                outcome.declarations_changed = self.update_file(document);
                // An unsaved document, too, uses the packages that it imports.
                if outcome.declarations_changed
                    && sources::names_new_package(&path, &text, &before, &self.config.source_path)
                {
                    self.unloaded_neighbours.insert(path);
                }
            }
            Edit::Save(params) => {
                let path = document_path(&params.text_document.uri);
                self.c_files.reload_headers();
                // New imports may name packages that were not read yet.
                if language::of(&path).is_none() {
                    self.unloaded_neighbours.insert(path);
                }
                outcome.declarations_changed = true;
            }
            Edit::Close(params) => {
                let path = document_path(&params.text_document.uri);
                Arc::make_mut(&mut self.documents).remove(&path);
                if language::of(&path).is_some() {
                    self.c_files.remove(&path);
                } else if path.is_absolute() {
                    let text = workspace::read_source(&path).ok();
                    let text = text.filter(|text| !self.quarantine.has_crashed(&path, text));
                    self.host.set_file(&path, text);
                    self.set_roots();
                }
                outcome = EditOutcome { closed: Some(params.text_document.uri), declarations_changed: true };
            }
            Edit::Watched(params) => {
                self.c_files.reload_headers();
                for path in params.changes.iter().filter_map(|change| uri::to_path(&change.uri)) {
                    outcome.declarations_changed |= self.reload_path(&path);
                }
            }
        }
        Some(outcome)
    }

    /// Reads a file or folder again that changed on the disk; whether the database changes. Open documents
    /// keep the client's text.
    pub(crate) fn reload_path(&mut self, path: &Path) -> bool {
        let snapshot = self.host.snapshot();
        let below: Vec<PathBuf> = match path.exists() {
            true => Vec::new(),
            // A removed folder takes its files along.
            false => {
                let paths = snapshot.user_files().into_iter().map(|file| snapshot.source(file).0.to_owned());
                paths.filter(|known| known.starts_with(path)).collect()
            }
        };
        drop(snapshot);
        let mut changed = false;
        if !below.is_empty() {
            self.cancel_queries();
        }
        for removed in below.into_iter().filter(|path| !self.documents.contains_key(path)) {
            self.host.set_file(&removed, None);
            changed = true;
        }
        if workspace::is_source(path) && !self.documents.contains_key(path) {
            changed |= self.reload_file(path);
        }
        changed
    }

    /// Reads a file again; whether its text, or the reason why it has none, changes.
    fn reload_file(&mut self, path: &Path) -> bool {
        let (text, reason) = match workspace::read_source(path) {
            Ok(text) => (Some(text).filter(|text| !self.quarantine.has_crashed(path, text)), None),
            Err(error) if path.exists() && !path.is_dir() => (None, Some(error.to_string())),
            // The file was removed.
            Err(_) => (None, None),
        };
        let snapshot = self.host.snapshot();
        let known = snapshot.file(path).map(|file| snapshot.source(file).1.clone());
        drop(snapshot);
        if known == text && self.unreadable.get(path) == reason.as_ref() {
            return false;
        }
        self.cancel_queries();
        self.host.set_file(path, text);
        match reason {
            Some(reason) => drop(self.unreadable.insert(path.to_owned(), reason)),
            None => drop(self.unreadable.remove(path)),
        }
        self.host.set_unread(self.unreadable.clone());
        true
    }

    /// Adds files of the workspace, except for those that the database has.
    pub(crate) fn add_files(&mut self, files: Vec<(PathBuf, Arc<str>)>) {
        let snapshot = self.host.snapshot();
        let is_new = |path: &Path, text: &str| {
            snapshot.file(path).is_none() && !self.quarantine.has_crashed(path, text)
        };
        let new_files = files.into_iter().filter(|(path, text)| is_new(path, text)).collect::<Vec<_>>();
        drop(snapshot);
        self.cancel_queries();
        self.host.set_files(new_files);
    }

    /// Changes the folders of the workspace. Files of removed folders leave the database unless they are
    /// open.
    pub(crate) fn change_folders(&mut self, added: &[PathBuf], removed: &[PathBuf]) {
        self.cancel_queries();
        let config = Arc::make_mut(&mut self.config);
        config.folders.retain(|folder| !removed.contains(folder));
        config.folders.extend(added.iter().cloned());
        let snapshot = self.host.snapshot();
        let remains = |path: &Path| {
            self.documents.contains_key(path)
                || self.config.folders.iter().any(|folder| path.starts_with(folder))
                || !removed.iter().any(|folder| path.starts_with(folder))
        };
        let files = snapshot.user_files().into_iter().map(|file| snapshot.source(file));
        let files: Vec<(PathBuf, Arc<str>)> = files
            .filter(|(path, _)| remains(path))
            .map(|(path, text)| (path.to_owned(), text.clone()))
            .collect();
        drop(snapshot);
        self.host.replace_files(files);
        self.set_roots();
        self.unloaded_neighbours.extend(self.x10_documents());
    }

    /// Sets the folders with further packages. Relative ones are in a folder of the workspace.
    pub(crate) fn set_source_path(&mut self, folders: Vec<PathBuf>) {
        self.cancel_queries();
        let config = Arc::make_mut(&mut self.config);
        let absolute = |folder: PathBuf| {
            let mut below = config.folders.iter().map(|around| around.join(&folder));
            let existing = below.clone().find(|folder| folder.is_dir()).or_else(|| below.next());
            sources::absolute(&existing.unwrap_or(folder)).ok()
        };
        let folders: Vec<PathBuf> = folders.into_iter().filter_map(absolute).collect();
        config.source_path = folders.clone();
        self.host.set_source_path(folders);
        self.unloaded_neighbours.extend(self.x10_documents());
    }

    /// Makes the document's text that of its file in the database; whether declarations that other files see
    /// may have changed.
    fn update_file(&mut self, document: Document) -> bool {
        let (path, text, is_too_large) =
            (document.path.clone(), document.text.text().clone(), document.is_too_large());
        // The client's text counts as the document's even if the database refuses it.
        let is_new = Arc::make_mut(&mut self.documents).insert(path.clone(), document).is_none();
        if language::of(&path).is_some() {
            let is_refused = is_too_large || self.quarantine.has_crashed(&path, &text);
            self.c_files.set(&path, if is_refused { Arc::from("") } else { text });
            return apg_project::c::is_header(&path);
        }
        // The class library is read-only.
        if !path.is_absolute() {
            return false;
        }
        if is_too_large || self.quarantine.has_crashed(&path, &text) {
            self.host.set_file(&path, None);
            return true;
        }
        let parsed = text.clone();
        let _mark = mark_analyzing(&path, &parsed);
        let edited = catch_unwind(AssertUnwindSafe(|| self.host.edit_file(&path, text.clone())));
        // After a panic of the incremental update the file is replaced as a whole.
        let declarations_changed = edited.unwrap_or_else(|_| {
            self.host.replace_file(&path, text);
            true
        });
        if is_new {
            self.set_roots();
        }
        declarations_changed
    }

    /// The paths of the open documents in X10.
    fn x10_documents(&self) -> Vec<PathBuf> {
        self.documents.keys().filter(|it| language::of(it).is_none()).cloned().collect()
    }

    fn set_roots(&mut self) {
        let mut paths: Vec<PathBuf> = self.x10_documents();
        paths.retain(|it| it.is_absolute());
        paths.sort();
        self.host.set_roots(&paths);
    }

    /// Reads the files that documents may use from the disk, except for open ones.
    fn load_neighbours(&mut self) {
        if self.unloaded_neighbours.is_empty() {
            return;
        }
        let unloaded = std::mem::take(&mut self.unloaded_neighbours);
        let source = |path| {
            let document: &Document = self.documents.get(path)?;
            // The neighbours of a library file are in the database.
            (document.path.is_absolute() && !document.is_too_large())
                .then(|| (document.path.clone(), document.text.text().clone()))
        };
        let loaded = unloaded.iter().filter_map(source);
        let Neighbours { files, unread } =
            sources::neighbours(loaded, &self.config.source_path, workspace::MAX_ANALYZED_BYTES as u64);
        let unopened: Vec<_> = files
            .into_iter()
            .filter(|(path, text)| {
                !self.documents.contains_key(path) && !self.quarantine.has_crashed(path, text)
            })
            .collect();
        self.cancel_queries();
        self.unreadable.retain(|path, _| !unopened.iter().any(|(read, _)| read == path));
        self.unreadable.extend(unread);
        self.host.set_unread(self.unreadable.clone());
        self.host.set_files(unopened);
    }

    /// Takes the resource usage of kernels; whether it is new.
    pub(crate) fn set_kernels(&mut self, kernels: KernelUsages) -> bool {
        let is_new = *self.kernels != kernels;
        self.kernels = Arc::new(kernels);
        is_new
    }

    /// Whether a document is open.
    pub(crate) fn has_documents(&self) -> bool {
        !self.documents.is_empty()
    }

    /// Whether the database has a file.
    pub(crate) fn has_file(&self, path: &Path) -> bool {
        self.host.snapshot().file(path).is_some()
    }

    /// The number of the edit that made the text of an open document.
    pub(crate) fn revision(&self, path: &Path) -> Option<u64> {
        self.documents.get(path).map(|document| document.revision)
    }

    /// All open documents, the last edited first.
    pub(crate) fn open_documents(&self) -> Vec<Document> {
        let mut all: Vec<Document> = self.documents.values().cloned().collect();
        all.sort_by_key(|document| std::cmp::Reverse(document.revision));
        all
    }

    /// A snapshot for a query with this description.
    pub(crate) fn snapshot(&mut self, description: impl Into<String>) -> Snapshot {
        self.load_neighbours();
        Snapshot {
            analysis: self.host.snapshot(),
            c: self.c_files.snapshot(),
            _query: self.in_flight.begin(description.into()),
            documents: self.documents.clone(),
            config: self.config.clone(),
            quarantine: self.quarantine.clone(),
            kernels: self.kernels.clone(),
            request: RequestHandle::default(),
        }
    }
}
