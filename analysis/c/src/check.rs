//! The diagnostics of a file: rules about one function are queries of that function.
#![allow(missing_docs, reason = "salsa generates undocumented items; everything written here is documented")]

use apg_c_syntax::{TextRange, TextSize};
use rustc_hash::FxHashSet;

use crate::db::{Db, Parsed, SourceFile, parsed};
use crate::functions::{DefinedFunction, defined_functions};
use crate::hir::FunctionId;
use crate::race::incremental;
use crate::{Diagnostic, rules};

/// The diagnostics of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Their places count from the start of the function: they move with it.
    Relative(Vec<Diagnostic>),
    /// They have places outside of it.
    Absolute(Vec<Diagnostic>),
}

/// The diagnostics of a function by the rules that judge one function at a time.
#[salsa::tracked(returns(ref))]
pub(crate) fn function_diagnostics<'db>(db: &'db dyn Db, function: DefinedFunction<'db>) -> Found {
    function.version(db);
    function.declares_reductions(db);
    let file = function.file(db);
    let (current, id) = (function.parsed(db), function.id(db));
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
    let with_directives: FxHashSet<FunctionId> =
        parsed.program.directives.iter().filter_map(|it| it.function).collect();
    for function in defined_functions(db, file).iter().filter(|it| with_directives.contains(&it.id(db))) {
        match function_diagnostics(db, *function) {
            Found::Absolute(found) => all.extend(found.iter().cloned()),
            Found::Relative(found) => {
                let extent = extent(parsed, function.id(db));
                let start = extent.map_or(TextSize::from(0), TextRange::start);
                all.extend(found.iter().cloned().map(|mut it| {
                    for_each_range(&mut it, &mut |range| *range += start);
                    it
                }));
            }
        }
    }
    rules::of_file(parsed, all, incremental::file_races(db, file))
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
