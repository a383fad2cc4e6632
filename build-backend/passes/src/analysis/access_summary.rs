//! Read/write summary of a kernel's arrays.

use apg_mir::walk::{operands, visit_expr, visit_exprs, visit_stmts};
use apg_mir::*;
use rustc_hash::FxHashSet;

/// Arrays that are written, or passed to something that may write them.
#[derive(Clone, Debug)]
pub struct AccessSummary {
    written: FxHashSet<LocalId>,
    /// A store goes through a pointer, or an expression that is not a local.
    anywhere: bool,
}

impl AccessSummary {
    /// Summarises a kernel.
    pub fn of(kernel: &Kernel) -> AccessSummary {
        let mut accesses = AccessSummary { written: FxHashSet::default(), anywhere: false };
        accesses.scan_stmts(&kernel.body);
        for rail in &kernel.shared {
            match &rail.init {
                SharedInit::Zero | SharedInit::Copy(_) => {}
                SharedInit::Value(value) => accesses.scan_operand(value),
                SharedInit::Function { setup, value, .. } => {
                    accesses.scan_stmts(setup);
                    accesses.scan_operand(value);
                }
            }
        }
        accesses
    }

    fn scan_stmts(&mut self, body: &[Stmt]) {
        visit_stmts(body, &mut |stmt| {
            self.anywhere |= match &stmt.kind {
                StmtKind::SetElement { rail, .. } => !matches!(rail.kind, ExprKind::Local(_)),
                StmtKind::Store { .. } => true,
                _ => false,
            };
            for operand in operands(&stmt.kind) {
                self.scan_operand(operand);
            }
        });
    }

    /// Records arrays that an operand stores to or gives another name.
    fn scan_operand(&mut self, operand: &Expr) {
        visit_expr(operand, None, &mut |expr, parent| {
            self.anywhere |= match &expr.kind {
                ExprKind::CallPointer { .. } => true,
                ExprKind::Atomic { rail, .. } => matches!(rail.ty, Ty::Pointer(_)),
                _ => false,
            };
            let ExprKind::Local(local) = expr.kind else { return };
            let only_read = matches!(
                parent.map(|it| &it.kind),
                Some(
                    ExprKind::Element { .. }
                        | ExprKind::Length { .. }
                        | ExprKind::StructField { .. }
                        | ExprKind::Operation { .. }
                )
            );
            if !only_read && is_rail_like(expr) {
                self.written.insert(local);
            }
        });
    }

    /// Whether the array is never stored to and never escapes the body.
    pub fn is_read_only(&self, local: LocalId) -> bool {
        !self.anywhere && !self.written.contains(&local)
    }

    /// Whether some global array may be stored to.
    pub fn stores_to_global_arrays(&self, kernel: &Kernel) -> bool {
        self.anywhere
            || kernel.captures.iter().enumerate().any(|(index, it)| {
                matches!(it.kind, KernelCaptureKind::GlobalBuffer { .. })
                    && self.written.contains(&LocalId(index as u32))
            })
    }
}

/// Arrays are references, global arrays structs.
pub(crate) fn is_rail_like(expr: &Expr) -> bool {
    matches!(expr.ty, Ty::Ref(_) | Ty::Struct(_))
}

/// Whether a private array is only indexed, so that its elements need not be contiguous.
pub(crate) fn is_only_indexed(kernel: &Kernel, local: LocalId) -> bool {
    let mut indexed = true;
    let mut indexed_uses = 0;
    visit_stmts(&kernel.body, &mut |stmt| {
        if let StmtKind::SetElement { rail, .. } = &stmt.kind
            && matches!(rail.kind, ExprKind::Local(id) if id == local)
        {
            indexed_uses += 1;
        }
    });
    let mut all = 0;
    visit_exprs(&kernel.body, &mut |expr, parent| {
        if !matches!(expr.kind, ExprKind::Local(id) if id == local) {
            return;
        }
        all += 1;
        match parent.map(|it| &it.kind) {
            Some(
                ExprKind::Element { rail, .. }
                | ExprKind::Atomic { rail, .. }
                | ExprKind::Length { rail, .. },
            ) if std::ptr::eq(&raw const **rail, expr) => {
                indexed_uses += 1;
            }
            Some(_) => indexed = false,
            None => {}
        }
    });
    indexed && all == indexed_uses
}
