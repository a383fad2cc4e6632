//! Objects of file scope that have a copy on every device: `declare target` (OpenMP 5.2, section 7.8).

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{ExprId, ExprKind, Program, Storage, VariableId};
use rustc_hash::FxHashSet;

/// The objects that `declare target` directives name or enclose, those of headers too, in the order of their
/// declarations.
pub(crate) fn device_objects(hir: &Program) -> Vec<VariableId> {
    let is_object = |it: &VariableId| hir.variable(*it).storage == Storage::Global;
    let mut found: Vec<VariableId> = hir.declare_target.iter().copied().filter(is_object).collect();
    found.sort();
    found
}

/// The variables that the functions of a file and their directives refer to.
pub(crate) fn used_variables(hir: &Program) -> FxHashSet<VariableId> {
    let mut found = FxHashSet::default();
    let mut add = |node: Node| {
        if let Node::Expr(id) = node
            && let ExprKind::Variable(variable) = hir.expr(id).kind
        {
            found.insert(variable);
        }
        true
    };
    for body in hir.functions.iter().filter_map(|it| it.body) {
        hir.walk_stmt(body, &mut add);
    }
    let directives = hir.directives.iter().filter(|it| it.function.is_some());
    let items: Vec<ExprId> =
        directives.flat_map(|it| &it.clauses).flat_map(|it| &it.items).filter_map(|it| it.expr).collect();
    items.into_iter().for_each(|it| hir.walk_expr(it, &mut add));
    found
}
