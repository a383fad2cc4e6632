//! Regions whose threads may exclude those of regions that other threads of the host start (OpenMP 2.5,
//! sections 2.6.2, 2.6.4 and 3.3): the device and the host have locks and atomic operations of their own, so
//! that such regions run one after the other on the device.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Construct, DirectiveId, Program};

use crate::unit::FunctionNames;

/// Whether a region, or a function of the file that it calls, may use `critical`, `atomic` or locks;
/// `with_openmp` are the functions of the file that use OpenMP.
pub(super) fn is_exclusive(hir: &Program, region: DirectiveId, with_openmp: &FunctionNames) -> bool {
    let Some(body) = hir.directive(region).body else { return false };
    let mut found = false;
    hir.walk_stmt(body, &mut |node| {
        found |= match node {
            Node::Directive(inner) => {
                let constructs = &hir.directive(inner).constructs;
                constructs.iter().any(|it| matches!(it, Construct::Critical | Construct::Atomic))
            }
            Node::Expr(expr) => hir.callee_name(expr).is_some_and(|name| {
                name.starts_with("omp_") && name.ends_with("_lock") || with_openmp.contains(name)
            }),
            Node::Stmt(_) => false,
        };
        !found
    });
    found
}
