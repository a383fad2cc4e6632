//! The database and the open documents: what the main loop changes, and snapshots of it that answer requests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::ids::SourceFile;
use apg_analysis::{Analysis, AnalysisHost, Cancelled};
use apg_build::project;
use rustc_hash::FxHashMap;
use tower_lsp_server::ls_types::{Diagnostic, FileChangeType, Uri};

use crate::convert;
use crate::document::Document;
use crate::library;
use crate::main_loop::{Edit, Settings};
use crate::position::LineText;
use crate::workspace;

/// The database, the open documents, and what was settled at the start.
pub struct World {
    host: AnalysisHost,
    documents: Arc<FxHashMap<PathBuf, Document>>,
    settings: Settings,
}

impl Default for World {
    fn default() -> Self {
        let library = apg_runtime::library::files();
        let host =
            AnalysisHost::new(library.into_iter().map(|(path, text)| (path.to_owned(), Arc::from(text))));
        Self { host, documents: Arc::default(), settings: Settings::default() }
    }
}

impl World {
    /// Takes what `initialize` settles.
    pub fn settle(&mut self, settings: Settings) {
        self.host.set_source_path(settings.source_path.clone());
        self.settings = settings;
    }

    /// Applies an edit. A document that was closed is returned: its diagnostics are to be taken back.
    pub fn edit(&mut self, edit: Edit) -> Option<Uri> {
        match edit {
            Edit::Open(params) => {
                let opened = params.text_document;
                let path = library::inside(&convert::path(&opened.uri)?);
                let text = LineText::new(opened.text.into());
                let document = Document { uri: opened.uri, path, version: opened.version, text };
                self.read_neighbours(&document.path);
                self.show(document);
            }
            Edit::Change(params) => {
                let path = library::inside(&convert::path(&params.text_document.uri)?);
                // A change of a document that was never opened has no text to apply to.
                let mut document = self.documents.get(&path)?.clone();
                document.change(params.text_document.version, params.content_changes, self.settings.encoding);
                self.show(document);
            }
            Edit::Save(params) => {
                // Imports may have come that name packages not yet read.
                let path = library::inside(&convert::path(&params.text_document.uri)?);
                self.read_neighbours(&path);
            }
            Edit::Close(params) => {
                let path = library::inside(&convert::path(&params.text_document.uri)?);
                Arc::make_mut(&mut self.documents).remove(&path);
                if path.is_absolute() {
                    self.host.set_file(&path, workspace::source(&path));
                    self.set_roots();
                }
                return Some(params.text_document.uri);
            }
            Edit::Watched(params) => {
                for change in params.changes {
                    let Some(path) = convert::path(&change.uri) else { continue };
                    if path.extension().is_some_and(|e| e == "x10") && !self.documents.contains_key(&path) {
                        let gone = change.typ == FileChangeType::DELETED;
                        self.host.set_file(&path, if gone { None } else { workspace::source(&path) });
                    }
                }
            }
        }
        None
    }

    /// Takes the files of the workspace, but for those that are open or known already.
    pub fn add_files(&mut self, files: Vec<(PathBuf, Arc<str>)>) {
        let snapshot = self.host.snapshot();
        let unknown = files.into_iter().filter(|(path, _)| snapshot.file(path).is_none()).collect::<Vec<_>>();
        drop(snapshot);
        self.host.set_files(unknown);
    }

    /// Folders to look packages up in, from now on.
    pub fn set_source_path(&mut self, folders: Vec<PathBuf>) {
        self.host.set_source_path(folders.clone());
        self.settings.source_path = folders;
        for document in self.open_documents() {
            self.read_neighbours(&document.path);
        }
    }

    /// Makes a document's text the file's.
    fn show(&mut self, document: Document) {
        // The class library is read-only: what the client shows of it is what it is.
        if document.path.is_absolute() {
            if document.is_too_large() {
                self.host.set_file(&document.path, None);
            } else {
                self.host.edit_file(&document.path, document.text.text().clone());
            }
        }
        let is_new = !self.documents.contains_key(&document.path);
        Arc::make_mut(&mut self.documents).insert(document.path.clone(), document);
        if is_new {
            self.set_roots();
        }
    }

    fn set_roots(&mut self) {
        let mut paths: Vec<PathBuf> = self.documents.keys().filter(|p| p.is_absolute()).cloned().collect();
        paths.sort();
        self.host.set_roots(&paths);
    }

    /// Reads the files that a file may use from the disk, but for those that are open.
    fn read_neighbours(&mut self, path: &Path) {
        // A file that is not on the disk yet has no neighbours that anyone named, one of the library knows its own.
        if !path.is_absolute() {
            return;
        }
        // One folder that is not there keeps nobody from the others.
        let there = self.settings.source_path.iter().filter(|folder| folder.is_dir()).cloned();
        let Ok(sources) = project::load(&[path.to_owned()], &there.collect::<Vec<_>>()) else { return };
        let unopened = sources.files.into_iter().filter(|(path, _)| !self.documents.contains_key(path));
        self.host.set_files(unopened);
    }

    /// Whether the client asks for diagnostics itself.
    pub fn pulls(&self) -> bool {
        self.settings.pulls
    }

    /// All open documents.
    pub fn open_documents(&self) -> Vec<Document> {
        self.documents.values().cloned().collect()
    }

    /// The state of now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            analysis: self.host.snapshot(),
            documents: self.documents.clone(),
            settings: self.settings.clone(),
        }
    }
}

/// The state of a moment.
pub struct Snapshot {
    /// The database.
    pub analysis: Analysis,
    /// The open documents.
    pub documents: Arc<FxHashMap<PathBuf, Document>>,
    /// What was settled at the start.
    pub settings: Settings,
}

impl Snapshot {
    /// An open document and its file.
    pub fn document(&self, uri: &Uri) -> Option<(&Document, SourceFile)> {
        let document = self.documents.get(&library::inside(&convert::path(uri)?))?;
        Some((document, self.analysis.file(&document.path)?))
    }

    /// The file of a URI, open or not, in the workspace or the class library.
    pub fn any_file(&self, uri: &Uri) -> Option<SourceFile> {
        self.analysis.file(&library::inside(&convert::path(uri)?))
    }

    /// All diagnostics of a document. The class library's own are of no use to those who read it.
    pub fn diagnostics(&self, document: &Document) -> Result<Vec<Diagnostic>, Cancelled> {
        if document.is_too_large() {
            return Ok(vec![convert::too_large(document)]);
        }
        let file = self.analysis.file(&document.path).filter(|_| document.path.is_absolute());
        let Some(file) = file else { return Ok(Vec::new()) };
        let found = self.analysis.with(|db| apg_analysis::file_diagnostics(db, file).to_vec())?;
        Ok(found.iter().map(|diagnostic| convert::diagnostic(self, document, diagnostic)).collect())
    }
}
