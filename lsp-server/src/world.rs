//! The database and the open documents: what the main loop changes, and snapshots of it that answer requests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::ids::SourceFile;
use apg_analysis::{Analysis, AnalysisHost, Cancelled};
use apg_build::project;
use rustc_hash::FxHashMap;
use tower_lsp_server::ls_types::{
    CodeActionOrCommand, CodeLens, Diagnostic, FileChangeType, Hover, HoverContents, Location, MarkupContent,
    MarkupKind, Position, Range, TextEdit, Uri,
};

use crate::convert;
use crate::document::Document;
use crate::main_loop::{Edit, Settings};
use crate::position::LineText;

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
                let path = convert::path(&opened.uri)?;
                let text = LineText::new(opened.text.into());
                let document = Document { uri: opened.uri, path, version: opened.version, text };
                self.read_neighbours(&document.path);
                self.show(document);
            }
            Edit::Change(params) => {
                let path = convert::path(&params.text_document.uri)?;
                // A change of a document that was never opened has no text to apply to.
                let mut document = self.documents.get(&path)?.clone();
                document.change(params.text_document.version, params.content_changes, self.settings.encoding);
                self.show(document);
            }
            Edit::Save(params) => {
                // Imports may have come that name packages not yet read.
                let path = convert::path(&params.text_document.uri)?;
                self.read_neighbours(&path);
            }
            Edit::Close(params) => {
                let path = convert::path(&params.text_document.uri)?;
                Arc::make_mut(&mut self.documents).remove(&path);
                self.host.set_file(&path, project::read(&path).ok());
                self.set_roots();
                return Some(params.text_document.uri);
            }
            Edit::Watched(params) => {
                for change in params.changes {
                    let Some(path) = convert::path(&change.uri) else { continue };
                    if !self.documents.contains_key(&path) {
                        let gone = change.typ == FileChangeType::DELETED;
                        self.host.set_file(&path, if gone { None } else { project::read(&path).ok() });
                    }
                }
            }
        }
        None
    }

    /// Makes a document's text the file's.
    fn show(&mut self, document: Document) {
        self.host.set_file(&document.path, Some(document.text.text().clone()));
        let is_new = !self.documents.contains_key(&document.path);
        Arc::make_mut(&mut self.documents).insert(document.path.clone(), document);
        if is_new {
            self.set_roots();
        }
    }

    fn set_roots(&mut self) {
        let mut paths: Vec<PathBuf> = self.documents.keys().cloned().collect();
        paths.sort();
        self.host.set_roots(&paths);
    }

    /// Reads the files that a file may use from the disk, but for those that are open.
    fn read_neighbours(&mut self, path: &Path) {
        // A file that is not on the disk yet has no neighbours that anyone named.
        let Ok(sources) = project::load(&[path.to_owned()], &self.settings.source_path) else { return };
        let unopened = sources.files.into_iter().filter(|(path, _)| !self.documents.contains_key(path));
        self.host.set_files(unopened);
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
        let document = self.documents.get(&convert::path(uri)?)?;
        Some((document, self.analysis.file(&document.path)?))
    }

    /// All diagnostics of a document.
    pub fn diagnostics(&self, document: &Document) -> Result<Vec<Diagnostic>, Cancelled> {
        let Some(file) = self.analysis.file(&document.path) else { return Ok(Vec::new()) };
        let found = self.analysis.with(|db| apg_analysis::file_diagnostics(db, file).to_vec())?;
        Ok(found.iter().map(|diagnostic| convert::diagnostic(self, document, diagnostic)).collect())
    }

    /// The quick fixes of the diagnostics that touch a range.
    pub fn code_actions(&self, uri: &Uri, range: Range) -> Result<Vec<CodeActionOrCommand>, Cancelled> {
        let Some((document, file)) = self.document(uri) else { return Ok(Vec::new()) };
        let range = document.text.text_range(range, self.settings.encoding);
        let found = self.analysis.with(|db| apg_analysis::file_diagnostics(db, file).to_vec())?;
        let touched = found.iter().filter(|diagnostic| diagnostic.range.intersect(range).is_some());
        let actions = touched.flat_map(|diagnostic| convert::fixes(self, document, diagnostic));
        Ok(actions.map(CodeActionOrCommand::CodeAction).collect())
    }

    /// What is under the cursor: for a kernel, how it will launch.
    pub fn hover(&self, uri: &Uri, position: Position) -> Result<Option<Hover>, Cancelled> {
        let Some((document, file)) = self.document(uri) else { return Ok(None) };
        let offset = document.text.offset(position, self.settings.encoding);
        let found = self.analysis.with(|db| apg_analysis::ide::hover(db, file, offset))?;
        Ok(found.map(|hover| Hover {
            contents: HoverContents::Markup(MarkupContent {
                kind: MarkupKind::Markdown,
                value: hover.markdown,
            }),
            range: Some(document.text.range(hover.range, self.settings.encoding)),
        }))
    }

    /// Where the name under the cursor is declared, if that is in a file on the disk.
    pub fn definition(&self, uri: &Uri, position: Position) -> Result<Option<Location>, Cancelled> {
        let Some((document, file)) = self.document(uri) else { return Ok(None) };
        let offset = document.text.offset(position, self.settings.encoding);
        let found = self.analysis.with(|db| {
            let (symbol, _) = apg_analysis::ide::symbol_at(db, file, offset)?;
            apg_analysis::ide::declaration(db, &symbol)
        })?;
        Ok(found.and_then(|(file, range)| convert::location(self, file, range)))
    }

    /// *Run* above each `main`, *Show CUDA* above each kernel.
    pub fn code_lenses(&self, uri: &Uri) -> Result<Vec<CodeLens>, Cancelled> {
        let Some((document, file)) = self.document(uri) else { return Ok(Vec::new()) };
        let lenses = self.analysis.with(|db| apg_analysis::ide::lenses(db, file))?;
        Ok(lenses.into_iter().map(|lens| convert::lens(self, document, &lens)).collect())
    }

    /// The edits that format a document; none while it has syntax errors.
    pub fn format(&self, uri: &Uri) -> Result<Option<Vec<TextEdit>>, Cancelled> {
        let Some((document, file)) = self.document(uri) else { return Ok(None) };
        let parse = self.analysis.with(|db| apg_analysis::db::parse(db, file).clone())?;
        let edits = apg_syntax::format_parsed(&parse, None).ok();
        Ok(edits.map(|edits| {
            let convert = |edit: apg_syntax::Edit| TextEdit {
                range: document.text.range(edit.range, self.settings.encoding),
                new_text: edit.insert,
            };
            edits.into_iter().map(convert).collect()
        }))
    }
}
