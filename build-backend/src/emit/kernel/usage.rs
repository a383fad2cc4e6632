//! What a kernel's body does to its rails.

use crate::mir::walk::{operands, visit_exprs, visit_stmts};
use crate::mir::*;
use rustc_hash::FxHashSet;

/// Locals that name rails which are written, or given to something that might write them.
pub struct Usage {
    written: FxHashSet<LocalId>,
    /// A store went through something that is not a local.
    anywhere: bool,
}

impl Usage {
    /// Looks at a kernel.
    pub fn of(kernel: &Kernel) -> Usage {
        let mut usage = Usage { written: FxHashSet::default(), anywhere: false };
        visit_stmts(&kernel.body, &mut |stmt| {
            if let StmtKind::SetElement { rail, .. } = &stmt.kind
                && !matches!(rail.kind, ExprKind::Local(_))
            {
                usage.anywhere = true;
            }
            // Stored to, or given another name through which it might be.
            for operand in operands(&stmt.kind) {
                if let ExprKind::Local(local) = operand.kind
                    && is_rail_like(operand)
                {
                    usage.written.insert(local);
                }
            }
        });
        visit_exprs(&kernel.body, &mut |expr, parent| {
            let (ExprKind::Local(local), Some(parent)) = (&expr.kind, parent) else { return };
            let only_read = matches!(
                parent.kind,
                ExprKind::Element { .. }
                    | ExprKind::Length { .. }
                    | ExprKind::StructField { .. }
                    | ExprKind::Operation { .. }
            );
            if !only_read && is_rail_like(expr) {
                usage.written.insert(*local);
            }
        });
        usage
    }

    /// The rail is never stored to and never leaves the body.
    pub fn is_only_read(&self, local: LocalId) -> bool {
        !self.anywhere && !self.written.contains(&local)
    }

    /// Some global rail may be stored to.
    pub fn stores_to_global_rails(&self, kernel: &Kernel) -> bool {
        self.anywhere
            || kernel.captures.iter().enumerate().any(|(index, it)| {
                matches!(it.kind, KernelCaptureKind::GlobalRail { .. })
                    && self.written.contains(&LocalId(index as u32))
            })
    }
}

/// Rails are references, global rails structs.
fn is_rail_like(expr: &Expr) -> bool {
    matches!(expr.ty, Ty::Ref(_) | Ty::Struct(_))
}
