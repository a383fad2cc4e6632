//! Narrowing and widening of integers (Stephenson, Babb and Amarasinghe, *Bitwidth analysis with application
//! to silicon compilation*, PLDI 2000): which arithmetic is done with another width than the program states.
//!
//! Range analysis shows for which expressions the result is the same, in launches whose conditions hold. A
//! device has no native 64-bit arithmetic: it computes them with 32 bits, and the steps of its counters
//! without wrapping, from which a compiler derives trip counts. A CPU computes indices with 64 bits: its
//! compiler then sees that adjacent threads access adjacent elements.

use crate::analysis::constants::constant_value;
use crate::analysis::induction_step::as_step;
use crate::kernel_ir::KernelIr;
use apg_mir::walk::visit_stmts;
use apg_mir::*;

/// Selects the widths of integer arithmetic.
pub(crate) fn run(ir: &mut KernelIr) {
    ir.device.narrowed = ir.bounds.narrow.clone();
    ir.widened = ir.bounds.wide.clone();
    visit_stmts(&ir.kernel.body, &mut |stmt| {
        if let StmtKind::Set { local, value } = &stmt.kind
            && ir.bounds.wide.contains(&value.id)
            && let Some((by, _)) = as_step(value, *local)
            // Constant steps are understood as they are.
            && constant_value(by).is_none()
        {
            ir.device.exact_steps.insert(value.id);
        }
    });
}
