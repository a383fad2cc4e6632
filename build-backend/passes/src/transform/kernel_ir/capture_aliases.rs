//! Alias analysis of captured arrays (Aho, Lam, Sethi and Ullman, *Compilers*, 12.1), and the order in which
//! rematerialised captures are computed on a device.
//!
//! The copy of a captured array belongs to one launch: nothing aliases it. Global arrays may overlap; the
//! runtime tests that at each launch where it matters.

use crate::analysis::locals::mentions;
use crate::kernel_ir::{KernelIr, RailAliases};
use apg_mir::*;

/// Analyses the captures of a kernel.
pub(crate) fn run(ir: &mut KernelIr) {
    let stores_to_global_arrays = ir.accesses.stores_to_global_arrays(&ir.kernel);
    let aliases = ir.kernel.captures.iter().enumerate().map(|(index, capture)| {
        let is_read_only = ir.accesses.is_read_only(LocalId(index as u32));
        match capture.kind {
            KernelCaptureKind::GlobalBuffer { .. } if is_read_only && stores_to_global_arrays => {
                RailAliases::ReadOnlyIfApart
            }
            _ if is_read_only => RailAliases::ReadOnly,
            _ => RailAliases::Written,
        }
    });
    ir.device.rails = aliases.collect();
    ir.device.derived_captures = order_derived_captures(&ir.kernel);
}

/// The captures that are rematerialised from others, in dependence order.
fn order_derived_captures(kernel: &Kernel) -> Vec<LocalId> {
    let value = |it: LocalId| kernel.captures[it.index()].derived_from.as_ref();
    let captures = (0..kernel.captures.len()).map(|it| LocalId(it as u32));
    let mut open: Vec<LocalId> = captures.filter(|it| value(*it).is_some()).collect();
    let mut ordered = Vec::new();
    while !open.is_empty() {
        let waits = |it: LocalId| value(it).is_some_and(|value| open.iter().any(|it| mentions(value, *it)));
        let next = open.iter().position(|it| !waits(*it)).unwrap_or(0);
        ordered.push(open.remove(next));
    }
    ordered
}
