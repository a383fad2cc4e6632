//! Programs of the simulation: closures are numbers.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use apg_runtime::apgas;
use apg_runtime::apgas::clock::{self, ClockRegistration, Registration};
use apg_runtime::apgas::team::{Operation, Part, Team, all_reduce, barrier, broadcast};
use apg_runtime::apgas::{async_at, at, at_value};
use apg_runtime::base::place::here;
use apg_runtime::heap;
use apg_runtime::heap::{Handle, Ref};
use apg_runtime::layout::GlobalRail;

use crate::engine::{error, finish, long, longs, message, task, values, word};

/// Starts a random tree of activities of that depth.
pub(crate) const TREE: i64 = 1;
const ADD: i64 = 2;
const RAISE: i64 = 3;
const BOUNCE: i64 = 4;
const MEMBER: i64 = 5;
const CLOCKED: i64 = 6;
const EXPORT: i64 = 7;

/// What the activities of one run count.
pub(crate) struct Case {
    seed: u64,
    begun: AtomicI64,
    ended: AtomicI64,
    /// Of a barrier or clock: arrivals by round.
    rounds: [AtomicI64; 8],
}

static CASES: Mutex<Vec<&'static Case>> = Mutex::new(Vec::new());

impl Case {
    /// Makes one, and returns its number.
    pub(crate) fn register(seed: u64) -> i64 {
        let case = Case { seed, begun: 0.into(), ended: 0.into(), rounds: Default::default() };
        let mut cases = CASES.lock().expect("no panic");
        cases.push(Box::leak(Box::new(case)));
        cases.len() as i64 - 1
    }
}

fn case(number: i64) -> &'static Case {
    CASES.lock().expect("no panic")[number as usize]
}

fn places() -> i64 {
    i64::from(apgas::system().hosts())
}

/// The program's closures.
pub(crate) fn run(code: i64, a: i64, b: i64, object: Ref) -> Result<Ref, Ref> {
    let done = Ok(Ref::NULL);
    match code {
        TREE => {
            let case = case(b);
            let number = case.begun.fetch_add(1, Ordering::SeqCst);
            let mut draw = case.seed.wrapping_add(number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            for _ in 0..a.min(3) {
                draw = draw.rotate_left(23).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let place = (draw >> 33) as i64 % places();
                let child = task(TREE, a - 1 - (draw & 1) as i64, b, Ref::NULL);
                match draw >> 8 & 3 {
                    // An `at` whose body starts activities that outlive it.
                    0 => at(place, child).map_err(|raised| raised.0)?,
                    _ => async_at(place, child).map_err(|raised| raised.0)?,
                }
            }
            case.ended.fetch_add(1, Ordering::SeqCst);
            done
        }
        ADD => Ok(long(a + b + i64::from(here()))),
        RAISE => Err(error(a, &format!("raised at {}", here()))),
        BOUNCE if a == 0 => Ok(long(b)),
        BOUNCE => {
            let next = (i64::from(here()) + 1) % places();
            at_value(next, task(BOUNCE, a - 1, b + 1, Ref::NULL)).map_err(|raised| raised.0)
        }
        MEMBER => {
            member(case(b), a);
            done
        }
        CLOCKED => {
            let registration = ClockRegistration { handle: values(object)[0], phase: 1, resumed: false };
            advance(case(b), registration, a);
            done
        }
        EXPORT => Ok(long(heap::register_global(object))),
        _ => unreachable!("no such closure"),
    }
}

/// `finish` over a random tree of `at` and `async at`: nothing runs any more behind it.
pub(crate) fn random_tree(seed: u64, depth: i64) {
    let number = Case::register(seed);
    let raised = finish(|| {
        for place in 0..places().min(5) {
            async_at(place, task(TREE, depth, number, Ref::NULL)).expect("sent");
        }
    });
    assert!(raised.is_empty());
    let case = case(number);
    let [begun, ended] = [&case.begun, &case.ended].map(|count| count.load(Ordering::SeqCst));
    assert_eq!(begun, ended, "the finish has ended before its activities");
    assert!(begun > places().min(5), "the tree has branches");
}

/// Values and exceptions of bodies at other places.
pub(crate) fn calls(seed: u64) {
    for place in 0..places().min(8) {
        let sum = at_value(place, task(ADD, seed as i64, 3, Ref::NULL)).expect("a sum");
        assert_eq!(*word(sum, 8), seed as i64 + 3 + place);
        let raised = at(place, task(RAISE, 1, 0, Ref::NULL)).expect_err("raised");
        assert_eq!(message(raised.0), format!("raised at place {place}"));
    }
    let bounced = at_value(1, task(BOUNCE, 9, 0, Ref::NULL)).expect("back");
    assert_eq!(*word(bounced, 8), 9);
}

/// All places are members of a team for some rounds.
pub(crate) fn collectives(rounds: i64) {
    let number = Case::register(0);
    let raised = finish(|| {
        for place in 0..places() {
            async_at(place, task(MEMBER, rounds, number, Ref::NULL)).expect("sent");
        }
    });
    assert!(raised.is_empty());
}

fn member(case: &Case, rounds: i64) {
    let (own, count) = (i64::from(here()), places());
    let team = Team::new(0, Ref::NULL).expect("all places");
    for round in 0..rounds {
        case.rounds[round as usize].fetch_add(1, Ordering::SeqCst);
        barrier(&team);
        assert_eq!(
            case.rounds[round as usize].load(Ordering::SeqCst),
            count,
            "the barrier has let one through"
        );
        let (source, target) = (longs(&[own + round]), longs(&[-1]));
        all_reduce(&team, Part::new(source, 0, 1), Part::new(target, 0, 1), Operation::Add).expect("a sum");
        assert_eq!(values(target), [count * (count - 1) / 2 + count * round]);
        let (root, received) = (round % count, longs(&[0]));
        broadcast(&team, root, Part::new(longs(&[own * 7]), 0, 1), Part::new(received, 0, 1))
            .expect("received");
        assert_eq!(values(received), [root * 7]);
    }
}

/// A clock of place 0 with an activity at each place.
pub(crate) fn clocked(phases: i64) {
    let number = Case::register(0);
    let own = clock::make();
    let raised = finish(|| {
        for place in 0..places() {
            // The clock counts the activity before it is sent.
            clock::count_in(own.clock_registration());
            let handle = longs(&[own.clock_registration().handle]);
            async_at(place, task(CLOCKED, phases, number, handle)).expect("sent");
        }
        clock::drop_all(&mut vec![own]);
    });
    assert!(raised.is_empty());
}

fn advance(case: &Case, registration: ClockRegistration, phases: i64) {
    let mut registration = Registration::adopt(registration);
    for phase in 0..phases {
        case.rounds[phase as usize].fetch_add(1, Ordering::SeqCst);
        registration.resume();
        assert!(registration.next_phase().wait(), "nothing is cancelled");
        assert_eq!(
            case.rounds[phase as usize].load(Ordering::SeqCst),
            places(),
            "the clock has let one through"
        );
    }
    clock::drop_all(&mut vec![registration]);
}

/// Rails of place 0 are copied to and from another place.
pub(crate) fn copies(seed: u64) {
    let numbers: Vec<i64> = (0..50 + seed as i64 % 1000).collect();
    let count = numbers.len() as i64;
    let source = Handle::new(longs(&numbers));
    let target = Handle::new(longs(&vec![0; numbers.len()]));
    let home = 1 + seed as i64 % (places() - 1);
    let handle = at_value(home, task(EXPORT, 0, 0, source.get())).expect("a handle");
    let rail = GlobalRail { size: count, home, handle: *word(handle, 8) };
    let raised = finish(|| apgas::put(source.get(), 1, rail, 0, count - 1).expect("begun"));
    assert!(raised.is_empty());
    let raised = finish(|| apgas::get(rail, 0, target.get(), 0, count).expect("begun"));
    assert!(raised.is_empty());
    let expected: Vec<i64> = numbers[1..].iter().copied().chain([count - 1]).collect();
    assert_eq!(values(target.get()), expected);
}
