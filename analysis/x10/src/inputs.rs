//! Inputs of the analysis: the user's project, the class library, and parsing. No I/O happens here: the
//! caller supplies the sources.
#![allow(missing_docs, reason = "salsa generates undocumented items; everything written here is documented")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use apg_syntax::Parse;
use rustc_hash::FxHashMap;

use crate::db::{Db, EventCallback, RootDatabase};
use crate::ids::{FileOrigin, SourceFile};
use crate::split_inputs::EditedFile;

/// The user's side of the inputs (durability MEDIUM: files come and go, but not at every key).
#[salsa::input(singleton, debug)]
pub struct Project {
    /// Every known user file by absolute path. Files that are not `roots` are found by package path.
    #[returns(ref)]
    pub files: Arc<FxHashMap<PathBuf, SourceFile>>,
    /// The files named on the command line or open in the editor: all their classes are visible.
    #[returns(ref)]
    pub roots: Arc<Vec<SourceFile>>,
    /// Folders to look packages up in, in order, after the requesting file's own root.
    #[returns(ref)]
    pub source_path: Arc<Vec<PathBuf>>,
    /// How the constraints of the user's files are checked.
    #[returns(copy)]
    pub checks: Checks,
    /// Unreadable files with the reasons: their declarations are unknown.
    #[returns(ref)]
    pub unread: Arc<BTreeMap<PathBuf, String>>,
}

/// How constraints are checked that are not decided statically.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Checks {
    /// Whether they are errors; else they are checked at run time.
    pub is_static: bool,
    /// Whether the guards of methods marked `@InferGuard` are inferred from their bodies.
    pub infers_guards: bool,
}

/// How the constraints of a file are checked: a user's as configured, the library's at run time.
pub(crate) fn checks(db: &dyn Db, file: SourceFile) -> Checks {
    match file.origin(db) {
        FileOrigin::User => Project::get(db).checks(db),
        FileOrigin::Library => Checks::default(),
    }
}

/// The class library embedded in the binary (durability HIGH).
#[salsa::input(singleton, debug)]
pub struct Library {
    /// Files by package path, `x10/lang/Int.x10`.
    #[returns(ref)]
    pub files: Arc<FxHashMap<PathBuf, SourceFile>>,
}

impl RootDatabase {
    /// A database with an empty project and library.
    pub fn new(on_event: Option<EventCallback>) -> RootDatabase {
        let db = RootDatabase::bare(on_event);
        let _ = Project::builder(
            Arc::default(),
            Arc::default(),
            Arc::default(),
            Checks::default(),
            Arc::default(),
        )
        .durability(salsa::Durability::MEDIUM)
        .new(&db);
        let _ = Library::builder(Arc::default()).durability(salsa::Durability::HIGH).new(&db);
        db
    }
}

/// Number of recomputable results that a host keeps after it was asked to forget them.
pub(crate) const MIN_KEPT_RESULTS: usize = 16;

/// Limits the number of memoised trees.
pub(crate) fn keep_trees(db: &mut RootDatabase, count: usize) {
    parse::set_lru_capacity(db, count);
}

/// Maximum number of trees kept over an edit, besides those of edited files.
pub const MAX_KEPT_TREES: usize = 512;

/// Maximum number of sources of files and declarations kept over an edit.
pub(crate) const MAX_KEPT_SOURCES: usize = 4096;

/// The tree of a file and its syntax errors. Any text gives a tree.
#[salsa::tracked(no_eq, lru = 512)]
pub fn parse(db: &dyn Db, file: SourceFile) -> Parse {
    match split_inputs(db, file) {
        Some(edited) => edited.parse(db).clone(),
        None => apg_syntax::parse(file.text(db)),
    }
}

/// The file of the class library at a package path, `x10/lang/Int.x10`.
pub fn library_file(db: &dyn Db, path: &std::path::Path) -> Option<SourceFile> {
    Library::get(db).files(db).get(path).copied()
}

/// The per-member inputs of a file, if it was edited.
pub(crate) fn split_inputs(db: &dyn Db, file: SourceFile) -> Option<EditedFile> {
    *file.edited(db)
}
