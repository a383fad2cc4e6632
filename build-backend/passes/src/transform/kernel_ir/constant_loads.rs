//! Hoisting of loads with constant indices (Aho, Lam, Sethi and Ullman, *Compilers*, 9.5): elements of
//! constant arrays that are in bounds are loaded in front of a device kernel's body. The device compiler does
//! not know that they are and would leave the loads in loops; hoisted, they stay in uniform registers, which
//! a warp shares.

use std::collections::BTreeMap;

use crate::analysis::constants::constant_value;
use crate::analysis::ranges::facts::CheckElimination;
use crate::kernel_ir::{ConstantLoad, KernelIr};
use apg_mir::walk::visit_exprs;
use apg_mir::*;

/// Upper limit of hoisted elements.
const MAX_CONSTANT_LOADS: usize = 16;

/// Finds the elements.
pub(crate) fn run(ir: &mut KernelIr) {
    let mut uses: BTreeMap<(LocalId, i64), Vec<ExprId>> = BTreeMap::new();
    visit_exprs(&ir.kernel.body, &mut |expr, _| {
        let ExprKind::Element { rail, index, .. } = &expr.kind else { return };
        let ExprKind::Local(local) = rail.kind else { return };
        if constant_element(&ir.kernel, local).is_some()
            && let Some(value) = constant_value(index)
            && matches!(
                ir.bounds.check_elimination.get(&index.id),
                Some(CheckElimination::Inside | CheckElimination::AtLaunch(_))
            )
        {
            uses.entry((local, value)).or_default().push(index.id);
        }
    });
    let loads = uses.into_iter().take(MAX_CONSTANT_LOADS).filter_map(|((rail, index), uses)| {
        Some(ConstantLoad { rail, element: constant_element(&ir.kernel, rail)?, index, uses })
    });
    ir.device.constant_loads = loads.collect();
}

/// Element type of a constant array.
fn constant_element(kernel: &Kernel, rail: LocalId) -> Option<Ty> {
    match kernel.captures.get(rail.index())?.kind {
        KernelCaptureKind::ConstantBuffer { element } => Some(element),
        _ => None,
    }
}
