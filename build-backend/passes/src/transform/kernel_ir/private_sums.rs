//! Privatisation of reductions (Tu and Padua, *Automatic Array Privatization*, LCPC 1993): elements of a
//! captured array to which the threads of a block only add are summed up for the blocks that a CPU thread
//! executes one after the other, and added to the array once.
//!
//! Otherwise the CPUs take the elements from each other's caches for each block. Sums of integers do not
//! depend on the order.

use rustc_hash::FxHashMap;

use crate::analysis::constants::constant_value;
use crate::analysis::expressions::scalar_bytes;
use crate::analysis::locals::count_mentions;
use crate::kernel_ir::{KernelIr, PrivateSums};
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;

/// Longer rows of sums take longer to add than they save: elements.
const MAX_ELEMENTS: i64 = 1024;

/// Finds the arrays whose sums are private.
pub(crate) fn run(ir: &mut KernelIr) {
    if ir.communicates {
        // Another block may read a sum after a message of this one.
        return;
    }
    let kernel = &ir.kernel;
    let mentions = count_mentions(&kernel.body);
    let mut found: FxHashMap<LocalId, PrivateSums> = FxHashMap::default();
    visit_stmts(&kernel.body, &mut |stmt| {
        let StmtKind::Set { local, value } = &stmt.kind else { return };
        let ExprKind::Atomic { operation: AtomicOperation::Add, rail, index, .. } = &value.kind else {
            return;
        };
        let ExprKind::Local(rail) = rail.kind else { return };
        let is_unused = mentions.get(local) == Some(&1);
        if let (true, Some(length)) = (is_unused && ir.is_inside(index), thread_extent(kernel, index)) {
            let sums = PrivateSums { rail, element: value.ty, length, uses: Vec::new() };
            let sums = found.entry(rail).or_insert(sums);
            sums.length = sums.length.max(length);
            sums.uses.push(index.id);
        }
    });
    let mut sums: Vec<PrivateSums> =
        found.into_values().filter(|it| is_private(kernel, &mentions, it)).collect();
    sums.sort_by_key(|it| it.rail);
    ir.private_sums = sums;
}

/// Extent of the axis whose index an expression is, if that is a constant.
fn thread_extent(kernel: &Kernel, expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Local(local) => {
            let axis = kernel.thread_locals.iter().position(|it| it == local)?;
            constant_value(kernel.host.threads.get(axis)?).filter(|it| (1..=MAX_ELEMENTS).contains(it))
        }
        ExprKind::Operation { operation: Operation::Convert, args }
            if matches!(expr.ty, Ty::I32 | Ty::I64) =>
        {
            thread_extent(kernel, args.first()?)
        }
        _ => None,
    }
}

/// Whether the kernel only adds to the array, and captures no other array of the same type.
fn is_private(kernel: &Kernel, mentions: &FxHashMap<LocalId, usize>, sums: &PrivateSums) -> bool {
    let is_integer = matches!(sums.element, Ty::I32 | Ty::U32 | Ty::I64 | Ty::U64);
    let is_alone = kernel.captures.iter().enumerate().all(|(index, it)| match it.kind {
        KernelCaptureKind::Scalar(_) => true,
        KernelCaptureKind::GlobalBuffer { .. } if index == sums.rail.index() => true,
        KernelCaptureKind::Buffer { element }
        | KernelCaptureKind::ConstantBuffer { element }
        | KernelCaptureKind::GlobalBuffer { element } => {
            scalar_bytes(element).is_some() && element != sums.element && index != sums.rail.index()
        }
    });
    let mut elsewhere = mentions.get(&sums.rail).copied().unwrap_or(0);
    visit_exprs(&kernel.body, &mut |it, _| {
        if let ExprKind::Atomic { index, .. } = &it.kind {
            elsewhere -= usize::from(sums.uses.contains(&index.id));
        }
    });
    is_integer && is_alone && elsewhere == 0
}
