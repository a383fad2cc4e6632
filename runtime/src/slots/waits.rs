//! The calls in which slots wait, in words, and the cycle among them (Coffman and others, *System Deadlocks*,
//! Computing Surveys 1971: circular wait).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use serde::{Deserialize, Serialize};

use super::group::Subgroup;
use super::request::{ANY_SOURCE, Call};

/// Calls that a report prints at most.
const MAX_LINES: usize = 64;

/// Place 0: the report that is under way.
#[derive(Default)]
pub(crate) struct WaitReport {
    pub(crate) state: Mutex<ReportState>,
    pub(crate) answered: Condvar,
}

/// What the places have said so far.
#[derive(Default)]
pub(crate) struct ReportState {
    pub(crate) is_under_way: bool,
    /// Of the places that have answered: their waits, and the milliseconds since their last launch.
    pub(crate) answers: Vec<(Vec<Wait>, Option<u64>)>,
}

/// Launches of kernels whose blocks have slots. The code of a kernel may have to be compiled first, which
/// takes seconds: slots that wait for its blocks meanwhile are in no deadlock.
#[derive(Debug, Default)]
pub(crate) struct Launches(Mutex<LaunchState>);

#[derive(Debug, Default)]
struct LaunchState {
    under_way: u32,
    last: Option<Instant>,
}

/// A launch that is under way.
#[derive(Debug)]
pub(crate) struct LaunchUnderWay<'a>(&'a Launches);

impl Launches {
    pub(crate) fn begin(&self) -> LaunchUnderWay<'_> {
        self.0.lock().under_way += 1;
        LaunchUnderWay(self)
    }

    /// Milliseconds since the end of the last launch, 0 during a launch; `None` if there was none.
    pub(crate) fn milliseconds(&self) -> Option<u64> {
        let state = self.0.lock();
        match state.under_way {
            0 => state.last.map(|it| it.elapsed().as_millis() as u64),
            _ => Some(0),
        }
    }
}

impl Drop for LaunchUnderWay<'_> {
    fn drop(&mut self) {
        let mut state = self.0.0.lock();
        state.under_way -= 1;
        state.last = Some(Instant::now());
    }
}

/// Limits after which a wait counts beside launches, too.
const MAX_DEFERRAL: u128 = 6;

/// Whether one of the waits has lasted for a time, of which only that behind the last launch counts, unless
/// it lasts for many times as long.
pub(crate) fn is_overdue(waits: &[Wait], since_launch: Option<u64>, limit: Duration) -> bool {
    let (limit, since_launch) = (limit.as_millis(), u128::from(since_launch.unwrap_or(u64::MAX)));
    let is_long = |all: u128| all.min(since_launch) >= limit || all >= MAX_DEFERRAL * limit;
    waits.iter().any(|it| is_long(it.milliseconds.into()))
}

/// A call in which a slot waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// The group.
    pub group: i64,
    /// The slot.
    pub rank: u32,
    /// Number of the call.
    pub call: i32,
    /// The rank that it sends to; the root; the number of what was begun.
    pub partner: i64,
    /// The rank that it receives from, or [`ANY_SOURCE`].
    pub from: i64,
    /// The tag.
    pub tag: i32,
    /// Elements sent, or that fit.
    pub elements: u64,
    /// What has not ended of an exchange.
    pub left: Left,
    /// The slots of a collective operation.
    pub subgroup: Option<Subgroup>,
    /// The slot's place.
    pub place: i64,
    /// The block that waits, if it is one of a kernel.
    pub block: Option<i64>,
    /// How long it waits, in milliseconds.
    pub milliseconds: u64,
    /// Where in the program: lines of a stack trace.
    pub lines: Vec<String>,
}

/// What has not ended of a call that sends and receives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Left {
    /// Neither has, or the call is no exchange.
    #[default]
    All,
    /// The send: what it receives has come.
    Send,
    /// The receive, with the number of elements for which it has room: what it sends has been taken.
    Receive(u64),
}

/// Messages about slots that wait for long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WaitMessage {
    /// To place 0: a slot of the sender waits for too long.
    Stalled,
    /// From place 0: requests the waits of the receiver's slots.
    Request,
    /// To place 0, answer to [`WaitMessage::Request`]: also [`Launches::milliseconds`].
    Waits(Vec<Wait>, Option<u64>),
}

impl Wait {
    fn call(&self) -> Call {
        Call::from_number(self.call).unwrap_or(Call::Barrier)
    }

    /// `slot 3 (block 1 at Place(0)) waits for 12.0 s in recv of at most 4 elements from slot 2`.
    pub fn describe(&self) -> String {
        let mut text = format!("slot {} (", self.rank);
        if let Some(block) = self.block {
            let _ = write!(text, "block {block} ");
        }
        let seconds = self.milliseconds as f64 / 1e3;
        let _ = write!(text, "at Place({})) waits for {seconds:.1} s in {}", self.place, self.call().name());
        let elements =
            |count: u64| if count == 1 { "1 element".to_owned() } else { format!("{count} elements") };
        let from = match self.from {
            ANY_SOURCE => "any slot".to_owned(),
            rank => format!("slot {rank}"),
        };
        let _ = match self.call() {
            Call::Send => write!(text, " of {} to slot {}", elements(self.elements), self.partner),
            Call::Receive => write!(text, " of at most {} from {from}", elements(self.elements)),
            Call::Exchange | Call::Replace => match self.left {
                Left::All => {
                    write!(text, " of {} to slot {}, and from {from}", elements(self.elements), self.partner)
                }
                Left::Send => write!(
                    text,
                    " of {} to slot {}; what it receives has come",
                    elements(self.elements),
                    self.partner
                ),
                Left::Receive(most) => {
                    write!(text, " of at most {} from {from}; what it sends has been taken", elements(most))
                }
            },
            Call::Wait => write!(text, " for request {}", self.partner),
            Call::Broadcast | Call::Gather | Call::Scatter | Call::Reduce => {
                write!(text, " with root {}", self.partner)
            }
            _ => Ok(()),
        };
        if self.tag != 0 && !self.call().is_collective() {
            let _ = write!(text, " with tag {}", self.tag);
        }
        text
    }

    /// The ranks that it waits for, of which `waits` knows where they are.
    fn waits_for(&self, waits: &BTreeMap<(i64, u32), &Wait>) -> Vec<u32> {
        let rank = |rank: i64| u32::try_from(rank).ok();
        match self.call() {
            Call::Send => rank(self.partner).into_iter().collect(),
            Call::Receive => rank(self.from).into_iter().collect(),
            Call::Exchange | Call::Replace => {
                let waited: &[i64] = match self.left {
                    Left::All => &[self.partner, self.from],
                    Left::Send => &[self.partner],
                    Left::Receive(_) => &[self.from],
                };
                waited.iter().filter_map(|it| rank(*it)).collect()
            }
            call if call.is_collective() => {
                let has_arrived = |rank: &u32| {
                    let other = waits.get(&(self.group, *rank));
                    other.is_some_and(|it| (it.call, it.subgroup) == (self.call, self.subgroup))
                };
                self.subgroup.into_iter().flat_map(Subgroup::ranks).filter(|it| !has_arrived(it)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// A cycle of slots that wait for each other, by rank.
pub fn find_cycle(waits: &[Wait]) -> Option<Vec<u32>> {
    let by_slot: BTreeMap<(i64, u32), &Wait> = waits.iter().map(|it| ((it.group, it.rank), it)).collect();
    let mut finished: BTreeMap<(i64, u32), bool> = BTreeMap::new();
    for start in by_slot.keys() {
        // An iterative search in depth: the path, and for each of its slots those still to visit.
        let mut path: Vec<((i64, u32), Vec<u32>)> = Vec::new();
        let mut next = Some(*start);
        loop {
            if let Some(slot) = next.take()
                && !finished.contains_key(&slot)
                && let Some(wait) = by_slot.get(&slot)
            {
                finished.insert(slot, false);
                path.push((slot, wait.waits_for(&by_slot)));
            }
            let Some((slot, rest)) = path.last_mut() else { break };
            let (group, rank) = *slot;
            match rest.pop() {
                Some(other) if finished.get(&(group, other)) == Some(&false) => {
                    let at = path.iter().position(|it| it.0 == (group, other))?;
                    return Some(path[at..].iter().map(|it| it.0.1).collect());
                }
                Some(other) => next = Some((group, other)),
                None => {
                    finished.insert((group, rank), true);
                    path.pop();
                }
            }
        }
    }
    None
}

/// All waiting slots, and the cycle among them, in words.
pub fn describe(waits: &[Wait]) -> String {
    let mut text = String::new();
    for wait in waits.iter().take(MAX_LINES) {
        let _ = writeln!(text, "  {}", wait.describe());
        for line in &wait.lines {
            let _ = writeln!(text, "\tat {line}");
        }
    }
    if waits.len() > MAX_LINES {
        let _ = writeln!(text, "  and {} more slots wait", waits.len() - MAX_LINES);
    }
    if let Some(cycle) = find_cycle(waits) {
        let ranks = cycle.iter().chain(cycle.first()).map(|rank| format!("slot {rank}"));
        let _ = writeln!(text, "  they wait for each other: {}", ranks.collect::<Vec<_>>().join(" -> "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(rank: u32, call: Call, partner: i64, from: i64) -> Wait {
        Wait {
            group: 1,
            rank,
            call: call.number(),
            partner,
            from,
            tag: 0,
            elements: 4,
            left: Left::All,
            subgroup: call.is_collective().then_some(Subgroup { first: 0, count: 3, stride: 1 }),
            place: 0,
            block: None,
            milliseconds: 10_000,
            lines: Vec::new(),
        }
    }

    #[test]
    fn time_before_the_last_launch_does_not_count() {
        let (waits, limit) = ([wait(0, Call::Receive, 0, 1)], Duration::from_secs(10));
        assert!(is_overdue(&waits, None, limit));
        assert!(is_overdue(&waits, Some(10_000), limit));
        assert!(!is_overdue(&waits, Some(9_999), limit));
        assert!(!is_overdue(&[], Some(20_000), limit));
        assert!(is_overdue(&waits, Some(0), Duration::from_secs(1)), "launches may be many");
        let launches = Launches::default();
        assert_eq!(launches.milliseconds(), None);
        let first = launches.begin();
        drop(launches.begin());
        assert_eq!(launches.milliseconds(), Some(0), "the first is under way");
        drop(first);
        assert!(launches.milliseconds().is_some());
    }

    #[test]
    fn cycle_of_sends_is_found_behind_a_slot_outside_of_it() {
        let waits = [
            wait(0, Call::Receive, 0, 1),
            wait(1, Call::Send, 2, 0),
            wait(2, Call::Send, 3, 0),
            wait(3, Call::Send, 1, 0),
        ];
        assert_eq!(find_cycle(&waits), Some(vec![1, 2, 3]));
        assert_eq!(find_cycle(&waits[..3]), None);
    }

    #[test]
    fn finished_halves_of_exchanges_are_not_waited_for() {
        // In a ring the first has sent, and the second has received.
        let mut waits =
            [wait(0, Call::Exchange, 1, 2), wait(1, Call::Replace, 2, 0), wait(2, Call::Exchange, 0, 1)];
        assert_eq!(find_cycle(&waits), Some(vec![0, 2, 1]));
        waits[0].left = Left::Receive(9);
        waits[1].left = Left::Send;
        assert_eq!(find_cycle(&waits), Some(vec![2, 1]));
        assert_eq!(find_cycle(&waits[..2]), None, "each waits for the third alone");
        let said = |wait: &Wait| wait.describe().split(" in ").nth(1).map(str::to_owned);
        let first = "sendRecv of at most 9 elements from slot 2; what it sends has been taken";
        assert_eq!(said(&waits[0]).as_deref(), Some(first));
        let second = "sendRecvReplace of 4 elements to slot 2; what it receives has come";
        assert_eq!(said(&waits[1]).as_deref(), Some(second));
    }

    #[test]
    fn barrier_waits_for_those_that_are_elsewhere() {
        let waits =
            [wait(0, Call::Barrier, 0, 0), wait(1, Call::Barrier, 0, 0), wait(2, Call::Receive, 0, 0)];
        assert_eq!(find_cycle(&waits), Some(vec![0, 2]));
        assert_eq!(find_cycle(&[wait(0, Call::Receive, 0, ANY_SOURCE)]), None);
    }

    #[test]
    fn report_says_call_partner_and_elements() {
        let mut other = wait(1, Call::Receive, 0, 0);
        (other.block, other.tag) = (Some(7), 3);
        let text = describe(&[wait(0, Call::Receive, 0, 1), other]);
        assert_eq!(
            text,
            "  slot 0 (at Place(0)) waits for 10.0 s in recv of at most 4 elements from slot 1\n  \
             slot 1 (block 7 at Place(0)) waits for 10.0 s in recv of at most 4 elements from slot 0 with tag 3\n  \
             they wait for each other: slot 0 -> slot 1 -> slot 0\n"
        );
    }
}
