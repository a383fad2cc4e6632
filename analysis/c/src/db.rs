//! The database: sources as inputs, the program of a file and its diagnostics as queries.
#![allow(missing_docs, reason = "salsa generates undocumented items; everything written here is documented")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use apg_c_syntax::{
    FileId, FileSystem, ParsedPreamble, ParsedUnit, Span, TextRange, Toolchain, Unit, parse_unit, preprocess,
    reparse,
};
use rustc_hash::FxHashMap;

use crate::facts::Facts;
use crate::hir::{FunctionId, Program};
use crate::lower::{self, Layout, Lowered};

/// A C file.
#[salsa::input(debug)]
pub struct SourceFile {
    /// Its absolute path.
    #[returns(ref)]
    pub path: PathBuf,
    /// Its text.
    #[returns(ref)]
    pub text: Arc<str>,
    /// The compiler that it is for: macros, folders of headers, language version.
    #[returns(ref)]
    pub toolchain: Arc<Toolchain>,
    /// Counts changes of headers: what depends on them is computed again.
    #[returns(copy)]
    pub headers: u64,
}

/// The database trait that every query takes.
#[salsa::db]
pub trait Db: salsa::Database {
    /// Headers, and unsaved text of an editor.
    fn files(&self) -> &dyn FileSystem;
    /// The preambles of earlier versions.
    fn preambles(&self) -> &Preambles;
}

/// The preamble of a file: its headers' declarations.
#[derive(Clone)]
struct KeptPreamble {
    parsed: Arc<ParsedPreamble>,
    unit: Arc<apg_c_syntax::Preamble>,
    program: Arc<Program>,
    toolchain: Arc<Toolchain>,
    /// The file as it was last parsed: an edit parses the declaration around it alone.
    last: Weak<Parsed>,
}

/// The last preamble of each file, and its last trees. They are reused where the same would be made again, so
/// results of queries do not depend on them.
#[derive(Default)]
pub struct Preambles {
    kept: Mutex<FxHashMap<PathBuf, KeptPreamble>>,
    versions: AtomicU64,
}

impl Preambles {
    /// A number that no other version has.
    fn next_version(&self) -> u64 {
        self.versions.fetch_add(1, Ordering::Relaxed)
    }

    /// The file as it was last parsed. A query that depends on a part of it alone reads it so, after
    /// [`parsed`] has been asked in this revision.
    pub(crate) fn last(&self, path: &Path) -> Option<Arc<Parsed>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(path)?.last.upgrade()
    }
}

/// Gets the name of each query that is executed.
pub type Observer = Box<dyn Fn(&str) + Send + Sync>;

/// The one implementation of [`Db`].
#[salsa::db]
#[derive(Clone)]
pub struct RootDatabase {
    storage: salsa::Storage<Self>,
    files: Arc<dyn FileSystem + Send + Sync>,
    preambles: Arc<Preambles>,
}

impl RootDatabase {
    /// A database without files; `observer` gets the name of each query that is executed.
    pub(crate) fn new(files: Arc<dyn FileSystem + Send + Sync>, observer: Option<Observer>) -> RootDatabase {
        let observer = observer.map(|observer| -> Box<dyn Fn(salsa::Event) + Send + Sync> {
            Box::new(move |event| {
                if let salsa::EventKind::WillExecute { database_key } = event.kind {
                    observer(&format!("{database_key:?}"));
                }
            })
        });
        RootDatabase { storage: salsa::Storage::new(observer), files, preambles: Arc::default() }
    }
}

#[salsa::db]
impl salsa::Database for RootDatabase {}

#[salsa::db]
impl Db for RootDatabase {
    fn files(&self) -> &dyn FileSystem {
        &*self.files
    }

    fn preambles(&self) -> &Preambles {
        &self.preambles
    }
}

/// A file, preprocessed, parsed and lowered.
#[derive(Debug)]
pub struct Parsed {
    /// The preprocessed unit.
    pub unit: Unit,
    /// Its trees.
    pub syntax: ParsedUnit,
    /// The program.
    pub program: Program,
    /// What its external declarations consist of.
    layout: Layout,
    /// The version of all functions but those in `edited`.
    version: u64,
    /// Functions that were edited since, and their versions.
    edited: FxHashMap<FunctionId, u64>,
    /// What the race analysis knows of the whole program, once it was requested.
    race_facts: OnceLock<Facts>,
}

impl Parsed {
    /// Where a range of the tree is spelled in the main file; of what a header spells, the line that includes
    /// it. `None` of an empty range.
    pub fn spelled(&self, range: TextRange) -> Option<TextRange> {
        let span = self.syntax.main.span(&self.unit, range)?;
        self.in_main_file(span)
    }

    /// The place of a span in the main file.
    pub fn in_main_file(&self, mut span: Span) -> Option<TextRange> {
        while span.file != FileId::MAIN {
            span = self.unit.file(span.file).included_at?;
        }
        Some(span.range())
    }

    /// Whether the tokens of a range are spelled in the main file as they are, so that a fix can change them.
    pub fn is_spelled(&self, range: TextRange) -> bool {
        let tokens = self.syntax.main.tokens_in(range);
        self.syntax.main.is_spelled(range) && tokens.iter().all(|it| it.span.file == FileId::MAIN)
    }

    /// A number that is another one if a function's text or a declaration of file scope is another.
    pub(crate) fn version_of(&self, function: FunctionId) -> u64 {
        self.edited.get(&function).copied().unwrap_or(self.version)
    }

    /// What its external declarations consist of.
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What the race analysis knows of the whole program.
    pub(crate) fn race_facts(&self) -> &Facts {
        self.race_facts.get_or_init(|| Facts::new(&self.program))
    }

    /// The text of the main file.
    pub fn text(&self) -> &str {
        &self.unit.file(FileId::MAIN).text
    }
}

/// The program of a file.
#[salsa::tracked(returns(ref), no_eq, lru = 64)]
pub fn parsed(db: &dyn Db, file: SourceFile) -> Arc<Parsed> {
    file.headers(db);
    let path = file.path(db);
    let kept = &db.preambles().kept;
    let (text, toolchain) = (file.text(db), file.toolchain(db));
    let before = kept.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
    let before = before.filter(|it| it.toolchain == *toolchain);
    let last = before.as_ref().and_then(|it| it.last.upgrade());
    let edited = last.as_ref().and_then(|it| reparse(&it.unit, &it.syntax, text, toolchain, db.files()));
    let (unit, syntax) = edited.unwrap_or_else(|| {
        let preamble = before.as_ref().map(|it| &it.unit);
        let unit = preprocess(path, text.clone(), toolchain, db.files(), preamble);
        let syntax = parse_unit(&unit, before.as_ref().map(|it| &it.parsed));
        (unit, syntax)
    });
    let known = before.filter(|it| Arc::ptr_eq(&it.parsed, &syntax.preamble));
    let known = known.unwrap_or_else(|| {
        let program = Arc::new(lower::lower_preamble(&syntax.preamble));
        let (parsed, unit) = (syntax.preamble.clone(), unit.preamble().clone());
        KeptPreamble { parsed, unit, program, toolchain: toolchain.clone(), last: Weak::new() }
    });
    let again = last.as_ref().zip(syntax.replaced).and_then(|(it, replaced)| {
        let old = Lowered { syntax: &it.syntax, program: &it.program, layout: &it.layout };
        lower::relower(&syntax, &old, replaced)
    });
    let next = db.preambles().next_version();
    let (program, layout, version, edited) = match last.zip(again) {
        Some((last, (program, layout, function))) => {
            let mut edited = last.edited.clone();
            edited.insert(function, next);
            (program, layout, last.version, edited)
        }
        None => {
            let (program, layout) = lower::lower_unit(&syntax, &known.program);
            (program, layout, next, FxHashMap::default())
        }
    };
    let parsed =
        Arc::new(Parsed { unit, syntax, program, layout, version, edited, race_facts: OnceLock::new() });
    let known = KeptPreamble { last: Arc::downgrade(&parsed), ..known };
    kept.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone(), known);
    parsed
}
