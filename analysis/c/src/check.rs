//! The diagnostics of a file: rules about one function are queries of that function.
#![allow(missing_docs, reason = "salsa generates undocumented items; everything written here is documented")]

use std::sync::Arc;

use apg_c_syntax::{TextRange, TextSize};

use crate::db::{Db, Parsed, SourceFile, parsed};
use crate::hir::FunctionId;
use crate::{Diagnostic, rules};

/// A function with directives.
#[salsa::tracked(debug)]
pub(crate) struct JudgedFunction<'db> {
    /// The file that defines it.
    #[returns(copy)]
    pub file: SourceFile,
    /// Its number in the program of the file.
    #[returns(copy)]
    pub number: usize,
    /// Another value if its text or a declaration of file scope is another.
    #[tracked]
    #[returns(copy)]
    pub version: u64,
    /// The file has `declare reduction` directives, in any of its functions.
    #[tracked]
    #[returns(copy)]
    pub declares_reductions: bool,
}

/// The diagnostics of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Their places count from the start of the function: they move with it.
    Relative(Vec<Diagnostic>),
    /// They have places outside of it.
    Absolute(Vec<Diagnostic>),
}

/// The functions of a file that have directives, in the order of the source.
#[salsa::tracked(returns(ref))]
pub(crate) fn judged_functions(db: &dyn Db, file: SourceFile) -> Vec<JudgedFunction<'_>> {
    let parsed = parsed(db, file);
    let mut functions: Vec<FunctionId> = Vec::new();
    for function in parsed.program.directives.iter().filter_map(|it| it.function) {
        if functions.last() != Some(&function) {
            functions.push(function);
        }
    }
    let declares_reductions = parsed.program.declares_reductions();
    let judged = |it: FunctionId| {
        JudgedFunction::new(db, file, it.index(), parsed.version_of(it), declares_reductions)
    };
    functions.into_iter().map(judged).collect()
}

/// The diagnostics of a function by the rules that judge one function at a time.
#[salsa::tracked(returns(ref))]
pub(crate) fn function_diagnostics<'db>(db: &'db dyn Db, function: JudgedFunction<'db>) -> Found {
    // What these stand for is in the program that this revision has parsed: reading it by way of
    // `parsed` would make this query depend on every edit.
    function.version(db);
    function.declares_reductions(db);
    let file = function.file(db);
    let current = db.preambles().last(file.path(db));
    let current: Arc<Parsed> = current.unwrap_or_else(|| parsed(db, file).clone());
    let id = FunctionId::new(function.number(db));
    let mut found = rules::of_function(&current, Some(id));
    let inside = extent(&current, id).filter(|inside| found.iter_mut().all(|it| is_inside(it, *inside)));
    match inside {
        Some(inside) => {
            let start = inside.start();
            found.iter_mut().for_each(|it| for_each_range(it, &mut |range| *range -= start));
            Found::Relative(found)
        }
        None => {
            parsed(db, file);
            Found::Absolute(found)
        }
    }
}

/// The diagnostics of a file, in the order of the source.
#[salsa::tracked(returns(ref))]
pub fn file_diagnostics(db: &dyn Db, file: SourceFile) -> Vec<Diagnostic> {
    let parsed = parsed(db, file);
    let has_none = parsed.program.directives.is_empty()
        && !rules::omp::missing_omp::is_suspected(parsed)
        && !rules::omp::nesting_limit::is_exceeded(parsed);
    if has_none {
        return Vec::new();
    }
    let mut all = rules::of_function(parsed, None);
    for function in judged_functions(db, file) {
        match function_diagnostics(db, *function) {
            Found::Absolute(found) => all.extend(found.iter().cloned()),
            Found::Relative(found) => {
                let extent = extent(parsed, FunctionId::new(function.number(db)));
                let start = extent.map_or(TextSize::from(0), TextRange::start);
                all.extend(found.iter().cloned().map(|mut it| {
                    for_each_range(&mut it, &mut |range| *range += start);
                    it
                }));
            }
        }
    }
    rules::of_file(parsed, all)
}

/// Where a function is spelled, from its name on.
fn extent(parsed: &Parsed, function: FunctionId) -> Option<TextRange> {
    let function = parsed.program.function(function);
    let name = parsed.spelled(function.range?)?;
    let body = parsed.spelled(parsed.program.stmt(function.body?).range)?;
    (name.end() <= body.start()).then(|| name.cover(body))
}

fn is_inside(diagnostic: &mut Diagnostic, extent: TextRange) -> bool {
    let mut is_inside = true;
    for_each_range(diagnostic, &mut |range| is_inside &= extent.contains_range(*range));
    is_inside
}

/// All places of a diagnostic, which are in its file.
fn for_each_range(diagnostic: &mut Diagnostic, visit: &mut dyn FnMut(&mut TextRange)) {
    visit(&mut diagnostic.range);
    diagnostic.related.iter_mut().for_each(|it| visit(&mut it.range));
    diagnostic.fixes.iter_mut().flat_map(|it| &mut it.edits).for_each(|it| visit(&mut it.range));
}
