//! Termination detection over places by message counters: Mattern's four-counter method (*Algorithms for
//! Distributed Termination Detection*, Distributed Computing 2, 1987), here to find deadlocks.
//!
//! While place 0 is quiescent by itself it collects from all places, now and then, how many messages they
//! have sent and received, and whether they are quiescent too. If all were in two collections in a row, with
//! the same counters both times, and as many messages were received as were sent, then nothing happened
//! between the end of the first collection and the start of the second, and nothing will.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::message_counts::MessageCounts;
use super::report::describe_waiting;
use crate::apgas::failure::Undelivered;
use crate::apgas::message::{Message, PlaceState};
use crate::apgas::slots;
use crate::apgas::system::{run_in_thread, system};
use crate::base::place::{self, PlaceId, here};
use crate::scheduler;

/// How long place 0 waits for the next answer of a place.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a place that is to report where its activities wait looks for a moment at which none runs.
/// Shorter than [`ANSWER_TIMEOUT`]: place 0 still waits then.
const REPORT_TIMEOUT: Duration = Duration::from_secs(8);
const REPORT_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Place 0: the answers of one collection.
#[derive(Default)]
struct Collection {
    number: u64,
    states: Vec<Option<PlaceState>>,
}

/// Place 0: the current collection.
#[derive(Default)]
pub(crate) struct Waves {
    collection: Mutex<Collection>,
    answered: Condvar,
}

fn waves() -> &'static Waves {
    &system().state.waves
}

/// The state of this place. Receipts are read first and sends last, so that a message in between is missing
/// only from the former.
fn own_state() -> PlaceState {
    let received = place::part::<MessageCounts>().received();
    let is_quiescent = scheduler::is_quiescent();
    PlaceState { is_quiescent, sent: place::part::<MessageCounts>().sent(), received }
}

/// At place 0: starts a thread that calls `report` when the program is in a deadlock.
pub(crate) fn start_detector(report: fn()) {
    const MIN_INTERVAL: Duration = Duration::from_millis(250);
    const MAX_INTERVAL: Duration = Duration::from_secs(4);
    let place = place::current();
    let detect = move || {
        place::replace_current(Some(place));
        let mut interval = MIN_INTERVAL;
        let mut last = None;
        loop {
            std::thread::sleep(interval);
            if system().has_ended() {
                return;
            }
            if !scheduler::is_quiescent() {
                (interval, last) = (MIN_INTERVAL, None);
                continue;
            }
            let states = collect_states().filter(|states| is_deadlock(states));
            if states.is_some() && states == last {
                return report();
            }
            // A program that works at other places is asked ever less often.
            interval = if states.is_some() { MIN_INTERVAL } else { MAX_INTERVAL.min(interval * 2) };
            last = states;
        }
    };
    let spawned = std::thread::Builder::new().name("apg-watch".to_owned()).spawn(detect);
    if let Err(error) = spawned {
        report!("apg: no thread to look for deadlocks: {error}");
    }
}

fn is_deadlock(states: &[PlaceState]) -> bool {
    let sum = |of: fn(&PlaceState) -> u64| states.iter().map(of).sum::<u64>();
    states.iter().all(|state| state.is_quiescent) && sum(|it| it.sent) == sum(|it| it.received)
}

/// The states of all places; nothing if one takes too long.
fn collect_states() -> Option<Vec<PlaceState>> {
    let hosts = system().hosts();
    let number = {
        let mut collection = waves().collection.lock();
        collection.number += 1;
        collection.states = vec![None; hosts as usize];
        collection.states[0] = Some(own_state());
        collection.number
    };
    PlaceId::first(hosts)
        .skip(1)
        .for_each(|place| system().deliver(place, &Message::QuiescenceRequest(number), Undelivered::Control));
    let mut collection = waves().collection.lock();
    while collection.states.iter().any(Option::is_none) {
        if waves().answered.wait_for(&mut collection, ANSWER_TIMEOUT).timed_out() {
            return None;
        }
    }
    collection.states.iter().copied().collect()
}

/// At another place: place 0 collects states.
pub(crate) fn state_requested(from: PlaceId, number: u64) {
    let report = Message::QuiescenceReport { number, state: own_state() };
    system().deliver(from, &report, Undelivered::Control);
}

/// At place 0: a place has answered.
pub(crate) fn state_received(from: PlaceId, number: u64, state: PlaceState) {
    let mut collection = waves().collection.lock();
    if collection.number == number
        && let Some(slot) = collection.states.get_mut(from.index())
    {
        *slot = Some(state);
        waves().answered.notify_all();
    }
}

/// At place 0, of a program that is in a deadlock: all places print where their activities wait, one place
/// after the other.
pub fn report_all_places() {
    report_own_activities();
    for place in PlaceId::first(system().hosts()).skip(1) {
        waves().collection.lock().states = vec![None; system().hosts() as usize];
        system().deliver(place, &Message::WaitReportRequest, Undelivered::Control);
        let mut collection = waves().collection.lock();
        while collection.states[place.index()].is_none() {
            if waves().answered.wait_for(&mut collection, ANSWER_TIMEOUT).timed_out() {
                let seconds = ANSWER_TIMEOUT.as_secs();
                report!("apg: {place} did not report within {seconds} seconds where its activities wait");
                break;
            }
        }
    }
}

/// At another place: place 0 wants a report of where activities wait here. The thread that received this may
/// be a worker that polls for messages, and workers now and then look for work, so that the place seems busy
/// for a moment: another thread waits for a moment at which no activity runs.
pub(crate) fn report_requested(from: PlaceId) {
    run_in_thread("apg-deadlock", move || {
        if wait_for_quiescence(REPORT_TIMEOUT) {
            report_own_activities();
        } else {
            report!("apg: at {}: activities run, so where the others wait cannot be shown", here());
        }
        system().deliver(from, &Message::WaitReportDone, Undelivered::Control);
    });
}

/// Whether this place is quiescent at some moment of that time.
fn wait_for_quiescence(timeout: Duration) -> bool {
    let deadline = Instant::now() + timeout;
    while !scheduler::is_quiescent() {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(REPORT_POLL_INTERVAL);
    }
    true
}

/// At place 0: a place has printed its report.
pub(crate) fn report_printed(from: PlaceId) {
    if let Some(slot) = waves().collection.lock().states.get_mut(from.index()) {
        *slot = Some(PlaceState { is_quiescent: true, sent: 0, received: 0 });
        waves().answered.notify_all();
    }
}

fn report_own_activities() {
    let waiting = format!("{}{}", slots::describe_waits(), describe_waiting());
    if !waiting.is_empty() {
        let place = if system().hosts() > 1 { format!("apg: at {}:\n", here()) } else { String::new() };
        crate::base::output::print(2, format!("{place}{waiting}").as_bytes());
        crate::base::output::flush_all();
    }
}
