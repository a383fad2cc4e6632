//! Functions of other files that use OpenMP: orphaned directives and routines bind to the region that calls
//! the function (OpenMP 2.5, section 2.1), of which a call on the host knows nothing.

use apg_c_analysis::Parsed;
use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{ExprKind, FunctionId, Program, StmtId};
use apg_c_syntax::Family;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::routines::is_of_device;
use crate::unit::FunctionNames;

/// The functions of files that use OpenMP, or that call functions which do.
pub fn functions_with_openmp<'p>(files: impl IntoIterator<Item = &'p Parsed>) -> FunctionNames {
    let mut found = FunctionNames::new();
    let mut callers: FxHashMap<SmolStr, Vec<SmolStr>> = FxHashMap::default();
    for file in files {
        let hir = &file.program;
        for (function, body) in hir.defined_functions() {
            if uses_openmp(hir, function, body, &mut callers) {
                found.insert(hir.function(function).name.clone());
            }
        }
    }
    let mut pending: Vec<SmolStr> = found.iter().cloned().collect();
    while let Some(name) = pending.pop() {
        for caller in callers.get(&name).into_iter().flatten() {
            if found.insert(caller.clone()) {
                pending.push(caller.clone());
            }
        }
    }
    found
}

/// Whether a function itself uses OpenMP; adds it to the callers of those that it names.
fn uses_openmp(
    hir: &Program,
    function: FunctionId,
    body: StmtId,
    callers: &mut FxHashMap<SmolStr, Vec<SmolStr>>,
) -> bool {
    let mut has_some = hir.directive_ids().any(|it| {
        let of = hir.directive(it);
        of.family == Family::OpenMp && of.function == Some(function)
    });
    hir.walk_stmt(body, &mut |node| {
        let Node::Expr(expr) = node else { return true };
        if let ExprKind::Variable(variable) = hir.expr(expr).kind {
            has_some |= hir.is_threadprivate(variable);
        }
        if let Some(name) = hir.callee_name(expr) {
            has_some |= is_of_device(name);
            callers.entry(name.into()).or_default().push(hir.function(function).name.clone());
        }
        true
    });
    has_some
}
