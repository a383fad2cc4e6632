//! The public face: a host that takes changes, and snapshots that answer questions.
//!
//! Applying a change cancels the questions that snapshots on other threads are working on: they return
//! [`salsa::Cancelled`], and are to be asked again of a new snapshot.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use salsa::{Cancelled, Durability, Setter};

use crate::check::file_diagnostics;
use crate::db::{EventCallback, Library, Project, RootDatabase};
use crate::diagnostics::Diagnostic;
use crate::ids::{FileOrigin, SourceFile};

/// The answer to a question, unless a change came in between.
pub type Cancellable<T> = Result<T, Cancelled>;

/// What is new. Empty parts leave things as they are.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Texts by absolute path; `None` for a file that is no more.
    pub files: Vec<(PathBuf, Option<Arc<str>>)>,
    /// The files named on the command line or open in the editor.
    pub roots: Option<Vec<PathBuf>>,
    /// The folders of `--source-path`.
    pub source_path: Option<Vec<PathBuf>>,
}

/// The owner of the database. One thread has it.
#[derive(Default)]
pub struct AnalysisHost {
    db: RootDatabase,
}

impl AnalysisHost {
    /// A host without files.
    pub fn new() -> AnalysisHost {
        AnalysisHost::default()
    }

    /// A host that tells `on_event` what the database does.
    pub fn with_events(on_event: EventCallback) -> AnalysisHost {
        AnalysisHost { db: RootDatabase::new(Some(on_event)) }
    }

    /// Sets the class library: texts by package path, `x10/lang/Int.x10`. Once, before anything is asked.
    pub fn set_library<T: AsRef<str>>(&mut self, files: impl IntoIterator<Item = (PathBuf, T)>) {
        let files = files.into_iter().map(|(path, text)| {
            let file = SourceFile::builder(path.clone(), FileOrigin::Library, Arc::from(text.as_ref()))
                .durability(Durability::HIGH)
                .new(&self.db);
            (path, file)
        });
        let files = Arc::new(files.collect());
        Library::get(&self.db).set_files(&mut self.db).with_durability(Durability::HIGH).to(files);
    }

    /// Takes a change in.
    pub fn apply(&mut self, change: Change) {
        let project = Project::get(&self.db);
        let mut files = None;
        for (path, text) in change.files {
            let known = files.as_ref().unwrap_or(project.files(&self.db)).get(&path).copied();
            match (known, text) {
                (Some(file), Some(text)) => {
                    if **file.text(&self.db) != *text {
                        file.set_text(&mut self.db).to(text);
                    }
                }
                (None, Some(text)) => {
                    let file = SourceFile::new(&self.db, path.clone(), FileOrigin::User, text);
                    Arc::make_mut(files.get_or_insert_with(|| project.files(&self.db).clone())).insert(path, file);
                }
                (Some(_), None) => {
                    Arc::make_mut(files.get_or_insert_with(|| project.files(&self.db).clone())).remove(&path);
                }
                (None, None) => {}
            }
        }
        if let Some(files) = files {
            project.set_files(&mut self.db).to(files);
        }
        if let Some(roots) = change.roots {
            let known = project.files(&self.db);
            let roots: Vec<_> = roots.iter().filter_map(|path| known.get(path).copied()).collect();
            if **project.roots(&self.db) != roots {
                project.set_roots(&mut self.db).to(Arc::new(roots));
            }
        }
        if let Some(folders) = change.source_path {
            project.set_source_path(&mut self.db).to(Arc::new(folders));
        }
    }

    /// A snapshot to ask questions of, on any thread. The next change waits until it is dropped.
    pub fn analysis(&self) -> Analysis {
        Analysis { db: self.db.clone() }
    }

    /// The database, for layers that ask its queries themselves.
    pub fn db(&self) -> &RootDatabase {
        &self.db
    }
}

/// A snapshot.
#[derive(Clone)]
pub struct Analysis {
    db: RootDatabase,
}

impl Analysis {
    /// Asks anything of the database.
    pub fn with<T>(&self, ask: impl FnOnce(&RootDatabase) -> T) -> Cancellable<T> {
        let db = std::panic::AssertUnwindSafe(&self.db);
        let ask = std::panic::AssertUnwindSafe(ask);
        Cancelled::catch(move || {
            let (db, ask) = (db, ask);
            (ask.0)(db.0)
        })
    }

    /// The file at this path.
    pub fn file(&self, path: &Path) -> Cancellable<Option<SourceFile>> {
        self.with(|db| Project::get(db).files(db).get(path).copied())
    }

    /// All that is to be said about a file, in the order of the text.
    pub fn diagnostics(&self, file: SourceFile) -> Cancellable<Vec<Diagnostic>> {
        self.with(|db| file_diagnostics(db, file))
    }
}
