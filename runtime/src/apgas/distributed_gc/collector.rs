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
use crate::base::place::{self, Part, PlaceId, PlacePart, here};
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

/// The collector of a place.
#[derive(Default)]
pub(crate) struct CollectorState {
    pending: Mutex<PendingWork>,
    is_pending: Condvar,
    rounds: Mutex<Rounds>,
    /// When a request last had no effect: for a while an allocation only waits for one round of answers then.
    last_futile: Mutex<Option<Instant>>,
    /// Its thread runs.
    started: OnceLock<()>,
}

/// Requests of this place.
#[derive(Default)]
struct Rounds {
    /// The last one.
    last: u64,
    /// By place, the last round that it has answered.
    answered: Vec<u64>,
}

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

// SAFETY: the only type with that part.
unsafe impl PlacePart for CollectorState {
    const PART: Part = Part::Collector;
}

impl CollectorState {
    fn request(&self, add: impl FnOnce(&mut PendingWork)) {
        add(&mut self.pending.lock());
        self.is_pending.notify_one();
    }
}

fn own() -> &'static CollectorState {
    place::part()
}

/// Another place requests a collection.
pub(crate) fn on_request(from: PlaceId, round: u64) {
    start_thread();
    own().request(|pending| {
        pending.requesters.retain(|(place, _)| *place != from);
        pending.requesters.push((from, round));
    });
}

/// Another place has collected, and has notified homes of references it no longer needs.
pub(crate) fn on_answer(from: PlaceId, round: u64) {
    own().rounds.lock().record_answer(from, round);
}

/// Registers distributed collection with the heap, for the calling thread's place.
pub(crate) fn register() {
    register_pressure(Box::leak(Box::new(Collector(own()))));
}

/// The collector of a place, as the heap knows it.
struct Collector(&'static CollectorState);

impl HeapPressure for Collector {
    fn begin(&self) {
        start_thread();
    }

    fn references_changed(&self) {
        self.0.request(|pending| pending.tidy = true);
    }

    fn many_tokens_arrived(&self) {
        self.0.request(|pending| pending.collect = true);
    }

    fn heap_filled(&self) {
        self.0.request(|pending| pending.request = true);
    }

    fn may_wait(&self) -> bool {
        !scheduler::handles_messages()
    }

    fn remote_collections(&self) -> Box<dyn Iterator<Item = ()>> {
        Box::new(wait_for_others(self.0))
    }
}

/// Requests collections, and yields after each pause in which memory may have become free.
fn wait_for_others(collector: &'static CollectorState) -> impl Iterator<Item = ()> + use<> {
    const RETRY_INTERVAL: Duration = Duration::from_secs(2);
    const PAUSE: Duration = Duration::from_millis(10);
    /// A reference of one place may be the only one to an object of another: several rounds are needed.
    const MIN_PAUSES: u32 = 25;
    /// After the minimum only places are waited for that have not answered at all, which may have much to
    /// collect.
    const MAX_PAUSES: u32 = 1000;
    /// The same soon after a futile attempt.
    const MAX_PAUSES_AFTER_FUTILE: u32 = 20;
    let recently = collector.last_futile.lock().is_some_and(|at| at.elapsed() < RETRY_INTERVAL);
    let kept = global_refs::kept();
    let (min, max, waits) = match (is_collection_held(), kept == 0, recently) {
        (true, ..) => (0, 0, false),
        // One attempt, for what was kept until a moment ago.
        (_, true, _) => (1, 1, false),
        (_, _, true) => (1, MAX_PAUSES_AFTER_FUTILE, true),
        _ => (MIN_PAUSES, MAX_PAUSES, true),
    };
    let round = collector.rounds.lock().last + 1;
    if waits {
        collector.request(|pending| pending.request = true);
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
            is_over |= pauses >= min && collector.rounds.lock().is_answered(round, here());
            if is_over && global_refs::kept() >= kept {
                *collector.last_futile.lock() = Some(Instant::now());
            }
        }
        Some(())
    })
}

/// Starts the thread of this place, once. A thread of its own: a collection may happen where no message can
/// be sent.
fn start_thread() {
    let (place, collector) = (place::current(), own());
    collector.started.get_or_init(|| {
        let thread = std::thread::Builder::new().name("apg-references".to_owned());
        // Without the thread remote references are never freed; the program works.
        let _ = thread.spawn(move || {
            place::replace_current(Some(place));
            loop {
                perform(collector, wait_for_work(collector));
            }
        });
    });
}

/// Waits parked: a collection finds nothing on the thread's stack and in its registers, which it needs for
/// none of its work and where its own collections leave references.
fn wait_for_work(collector: &CollectorState) -> PendingWork {
    while_parked(|| {
        let mut pending = collector.pending.lock();
        while !pending.is_any() {
            collector.is_pending.wait(&mut pending);
        }
        std::mem::take(&mut *pending)
    })
}

fn perform(collector: &CollectorState, work: PendingWork) {
    /// A place that is short of memory collects all the time: limits how often it requests collections.
    const REQUEST_INTERVAL: Duration = Duration::from_millis(5);
    let requests = work.request && global_refs::kept() > 0;
    if requests {
        let round = collector.rounds.lock().begin(messages::hosts());
        messages::request_collections(round);
    }
    if work.collects() {
        collect_for_others();
    }
    messages::send_changes(global_refs::tidy());
    for (place, round) in work.requesters {
        messages::answer_request(place, round);
    }
    if requests {
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
