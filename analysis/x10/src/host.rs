//! Analysis host: owns the database and takes sources; snapshots answer queries on other threads.
//!
//! A change cancels the queries that run on snapshots: they end with [`Cancelled`], and the change waits only
//! for that.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;
use salsa::{Durability, Setter};

use crate::db::{Db, EventCallback, RootDatabase};
use crate::ids::{FileOrigin, SourceFile};
use crate::inputs::{Checks, Library, Project};
use crate::split_inputs::EditedFile;

pub use salsa::Cancelled;

/// The inputs of a host that is [`AnalysisHost::fixed`].
#[derive(Debug, Default)]
pub struct Program {
    /// The user's files by absolute path.
    pub files: Vec<(PathBuf, Arc<str>)>,
    /// See [`AnalysisHost::set_roots`].
    pub roots: Vec<PathBuf>,
    /// See [`AnalysisHost::set_source_path`].
    pub source_path: Vec<PathBuf>,
    /// See [`AnalysisHost::set_checks`].
    pub checks: Checks,
    /// See [`AnalysisHost::set_unread`].
    pub unread: BTreeMap<PathBuf, String>,
}

/// Owns the database. One thread changes it.
pub struct AnalysisHost {
    db: RootDatabase,
    /// Removed files. The database never frees an input, so a file that is added again reuses its input.
    gone: FxHashMap<PathBuf, SourceFile>,
    /// The parts of files that are not edited any more, for the same reason.
    spare: FxHashMap<SourceFile, EditedFile>,
}

impl AnalysisHost {
    /// A host with the class library (package paths such as `x10/lang/Int.x10`, and sources) and no user
    /// files.
    pub fn new(library: impl IntoIterator<Item = (PathBuf, Arc<str>)>) -> AnalysisHost {
        AnalysisHost::with_events(library, None)
    }

    /// As [`Self::new`]; every salsa event is passed to `on_event`, from which tests count executed queries.
    pub fn with_events(
        library: impl IntoIterator<Item = (PathBuf, Arc<str>)>,
        on_event: Option<EventCallback>,
    ) -> AnalysisHost {
        let mut db = RootDatabase::new(on_event);
        let files: FxHashMap<PathBuf, SourceFile> = library
            .into_iter()
            .map(|(path, text)| {
                let file = SourceFile::builder(path.clone(), FileOrigin::Library, text)
                    .durability(Durability::HIGH)
                    .new(&db);
                (path, file)
            })
            .collect();
        Library::get(&db).set_files(&mut db).with_durability(Durability::HIGH).to(Arc::new(files));
        crate::item_tree::source::keep_sources(&mut db, crate::inputs::MAX_KEPT_SOURCES);
        AnalysisHost { db, gone: FxHashMap::default(), spare: FxHashMap::default() }
    }

    /// A host for one program that never changes. Dependencies of queries are not recorded, which makes them
    /// faster and smaller; setting an input panics.
    pub fn fixed(library: impl IntoIterator<Item = (PathBuf, Arc<str>)>, program: Program) -> AnalysisHost {
        let fixed = Durability::NEVER_CHANGE;
        let mut db = RootDatabase::bare(None);
        let file = |db: &RootDatabase, origin, (path, text): (PathBuf, Arc<str>)| {
            (path.clone(), SourceFile::builder(path, origin, text).durability(fixed).new(db))
        };
        let library: FxHashMap<_, _> =
            library.into_iter().map(|it| file(&db, FileOrigin::Library, it)).collect();
        let files: FxHashMap<_, _> =
            program.files.into_iter().map(|it| file(&db, FileOrigin::User, it)).collect();
        let roots = program.roots.iter().filter_map(|path| files.get(path).copied()).collect();
        let (roots, source_path) = (Arc::new(roots), Arc::new(program.source_path));
        let _ = Library::builder(Arc::new(library)).durability(fixed).new(&db);
        let unread = Arc::new(program.unread);
        let _ = Project::builder(Arc::new(files), roots, source_path, program.checks, unread)
            .durability(fixed)
            .new(&db);
        crate::inputs::keep_trees(&mut db, crate::inputs::MAX_KEPT_TREES);
        crate::item_tree::source::keep_sources(&mut db, crate::inputs::MIN_KEPT_RESULTS);
        crate::infer::keep_bodies(&mut db, crate::inputs::MIN_KEPT_RESULTS);
        AnalysisHost { db, gone: FxHashMap::default(), spare: FxHashMap::default() }
    }

    /// Evicts the trees and typed bodies of a host that is [`Self::fixed`], except the trees of the next of
    /// these files. They are recomputed on demand. Waits for snapshots.
    pub fn forget_details(&mut self, next: &[SourceFile]) {
        let next = &next[..next.len().min(crate::inputs::MAX_KEPT_TREES)];
        crate::inputs::keep_trees(&mut self.db, next.len() + crate::inputs::MIN_KEPT_RESULTS);
        // The LRU cache evicts the most recently used values last.
        for file in next {
            crate::inputs::parse(&self.db, *file);
        }
        salsa::Database::trigger_lru_eviction(&mut self.db);
    }

    /// Sets the text of a user file, which may be new; `None` removes the file.
    pub fn set_file(&mut self, path: &Path, text: Option<Arc<str>>) {
        let project = Project::get(&self.db);
        let known = project.files(&self.db).get(path).copied();
        match (known, text) {
            (Some(file), Some(text)) => self.set_text(file, text),
            (None, Some(text)) => {
                let file = self.user_file(path, text);
                self.change_files(|files| {
                    files.insert(path.to_owned(), file);
                });
            }
            (Some(_), None) => self.change_files(|files| {
                files.remove(path);
            }),
            (None, None) => {}
        }
    }

    fn set_text(&mut self, file: SourceFile, text: Arc<str>) {
        if **file.text(&self.db) != *text {
            file.set_text(&mut self.db).to(text);
        }
        if let Some(edited) = *file.edited(&self.db) {
            self.spare.insert(file, edited);
            file.set_edited(&mut self.db).to(None);
        }
    }

    /// The input of a user file that is not in the project: that of a removed file, or a new one.
    fn user_file(&mut self, path: &Path, text: Arc<str>) -> SourceFile {
        if let Some(file) = self.gone.remove(path) {
            self.set_text(file, text);
            return file;
        }
        SourceFile::builder(path.to_owned(), FileOrigin::User, text)
            .durability(Durability::MEDIUM)
            .new(&self.db)
    }

    /// Sets the text of a user file that is being edited; returns whether other files may be affected. The
    /// result is the same as that of [`Self::set_file`], but only the surroundings of the edit are parsed
    /// again, and results that do not depend on it stay valid.
    pub fn edit_file(&mut self, path: &Path, text: Arc<str>) -> bool {
        let known = Project::get(&self.db).files(&self.db).get(path).copied();
        let Some(file) = known else {
            self.set_file(path, Some(text));
            return true;
        };
        if **file.text(&self.db) == *text {
            return false;
        }
        // All values are computed before an input is set, so that a panic leaves the file unchanged.
        let before = crate::inputs::parse(&self.db, file);
        let parse = before.reparse_text(file.text(&self.db), &text);
        let known = crate::inputs::split_inputs(&self.db, file)
            .map(|edited| (before, &**edited.sources(&self.db), edited.outline(&self.db)));
        let parts = crate::split_inputs::update::Parts::of(parse, known);
        file.set_text(&mut self.db).with_durability(Durability::LOW).to(text);
        let spare = self.spare.get(&file).copied();
        crate::split_inputs::update::update(&mut self.db, file, parts, spare)
    }

    /// Sets the text of a user file from scratch, without incremental reparsing.
    pub fn replace_file(&mut self, path: &Path, text: Arc<str>) {
        if let Some(file) = Project::get(&self.db).files(&self.db).get(path).copied() {
            file.set_edited(&mut self.db).to(None);
        }
        self.set_file(path, Some(text));
    }

    /// Sets many files at once, as at startup.
    pub fn set_files(&mut self, sources: impl IntoIterator<Item = (PathBuf, Arc<str>)>) {
        let (mut new, mut known) = (Vec::new(), Vec::new());
        for (path, text) in sources {
            let exists = Project::get(&self.db).files(&self.db).contains_key(&path);
            if exists { known.push((path, text)) } else { new.push((path, text)) }
        }
        for (path, text) in known {
            self.set_file(&path, Some(text));
        }
        let made: Vec<(PathBuf, SourceFile)> =
            new.into_iter().map(|(path, text)| (path.clone(), self.user_file(&path, text))).collect();
        if !made.is_empty() {
            self.change_files(|files| files.extend(made));
        }
    }

    /// Sets all user files, and removes those that are not given. Results for unchanged sources stay valid.
    pub fn replace_files(&mut self, sources: impl IntoIterator<Item = (PathBuf, Arc<str>)>) {
        let sources: FxHashMap<PathBuf, Arc<str>> = sources.into_iter().collect();
        if Project::get(&self.db).files(&self.db).keys().any(|path| !sources.contains_key(path)) {
            self.change_files(|files| files.retain(|path, _| sources.contains_key(path)));
        }
        self.set_files(sources);
    }

    fn change_files(&mut self, change: impl FnOnce(&mut FxHashMap<PathBuf, SourceFile>)) {
        let project = Project::get(&self.db);
        let before = project.files(&self.db).clone();
        let mut files = FxHashMap::clone(&before);
        change(&mut files);
        let gone = before.iter().filter(|(path, _)| !files.contains_key(*path));
        let gone: Vec<(PathBuf, SourceFile)> = gone.map(|(path, file)| (path.clone(), *file)).collect();
        project.set_files(&mut self.db).to(Arc::new(files));
        for (path, file) in gone {
            self.set_text(file, "".into());
            self.gone.insert(path, file);
        }
    }

    /// Sets the files that are named or open: all their classes are visible. Unknown paths are ignored.
    pub fn set_roots(&mut self, paths: &[PathBuf]) {
        let project = Project::get(&self.db);
        let roots: Vec<SourceFile> =
            paths.iter().filter_map(|path| project.files(&self.db).get(path).copied()).collect();
        if **project.roots(&self.db) != roots {
            project.set_roots(&mut self.db).to(Arc::new(roots));
        }
    }

    /// Sets the folders to look packages up in.
    pub fn set_source_path(&mut self, folders: Vec<PathBuf>) {
        let project = Project::get(&self.db);
        if **project.source_path(&self.db) != folders {
            project.set_source_path(&mut self.db).to(Arc::new(folders));
        }
    }

    /// Sets how undecided constraints are checked.
    pub fn set_checks(&mut self, checks: Checks) {
        let project = Project::get(&self.db);
        if project.checks(&self.db) != checks {
            project.set_checks(&mut self.db).to(checks);
        }
    }

    /// Sets the unreadable files, each with a sentence that gives the reason, for errors at names that they
    /// may declare.
    pub fn set_unread(&mut self, unread: BTreeMap<PathBuf, String>) {
        let project = Project::get(&self.db);
        if **project.unread(&self.db) != unread {
            project.set_unread(&mut self.db).to(Arc::new(unread));
        }
    }

    /// A new host with the same inputs and no results; the memory of this host is freed. Queries on its
    /// snapshots end with [`Cancelled`].
    pub fn renewed(mut self) -> AnalysisHost {
        salsa::Database::trigger_cancellation(&mut self.db);
        let (project, library) = (Project::get(&self.db), Library::get(&self.db));
        let sources = |files: &FxHashMap<PathBuf, SourceFile>| {
            files.iter().map(|(path, file)| (path.clone(), file.text(&self.db).clone())).collect::<Vec<_>>()
        };
        let mut host = AnalysisHost::new(sources(library.files(&self.db)));
        host.set_files(sources(project.files(&self.db)));
        let roots = project.roots(&self.db).iter().map(|root| root.path(&self.db).clone());
        host.set_roots(&roots.collect::<Vec<_>>());
        host.set_source_path(project.source_path(&self.db).to_vec());
        host.set_checks(project.checks(&self.db));
        host.set_unread(BTreeMap::clone(project.unread(&self.db)));
        host
    }

    /// Frees replaced results, which otherwise the next change does. Cancels the queries on all snapshots.
    pub fn drop_replaced(&mut self) {
        salsa::Database::trigger_lru_eviction(&mut self.db);
    }

    /// Cancels the queries on all snapshots, and waits until the snapshots are dropped.
    pub fn end_questions(&mut self) {
        salsa::Database::trigger_cancellation(&mut self.db);
    }

    /// A snapshot of the current inputs, for queries on another thread.
    pub fn snapshot(&self) -> Analysis {
        Analysis { db: self.db.clone(), cancelled: Arc::default() }
    }
}

/// Cancels the queries on one snapshot from another thread.
#[derive(Clone, Debug)]
pub struct Canceller {
    /// Cancels the running query; salsa resets the token when the query ends.
    token: salsa::CancellationToken,
    /// Cancels later queries.
    all: Arc<AtomicBool>,
}

impl Canceller {
    /// Ends the running and all later queries on the snapshot with [`Cancelled::Local`].
    pub fn cancel(&self) {
        self.all.store(true, Ordering::SeqCst);
        self.token.cancel();
    }
}

/// A snapshot of the inputs. A change of the host waits until it is dropped.
#[derive(Clone)]
pub struct Analysis {
    db: RootDatabase,
    cancelled: Arc<AtomicBool>,
}

impl Analysis {
    /// Runs queries.
    ///
    /// # Errors
    /// [`Cancelled`] when the host changes meanwhile: retry on a new snapshot. Panics pass through.
    pub fn with<T>(&self, ask: impl FnOnce(&dyn Db) -> T) -> Result<T, Cancelled> {
        // While attached, the database observes a cancellation until the outermost query ends.
        let answer = Cancelled::catch(AssertUnwindSafe(|| {
            salsa::attach_allow_change(&self.db, || {
                if self.cancelled.load(Ordering::SeqCst) {
                    salsa::Database::cancellation_token(&self.db).cancel();
                }
                ask(&self.db)
            })
        }));
        match answer {
            // A query that waits for a cancelled thread gets `PropagatedPanic` although nothing panicked. The
            // pending change waits for this snapshot, so the cancellation is still visible.
            Err(Cancelled::PropagatedPanic) => Err(self.ended().unwrap_or(Cancelled::PropagatedPanic)),
            answer => answer,
        }
    }

    /// The reason for which queries are cancelled, if they are.
    fn ended(&self) -> Option<Cancelled> {
        let asked = AssertUnwindSafe(|| salsa::Database::unwind_if_revision_cancelled(&self.db));
        Cancelled::catch(asked).err()
    }

    /// The canceller of this snapshot's queries.
    pub fn canceller(&self) -> Canceller {
        Canceller { token: salsa::Database::cancellation_token(&self.db), all: self.cancelled.clone() }
    }

    /// The file at an absolute path, or of the library at a package path.
    pub fn file(&self, path: &Path) -> Option<SourceFile> {
        let user = Project::get(&self.db).files(&self.db).get(path).copied();
        user.or_else(|| Library::get(&self.db).files(&self.db).get(path).copied())
    }

    /// Path and text of a file.
    pub fn source(&self, file: SourceFile) -> (&Path, &Arc<str>) {
        (file.path(&self.db), file.text(&self.db))
    }

    /// All user files, in the order of their paths.
    pub fn user_files(&self) -> Vec<SourceFile> {
        sorted(&self.db, Project::get(&self.db).files(&self.db))
    }

    /// All files: the user's, then the library's.
    pub fn all_files(&self) -> Vec<SourceFile> {
        let mut all = self.user_files();
        all.extend(sorted(&self.db, Library::get(&self.db).files(&self.db)));
        all
    }

    /// The files that are named or open.
    pub fn roots(&self) -> Vec<SourceFile> {
        Project::get(&self.db).roots(&self.db).to_vec()
    }
}

fn sorted(db: &RootDatabase, files: &FxHashMap<PathBuf, SourceFile>) -> Vec<SourceFile> {
    let mut files: Vec<SourceFile> = files.values().copied().collect();
    files.sort_by(|a, b| a.path(db).cmp(b.path(db)));
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_change_and_go() {
        let mut host =
            AnalysisHost::new([(PathBuf::from("x10/lang/Any.x10"), Arc::from("package x10.lang;"))]);
        let path = Path::new("/a.x10");
        host.set_file(path, Some("class A {}".into()));
        host.set_roots(&[path.to_owned()]);
        let snapshot = host.snapshot();
        let file = snapshot.file(path).expect("known");
        assert_eq!(&**snapshot.source(file).1, "class A {}");
        assert!(snapshot.file(Path::new("x10/lang/Any.x10")).is_some());
        assert_eq!(snapshot.roots(), [file]);
        drop(snapshot);
        host.set_file(path, Some("class B {}".into()));
        assert_eq!(&**host.snapshot().source(file).1, "class B {}");
        let mut host = host.renewed();
        assert_eq!(&**host.snapshot().source(host.snapshot().roots()[0]).1, "class B {}");
        host.set_file(path, None);
        assert!(host.snapshot().file(path).is_none());
    }

    /// A thread that waits for a cancelled thread has not failed: it retries, however often that happens.
    #[test]
    fn cancellation_by_an_edit_is_not_a_failure() {
        let fail = |_: &dyn Db| -> () { std::panic::resume_unwind(Box::new(Cancelled::PropagatedPanic)) };
        let mut host = AnalysisHost::new([]);
        assert!(matches!(host.snapshot().with(fail), Err(Cancelled::PropagatedPanic)));
        let snapshot = host.snapshot();
        let waiting = std::thread::spawn(move || {
            while snapshot.ended().is_none() {
                std::thread::yield_now();
            }
            snapshot.with(fail)
        });
        host.set_file(Path::new("/a.x10"), Some("class A {}".into()));
        assert!(matches!(waiting.join().expect("no panic"), Err(Cancelled::PendingWrite)));
    }
}
