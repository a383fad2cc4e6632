//! Whether a program of several places is stuck: at every place all activities wait, and no message is on its way.
//!
//! While place 0 is stuck by itself it asks the others now and then how many messages they have sent and dealt with, and whether
//! they are stuck too. If all were at two askings in a row, with the same numbers both times, and as many messages were dealt with
//! as were sent, then nothing happened between the end of the first asking and the start of the second, and nothing will.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::report::describe_waiting;
use crate::apgas::message::kinds;
use crate::apgas::place::here;
use crate::apgas::system::system;
use crate::scheduler;
use crate::serialize::write;

/// Messages that may start something, as a thread of this place counts them: one counter for all would be what each message waits for.
#[derive(Default)]
#[repr(align(64))]
struct Counts {
    sent: AtomicU64,
    dealt_with: AtomicU64,
}

/// Of all threads that there ever were.
static ALL: Mutex<Vec<&'static Counts>> = Mutex::new(Vec::new());

thread_local! {
    static OWN: &'static Counts = {
        let own: &'static Counts = Box::leak(Box::default());
        ALL.lock().push(own);
        own
    };
}

/// What a place says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Whether all activities wait.
    pub stuck: bool,
    /// Messages.
    pub sent: u64,
    /// The same.
    pub dealt_with: u64,
}

/// Place 0: what the others have answered to the current asking.
static ANSWERS: Mutex<(u64, Vec<Option<Answer>>)> = Mutex::new((0, Vec::new()));
static ANSWERED: Condvar = Condvar::new();

/// A message goes out.
pub fn sent() {
    count(|own| &own.sent);
}

/// All that a message starts has been started.
pub fn dealt_with() {
    count(|own| &own.dealt_with);
}

/// Not inlined: an activity may have come to another thread since it last counted.
#[inline(never)]
fn count(which: fn(&'static Counts) -> &'static AtomicU64) {
    let counter = OWN.with(|own| which(own));
    counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Release);
}

fn sum(which: fn(&Counts) -> &AtomicU64) -> u64 {
    ALL.lock().iter().map(|counts| which(counts).load(Ordering::Acquire)).sum()
}

/// This place, now. What was dealt with is read first and what was sent last, so that a message can only be missing from the former.
fn own() -> Answer {
    let dealt_with = sum(|counts| &counts.dealt_with);
    let stuck = scheduler::stuck();
    Answer { stuck, sent: sum(|counts| &counts.sent), dealt_with }
}

/// At place 0: watches, and calls `report` when the program is stuck.
pub fn watch(report: fn()) {
    const SHORTEST: Duration = Duration::from_millis(250);
    const LONGEST: Duration = Duration::from_secs(4);
    let watch = move || {
        let mut pause = SHORTEST;
        let mut last = None;
        loop {
            std::thread::sleep(pause);
            if !scheduler::stuck() {
                (pause, last) = (SHORTEST, None);
                continue;
            }
            let now = ask().filter(|all| is_stuck(all));
            if now.is_some() && now == last {
                return report();
            }
            // A program that works elsewhere is asked ever less often.
            pause = if now.is_some() { SHORTEST } else { LONGEST.min(pause * 2) };
            last = now;
        }
    };
    let spawned = std::thread::Builder::new().name("apg-watch".to_owned()).spawn(watch);
    if let Err(error) = spawned {
        remark!("apg: no thread to look for deadlocks: {error}");
    }
}

fn is_stuck(all: &[Answer]) -> bool {
    let sum = |of: fn(&Answer) -> u64| all.iter().map(of).sum::<u64>();
    all.iter().all(|answer| answer.stuck) && sum(|it| it.sent) == sum(|it| it.dealt_with)
}

/// What all places answer; nothing if one takes too long.
fn ask() -> Option<Vec<Answer>> {
    const PATIENCE: Duration = Duration::from_secs(10);
    let hosts = system().hosts();
    let number = {
        let mut answers = ANSWERS.lock();
        answers.0 += 1;
        answers.1 = vec![None; hosts as usize];
        answers.1[0] = Some(own());
        answers.0
    };
    let mut body = Vec::new();
    write::number(&mut body, number);
    (1..hosts).for_each(|place| system().send_aside(place, kinds::QUIET_WANTED, &body));
    let mut answers = ANSWERS.lock();
    while answers.1.iter().any(Option::is_none) {
        if ANSWERED.wait_for(&mut answers, PATIENCE).timed_out() {
            return None;
        }
    }
    answers.1.iter().copied().collect()
}

/// Place 0 asks.
pub(crate) fn asked(from: u32, number: u64) {
    let own = own();
    let mut answer = Vec::new();
    for number in [number, u64::from(own.stuck), own.sent, own.dealt_with] {
        write::number(&mut answer, number);
    }
    system().send_aside(from, kinds::QUIET, &answer);
}

/// A place has answered.
pub(crate) fn answered(from: u32, number: u64, answer: Answer) {
    let mut answers = ANSWERS.lock();
    if answers.0 == number
        && let Some(slot) = answers.1.get_mut(from as usize)
    {
        *slot = Some(answer);
        ANSWERED.notify_all();
    }
}

/// At place 0, of a program that is stuck: all places say where their activities wait, one after the other.
pub fn tell_where_all_wait() {
    tell_where_activities_wait();
    for place in 1..system().hosts() {
        ANSWERS.lock().1 = vec![None; system().hosts() as usize];
        system().send_aside(place, kinds::WAITING_WANTED, &[]);
        let mut answers = ANSWERS.lock();
        while answers.1[place as usize].is_none() {
            if ANSWERED.wait_for(&mut answers, Duration::from_secs(10)).timed_out() {
                break;
            }
        }
    }
}

/// Place 0 wants to know where activities wait here.
pub(crate) fn asked_where(from: u32) {
    // Activities that run cannot be asked: place 0 knows that there are none, unless its word is wrong.
    if scheduler::stuck() {
        tell_where_activities_wait();
    }
    system().send_aside(from, kinds::WAITING_TOLD, &[]);
}

/// A place has said it.
pub(crate) fn told_where(from: u32) {
    if let Some(slot) = ANSWERS.lock().1.get_mut(from as usize) {
        *slot = Some(Answer { stuck: true, sent: 0, dealt_with: 0 });
        ANSWERED.notify_all();
    }
}

fn tell_where_activities_wait() {
    let waiting = describe_waiting();
    if !waiting.is_empty() {
        let place = if system().hosts() > 1 { format!("apg: at place {}:\n", here()) } else { String::new() };
        crate::natives::console::print(2, format!("{place}{waiting}").as_bytes());
        crate::natives::console::flush_all();
    }
}
