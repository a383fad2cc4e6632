//! Collective operations of groups that slots disagree on, or that not all slots reach.

use apg_syntax::TextRange;

use crate::body::walk::Node;
use crate::body::{ExprId, Iteration, LocalId, StmtKind};
use crate::rules::slots::unequal_roots::UnequalRoots;
use crate::rules::slots::unreached_collective::UnreachedCollective;

use super::SlotAnalysis;
use super::block_trace::{BlockTrace, Event, Root};
use super::call::SlotCall;
use super::operand::{Operand, RankOf};
use super::origin::Side;

impl SlotAnalysis<'_> {
    pub(super) fn check_collectives(&self, traces: &[Vec<BlockTrace>]) {
        for traces in traces {
            self.check_blocks_agree(traces);
        }
        for call in self.made_calls(traces).filter(|it| it.is_collective_of_group()) {
            if self.is_closed {
                self.check_other_side(call);
            }
            self.check_loop_roots(call);
        }
    }

    /// Compares the collective operations of two neighbouring blocks of a kernel, one by one.
    fn check_blocks_agree(&self, traces: &[BlockTrace]) {
        for pair in traces.windows(2) {
            let [first, second] = pair else { continue };
            let (mut left, mut right) = (self.collectives_of(first), self.collectives_of(second));
            loop {
                match (left.next(), right.next()) {
                    (Some((a, event)), Some((b, other))) => {
                        if a.slot.slots.variable != b.slot.slots.variable || a.name != b.name {
                            break;
                        }
                        if have_different_roots(event, other) {
                            return self.report_roots(a, (first.block, second.block));
                        }
                    }
                    (Some((call, _)), None) if self.ends_without(second, call) => {
                        return self.report_unreached(call, second.block);
                    }
                    (None, Some((call, _))) if self.ends_without(first, call) => {
                        return self.report_unreached(call, first.block);
                    }
                    _ => break,
                }
            }
        }
    }

    fn collectives_of<'t>(
        &'t self,
        trace: &'t BlockTrace,
    ) -> impl Iterator<Item = (&'t SlotCall, &'t Event)> {
        let calls = trace.events.iter().map(|it| (&self.calls[it.call], it));
        calls.filter(|it| it.0.is_collective_of_group())
    }

    /// Whether a block has a slot and ends without a collective operation of the others, and no other code
    /// can make the call.
    fn ends_without(&self, trace: &BlockTrace, call: &SlotCall) -> bool {
        let Some(group) = call.slot.group() else { return false };
        let has_slot = self.group_size(group).blocks.is_some_and(|count| trace.block < count);
        let is_only_kernel =
            self.calls.iter().all(|it| !it.is_of(group, Side::Blocks) || it.kernel == call.kernel);
        trace.is_complete && has_slot && is_only_kernel && self.is_closed
    }

    fn report_unreached(&self, call: &SlotCall, block: i64) {
        let data = UnreachedCollective::Block { method: call.method, block };
        self.report(call, self.context.expr(call.site).range, data);
    }

    fn report_roots(&self, call: &SlotCall, blocks: (i64, i64)) {
        let data = UnequalRoots::Blocks { method: call.method, blocks };
        self.report(call, self.root_range(call), data);
    }

    /// Reports a collective operation of one side of a group of which the other side has slots that never
    /// call any.
    fn check_other_side(&self, call: &SlotCall) {
        let (Some(group), Some(side)) = (call.slot.group(), call.slot.side()) else { return };
        let size = self.group_size(group);
        let (other, count) = match side {
            Side::Activities => (Side::Blocks, size.blocks),
            Side::Blocks => (Side::Activities, size.activities),
        };
        let has_calls = self.calls.iter().any(|it| it.is_collective_of_group() && it.is_of(group, other));
        if count.is_some_and(|it| it > 0) && !has_calls {
            let data = UnreachedCollective::Side { method: call.method, is_of_blocks: other == Side::Blocks };
            self.report(call, self.context.expr(call.site).range, data);
        } else if side == Side::Activities {
            self.check_activities(call, group, size.activities);
        }
    }

    /// Reports a collective operation if activities have constant slots, and one slot none.
    fn check_activities(&self, call: &SlotCall, group: LocalId, count: Option<i64>) {
        let calls =
            self.calls.iter().filter(|it| it.is_collective_of_group() && it.is_of(group, Side::Activities));
        let slots: Option<Vec<i64>> = calls.map(|it| self.constant(it.slot.index.as_ref()?)).collect();
        let (Some(slots), Some(count)) = (slots, count) else { return };
        if let Some(slot) = (0..count.min(64)).find(|it| !slots.contains(it)) {
            let data = UnreachedCollective::Activity { method: call.method, slot };
            self.report(call, self.context.expr(call.site).range, data);
        }
    }

    /// Reports a root that depends on the number of the activity's slot, in a loop over activities.
    fn check_loop_roots(&self, call: &SlotCall) {
        let (Some(root), Some(index)) = (call.root(), &call.slot.index) else { return };
        if call.is_of_block() {
            return;
        }
        let Some((local, low)) = self.loop_around(call.site) else { return };
        let at = |operand: &Operand, value| self.value_in(operand, &[(local, value)], &|_| None);
        let own = |operand: &Operand| match self.rank_of(operand) {
            Some(RankOf::Caller) => true,
            Some(RankOf::Slot(slot)) => slot.index.as_ref() == Some(index),
            None => false,
        };
        let (Some(first), Some(second)) = (at(index, low), at(index, low + 1)) else { return };
        let differs = own(root) || at(root, low).zip(at(root, low + 1)).is_some_and(|it| it.0 != it.1);
        if first != second && differs {
            let data = UnequalRoots::Activities { method: call.method, slots: (first, second) };
            self.report(call, self.root_range(call), data);
        }
    }

    fn root_range(&self, call: &SlotCall) -> TextRange {
        let root = match call.root() {
            Some(Operand::Expr(root)) => *root,
            _ => call.site,
        };
        self.context.expr(root).range
    }

    /// The variable and the first value of the innermost loop around a call, if it has two iterations and
    /// each makes the call.
    fn loop_around(&self, site: ExprId) -> Option<(LocalId, i64)> {
        let context = &self.context;
        for node in context.parents.ancestors(Node::Expr(site)) {
            let Node::Stmt(stmt) = node else { continue };
            match &context.stmt(stmt).kind {
                StmtKind::Expr(_) | StmtKind::Block(_) | StmtKind::Async { .. } => {}
                StmtKind::ForIn { local, iterable, iteration, components, .. } => {
                    let is_range = matches!(iteration, Iteration::IntRange | Iteration::LongRange);
                    let mut ranges = Vec::new();
                    context.collect_ranges(*iterable, &mut ranges);
                    let [(low, high)] = ranges[..] else { return None };
                    let constant = |expr| self.constant(&Operand::Expr(expr));
                    let (low, high) = (constant(low)?, constant(high)?);
                    return (is_range && components.is_empty() && low < high).then_some((*local, low));
                }
                _ => return None,
            }
        }
        None
    }
}

/// Whether two blocks name different roots for certain.
fn have_different_roots(one: &Event, other: &Event) -> bool {
    match (one.root, other.root) {
        (Some(Root::Own), Some(Root::Own)) => one.index != other.index,
        (Some(Root::Rank(first)), Some(Root::Rank(second))) => first != second,
        _ => false,
    }
}
