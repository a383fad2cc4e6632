//! Receives with less room than each message that can reach them (MPI 4.1, 3.2.4: truncation).

use crate::body::LocalId;
use crate::rules::slots::short_receive::ShortReceive;

use super::SlotAnalysis;
use super::block_trace::BlockTrace;
use super::call::SlotCall;
use super::operand::Operand;

impl SlotAnalysis<'_> {
    pub(super) fn check_receives(&self, traces: &[Vec<BlockTrace>]) {
        for receive in self.made_calls(traces) {
            let Some(group) = receive.slot.group().filter(|it| self.sees_all_calls(*it)) else { continue };
            let Some(room) = receive.received().and_then(|it| self.constant(receive.args.get(it[2])?)) else {
                continue;
            };
            let sends = self.calls.iter().filter(|it| self.may_reach(it, receive, group));
            let sends: Option<Vec<(i64, &SlotCall)>> = sends
                .map(|send| Some((send.sent().and_then(|it| self.constant(send.args.get(it[2])?))?, send)))
                .collect();
            let Some((fewest, send)) = sends.and_then(|it| it.into_iter().min_by_key(|it| it.0)) else {
                continue;
            };
            if fewest > room {
                let data = ShortReceive {
                    method: receive.method,
                    room,
                    sent: fewest,
                    send: self.context.expr(send.site).range,
                };
                self.report(receive, self.context.expr(receive.site).range, data);
            }
        }
    }

    /// Whether a send may reach a receive, by their group, slots and tags.
    fn may_reach(&self, send: &SlotCall, receive: &SlotCall, group: LocalId) -> bool {
        let Some(destination) = send.destination() else { return false };
        if send.slot.group() != Some(group) {
            // A slot of unknown origin may be one of this group.
            return send.slot.group().is_none();
        }
        let differs = |rank: &Operand, side| match (self.side_of_rank(rank, group), side) {
            (Some(named), Some(actual)) => named != actual,
            _ => false,
        };
        let tag = |call: &SlotCall| match call.tag() {
            None => Some(0),
            Some(tag) => self.constant(tag),
        };
        let has_other_tag = tag(send).zip(tag(receive)).is_some_and(|it| it.0 != it.1);
        let is_other_source = receive.source().is_some_and(|it| differs(it, send.slot.side()));
        !has_other_tag && !differs(destination, receive.slot.side()) && !is_other_source
    }
}
