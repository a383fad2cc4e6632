//! Calls of slots that belong to others: two blocks with one slot, slots of activities in kernels and those
//! of blocks outside of them, and slots that the group does not have.

use crate::rules::slots::foreign_slot::ForeignSlot;

use super::SlotAnalysis;
use super::block_trace::BlockTrace;
use super::call::SlotCall;
use super::origin::Side;

impl SlotAnalysis<'_> {
    pub(super) fn check_foreign_slots(&self, traces: &[Vec<BlockTrace>]) {
        for call in self.made_calls(traces) {
            let found = match (call.slot.side(), call.is_of_block()) {
                (Some(Side::Activities), true) => ForeignSlot::OfActivity,
                (Some(Side::Blocks), false) => ForeignSlot::OfBlock,
                _ => continue,
            };
            self.report_foreign_slot(call, found);
        }
        for (kernel, traces) in traces.iter().enumerate() {
            self.check_blocks(kernel, traces);
        }
    }

    fn check_blocks(&self, kernel: usize, traces: &[BlockTrace]) {
        let inner = crate::kernel::context::declared_below(
            self.context.body,
            crate::body::walk::Node::Stmt(self.kernels[kernel].at),
        );
        let all = self.calls.iter().enumerate();
        for (position, call) in all.filter(|it| it.1.kernel == Some(kernel)) {
            let events = traces.iter().flat_map(|trace| {
                trace.events.iter().filter(|it| it.call == position).map(|it| (trace.block, it.index))
            });
            let mut calls: Vec<(i64, Option<i64>)> = events.collect();
            calls.dedup();
            let is_captured = call.slot.variables.iter().any(|it| !inner.contains(it));
            if is_captured && let [(first, _), (second, _), ..] = calls[..] {
                self.report_foreign_slot(call, ForeignSlot::Shared { blocks: (first, second), index: None });
                continue;
            }
            self.check_indices(call, &calls);
        }
    }

    /// Checks the numbers of the slots of which blocks make one call.
    fn check_indices(&self, call: &SlotCall, calls: &[(i64, Option<i64>)]) {
        for (number, (block, index)) in calls.iter().enumerate() {
            let Some(index) = *index else { continue };
            let earlier = calls[..number].iter().find(|it| it.1 == Some(index));
            if let Some((first, _)) = earlier {
                let constant = call.slot.index.as_ref().and_then(|it| self.constant(it));
                let found = ForeignSlot::Shared { blocks: (*first, *block), index: constant };
                return self.report_foreign_slot(call, found);
            }
            let count = call.slot.group().and_then(|it| self.group_size(it).blocks);
            if let Some(count) =
                count.filter(|count| call.slot.side() == Some(Side::Blocks) && index >= *count)
                && !self.is_sampled(call)
            {
                return self.report_foreign_slot(call, ForeignSlot::Missing { block: *block, index, count });
            }
        }
    }

    /// Whether the number of a slot depends on captured variables, whose values are samples.
    fn is_sampled(&self, call: &SlotCall) -> bool {
        let Some((index, kernel)) = call.slot.index.as_ref().zip(call.kernel) else { return true };
        let axis = self.kernels[kernel].blocks.first().and_then(|it| it.local);
        let known: Vec<_> = axis.map(|it| (it, 0)).into_iter().collect();
        self.value_in(index, &known, &|_| None).is_none()
    }

    fn report_foreign_slot(&self, call: &SlotCall, found: ForeignSlot) {
        self.report(call, self.context.expr(call.site).range, found);
    }
}
