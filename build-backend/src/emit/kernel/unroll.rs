//! Loops of a kernel for a device that are unrolled further than the device's compiler would.

use crate::mir::walk::{bodies, visit_exprs, visit_stmts};
use crate::mir::*;
use rustc_hash::FxHashSet;

/// How often. Compilers unroll a loop of unknown length four times; what a loop costs beside its body is then up to a tenth of
/// its instructions, and few loads are on their way at once. (The nearest of 400 centres in shared memory, on an H100: 4 times
/// 0.755 ms, 8 times 0.741, 16 times 0.693.)
pub const TIMES: u32 = 16;

/// The most expressions in a body.
const LARGEST: usize = 120;

/// Innermost loops, of a length that is not in the program's text, that read shared memory and nothing else: what they read comes
/// soon, so that a longer body needs no more registers, and blocks do not make room for each other.
pub fn loops(kernel: &Kernel) -> FxHashSet<LabelId> {
    let mut found = FxHashSet::default();
    visit_stmts(&kernel.body, &mut |stmt| {
        if let StmtKind::Loop { label, condition, body, unroll: None, .. } = &stmt.kind
            && !is_known(condition)
            && is_straight(body)
            && reads_shared_memory(kernel, body)
        {
            found.insert(*label);
        }
    });
    found
}

/// The end of the loop is a constant: the compiler sees how long it is, and unrolls the whole if that is little.
fn is_known(condition: &Expr) -> bool {
    let ExprKind::Operation { args, .. } = &condition.kind else { return false };
    args.iter().any(|it| super::constant(it).is_some())
}

/// Assignments and conditions, no more.
fn is_straight(body: &[Stmt]) -> bool {
    body.iter().all(|stmt| {
        matches!(stmt.kind, StmtKind::Set { .. } | StmtKind::Block(_) | StmtKind::If { .. })
            && bodies(&stmt.kind).into_iter().all(|it| is_straight(it))
    })
}

fn reads_shared_memory(kernel: &Kernel, body: &[Stmt]) -> bool {
    let (mut count, mut reads, mut others) = (0, 0, false);
    visit_exprs(body, &mut |expr, _| {
        count += 1;
        match &expr.kind {
            ExprKind::Element { rail, .. } => {
                let is_shared = matches!(rail.kind, ExprKind::Local(local) if kernel.shared.iter().any(|it| it.local == local));
                reads += usize::from(is_shared);
                others |= !is_shared;
            }
            ExprKind::Call { .. } | ExprKind::Atomic { .. } | ExprKind::Together { .. } => others = true,
            _ => {}
        }
    });
    reads > 0 && !others && count <= LARGEST
}
