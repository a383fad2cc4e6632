//! Calls of slots as spans, in a row for each slot, and messages as arrows between them (flow events of the
//! Trace Event Format), which begin in the call that sends and end in the call that waits for the receive.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{Code, Span, What, microseconds, now, record, record_message_end};

/// First row number of slots.
pub(super) const FIRST_ROW: usize = 30_000;

/// A slot, which has a row of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    /// The place at which it is shown.
    pub place: i64,
    /// The group.
    pub group: i64,
    /// The rank.
    pub rank: u32,
}

/// A call of a slot that has begun; [`SlotCall::end`] records it.
#[derive(Clone, Debug)]
pub struct SlotCall {
    /// The slot that makes it.
    pub slot: Slot,
    /// Its name in the class library.
    pub name: &'static str,
    /// The rank that it sends to; the root's rank.
    pub to: Option<i64>,
    /// The rank that it receives from, -1 for any.
    pub from: Option<i64>,
    /// The tag of its messages.
    pub tag: Option<i32>,
    /// Bytes that it sends. Those of messages that it receives are added by their [`MessageEnd`].
    pub bytes: u64,
    /// The number of the send or receive for whose end it waits, or whose end it has found.
    pub awaited: Option<u64>,
    /// Where it is in the program.
    pub code: Code,
    /// When it began.
    pub began: u64,
}

impl SlotCall {
    /// It has ended.
    pub fn end(self) {
        let (place, began) = (self.slot.place, self.began);
        record(Span { what: What::Slot(self), place, worker: None, began, ended: now() });
    }

    /// The ranks and the tag as members of a JSON object.
    pub(super) fn arguments(&self) -> String {
        let mut text = format!(",\"slot\":{}", self.slot.rank);
        let tag = self.tag.map(i64::from);
        for (name, value) in [("to", self.to), ("from", self.from), ("tag", tag)] {
            if let Some(value) = value {
                let _ = write!(text, ",\"{name}\":{value}");
            }
        }
        let _ = write!(text, ",\"bytes\":{}", self.bytes);
        text
    }
}

/// One end of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageEnd {
    slot: Slot,
    /// The number of the message, equal at both ends and different from that of any other message.
    flow: u64,
    at: u64,
    direction: Direction,
}

#[derive(Clone, Copy, Debug)]
enum Direction {
    Sent,
    /// `awaited` is the number of a receive that the slot has begun and waits for later.
    Received {
        awaited: Option<u64>,
        from: u32,
        bytes: u64,
    },
}

/// A slot sends a message now, in a call that is recorded when it ends.
pub fn message_sent(slot: Slot, flow: u64) {
    record_message_end(MessageEnd { slot, flow, at: now(), direction: Direction::Sent });
}

/// A receive of a slot takes a message now: that of the call in which it waits, or the one with the number
/// `awaited` that it has begun.
pub fn message_received(slot: Slot, flow: u64, awaited: Option<u64>, from: u32, bytes: u64) {
    let direction = Direction::Received { awaited, from, bytes };
    record_message_end(MessageEnd { slot, flow, at: now(), direction });
}

/// Rows of all slots that have made calls.
pub(super) fn rows(spans: &[Span]) -> BTreeMap<Slot, usize> {
    let slots: BTreeSet<Slot> = spans.iter().filter_map(|span| Some(call(span)?.slot)).collect();
    slots.into_iter().zip(FIRST_ROW..).collect()
}

fn call(span: &Span) -> Option<&SlotCall> {
    match &span.what {
        What::Slot(call) => Some(call),
        _ => None,
    }
}

/// Adds the messages to the calls that receive them, and gives the arrows, one event a line. `spans` are in
/// order of their beginnings. A message whose receive no call waits for has no end of its arrow.
pub(super) fn arrows(spans: &mut [Span], ends: &[MessageEnd]) -> String {
    let rows = rows(spans);
    let mut of_slots: BTreeMap<Slot, Vec<usize>> = BTreeMap::new();
    let mut waits: BTreeMap<(Slot, u64), usize> = BTreeMap::new();
    for (index, call) in spans.iter().enumerate().filter_map(|(index, span)| Some((index, call(span)?))) {
        of_slots.entry(call.slot).or_default().push(index);
        if let Some(number) = call.awaited {
            // The first that has found its end.
            waits.entry((call.slot, number)).or_insert(index);
        }
    }
    let at_time = |spans: &[Span], slot: Slot, at: u64| {
        let own = of_slots.get(&slot)?;
        let after = own.partition_point(|index| spans[*index].began <= at);
        own[..after].last().copied().filter(|index| at <= spans[*index].ended)
    };
    let mut text = String::new();
    for end in ends {
        let found = match end.direction {
            Direction::Received { awaited: Some(number), .. } => waits.get(&(end.slot, number)).copied(),
            _ => at_time(spans, end.slot, end.at),
        };
        let (Some(found), Some(row)) = (found, rows.get(&end.slot)) else { continue };
        let span = &mut spans[found];
        // An arrow belongs to a span that has begun, and has not ended, at its time.
        let at = end.at.min(span.ended.saturating_sub(1)).max(span.began);
        let phase = match end.direction {
            Direction::Sent => "\"s\"",
            Direction::Received { .. } => "\"f\",\"bp\":\"e\"",
        };
        let _ = writeln!(
            text,
            "{{\"ph\":{phase},\"id\":\"{:#x}\",\"name\":\"message\",\"cat\":\"message\",\"ts\":{},\"pid\":{},\"tid\":{row}}}",
            end.flow,
            microseconds(at),
            end.slot.place,
        );
        if let (What::Slot(call), Direction::Received { from, bytes, .. }) = (&mut span.what, end.direction) {
            call.from = Some(i64::from(from));
            call.bytes += bytes;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(rank: u32) -> Slot {
        Slot { place: 0, group: 1, rank }
    }

    fn span(rank: u32, name: &'static str, awaited: Option<u64>, began: u64, ended: u64) -> Span {
        let call = SlotCall {
            slot: slot(rank),
            name,
            to: None,
            from: None,
            tag: Some(0),
            bytes: 0,
            awaited,
            code: Code::Unknown,
            began,
        };
        Span { what: What::Slot(call), place: 0, worker: None, began, ended }
    }

    fn sent(rank: u32, flow: u64, at: u64) -> MessageEnd {
        MessageEnd { slot: slot(rank), flow, at, direction: Direction::Sent }
    }

    fn received(rank: u32, flow: u64, awaited: Option<u64>, at: u64) -> MessageEnd {
        let direction = Direction::Received { awaited, from: 0, bytes: 8 };
        MessageEnd { slot: slot(rank), flow, at, direction }
    }

    #[test]
    fn arrow_leads_from_the_send_to_the_call_that_waits_for_the_receive() {
        let mut spans = [
            span(0, "send", None, 1000, 9000),
            span(1, "asyncRecv", None, 2000, 2100),
            span(1, "wait", Some(5), 7000, 8000),
        ];
        let text = arrows(&mut spans, &[sent(0, 31, 1500), received(1, 31, Some(5), 3000)]);
        assert_eq!(
            text,
            "{\"ph\":\"s\",\"id\":\"0x1f\",\"name\":\"message\",\"cat\":\"message\",\"ts\":1.500,\"pid\":0,\"tid\":30000}\n\
             {\"ph\":\"f\",\"bp\":\"e\",\"id\":\"0x1f\",\"name\":\"message\",\"cat\":\"message\",\"ts\":7.000,\"pid\":0,\"tid\":30001}\n"
        );
        let calls: Vec<_> = spans.iter().filter_map(call).map(|it| (it.name, it.from, it.bytes)).collect();
        assert_eq!(calls, [("send", None, 0), ("asyncRecv", None, 0), ("wait", Some(0), 8)]);
    }

    #[test]
    fn arrow_leads_to_the_test_that_has_found_the_end_of_the_receive() {
        let mut spans = [
            span(1, "asyncRecv", None, 2000, 2100),
            span(1, "test", Some(5), 7000, 8000),
            span(1, "wait", Some(5), 9000, 9500),
        ];
        let text = arrows(&mut spans, &[received(1, 31, Some(5), 3000)]);
        assert!(text.contains("\"ts\":7.000"), "{text}");
        let bytes: Vec<_> = spans.iter().filter_map(call).map(|it| (it.name, it.bytes)).collect();
        assert_eq!(bytes, [("asyncRecv", 0), ("test", 8), ("wait", 0)]);
    }

    #[test]
    fn arrow_ends_inside_of_the_call_during_which_the_message_is_taken() {
        let mut spans = [span(1, "recv", None, 1000, 2000), span(1, "recv", None, 2000, 3000)];
        let text = arrows(&mut spans, &[received(1, 1, None, 1999), received(1, 2, None, 3000)]);
        assert!(text.contains("\"ts\":1.999") && text.contains("\"ts\":2.999"), "{text}");
        assert!(spans.iter().filter_map(call).all(|it| it.bytes == 8), "{spans:?}");
    }

    #[test]
    fn message_of_no_recorded_call_has_no_arrow() {
        let mut spans = [span(1, "recv", None, 1000, 2000)];
        let ends = [received(1, 1, None, 2001), received(1, 2, Some(1), 1500), sent(0, 3, 1500)];
        assert_eq!(arrows(&mut spans, &ends), "");
    }
}
