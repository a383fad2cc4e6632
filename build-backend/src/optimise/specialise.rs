//! Versions of functions for the closures that they get: `rail.map(f)` with the code of `f` in place.

use rustc_hash::FxHashMap;

use super::exact::Exact;
use super::{bare, is_host_code};
use crate::mir::*;

/// The versions made, and how much code they are.
#[derive(Default)]
pub(super) struct Versions {
    made: FxHashMap<(FunctionId, Vec<(usize, ClassId)>), FunctionId>,
    statements: usize,
}

/// No more statements than this in one version, and in all together.
const MOST: usize = 400;
const ALL: usize = 20_000;

/// Sends the calls of a body to versions for the closures that they pass. `known` has the classes of parameters by function.
pub(super) fn specialise(
    program: &mut Program,
    known: &mut Vec<Vec<Option<ClassId>>>,
    versions: &mut Versions,
    body: &mut [Stmt],
    exact: Exact<'_>,
) {
    walk_mut::edit_exprs(body, &mut |expr| {
        let ExprKind::Call { function, args } = &mut expr.kind else { return };
        let closures: Vec<(usize, ClassId)> = args
            .iter()
            .enumerate()
            .filter_map(|(index, arg)| Some((index, exact.of(arg)?)))
            .filter(|(_, class)| matches!(program.classes[class.index()].kind, ClassKind::Closure))
            .collect();
        if !closures.is_empty()
            && let Some(version) = version(program, known, versions, *function, closures)
        {
            *function = version;
        }
    });
}

fn version(
    program: &mut Program,
    known: &mut Vec<Vec<Option<ClassId>>>,
    versions: &mut Versions,
    function: FunctionId,
    mut closures: Vec<(usize, ClassId)>,
) -> Option<FunctionId> {
    let original = &program.functions[function.index()];
    let already = &known[function.index()];
    closures.retain(|(index, class)| {
        already.get(*index).copied().flatten() != Some(*class) && uses(original, LocalId(*index as u32))
    });
    if closures.is_empty() || !is_host_code(original) {
        return None;
    }
    let key = (function, closures);
    if let Some(&version) = versions.made.get(&key) {
        return Some(version);
    }
    let mut size = 0;
    walk::visit_stmts(&original.body, &mut |_| size += 1);
    if size == 0 || size > MOST || versions.statements + size > ALL {
        return None;
    }
    versions.statements += size;
    let version = FunctionId(program.functions.len() as u32);
    let mut classes = already.clone();
    classes.resize(original.params as usize, None);
    key.1.iter().for_each(|(index, class)| classes[*index] = Some(*class));
    known.push(classes);
    let copy = original.clone();
    program.functions.push(copy);
    versions.made.insert(key, version);
    Some(version)
}

/// Whether a function calls what a parameter is, or passes it on, and never sets it.
fn uses(function: &Function, param: LocalId) -> bool {
    let is_it = |expr: &Expr| matches!(bare(expr).kind, ExprKind::Local(local) if local == param);
    let (mut used, mut set) = (param.0 >= function.params, false);
    walk::visit_exprs(&function.body, &mut |expr, _| match &expr.kind {
        ExprKind::CallClosure { args, .. } => used |= args.first().is_some_and(is_it),
        ExprKind::Call { args, .. } => used |= args.iter().any(is_it),
        _ => {}
    });
    walk::visit_stmts(&function.body, &mut |stmt| {
        set |= matches!(stmt.kind, StmtKind::Set { local, .. } if local == param);
    });
    used && !set && param.0 < function.params
}
