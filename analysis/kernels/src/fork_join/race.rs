//! Data races: conflicting accesses that are concurrent (OpenMP 5.2, section 1.4.1; Adve and Boehm, CACM
//! 2010).

use std::rc::Rc;
use std::sync::Arc;

use apg_symbolic::dependence::{Answer, Point};
use rustc_hash::{FxHashMap, FxHashSet};

use super::handover::{LockEvent, is_handed_over};
use super::model::{Access, Selector, Step};
use super::order::{Concurrent, concurrent};
use super::overlap::{PairSymbol, overlap};
use super::task::Task;

/// Maximum number of pairs of accesses of one object that are examined.
const MAX_PAIRS: usize = 1024;

/// Number of races of one object in one region after which no others are searched.
const MAX_RACES: u32 = 4;

/// Two accesses that race.
#[derive(Clone, Debug)]
pub struct Race {
    /// The number of the access that stores.
    pub write: usize,
    /// The number of the other one.
    pub other: usize,
    /// An example: values of loop counters and thread numbers in both.
    pub example: Point<PairSymbol>,
}

/// The cases in which pairs of accesses are concurrent, by what decides on them: most pairs of one region are
/// executed by the same constructs.
#[derive(Default)]
struct Cases(FxHashMap<CaseKey, Rc<[Concurrent]>>);

/// Both paths, how many steps have one instance of the object, and whether the first access comes first.
type CaseKey = (*const Vec<Step>, *const Vec<Step>, usize, bool);

impl Cases {
    fn of<S>(&mut self, a: &Access<S>, b: &Access<S>, tasks: &[Task]) -> Rc<[Concurrent]> {
        // Between tasks the positions of both accesses count.
        if a.path.iter().chain(b.path.iter()).any(|it| matches!(it, Step::Task(_))) {
            return concurrent(a, b, tasks).into();
        }
        let (first, second) = (Arc::as_ptr(&a.path), Arc::as_ptr(&b.path));
        let key = (first, second, a.depth.min(b.depth), a.time <= b.time);
        self.0.entry(key).or_insert_with(|| concurrent(a, b, tasks).into()).clone()
    }
}

/// The certain races among accesses: at most one for each pair of sites, and a few for each object. `locks`
/// are those that threads hand over.
pub fn find_races<S: Copy + Eq + std::hash::Hash>(
    accesses: &[Access<S>],
    tasks: &[Task],
    locks: &[LockEvent],
) -> Vec<Race> {
    let mut by_object: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (number, access) in accesses.iter().enumerate() {
        by_object.entry(access.object).or_default().push(number);
    }
    let mut races: Vec<Race> = Vec::new();
    let mut seen: FxHashSet<(S, S)> = FxHashSet::default();
    let mut objects: Vec<_> =
        by_object.into_iter().filter(|it| it.1.iter().any(|it| accesses[*it].is_write)).collect();
    objects.sort_unstable();
    let mut cases = Cases::default();
    for (_, numbers) in objects {
        let mut budget = MAX_PAIRS;
        let mut found: FxHashMap<Option<u32>, u32> = FxHashMap::default();
        'pairs: for write in numbers.iter().copied().filter(|it| accesses[*it].is_write) {
            let a = &accesses[write];
            let count = found.entry(region_of(a)).or_default();
            // Each pair of stores once.
            let others = numbers.iter().copied().filter(|it| !accesses[*it].is_write || *it >= write);
            for other in others {
                let b = &accesses[other];
                if budget == 0 {
                    break 'pairs;
                }
                if *count >= MAX_RACES {
                    break;
                }
                if seen.contains(&(a.site, b.site)) {
                    continue;
                }
                budget -= 1;
                if let Some(example) = race_of(a, b, tasks, &mut cases)
                    && !is_handed_over(a, b, locks)
                {
                    *count += 1;
                    seen.insert((a.site, b.site));
                    races.push(Race { write, other, example });
                }
            }
        }
    }
    races
}

/// The outermost region of an access.
fn region_of<S>(access: &Access<S>) -> Option<u32> {
    match access.path.first()? {
        Step::Team { region, .. } | Step::Lane { region, .. } => Some(*region),
        _ => None,
    }
}

/// Whether constants alone make two parts of one object different.
fn are_disjoint(a: &[Selector], b: &[Selector]) -> bool {
    a.iter().zip(b).any(|pair| match pair {
        (Selector::Field(a), Selector::Field(b)) => a != b,
        (Selector::Index(Some(a)), Selector::Index(Some(b))) => {
            a.as_constant().zip(b.as_constant()).is_some_and(|(a, b)| a != b)
        }
        _ => false,
    })
}

fn race_of<S>(a: &Access<S>, b: &Access<S>, tasks: &[Task], cases: &mut Cases) -> Option<Point<PairSymbol>> {
    if (a.is_atomic && b.is_atomic) || are_disjoint(&a.selectors, &b.selectors) {
        return None;
    }
    let are_exclusive = a.locks.intersection(&b.locks).next().is_some();
    cases.of(a, b, tasks).iter().filter(|it| !are_exclusive || it.ignores_locks).find_map(
        |case| match overlap(a, b, &case.shared, &case.constraints) {
            Answer::Yes(example) => Some(example),
            Answer::No | Answer::Unknown => None,
        },
    )
}
