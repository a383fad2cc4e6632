//! Which pairs of accesses are concurrent (may-happen-in-parallel analysis: Naumovich, Avrunin and Clarke,
//! ESEC/FSE 1999): the conditions on iterations and threads under which neither is ordered before the other.

use super::model::{Access, Step, Symbol};
use super::overlap::{PairConstraint, PairValue, Side};
use super::task::{Task, is_ordered};

/// A case in which two accesses are concurrent.
pub(super) struct Concurrent {
    /// Integers that have the same value in both.
    pub shared: Vec<Symbol>,
    /// Conditions on the others.
    pub constraints: Vec<PairConstraint>,
    /// Critical sections do not exclude the two: they are in different teams.
    pub ignores_locks: bool,
}

fn first(symbol: Symbol) -> PairValue {
    PairValue::symbol((symbol, Side::First))
}

fn second(symbol: Symbol) -> PairValue {
    PairValue::symbol((symbol, Side::Second))
}

fn difference(symbol: Symbol) -> PairValue {
    first(symbol).checked_sub(&second(symbol)).unwrap_or_default()
}

fn negated(symbol: Symbol) -> PairValue {
    second(symbol).checked_sub(&first(symbol)).unwrap_or_default()
}

/// The value is at least one.
fn is_positive(mut value: PairValue) -> PairConstraint {
    value.constant -= 1;
    PairConstraint::NonNegative(value)
}

/// The cases in which two accesses to one object are concurrent.
pub(super) fn concurrent<S>(a: &Access<S>, b: &Access<S>, tasks: &[Task]) -> Vec<Concurrent> {
    let mut cases = Vec::new();
    let mut shared: Vec<Symbol> = Vec::new();
    for level in 0..a.path.len().max(b.path.len()) {
        let is_outer = level < a.depth.min(b.depth);
        let mut add = |shared: &[Symbol], constraints: Vec<PairConstraint>, ignores_locks: bool| {
            if !is_outer {
                cases.push(Concurrent { shared: shared.to_vec(), constraints, ignores_locks });
            }
        };
        let (at, bt) = (a.path.get(level), b.path.get(level));
        match (at, bt) {
            (
                Some(Step::Team { region: r, thread, phase: p, synchronises, around }),
                Some(Step::Team { region: s, phase: q, .. }),
            ) => {
                if r != s || (p != q && *synchronises) {
                    return cases;
                }
                shared.extend(around);
                for mut constraints in on_different_threads(a.path.get(level + 1), b.path.get(level + 1)) {
                    constraints.push(PairConstraint::NonZero(difference(*thread)));
                    add(&shared, constraints, !synchronises);
                }
            }
            (
                Some(Step::Lane { region: r, counter, safe_distance, around }),
                Some(Step::Lane { region: s, .. }),
            ) => {
                if r != s {
                    return cases;
                }
                shared.extend(around);
                // Lanes execute one statement at a time: only an order against that of the source is lost.
                let gap = if a.time <= b.time { difference(*counter) } else { negated(*counter) };
                let mut constraints = vec![is_positive(gap.clone())];
                if let Some(distance) = safe_distance {
                    let most = PairValue::from_constant(distance - 1).checked_sub(&gap).unwrap_or_default();
                    constraints.push(PairConstraint::NonNegative(most));
                }
                add(&shared, constraints, false);
            }
            (Some(Step::Taskloop { region: r, counters }), Some(Step::Taskloop { region: s, .. })) => {
                if r != s {
                    return cases;
                }
                for counter in counters {
                    add(&shared, vec![PairConstraint::NonZero(difference(*counter))], false);
                }
            }
            (Some(Step::Task(t)), Some(Step::Task(u))) if t == u => {
                let task = &tasks[*t as usize];
                let orders_itself = task.dependences.iter().any(|it| super::task::conflicts(it, it));
                if task.is_repeated
                    && !(orders_itself && is_joined(a, level, tasks) && is_joined(b, level, tasks))
                {
                    match task.counters.last() {
                        Some(counter) => {
                            add(&shared, vec![PairConstraint::NonZero(difference(*counter))], false)
                        }
                        None => add(&shared, Vec::new(), false),
                    }
                }
                shared.extend(&task.counters);
            }
            (Some(Step::Task(t)), Some(Step::Task(u))) => {
                let (task, other) = (&tasks[*t as usize], &tasks[*u as usize]);
                let (end, other_end) = (end_below(a, level, tasks), end_below(b, level, tasks));
                // Tasks of a loop are made again while others of it run.
                let is_same_loop =
                    task.is_repeated && other.is_repeated && task.loop_start == other.loop_start;
                let meets = task.start < other_end && other.start < end || is_same_loop;
                let ends = is_joined(a, level, tasks) && is_joined(b, level, tasks);
                if meets && !(ends && is_ordered(tasks, *t, *u)) {
                    add(&shared, Vec::new(), false);
                }
                return cases;
            }
            (Some(Step::Task(t)), _) | (_, Some(Step::Task(t))) => {
                let task = &tasks[*t as usize];
                let (own, in_task) =
                    if matches!(at, Some(Step::Task(_))) { (b.time, a) } else { (a.time, b) };
                let end = end_below(in_task, level, tasks);
                if task.start < own && own < end {
                    add(&shared, Vec::new(), false);
                } else if task.is_repeated && task.loop_start < own && own < end {
                    // A task of an earlier iteration.
                    if let Some(counter) = task.counters.last() {
                        add(&shared, vec![PairConstraint::NonZero(difference(*counter))], false);
                    }
                }
                return cases;
            }
            (Some(a), Some(b)) if is_same_instance(a, b) => {}
            // One thread executes both, one after the other.
            _ => return cases,
        }
        shared.extend(at.map_or(&[][..], Step::symbols));
    }
    cases
}

/// Whether two steps are executed by one thread, once.
fn is_same_instance(a: &Step, b: &Step) -> bool {
    match (a, b) {
        (Step::Iteration { region: a, .. }, Step::Iteration { region: b, .. })
        | (Step::Single { region: a }, Step::Single { region: b }) => a == b,
        (Step::Section { .. }, Step::Section { .. }) => a == b,
        (Step::Master, Step::Master) => true,
        _ => false,
    }
}

/// The position up to which the tasks of an access from a level on have ended.
fn end_below<S>(access: &Access<S>, level: usize, tasks: &[Task]) -> u32 {
    let ends = access.path[level..].iter().filter_map(|it| match it {
        Step::Task(task) => Some(tasks[*task as usize].end),
        _ => None,
    });
    ends.max().unwrap_or(0)
}

/// Whether all tasks in which an access is below a level end before the task at this level does.
fn is_joined<S>(access: &Access<S>, level: usize, tasks: &[Task]) -> bool {
    let task = |it: &Step| match it {
        Step::Task(number) => Some(&tasks[*number as usize]),
        _ => None,
    };
    let Some(around) = task(&access.path[level]) else { return true };
    access.path[level + 1..].iter().filter_map(task).all(|it| it.end <= around.last)
}

/// The conditions under which the steps of two accesses inside of a team are executed by different threads.
fn on_different_threads(a: Option<&Step>, b: Option<&Step>) -> Vec<Vec<PairConstraint>> {
    match (a, b) {
        (Some(Step::Master), Some(Step::Master)) => Vec::new(),
        (Some(Step::Single { region: a }), Some(Step::Single { region: b })) if a == b => Vec::new(),
        (Some(a @ Step::Section { .. }), Some(b @ Step::Section { .. })) if a == b => Vec::new(),
        (
            Some(Step::Iteration { region: r, counters, space }),
            Some(Step::Iteration { region: s, counters: others, space: other }),
        ) => {
            if r == s {
                let greater = counters.iter().map(|it| vec![is_positive(difference(*it))]);
                greater.chain(counters.iter().map(|it| vec![is_positive(negated(*it))])).collect()
            } else if space.is_some() && space == other && counters.len() == others.len() {
                // The same iterations run on the same threads.
                let differ = |(a, b): (&Symbol, &Symbol)| {
                    let gap = first(*a).checked_sub(&second(*b)).unwrap_or_default();
                    vec![PairConstraint::NonZero(gap)]
                };
                counters.iter().zip(others).map(differ).collect()
            } else if space.is_some() && other.is_some() {
                // Which iterations of the two run on one thread is not known.
                Vec::new()
            } else {
                vec![Vec::new()]
            }
        }
        _ => vec![Vec::new()],
    }
}
