//! Memory effects of the initialisers of shared arrays.

use crate::analysis::access_summary::is_rail_like;
use apg_mir::walk::{visit_expr, visit_exprs, visit_stmts};
use apg_mir::*;

/// Memory effects of an initialiser.
#[derive(Clone, Copy, Default)]
pub(crate) struct InitEffects {
    /// Uses other shared arrays.
    shared: bool,
    /// May read arrays.
    reads: bool,
    /// May write arrays.
    writes: bool,
}

impl InitEffects {
    /// Effects of one initialiser.
    pub(crate) fn of(kernel: &Kernel, init: &SharedInit) -> InitEffects {
        let mut found = InitEffects::default();
        let mut look = |it: &Expr, _: Option<&Expr>| match &it.kind {
            ExprKind::Local(local) => {
                found.shared |= kernel.shared.iter().any(|it| it.local == *local);
                found.reads |= is_rail_like(it);
            }
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Zero
            | ExprKind::Operation { .. }
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Select { .. }
            | ExprKind::StructField { .. }
            | ExprKind::MakeStruct(_)
            | ExprKind::Length { .. }
            | ExprKind::Element { .. } => {}
            // Functions and atomic operations.
            _ => (found.reads, found.writes) = (true, true),
        };
        match init {
            SharedInit::Zero => {}
            SharedInit::Copy(_) => found.reads = true,
            SharedInit::Value(value) => visit_expr(value, None, &mut look),
            SharedInit::Function { setup, value, .. } => {
                visit_exprs(setup, &mut look);
                visit_expr(value, None, &mut look);
                visit_stmts(setup, &mut |stmt| found.writes |= !changes_only_locals(stmt));
            }
        }
        found
    }

    /// Whether it affects and observes its own thread only.
    pub(crate) fn is_own(self) -> bool {
        !self.shared && !self.reads && !self.writes
    }

    /// Whether `before` must be complete in all threads first.
    pub(crate) fn follows(self, before: InitEffects) -> bool {
        self.shared || before.writes && (self.reads || self.writes) || before.reads && self.writes
    }
}

/// Whether a statement itself changes only locals.
fn changes_only_locals(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::Set { .. }
            | StmtKind::SetStructField { .. }
            | StmtKind::Expr(_)
            | StmtKind::Block(_)
            | StmtKind::If { .. }
            | StmtKind::Loop { .. }
            | StmtKind::Switch { .. }
            | StmtKind::Labeled { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
    )
}
