//! Jumps in statements: which labels they leave or continue.

use rustc_hash::FxHashSet;

use apg_mir::walk::visit_stmts;
use apg_mir::*;

/// Whether statements break out of the construct with that label.
pub(crate) fn has_break(body: &[Stmt], label: LabelId) -> bool {
    let mut found = false;
    visit_stmts(body, &mut |it| found |= matches!(it.kind, StmtKind::Break(target) if target == label));
    found
}

/// Whether statements continue the loop with that label.
pub(crate) fn has_continue(body: &[Stmt], label: LabelId) -> bool {
    let mut found = false;
    visit_stmts(body, &mut |it| found |= matches!(it.kind, StmtKind::Continue(target) if target == label));
    found
}

/// Whether a jump leaves these bodies. `continued` is a label around them that may be continued, but not
/// left.
pub(crate) fn has_outer_jump(bodies: &[&[Stmt]], continued: Option<LabelId>) -> bool {
    let mut inner = FxHashSet::default();
    for body in bodies {
        visit_stmts(body, &mut |stmt| {
            if let StmtKind::Loop { label, .. }
            | StmtKind::Switch { label, .. }
            | StmtKind::Labeled { label, .. } = &stmt.kind
            {
                inner.insert(*label);
            }
        });
    }
    let mut leaves = false;
    for body in bodies {
        visit_stmts(body, &mut |stmt| match &stmt.kind {
            StmtKind::Break(label) => leaves |= !inner.contains(label),
            StmtKind::Continue(label) => leaves |= !inner.contains(label) && continued != Some(*label),
            _ => {}
        });
    }
    leaves
}
