//! The database: sources as inputs, the program of a file and its diagnostics as queries.
#![allow(missing_docs, reason = "salsa generates undocumented items; everything written here is documented")]

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use apg_c_syntax::{
    FileId, FileSystem, ParsedPreamble, ParsedUnit, Span, TextRange, Toolchain, Unit, parse_unit, preprocess,
    reparse,
};
use rustc_hash::FxHashMap;

use crate::hir::Program;
use crate::lower;

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
pub struct Preambles(Mutex<FxHashMap<PathBuf, KeptPreamble>>);

/// The one implementation of [`Db`].
#[salsa::db]
#[derive(Clone)]
pub struct RootDatabase {
    storage: salsa::Storage<Self>,
    files: Arc<dyn FileSystem + Send + Sync>,
    preambles: Arc<Preambles>,
}

impl RootDatabase {
    pub(crate) fn new(files: Arc<dyn FileSystem + Send + Sync>) -> RootDatabase {
        RootDatabase { storage: salsa::Storage::new(None), files, preambles: Arc::default() }
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
    let kept = &db.preambles().0;
    let (text, toolchain) = (file.text(db), file.toolchain(db));
    let before = kept.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
    let before = before.filter(|it| it.toolchain == *toolchain);
    let last = before.as_ref().and_then(|it| it.last.upgrade());
    let edited = last.and_then(|it| reparse(&it.unit, &it.syntax, text, toolchain, db.files()));
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
    let program = lower::lower_unit(&syntax, &known.program);
    let parsed = Arc::new(Parsed { unit, syntax, program });
    let known = KeptPreamble { last: Arc::downgrade(&parsed), ..known };
    kept.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone(), known);
    parsed
}
