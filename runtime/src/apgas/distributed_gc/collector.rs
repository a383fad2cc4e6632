//! Distributed garbage collection: a thread tells the homes of objects which references are no longer needed,
//! collects for places that are short of memory, and requests collections from others.
//!
//! A place answers a request once it has collected and notified the homes, in this order. Requests have round
//! numbers, and an answer names the round that it belongs to, so that a waiting place knows when its request
//! has no further effect.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::messages;
use crate::base::place::{PlaceId, here};
use crate::heap::hooks::{HeapPressure, register_pressure};
use crate::heap::{collect_for_others, global_refs, is_collection_held, while_parked};
use crate::scheduler;

/// Work of the thread.
#[derive(Default)]
struct PendingWork {
    /// Forget dead tokens, and tell homes of changes.
    tidy: bool,
    /// Collect: many tokens have arrived.
    collect: bool,
    /// Request collections from other places.
    request: bool,
    /// Places that have requested a collection, with their round.
    requesters: Vec<(PlaceId, u64)>,
}

impl PendingWork {
    fn is_any(&self) -> bool {
        self.tidy || self.collects() || self.request
    }

    fn collects(&self) -> bool {
        self.collect || !self.requesters.is_empty()
    }
}

static PENDING: (Mutex<PendingWork>, Condvar) = (
    Mutex::new(PendingWork { tidy: false, collect: false, request: false, requesters: Vec::new() }),
    Condvar::new(),
);

/// Requests of this place.
struct Rounds {
    /// The last one.
    last: u64,
    /// By place, the last round that it has answered.
    answered: Vec<u64>,
}

static ROUNDS: Mutex<Rounds> = Mutex::new(Rounds { last: 0, answered: Vec::new() });

impl Rounds {
    fn begin(&mut self, places: usize) -> u64 {
        self.answered.resize(places, 0);
        self.last += 1;
        self.last
    }

    fn record_answer(&mut self, from: PlaceId, round: u64) {
        if let Some(last) = self.answered.get_mut(from.index()) {
            *last = round.max(*last);
        }
    }

    /// Whether all places except one have answered that round or a later one.
    fn is_answered(&self, round: u64, except: PlaceId) -> bool {
        let mut others = self.answered.iter().enumerate().filter(|(place, _)| *place != except.index());
        self.last >= round && others.all(|(_, last)| *last >= round)
    }
}

fn request_work(add: impl FnOnce(&mut PendingWork)) {
    add(&mut PENDING.0.lock());
    PENDING.1.notify_one();
}

/// Another place requests a collection.
pub(crate) fn on_request(from: PlaceId, round: u64) {
    start_thread();
    request_work(|pending| {
        pending.requesters.retain(|(place, _)| *place != from);
        pending.requesters.push((from, round));
    });
}

/// Another place has collected, and has notified homes of references it no longer needs.
pub(crate) fn on_answer(from: PlaceId, round: u64) {
    ROUNDS.lock().record_answer(from, round);
}

/// Registers distributed collection with the heap.
pub(crate) fn register() {
    register_pressure(&DistributedCollector);
}

struct DistributedCollector;

impl HeapPressure for DistributedCollector {
    fn begin(&self) {
        start_thread();
    }

    fn references_changed(&self) {
        request_work(|pending| pending.tidy = true);
    }

    fn many_tokens_arrived(&self) {
        request_work(|pending| pending.collect = true);
    }

    fn heap_filled(&self) {
        if global_refs::kept() > 0 {
            request_work(|pending| pending.request = true);
        }
    }

    fn may_wait(&self) -> bool {
        !scheduler::handles_messages()
    }

    fn remote_collections(&self) -> Box<dyn Iterator<Item = ()>> {
        Box::new(wait_for_others(self))
    }
}

/// Requests collections, and yields after each pause in which memory may have become free.
fn wait_for_others(collector: &DistributedCollector) -> impl Iterator<Item = ()> + use<> {
    /// When it last had no effect: for a while it only waits for one round of answers then.
    static LAST_FUTILE: Mutex<Option<Instant>> = Mutex::new(None);
    const RETRY_INTERVAL: Duration = Duration::from_secs(2);
    const PAUSE: Duration = Duration::from_millis(10);
    /// A reference of one place may be the only one to an object of another: several rounds are needed.
    const MIN_PAUSES: u32 = 25;
    /// After the minimum only places are waited for that have not answered at all, which may have much to
    /// collect.
    const MAX_PAUSES: u32 = 1000;
    /// The same soon after a futile attempt.
    const MAX_PAUSES_AFTER_FUTILE: u32 = 20;
    let recently = LAST_FUTILE.lock().is_some_and(|at| at.elapsed() < RETRY_INTERVAL);
    let kept = global_refs::kept();
    let (min, max, waits) = match (is_collection_held(), kept == 0, recently) {
        (true, ..) => (0, 0, false),
        // One attempt, for what was kept until a moment ago.
        (_, true, _) => (1, 1, false),
        (_, _, true) => (1, MAX_PAUSES_AFTER_FUTILE, true),
        _ => (MIN_PAUSES, MAX_PAUSES, true),
    };
    let round = ROUNDS.lock().last + 1;
    if waits {
        collector.heap_filled();
    }
    let (mut pauses, mut is_over) = (0, max == 0);
    std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        pauses += 1;
        is_over = pauses == max;
        if waits {
            while_parked(|| std::thread::sleep(PAUSE));
            is_over |= pauses >= min && ROUNDS.lock().is_answered(round, here());
            if is_over && global_refs::kept() >= kept {
                *LAST_FUTILE.lock() = Some(Instant::now());
            }
        }
        Some(())
    })
}

/// Starts the thread, once. A thread of its own: a collection may happen where no message can be sent.
fn start_thread() {
    static STARTED: OnceLock<()> = OnceLock::new();
    STARTED.get_or_init(|| {
        let thread = std::thread::Builder::new().name("apg-references".to_owned());
        // Without the thread remote references are never freed; the program works.
        let _ = thread.spawn(|| {
            loop {
                perform(wait_for_work());
            }
        });
    });
}

/// Waits parked: a collection finds nothing on the thread's stack and in its registers, which it needs for
/// none of its work and where its own collections leave references.
fn wait_for_work() -> PendingWork {
    while_parked(|| {
        let mut pending = PENDING.0.lock();
        while !pending.is_any() {
            PENDING.1.wait(&mut pending);
        }
        std::mem::take(&mut *pending)
    })
}

fn perform(work: PendingWork) {
    /// A place that is short of memory collects all the time: limits how often it requests collections.
    const REQUEST_INTERVAL: Duration = Duration::from_millis(5);
    if work.request {
        let round = ROUNDS.lock().begin(messages::hosts());
        messages::request_collections(round);
    }
    if work.collects() {
        collect_for_others();
    }
    messages::send_changes(global_refs::tidy());
    for (place, round) in work.requesters {
        messages::answer_request(place, round);
    }
    if work.request {
        while_parked(|| std::thread::sleep(REQUEST_INTERVAL));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_is_answered_when_all_other_places_have_answered_it() {
        let mut rounds = Rounds { last: 0, answered: Vec::new() };
        assert!(!rounds.is_answered(1, PlaceId(0)), "it has not begun");
        assert_eq!(rounds.begin(3), 1);
        assert_eq!(rounds.begin(3), 2);
        rounds.record_answer(PlaceId(1), 2);
        rounds.record_answer(PlaceId(2), 1);
        rounds.record_answer(PlaceId(7), 5);
        assert!(rounds.is_answered(1, PlaceId(0)) && !rounds.is_answered(2, PlaceId(0)));
        rounds.record_answer(PlaceId(2), 2);
        rounds.record_answer(PlaceId(1), 1);
        assert!(rounds.is_answered(2, PlaceId(0)), "late answers to earlier rounds change nothing");
    }
}
