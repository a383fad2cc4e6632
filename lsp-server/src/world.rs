//! The database and the open documents: what the main loop changes, and snapshots of it that answer requests.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use apg_analysis::diagnostics as analysis;
use apg_analysis::ids::SourceFile;
use apg_analysis::{Analysis, AnalysisHost, Cancelled, check};
use apg_project::sources::{self, Neighbours};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp_server::ls_types::{Diagnostic, Uri};

use crate::aside::{self, Aside};
use crate::asked::{Asked, Question};
use crate::convert;
use crate::document::{self, Document};
use crate::ender::{Ender, TimedOut};
use crate::kernels::Known;
use crate::library;
use crate::main_loop::{Edit, Settings};
use crate::position::LineText;
use crate::task::Task;
use crate::uri;
use crate::workspace;

/// An edit waits no longer for questions to end that it has ended.
const PATIENCE: Duration = Duration::from_secs(10);

/// The database, the open documents, and what was settled at the start.
pub struct World {
    host: AnalysisHost,
    /// What ends questions; none if that could not be started, or waits for a database that was given up.
    ender: Option<Ender>,
    /// Stands for the database while that waits for its questions to end.
    spare: Option<AnalysisHost>,
    /// What is being asked.
    asked: Asked,
    /// The database was given up for a new one since somebody last asked.
    is_new: bool,
    documents: Arc<FxHashMap<PathBuf, Document>>,
    settings: Arc<Settings>,
    aside: Arc<Aside>,
    kernels: Arc<Known>,
    /// Files that could not be read, and why.
    unread: BTreeMap<PathBuf, String>,
    /// Documents whose neighbours are to be read from the disk before anything is asked: those of many at once.
    lonely: FxHashSet<PathBuf>,
}

/// What an edit did beside changing a text.
#[derive(Debug, Default)]
pub struct Outcome {
    /// A document that was closed: its diagnostics are to be taken back.
    pub closed: Option<Uri>,
    /// What other files see of this one may be different.
    pub declarations: bool,
}

/// What a document is known by: its path, in the class library the package path, and for one that is in no file of this machine a path
/// that no file has.
pub fn key(uri: &Uri) -> PathBuf {
    uri::to_path(uri).map_or_else(|| uri::virtual_path(uri), |path| library::inside(&path))
}

impl Default for World {
    fn default() -> Self {
        Self {
            host: empty_host(),
            ender: Ender::start().ok(),
            spare: None,
            asked: Asked::default(),
            is_new: false,
            documents: Arc::default(),
            settings: Arc::default(),
            aside: Arc::default(),
            kernels: Arc::default(),
            unread: BTreeMap::new(),
            lonely: FxHashSet::default(),
        }
    }
}

/// A database that knows the class library and no files.
fn empty_host() -> AnalysisHost {
    let library = apg_runtime::class_library::files();
    AnalysisHost::new(library.into_iter().map(|(path, text)| (path.to_owned(), Arc::from(text))))
}

impl World {
    /// Ends what is being asked, so that the database can be changed. What does not end in time is left behind with its database: a
    /// new one takes the place of that.
    fn end_questions(&mut self) {
        if self.asked.is_empty() {
            return;
        }
        let ender = match self.ender.take().map_or_else(Ender::start, Ok) {
            Ok(ender) => ender,
            // Without a thread that could be left behind it is waited for here.
            Err(error) => {
                eprintln!("apg-lsp: no thread to end questions: {error}");
                self.host.end_questions();
                return;
            }
        };
        let patience =
            Some(self.settings.patience).filter(|given| !given.is_zero()).unwrap_or(PATIENCE).min(PATIENCE);
        let spare = self.spare.take().unwrap_or_else(|| AnalysisHost::new([]));
        let host = std::mem::replace(&mut self.host, spare);
        match ender.end_questions(host, patience) {
            Ok(host) => {
                self.spare = Some(std::mem::replace(&mut self.host, host));
                self.ender = Some(ender);
            }
            Err(TimedOut) => {
                eprintln!("apg-lsp: did not end within {patience:?}: {}", self.asked.list());
                self.start_over();
            }
        }
    }

    /// Leaves the database to those who still ask it, and makes a new one of the open documents. The other files of the workspace
    /// are to be read again.
    pub fn start_over(&mut self) {
        self.host = empty_host();
        self.asked = Asked::default();
        self.is_new = true;
        for document in self.open_documents() {
            self.show(document);
        }
        self.set_roots();
        self.set_source_path(self.settings.source_path.clone());
    }

    /// Whether the database is a new one since this was last asked.
    pub fn take_new(&mut self) -> bool {
        std::mem::take(&mut self.is_new)
    }

    /// What is being asked, for the log.
    pub fn asked(&self) -> String {
        self.asked.list()
    }

    /// A world in which some texts are set aside from the start.
    pub fn without(aside: Aside) -> Self {
        Self { aside: Arc::new(aside), ..Self::default() }
    }

    /// The analysis of a document takes too long.
    pub fn set_aside(&mut self, path: &Path) {
        if let Some(document) = self.documents.get(path) {
            Arc::make_mut(&mut self.aside).is_slow(path, document.text.text());
        }
    }

    /// Forgets everything that was computed.
    pub fn renew(&mut self) {
        self.end_questions();
        let host = std::mem::replace(&mut self.host, AnalysisHost::new([]));
        self.host = host.renewed();
    }

    /// Gives back what the answers took the place of that were found since the last edit, unless somebody asks: the next edit need
    /// not do it then. Whether that was done.
    pub fn tidy(&mut self) -> bool {
        let is_idle = self.asked.is_empty();
        if is_idle {
            self.host.drop_replaced();
        }
        is_idle
    }

    /// Takes what `initialize` settles.
    pub fn settle(&mut self, settings: Settings) {
        let source_path = settings.source_path.clone();
        self.settings = Arc::new(settings);
        self.set_source_path(source_path);
    }

    /// What was settled.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Applies the `nth` edit.
    pub fn edit(&mut self, nth: u64, edit: Edit) -> Outcome {
        self.try_edit(nth, edit).unwrap_or_default()
    }

    /// `None` if the edit is of nothing that is known.
    fn try_edit(&mut self, nth: u64, edit: Edit) -> Option<Outcome> {
        let mut outcome = Outcome::default();
        self.end_questions();
        match edit {
            Edit::Open(params) => {
                let opened = params.text_document;
                let path = key(&opened.uri);
                let text = LineText::new(opened.text.into());
                let document = Document { uri: opened.uri, path, version: opened.version, text, stamp: nth };
                self.lonely.insert(document.path.clone());
                self.show(document);
                outcome.declarations = true;
            }
            Edit::Change(params) => {
                // A change of a document that was never opened has no text to apply to.
                let mut document = self.documents.get(&key(&params.text_document.uri))?.clone();
                let before = document.text.text().clone();
                document.change(params.text_document.version, params.content_changes, self.settings.encoding);
                // What was asked of a text that did not change is still of it.
                if before != *document.text.text() {
                    document.stamp = nth;
                }
                let (path, text) = (document.path.clone(), document.text.text().clone());
                outcome.declarations = self.show(document);
                // One that nobody saves uses what it imports too.
                if outcome.declarations
                    && sources::names_more(&path, &text, &before, &self.settings.source_path)
                {
                    self.lonely.insert(path);
                }
            }
            Edit::Save(params) => {
                // Imports may have come that name packages not yet read.
                self.lonely.insert(key(&params.text_document.uri));
                outcome.declarations = true;
            }
            Edit::Close(params) => {
                let path = key(&params.text_document.uri);
                Arc::make_mut(&mut self.documents).remove(&path);
                if path.is_absolute() {
                    let text = workspace::source(&path).ok().filter(|text| !self.aside.is_crash(&path, text));
                    self.host.set_file(&path, text);
                    self.set_roots();
                }
                outcome = Outcome { closed: Some(params.text_document.uri), declarations: true };
            }
            Edit::Watched(params) => {
                for path in params.changes.iter().filter_map(|change| uri::to_path(&change.uri)) {
                    outcome.declarations |= self.changed_on_disk(&path);
                }
            }
        }
        Some(outcome)
    }

    /// Takes what the disk has at a path now; whether that is something else. What is open is the client's.
    pub fn changed_on_disk(&mut self, path: &Path) -> bool {
        let snapshot = self.host.snapshot();
        let below: Vec<PathBuf> = match path.exists() {
            true => Vec::new(),
            // A folder that is gone takes its files along.
            false => {
                let paths = snapshot.user_files().into_iter().map(|file| snapshot.source(file).0.to_owned());
                paths.filter(|known| known.starts_with(path)).collect()
            }
        };
        drop(snapshot);
        let mut changed = false;
        if !below.is_empty() {
            self.end_questions();
        }
        for gone in below.into_iter().filter(|gone| !self.documents.contains_key(gone)) {
            self.host.set_file(&gone, None);
            changed = true;
        }
        if workspace::is_source(path) && !self.documents.contains_key(path) {
            changed |= self.read_again(path);
        }
        changed
    }

    /// Takes the text that a file has now, or why it has none; whether that is something else.
    fn read_again(&mut self, path: &Path) -> bool {
        let (text, why) = match workspace::source(path) {
            Ok(text) => (Some(text).filter(|text| !self.aside.is_crash(path, text)), None),
            Err(error) if path.exists() && !path.is_dir() => (None, Some(error.to_string())),
            // It is gone.
            Err(_) => (None, None),
        };
        let snapshot = self.host.snapshot();
        let known = snapshot.file(path).map(|file| snapshot.source(file).1.clone());
        drop(snapshot);
        if known == text && self.unread.get(path) == why.as_ref() {
            return false;
        }
        self.end_questions();
        self.host.set_file(path, text);
        match why {
            Some(why) => drop(self.unread.insert(path.to_owned(), why)),
            None => drop(self.unread.remove(path)),
        }
        self.host.set_unread(self.unread.clone());
        true
    }

    /// Takes the files of the workspace, but for those that are open or known already.
    pub fn add_files(&mut self, files: Vec<(PathBuf, Arc<str>)>) {
        let snapshot = self.host.snapshot();
        let is_new =
            |path: &Path, text: &str| snapshot.file(path).is_none() && !self.aside.is_crash(path, text);
        let unknown = files.into_iter().filter(|(path, text)| is_new(path, text)).collect::<Vec<_>>();
        drop(snapshot);
        self.end_questions();
        self.host.set_files(unknown);
    }

    /// Changes the folders of the workspace. The files of those that are gone are forgotten, but for what is open.
    pub fn change_folders(&mut self, added: &[PathBuf], removed: &[PathBuf]) {
        self.end_questions();
        let settings = Arc::make_mut(&mut self.settings);
        settings.folders.retain(|folder| !removed.contains(folder));
        settings.folders.extend(added.iter().cloned());
        let snapshot = self.host.snapshot();
        let kept = |path: &Path| {
            self.documents.contains_key(path)
                || self.settings.folders.iter().any(|folder| path.starts_with(folder))
                || !removed.iter().any(|folder| path.starts_with(folder))
        };
        let files = snapshot.user_files().into_iter().map(|file| snapshot.source(file));
        let files: Vec<(PathBuf, Arc<str>)> = files
            .filter(|(path, _)| kept(path))
            .map(|(path, text)| (path.to_owned(), text.clone()))
            .collect();
        drop(snapshot);
        self.host.replace_files(files);
        self.set_roots();
        self.lonely.extend(self.documents.keys().cloned());
    }

    /// Folders to look packages up in, from now on. Those that are relative lie in a folder of the workspace.
    pub fn set_source_path(&mut self, folders: Vec<PathBuf>) {
        self.end_questions();
        let settings = Arc::make_mut(&mut self.settings);
        let absolute = |folder: PathBuf| {
            let mut below = settings.folders.iter().map(|around| around.join(&folder));
            let there = below.clone().find(|folder| folder.is_dir()).or_else(|| below.next());
            sources::absolute(&there.unwrap_or(folder)).ok()
        };
        let folders: Vec<PathBuf> = folders.into_iter().filter_map(absolute).collect();
        settings.source_path = folders.clone();
        self.host.set_source_path(folders);
        self.lonely.extend(self.documents.keys().cloned());
    }

    /// Makes a document's text the file's; whether other files may see the difference.
    fn show(&mut self, document: Document) -> bool {
        let (path, text, too_large) =
            (document.path.clone(), document.text.text().clone(), document.is_too_large());
        // The document's text is the client's whatever happens to the file.
        let is_new = Arc::make_mut(&mut self.documents).insert(path.clone(), document).is_none();
        // The class library is read-only: what the client shows of it is what it is.
        if !path.is_absolute() {
            return false;
        }
        if too_large || self.aside.is_crash(&path, &text) {
            self.host.set_file(&path, None);
            return true;
        }
        let parsed = text.clone();
        let _working = aside::mark(&path, &parsed);
        let edited = catch_unwind(AssertUnwindSafe(|| self.host.edit_file(&path, text.clone())));
        // An edit that could not be taken in pieces is taken as a new text.
        let declarations = edited.unwrap_or_else(|_| {
            self.host.replace_file(&path, text);
            true
        });
        if is_new {
            self.set_roots();
        }
        declarations
    }

    fn set_roots(&mut self) {
        let mut paths: Vec<PathBuf> = self.documents.keys().filter(|p| p.is_absolute()).cloned().collect();
        paths.sort();
        self.host.set_roots(&paths);
    }

    /// Reads the files that documents may use from the disk, but for those that are open.
    fn read_neighbours(&mut self) {
        if self.lonely.is_empty() {
            return;
        }
        let lonely = std::mem::take(&mut self.lonely);
        let known = |path| {
            let document: &Document = self.documents.get(path)?;
            // The class library knows its own.
            (document.path.is_absolute() && !document.is_too_large())
                .then(|| (document.path.clone(), document.text.text().clone()))
        };
        let texts = lonely.iter().filter_map(known);
        let Neighbours { files, unread } =
            sources::neighbours(texts, &self.settings.source_path, document::LARGEST as u64);
        let unopened: Vec<_> = files
            .into_iter()
            .filter(|(path, text)| !self.documents.contains_key(path) && !self.aside.is_crash(path, text))
            .collect();
        self.end_questions();
        self.unread.retain(|path, _| !unopened.iter().any(|(read, _)| read == path));
        self.unread.extend(unread);
        self.host.set_unread(self.unread.clone());
        self.host.set_files(unopened);
    }

    /// Takes what kernels need of a GPU; whether that is news.
    pub fn set_kernels(&mut self, known: Known) -> bool {
        let is_new = *self.kernels != known;
        self.kernels = Arc::new(known);
        is_new
    }

    /// Whether a document is open.
    pub fn has_documents(&self) -> bool {
        !self.documents.is_empty()
    }

    /// Whether the text at a path is known.
    pub fn knows(&self, path: &Path) -> bool {
        self.host.snapshot().file(path).is_some()
    }

    /// The number of the edit that gave a document its text.
    pub fn stamp(&self, path: &Path) -> Option<u64> {
        self.documents.get(path).map(|document| document.stamp)
    }

    /// All open documents, what was edited last first.
    pub fn open_documents(&self) -> Vec<Document> {
        let mut all: Vec<Document> = self.documents.values().cloned().collect();
        all.sort_by_key(|document| std::cmp::Reverse(document.stamp));
        all
    }

    /// The state of now, for somebody who asks this.
    pub fn snapshot(&mut self, what: impl Into<String>) -> Snapshot {
        self.read_neighbours();
        Snapshot {
            analysis: self.host.snapshot(),
            _question: self.asked.begin(what.into()),
            documents: self.documents.clone(),
            settings: self.settings.clone(),
            aside: self.aside.clone(),
            kernels: self.kernels.clone(),
            task: Task::default(),
        }
    }
}

/// So many methods are typed by a thread before it looks for other work.
const CODE_AT_ONCE: usize = 16;

/// The state of a moment.
pub struct Snapshot {
    /// The database.
    pub analysis: Analysis,
    /// The open documents.
    pub documents: Arc<FxHashMap<PathBuf, Document>>,
    /// What was settled at the start.
    pub settings: Arc<Settings>,
    /// The files that are set aside.
    aside: Arc<Aside>,
    /// What is known of kernels.
    pub kernels: Arc<Known>,
    /// What is known of the request that asks.
    pub task: Task,
    /// That it is asked; behind the database, which is gone before this is.
    _question: Question,
}

impl Snapshot {
    /// Says that this thread works on a document: should that end the process, it is set aside.
    pub fn working(&self, path: &Path) -> Option<aside::Mark<'_>> {
        if let Some(document) = self.documents.get(path) {
            return Some(aside::mark(&document.path, document.text.text()));
        }
        let (path, text) = self.analysis.source(self.analysis.file(path)?);
        Some(aside::mark(path, text))
    }

    /// Whether a text is set aside.
    pub fn is_aside(&self, path: &Path, text: &str) -> bool {
        self.aside.why(path, text).is_some()
    }

    /// A document and its file: what the client has open, or else the text of the disk.
    pub fn document(&self, uri: &Uri) -> Option<(Cow<'_, Document>, SourceFile)> {
        let path = key(uri);
        let file = self.analysis.file(&path)?;
        if let Some(open) = self.documents.get(&path) {
            return Some((Cow::Borrowed(open), file));
        }
        let text = LineText::new(self.analysis.source(file).1.clone());
        Some((Cow::Owned(Document { uri: uri.clone(), path, version: 0, text, stamp: 0 }), file))
    }

    /// The version of a document that the client has open.
    pub fn version(&self, uri: &Uri) -> Option<i32> {
        self.documents.get(&key(uri)).map(|document| document.version)
    }

    /// The file of a URI, open or not, in the workspace or the class library.
    pub fn any_file(&self, uri: &Uri) -> Option<SourceFile> {
        self.analysis.file(&key(uri))
    }

    /// Types the code of a document on all threads of the pool that this runs in.
    ///
    /// # Errors
    /// An edit came first.
    pub fn prepare(&self, document: &Document) -> Result<(), Cancelled> {
        let text = document.text.text();
        if self.aside.why(&document.path, text).is_some() {
            return Ok(());
        }
        let Some(file) = self.analysis.file(&document.path) else { return Ok(()) };
        let _working = aside::mark(&document.path, text);
        // What panics here becomes a diagnostic when that is asked for.
        let code = catch_unwind(AssertUnwindSafe(|| self.analysis.with(|db| check::code_of(db, file))));
        let Ok(code) = code else { return Ok(()) };
        let code = code?;
        code.par_chunks(CODE_AT_ONCE)
            .map_with(self.analysis.clone(), |analysis, code| {
                let _working = aside::mark(&document.path, text);
                analysis.with(|db| check::prepare(db, code))
            })
            .collect()
    }

    /// All diagnostics of a document. The class library's own are of no use to those who read it.
    pub fn diagnostics(&self, document: &Document) -> Result<Vec<Diagnostic>, Cancelled> {
        if document.is_too_large() {
            return Ok(vec![convert::too_large(document)]);
        }
        if let Some(why) = self.aside.why(&document.path, document.text.text()) {
            return Ok(vec![convert::set_aside(why, self.settings.patience)]);
        }
        let file = self.analysis.file(&document.path).filter(|_| document.path.is_absolute());
        let Some(file) = file else { return Ok(Vec::new()) };
        let _working = aside::mark(&document.path, document.text.text());
        let found = self.found(document, file)?;
        let found = found.iter().map(|diagnostic| convert::diagnostic(self, document, diagnostic));
        let elsewhere = uri::is_elsewhere(&document.uri).then(|| convert::elsewhere(&document.uri));
        Ok(elsewhere.into_iter().chain(found).collect())
    }

    /// What the analysis finds in a document. Of one whose neighbours cannot be read that is its syntax: names may be declared there.
    pub fn found(
        &self,
        document: &Document,
        file: SourceFile,
    ) -> Result<Vec<analysis::Diagnostic>, Cancelled> {
        let mut found = self.analysis.with(|db| apg_analysis::file_diagnostics(db, file).to_vec())?;
        if uri::is_elsewhere(&document.uri) {
            found.retain(|diagnostic| diagnostic.code.starts_with("syntax/"));
        }
        Ok(found)
    }
}
