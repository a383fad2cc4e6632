//! Loops whose threads cannot tell how many they are, nor which of them executes an iteration: on a GPU they
//! need not run at the same time, so that the device shares their blocks out as it becomes free.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Construct, Directive, DirectiveId, ExprId, ExprKind, Program, VariableId};
use apg_c_analysis::loops::{self, CanonicalLoop};

use super::clauses::is_read_and_kept;
use super::routines::is_of_device;
use crate::unit::FunctionNames;

/// Clauses that leave the threads of a loop independent.
const CLAUSES: &[&str] = &[
    "aligned",
    "collapse",
    "default",
    "firstprivate",
    "if",
    "lastprivate",
    "nontemporal",
    "private",
    "safelen",
    "schedule",
    "shared",
    "simdlen",
];

/// Whether a region is one loop whose threads are independent; `with_openmp` are the functions of the file
/// that use OpenMP.
pub(super) fn is_independent(hir: &Program, region: DirectiveId, with_openmp: &FunctionNames) -> bool {
    use Construct::{For, Loop, Parallel, Simd};
    let of = hir.directive(region);
    let is_loop = matches!(of.constructs[..], [Parallel, For | Loop] | [Parallel, For, Simd]);
    let has_others = of.clauses.iter().any(|it| !CLAUSES.contains(&it.name.as_str()));
    if !is_loop || has_others || is_read_and_kept(hir, of) {
        return false;
    }
    let Some(body) = of.body else { return false };
    let mut found = true;
    hir.walk_stmt(body, &mut |node| {
        match node {
            Node::Directive(inner) => {
                found &= matches!(hir.directive(inner).constructs[..], [Construct::Atomic | Construct::Simd]);
            }
            Node::Expr(expr) => {
                let names_openmp = |name: &str| is_of_device(name) || with_openmp.contains(name);
                found &= !hir.callee_name(expr).is_some_and(names_openmp);
                if let ExprKind::Variable(variable) = hir.expr(expr).kind {
                    found &= !hir.is_threadprivate(variable);
                }
            }
            Node::Stmt(_) => {}
        }
        true
    });
    found
}

/// The loops of a region whose numbers of iterations the host can tell in front of it: their bounds are
/// numbers and objects outside of it.
pub(crate) fn countable_loops(hir: &Program, of: &Directive) -> Option<Vec<CanonicalLoop>> {
    let (found, problem) = loops::associated(hir, of);
    if problem.is_some() || found.is_empty() {
        return None;
    }
    let clauses = ["private", "lastprivate"].into_iter().flat_map(|it| of.clauses_named(it));
    let own: Vec<VariableId> = clauses
        .flat_map(|it| &it.items)
        .filter_map(|it| it.variable(hir))
        .chain(found.iter().map(|it| it.variable))
        .collect();
    let bounds = found.iter().flat_map(|it| [Some(it.start), Some(it.end), it.step]).flatten();
    bounds.into_iter().all(|it| is_plain(hir, it, &own)).then_some(found)
}

/// Whether a value is computed from numbers and objects that none of `own` is, without an effect.
fn is_plain(hir: &Program, value: ExprId, own: &[VariableId]) -> bool {
    let mut found = true;
    hir.walk_expr(value, &mut |node| {
        if let Node::Expr(expr) = node {
            found &= match &hir.expr(expr).kind {
                ExprKind::Variable(it) => !own.contains(it),
                ExprKind::Integer(_)
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Cast(_)
                | ExprKind::Unevaluated
                | ExprKind::Member { is_arrow: false, .. } => true,
                _ => false,
            };
        }
        true
    });
    found && hir.expr(value).ty.is_integer()
}
