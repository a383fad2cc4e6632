//! The scenarios: small programs, and what they must say.

use std::sync::atomic::{AtomicI64, Ordering};

use apg_runtime::apgas;
use apg_runtime::apgas::at;
use apg_runtime::apgas::at::invoke::{async_at, at_value};
use apg_runtime::apgas::rail_copy::{get, put};
use apg_runtime::apgas::system::system;
use apg_runtime::apgas::team::{Operation, Part, Team, all_reduce, barrier, broadcast, reduce};
use apg_runtime::base::place::{PlaceId, here};
use apg_runtime::heap;
use apg_runtime::heap::{Handle, Ref};
use apg_runtime::layout::GlobalRail;

use crate::engine::{FLOATS, OBJECTS, error, finish, long, longs, message, string, task, values, word};

/// How a scenario ends.
pub(crate) enum Expected {
    /// Status 0, nothing on standard error.
    Success,
    /// That status, and standard error contains a text.
    Failure { code: i32, message: &'static str },
    /// Status 1, and one line on standard error, which contains a text.
    OneError(&'static str),
    /// The harness kills place 0 once it has printed `ready`.
    Killed,
    /// The harness stops the last place once that is printed; the program must say so, and that it continues
    /// again.
    Stopped,
}

/// A program of several places.
pub(crate) struct Scenario {
    pub name: &'static str,
    pub places: &'static [u32],
    pub main: fn() -> i32,
    pub expected: Expected,
    /// Looks at the output.
    pub check: fn(&str, u32) -> Result<(), String>,
}

const fn succeeds(name: &'static str, main: fn() -> i32) -> Scenario {
    Scenario { name, places: &[1, 2, 4], main, expected: Expected::Success, check: |_, _| Ok(()) }
}

pub(crate) const SCENARIOS: &[Scenario] = &[
    succeeds("at_brings_values_and_exceptions", values_and_exceptions),
    succeeds("at_copies", copies),
    succeeds("at_onward_and_back", ping_pong),
    succeeds("finish_waits_for_a_tree", tree),
    succeeds("finish_gathers_exceptions", gathers),
    succeeds("finish_waits_for_what_an_at_started", started_by_at),
    succeeds("many_finishes_at_once", many_finishes),
    succeeds("rails_are_copied_both_ways", rails),
    succeeds("wrong_copies_are_exceptions", wrong_copies),
    Scenario { places: &[1, 2, 3, 5], ..succeeds("teams", teams) },
    succeeds("wrong_places_are_exceptions", wrong_places),
    succeeds("collections_in_between", collections),
    Scenario {
        check: |out, hosts| {
            let mut lines: Vec<&str> = out.lines().collect();
            lines.sort_unstable();
            let expected = (0..hosts).map(|place| format!("{place} of {hosts}"));
            if expected.eq(lines.iter().copied()) { Ok(()) } else { Err(out.to_owned()) }
        },
        ..succeeds("all_places_write_to_the_same_output", output)
    },
    Scenario {
        places: &[3],
        expected: Expected::Failure { code: 134, message: "place 2 ended unexpectedly (killed by signal 6)" },
        ..succeeds("a_place_that_dies_ends_the_program", dies)
    },
    senseless::<250>("an_unknown_message"),
    senseless::<0>("a_senseless_spawn"),
    senseless::<1>("a_senseless_at"),
    senseless::<2>("a_senseless_reply"),
    senseless::<3>("a_senseless_report"),
    senseless::<4>("a_senseless_get"),
    senseless::<5>("a_senseless_end_of_a_put"),
    senseless::<7>("a_senseless_topology"),
    senseless::<9>("a_senseless_step_of_a_team"),
    senseless::<12>("a_senseless_word_about_a_clock"),
    Scenario {
        places: &[2],
        expected: Expected::Failure { code: 7, message: "" },
        ..succeeds("any_place_can_end_the_program", ends)
    },
    Scenario {
        places: &[2, 4],
        expected: Expected::Killed,
        ..succeeds("nobody_outlives_place_0", waits_forever)
    },
    Scenario {
        // With pipes, and without.
        places: &[2, 17],
        expected: Expected::Stopped,
        ..succeeds("a_place_that_is_stopped_is_named", waits_forever)
    },
];

/// A message of that kind without sense must end the program with a word about it.
const fn senseless<const KIND: u8>(name: &'static str) -> Scenario {
    Scenario {
        places: &[2],
        expected: Expected::OneError("place 1: from place 0: "),
        ..succeeds(name, sends_nonsense::<KIND>)
    }
}

const ADD: i64 = 0;
const RAISE: i64 = 1;
const CHANGE: i64 = 2;
const BOUNCE: i64 = 3;
const TREE: i64 = 4;
const COUNT: i64 = 5;
const START: i64 = 6;
const FINISHES: i64 = 7;
const MAKE_RAIL: i64 = 8;
const SUM_RAIL: i64 = 9;
const TEAM: i64 = 10;
const PRINT: i64 = 11;
const ABORT: i64 = 12;
const END: i64 = 13;
const PROCESS: i64 = 14;
const SPIN: i64 = 15;

static COUNTER: AtomicI64 = AtomicI64::new(0);

/// The program's closures.
pub(crate) fn run(code: i64, a: i64, b: i64, object: Ref) -> Result<Ref, Ref> {
    let done = Ok(Ref::NULL);
    match code {
        ADD => Ok(long(a + b + i64::from(here()))),
        RAISE => Err(error(a, &format!("raised at {}", here().0))),
        CHANGE => {
            *word(object, 16) += 1;
            Ok(object)
        }
        BOUNCE if a == 0 => Ok(long(b)),
        BOUNCE => at_value((i64::from(here()) + 1) % places(), task(BOUNCE, a - 1, b + 1, Ref::NULL))
            .map_err(|e| e.0),
        TREE => {
            COUNTER.fetch_add(1, Ordering::SeqCst);
            for child in 0..a {
                async_at((b + child) % places(), task(TREE, a - 1, b + child + 1, Ref::NULL))
                    .map_err(|e| e.0)?;
            }
            done
        }
        COUNT => Ok(long(COUNTER.swap(0, Ordering::SeqCst))),
        START => {
            for _ in 0..a {
                async_at((i64::from(here()) + 1) % places(), task(TREE, 2, b, Ref::NULL)).map_err(|e| e.0)?;
                async_at(i64::from(here()), task(TREE, 0, 0, Ref::NULL)).map_err(|e| e.0)?;
            }
            done
        }
        FINISHES => {
            for _ in 0..a {
                let raised = finish(|| {
                    for place in 0..places() {
                        async_at(place, task(TREE, 1, place, Ref::NULL)).expect("started");
                    }
                });
                assert!(raised.is_empty());
            }
            done
        }
        MAKE_RAIL => {
            let rail = longs(&vec![b; a as usize]);
            Ok(long(heap::register_global(rail)))
        }
        SUM_RAIL => Ok(long(values(heap::global(a).expect("known")).iter().sum())),
        TEAM => {
            team(a);
            done
        }
        PRINT => {
            println!("{} of {}", here().0, places());
            done
        }
        #[expect(clippy::disallowed_methods, reason = "a place that dies")]
        ABORT => std::process::abort(),
        END => {
            system().end_program(7);
            loop {
                std::thread::park();
            }
        }
        PROCESS => Ok(long(i64::from(std::process::id()))),
        SPIN => {
            for _ in 0..a {
                longs(&[1; 1000]);
            }
            Ok(longs(&values(object)))
        }
        _ => Err(error(0, "no such closure")),
    }
}

fn places() -> i64 {
    i64::from(system().hosts())
}

fn number(place: i64, closure: Ref) -> i64 {
    *word(at_value(place, closure).expect("a value"), 8)
}

fn total() -> i64 {
    (0..places()).map(|place| number(place, task(COUNT, 0, 0, Ref::NULL))).sum()
}

/// Activities of a tree whose root has `n` children, these n - 1, and so on.
fn tree_size(n: i64) -> i64 {
    1 + n * if n > 0 { tree_size(n - 1) } else { 0 }
}

fn values_and_exceptions() -> i32 {
    for place in 0..places() {
        assert_eq!(number(place, task(ADD, 20, 22, Ref::NULL)), 42 + place);
        let raised = at(place, task(RAISE, 5, 0, Ref::NULL)).expect_err("it raises");
        assert_eq!(message(raised.0), format!("raised at {place}"));
        assert_eq!(*word(raised.0, 8), 5);
        let raised = at_value(place, task(RAISE, 6, 0, Ref::NULL)).expect_err("it raises");
        assert_eq!(*word(raised.0, 8), 6);
    }
    0
}

fn copies() -> i32 {
    let rail = longs(&[1, 2, 3]);
    for place in 0..places() {
        let changed = at_value(place, task(CHANGE, 0, 0, rail)).expect("a value");
        assert_eq!(values(changed), [2, 2, 3]);
        assert_eq!(values(rail), [1, 2, 3]);
    }
    0
}

fn ping_pong() -> i32 {
    assert_eq!(number(places() - 1, task(BOUNCE, 50, 0, Ref::NULL)), 50);
    0
}

fn tree() -> i32 {
    for _ in 0..5 {
        let raised = finish(|| {
            for place in 0..places() {
                async_at(place, task(TREE, 4, place, Ref::NULL)).expect("started");
            }
        });
        assert!(raised.is_empty());
        assert_eq!(total(), places() * tree_size(4));
    }
    0
}

fn gathers() -> i32 {
    let raised = finish(|| {
        for round in 0..10 {
            async_at(round % places(), task(RAISE, round, 0, Ref::NULL)).expect("started");
        }
    });
    let mut kinds: Vec<i64> = raised.iter().map(|handle| *word(handle.get(), 8)).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, (0..10).collect::<Vec<_>>());
    0
}

fn started_by_at() -> i32 {
    for place in 0..places() {
        let raised = finish(|| at(place, task(START, 3, place, Ref::NULL)).expect("started"));
        assert!(raised.is_empty());
        assert_eq!(total(), 3 * (tree_size(2) + 1));
    }
    0
}

fn many_finishes() -> i32 {
    let raised = finish(|| {
        for place in 0..places() {
            async_at(place, task(FINISHES, 20, 0, Ref::NULL)).expect("started");
        }
    });
    assert!(raised.is_empty());
    assert_eq!(total(), places() * 20 * places() * 2);
    0
}

fn rails() -> i32 {
    const LENGTH: i64 = 200_000;
    for place in 0..places() {
        let handle = number(place, task(MAKE_RAIL, LENGTH, 1, Ref::NULL));
        let remote = GlobalRail { size: LENGTH, home: place, handle };
        let own = Handle::new(longs(&(0..LENGTH).collect::<Vec<_>>()));
        assert!(finish(|| put(own.get(), 10, remote, 20, LENGTH - 20).expect("started")).is_empty());
        let expected: i64 = (10..LENGTH - 10).sum::<i64>() + 20;
        assert_eq!(number(place, task(SUM_RAIL, handle, 0, Ref::NULL)), expected);
        let back = Handle::new(longs(&[0; 5]));
        assert!(finish(|| get(remote, 19, back.get(), 1, 3).expect("started")).is_empty());
        assert_eq!(values(back.get()), [0, 1, 10, 11, 0]);
        assert!(finish(|| get(remote, 0, back.get(), 0, 0).expect("started")).is_empty());
    }
    0
}

fn wrong_copies() -> i32 {
    for place in 0..places() {
        let handle = number(place, task(MAKE_RAIL, 10, 1, Ref::NULL));
        let remote = GlobalRail { size: 10, home: place, handle };
        let own = longs(&[0; 10]);
        for (from, to, count) in
            [(0, 0, 11), (5, 0, 6), (0, 5, 6), (-1, 0, 1), (0, -1, 1), (0, 0, -1), (i64::MAX, 0, 1)]
        {
            assert!(put(own, from, remote, to, count).is_err());
            assert!(get(remote, from, own, to, count).is_err());
        }
        assert!(put(Ref::NULL, 0, remote, 0, 1).is_err());
        let floats = heap::allocate_counted(&FLOATS, 10).expect("memory");
        let objects = heap::allocate_counted(&OBJECTS, 10).expect("memory");
        for rail in [floats, objects] {
            let mut refused = false;
            let raised = finish(|| refused = put(rail, 0, remote, 0, 5).is_err());
            assert!(refused || raised.len() == 1);
        }
        // The home knows better than a forged size.
        for forged in [GlobalRail { size: 100, ..remote }, GlobalRail { handle: 12345, ..remote }] {
            let (source, target) = (longs(&[0; 50]), longs(&[0; 50]));
            for direction in [true, false] {
                let mut refused = false;
                let raised = finish(|| {
                    let result =
                        if direction { put(source, 0, forged, 0, 50) } else { get(forged, 0, target, 0, 50) };
                    refused = result.is_err();
                });
                assert!(refused || raised.len() == 1, "{forged:?}");
            }
        }
    }
    0
}

fn teams() -> i32 {
    let raised = finish(|| {
        for place in 0..places() {
            async_at(place, task(TEAM, 30, 0, Ref::NULL)).expect("started");
        }
    });
    assert!(raised.is_empty(), "{}", message(raised[0].get()));
    0
}

fn team(rounds: i64) {
    let (own, count) = (i64::from(here()), places());
    let team = Team::new(0, Ref::NULL).expect("all places");
    for round in 0..rounds {
        barrier(&team);
        let (source, target) = (longs(&[own + round, own * 10]), longs(&[-1, -1, -1]));
        all_reduce(&team, Part::new(source, 0, 2), Part::new(target, 1, 2), Operation::Add)
            .expect("combined");
        let sum: i64 = (0..count).sum();
        assert_eq!(values(target), [-1, sum + count * round, sum * 10]);
        let root = round % count;
        reduce(&team, root, Part::new(source, 1, 1), Part::new(target, 0, 1), Operation::Max)
            .expect("combined");
        assert_eq!(values(target)[0], if own == root { (count - 1) * 10 } else { -1 });
        let received = longs(&[0, 0]);
        broadcast(&team, root, Part::new(longs(&[root, 99]), 0, 2), Part::new(received, 0, 2))
            .expect("received");
        assert_eq!(values(received), [root, 99]);
    }
    let objects = heap::allocate_counted(&OBJECTS, 1).expect("memory");
    assert!(all_reduce(&team, Part::new(objects, 0, 1), Part::new(objects, 0, 1), Operation::Add).is_err());
    assert!(broadcast(&team, count, Part::new(objects, 0, 1), Part::new(objects, 0, 1)).is_err());
}

fn wrong_places() -> i32 {
    for place in [-1, places(), i64::MIN, i64::MAX] {
        let raised = at(place, task(ADD, 0, 0, Ref::NULL)).expect_err("no such place");
        assert_eq!(message(raised.0), format!("there is no Place({place})"));
        assert!(async_at(place, task(ADD, 0, 0, Ref::NULL)).is_err());
    }
    assert_eq!(apgas::system().topology().places(), places());
    0
}

/// Messages are read while others' garbage is collected.
fn collections() -> i32 {
    let raised = finish(|| {
        for place in 0..places() {
            async_at(place, task(FINISHES, 5, 0, Ref::NULL)).expect("started");
        }
        for round in 0..20 {
            let numbers: Vec<i64> = (0..1000).map(|value| value * round).collect();
            let back = at_value(round % places(), task(SPIN, 50, 0, longs(&numbers))).expect("a copy");
            assert_eq!(values(back), numbers);
            heap::collect();
            assert_eq!(values(back), numbers);
        }
    });
    assert!(raised.is_empty());
    assert_eq!(string("kept").text(), "kept");
    0
}

fn output() -> i32 {
    for place in 0..places() {
        at(place, task(PRINT, 0, 0, Ref::NULL)).expect("printed");
    }
    0
}

fn dies() -> i32 {
    let _ = at(2, task(ABORT, 0, 0, Ref::NULL));
    0
}

/// Place 1 must end over it, and with it everything.
fn sends_nonsense<const KIND: u8>() -> i32 {
    let mut body = [0xfe; 41];
    body[0] = KIND;
    system().send_encoded(PlaceId(1), &body, &[]).expect("place 1 lives");
    // Longer than the test waits.
    std::thread::sleep(std::time::Duration::from_secs(1000));
    0
}

fn ends() -> i32 {
    let _ = at(1, task(END, 0, 0, Ref::NULL));
    0
}

fn waits_forever() -> i32 {
    for place in 0..places() {
        println!("{}", number(place, task(PROCESS, 0, 0, Ref::NULL)));
    }
    println!("ready");
    loop {
        std::thread::park();
    }
}
