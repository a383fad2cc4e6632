//! Analysis host: owns the database and takes sources; snapshots answer queries on other threads.

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_c_syntax::{FileSystem, Toolchain};
use rustc_hash::FxHashMap;
use salsa::Setter;

use crate::db::{Observer, RootDatabase, SourceFile};

pub use salsa::Cancelled;

/// Owns the database. One thread changes it.
pub struct AnalysisHost {
    db: RootDatabase,
    files: FxHashMap<PathBuf, SourceFile>,
}

impl AnalysisHost {
    /// A host without files, which reads headers from `files`.
    pub fn new(files: Arc<dyn FileSystem + Send + Sync>) -> AnalysisHost {
        AnalysisHost { db: RootDatabase::new(files, None), files: FxHashMap::default() }
    }

    /// The same; `observer` gets the name of each query that is executed.
    pub fn observed(files: Arc<dyn FileSystem + Send + Sync>, observer: Observer) -> AnalysisHost {
        AnalysisHost { db: RootDatabase::new(files, Some(observer)), files: FxHashMap::default() }
    }

    /// Sets the text of a file, which may be new, and the compiler that it is for.
    pub fn set_file(&mut self, path: &Path, text: Arc<str>, toolchain: &Arc<Toolchain>) -> SourceFile {
        let Some(file) = self.files.get(path).copied() else {
            let file = SourceFile::new(&self.db, path.to_owned(), text, toolchain.clone(), 0);
            self.files.insert(path.to_owned(), file);
            return file;
        };
        if **file.text(&self.db) != *text {
            file.set_text(&mut self.db).to(text);
        }
        if file.toolchain(&self.db) != toolchain {
            file.set_toolchain(&mut self.db).to(toolchain.clone());
        }
        file
    }

    /// Forgets a file.
    pub fn remove_file(&mut self, path: &Path) {
        if let Some(file) = self.files.remove(path) {
            file.set_text(&mut self.db).to(Arc::from(""));
        }
    }

    /// Headers have changed: all files are read again when they are next asked about.
    pub fn headers_changed(&mut self) {
        for file in self.files.values() {
            let next = file.headers(&self.db) + 1;
            file.set_headers(&mut self.db).to(next);
        }
    }

    /// The input of a file that was set.
    pub fn file(&self, path: &Path) -> Option<SourceFile> {
        self.files.get(path).copied()
    }

    /// The database, for queries on this thread.
    pub fn database(&self) -> &RootDatabase {
        &self.db
    }

    /// A copy of the database, for queries on another thread. A change waits for its end.
    pub fn snapshot(&self) -> Analysis {
        Analysis { db: self.db.clone(), files: self.files.clone() }
    }
}

/// A snapshot, which answers queries on any thread.
#[derive(Clone)]
pub struct Analysis {
    db: RootDatabase,
    files: FxHashMap<PathBuf, SourceFile>,
}

impl Analysis {
    /// The input of a file that was set.
    pub fn file(&self, path: &Path) -> Option<SourceFile> {
        self.files.get(path).copied()
    }

    /// Asks queries.
    ///
    /// # Errors
    /// A change of the host cancelled them.
    pub fn with<R>(&self, query: impl FnOnce(&RootDatabase) -> R) -> Result<R, Cancelled> {
        Cancelled::catch(AssertUnwindSafe(|| query(&self.db)))
    }
}
