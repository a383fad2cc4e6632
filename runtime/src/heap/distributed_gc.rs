//! What places do for each other that name each other's objects: a thread tells homes what is needed no more, collects for a place that is short
//! of memory, and asks others to.
//!
//! Each place that is asked answers once it has collected and told, in this order. Rounds of asking have numbers, and an answer says which one it
//! is to, so that a place that waits knows when nothing more will come of what it has asked.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::heap::global_refs;

/// What the thread is to do.
#[derive(Default)]
struct Wanted {
    /// Tokens have died, or homes are to be told something.
    tidying: bool,
    /// Many tokens have come.
    collection: bool,
    /// Other places are to collect.
    asking: bool,
    /// Those that have asked for a collection, and in which of their rounds.
    askers: Vec<(u32, u64)>,
}

impl Wanted {
    fn is_anything(&self) -> bool {
        self.tidying || self.collects() || self.asking
    }

    fn collects(&self) -> bool {
        self.collection || !self.askers.is_empty()
    }
}

static WANTED: (Mutex<Wanted>, Condvar) = (
    Mutex::new(Wanted { tidying: false, collection: false, asking: false, askers: Vec::new() }),
    Condvar::new(),
);

/// What this place has asked.
struct Asked {
    /// The last round.
    round: u64,
    /// By place, the last round that it has answered.
    answers: Vec<u64>,
}

static ASKED: Mutex<Asked> = Mutex::new(Asked { round: 0, answers: Vec::new() });

impl Asked {
    fn begin(&mut self, places: usize) -> u64 {
        self.answers.resize(places, 0);
        self.round += 1;
        self.round
    }

    fn answer(&mut self, from: u32, round: u64) {
        if let Some(last) = self.answers.get_mut(from as usize) {
            *last = round.max(*last);
        }
    }

    /// Whether all places but one have answered that round or a later one.
    fn is_answered(&self, round: u64, but: u32) -> bool {
        let mut others = self.answers.iter().enumerate().filter(|(place, _)| *place != but as usize);
        self.round >= round && others.all(|(_, last)| *last >= round)
    }
}

fn want(what: impl FnOnce(&mut Wanted)) {
    what(&mut WANTED.0.lock());
    WANTED.1.notify_one();
}

/// There is something to tidy up or to tell. Called wherever a collection may happen: waits for nothing.
pub(super) fn wake() {
    want(|wanted| wanted.tidying = true);
}

/// Many tokens have come.
pub(super) fn want_collection() {
    want(|wanted| wanted.collection = true);
}

/// Another place asks for a collection.
pub fn asked(from: u32, round: u64) {
    start();
    want(|wanted| {
        wanted.askers.retain(|(place, _)| *place != from);
        wanted.askers.push((from, round));
    });
}

/// Another place has collected, and told what it needs no more.
pub fn answered(from: u32, round: u64) {
    ASKED.lock().answer(from, round);
}

/// After a collection that left the heap rather full: other places may have references that they need no more.
pub(super) fn heap_fills() {
    if global_refs::kept() > 0 {
        want(|wanted| wanted.asking = true);
    }
}

/// The heap is full. Asks the other places to collect, and is worth a try each time that it gives something: then time has passed.
pub(super) fn wait_for_others() -> impl Iterator<Item = ()> {
    /// When it helped nobody, it is not tried again for a while.
    static IN_VAIN: Mutex<Option<Instant>> = Mutex::new(None);
    const PAUSE: Duration = Duration::from_millis(10);
    /// What one place needs no more may be all that names something at another one: a few rounds of asking, at least.
    const LEAST: u32 = 25;
    /// Then only places are waited for that have not answered at all, which may have much to do.
    const MOST: u32 = 1000;
    let recently = IN_VAIN.lock().is_some_and(|at| at.elapsed() < Duration::from_secs(2));
    let kept = global_refs::kept();
    let (mut left, waits) = match (crate::heap::mark::collect::is_held(), kept == 0 || recently) {
        (true, _) => (0, false),
        // What was kept until a moment ago.
        (_, true) => (1, false),
        _ => (MOST, true),
    };
    let round = ASKED.lock().round + 1;
    if waits {
        heap_fills();
    }
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        left -= 1;
        if waits {
            std::thread::sleep(PAUSE);
            if MOST - left >= LEAST && ASKED.lock().is_answered(round, crate::apgas::place::here()) {
                left = 0;
            }
            if left == 0 && global_refs::kept() >= kept {
                *IN_VAIN.lock() = Some(Instant::now());
            }
        }
        Some(())
    })
}

/// Starts the thread, if it does not run yet: a collection may happen where no message can be sent.
pub(super) fn start() {
    static STARTED: OnceLock<()> = OnceLock::new();
    STARTED.get_or_init(|| {
        let thread = std::thread::Builder::new().name("apg-references".to_owned());
        // Without it nothing is freed, which is all.
        let _ = thread.spawn(|| {
            loop {
                let wanted = {
                    let mut wanted = WANTED.0.lock();
                    while !wanted.is_anything() {
                        WANTED.1.wait(&mut wanted);
                    }
                    std::mem::take(&mut *wanted)
                };
                serve(wanted);
            }
        });
    });
}

fn serve(wanted: Wanted) {
    if wanted.asking {
        let round = ASKED.lock().begin(crate::apgas::distributed_gc::messages::hosts());
        crate::apgas::distributed_gc::messages::ask_for_collections(round);
    }
    if wanted.collects() {
        crate::heap::mark::collect::collect_for_others();
    }
    crate::apgas::distributed_gc::messages::tell_homes(global_refs::tidy());
    for (place, round) in wanted.askers {
        crate::apgas::distributed_gc::messages::tell_collected(place, round);
    }
    if wanted.asking {
        // Not more often: a place that is short of memory collects all the time.
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_answered_when_all_others_have() {
        let mut asked = Asked { round: 0, answers: Vec::new() };
        assert!(!asked.is_answered(1, 0), "it has not begun");
        assert_eq!(asked.begin(3), 1);
        assert_eq!(asked.begin(3), 2);
        asked.answer(1, 2);
        asked.answer(2, 1);
        asked.answer(7, 5);
        assert!(asked.is_answered(1, 0) && !asked.is_answered(2, 0));
        asked.answer(2, 2);
        asked.answer(1, 1);
        assert!(asked.is_answered(2, 0), "late answers to earlier rounds take nothing back");
    }
}
