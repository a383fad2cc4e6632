//! Races of fork-join programs: divided loops against enumeration of their iterations, and the order that
//! barriers, locks and tasks make.

use std::collections::BTreeSet;
use std::sync::Arc;

use apg_kernels::fork_join::{Access, Constraint, Selector, Step, Symbol, Task, Value, find_races};
use proptest::prelude::*;

const THREAD: Symbol = Symbol::Own(0);
const COUNTER: Symbol = Symbol::Own(1);

fn team(phase: u32) -> Step {
    Step::Team { region: 0, thread: THREAD, phase, synchronises: true, around: Vec::new() }
}

fn iteration() -> Step {
    Step::Iteration { region: 1, counters: vec![COUNTER], space: None }
}

/// An access to element `factor * counter + offset` of one object, in iterations 0 to `last`.
fn access(
    path: Vec<Step>,
    (factor, offset): (i64, i64),
    last: i64,
    is_write: bool,
    site: u32,
) -> Access<u32> {
    let counter = Value::symbol(COUNTER);
    let index = counter.checked_scale(factor).unwrap().checked_add(&Value::from_constant(offset)).unwrap();
    let above = Value::from_constant(last).checked_sub(&counter).unwrap();
    Access {
        object: 0,
        depth: 0,
        selectors: vec![Selector::Index(Some(index))],
        is_write,
        is_atomic: false,
        path: Arc::new(path),
        locks: Arc::default(),
        constraints: Arc::new(vec![Constraint::NonNegative(counter), Constraint::NonNegative(above)]),
        time: site,
        site,
    }
}

/// An access to the whole object.
fn whole(path: Vec<Step>, is_write: bool, time: u32) -> Access<u32> {
    Access { selectors: Vec::new(), constraints: Arc::default(), ..access(path, (0, 0), 0, is_write, time) }
}

fn has_race(accesses: &[Access<u32>], tasks: &[Task]) -> bool {
    !find_races(accesses, tasks, &[]).is_empty()
}

proptest! {
    #[test]
    fn iterations_that_share_an_element_are_found_as_by_enumeration(
        written in (-3_i64..4, -6_i64..7),
        read in (-3_i64..4, -6_i64..7),
        last in 0_i64..8,
    ) {
        let path = vec![team(0), iteration()];
        let accesses =
            [access(path.clone(), written, last, true, 1), access(path, read, last, false, 2)];
        let at = |(factor, offset): (i64, i64), i: i64| factor * i + offset;
        let pairs = || (0..=last).flat_map(|i| (0..=last).map(move |j| (i, j))).filter(|(i, j)| i != j);
        let expected = pairs().any(|(i, j)| at(written, i) == at(read, j) || at(written, i) == at(written, j));
        prop_assert_eq!(has_race(&accesses, &[]), expected);
    }
}

#[test]
fn a_barrier_orders_accesses_of_all_threads() {
    assert!(has_race(&[whole(vec![team(0)], true, 1)], &[]));
    let single = |phase, region| vec![team(phase), Step::Single { region }];
    assert!(has_race(&[whole(single(0, 1), true, 1), whole(single(0, 2), false, 2)], &[]));
    assert!(!has_race(&[whole(single(0, 1), true, 1), whole(single(1, 2), false, 2)], &[]));
}

#[test]
fn a_common_lock_excludes_and_different_ones_do_not() {
    let locked =
        |lock, time| Access { locks: Arc::new(BTreeSet::from([lock])), ..whole(vec![team(0)], true, time) };
    assert!(!has_race(&[locked(1, 1)], &[]));
    let sections = |number, lock| Access {
        path: Arc::new(vec![team(0), Step::Section { region: 1, number }]),
        ..locked(lock, number)
    };
    assert!(has_race(&[sections(1, 1), sections(2, 2)], &[]));
    assert!(!has_race(&[sections(1, 1), sections(2, 1)], &[]));
}

#[test]
fn a_task_is_concurrent_with_its_maker_until_a_wait() {
    let single = vec![team(0), Step::Single { region: 1 }];
    let mut in_task = single.clone();
    in_task.push(Step::Task(0));
    let task = |end| Task {
        last: end,
        parent: None,
        start: 1,
        end,
        counters: Vec::new(),
        is_repeated: false,
        loop_start: 1,
        dependences: Vec::new(),
    };
    let accesses = [whole(in_task, true, 2), whole(single, false, 4)];
    assert!(has_race(&accesses, &[task(u32::MAX)]));
    assert!(!has_race(&accesses, &[task(3)]));
}
