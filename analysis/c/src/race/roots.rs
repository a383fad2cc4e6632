//! Root functions: those in which the execution of a program may start, each executed by itself.

use apg_kernels::fork_join::{Race, find_races};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Lowering, Origin, Races};
use crate::facts::Facts;
use crate::hir::{DirectiveId, FunctionId, Program, StmtId};

/// What the execution of one root function found.
#[derive(Clone, Debug, Default)]
pub(super) struct Execution {
    /// The races.
    pub(super) races: Races,
    /// The parallel regions that were met.
    pub(super) met: Vec<DirectiveId>,
    /// The functions that were executed: the result depends on all of their text.
    pub(super) executed: Vec<FunctionId>,
    /// The functions of which the result depends on the effects.
    pub(super) summarized: FxHashSet<FunctionId>,
}

/// The races of a program.
pub fn races(program: &Program) -> Races {
    let facts = Facts::new(program);
    let body = |it: FunctionId| program.function(it).body.expect("a root function has a body");
    of_roots(program, &facts, |it| execute(program, &facts, it, body(it)))
}

/// The races of a program, given the execution of each root function.
pub(super) fn of_roots(
    program: &Program,
    facts: &Facts,
    mut execution: impl FnMut(FunctionId) -> Execution,
) -> Races {
    let mut all = Races::default();
    // Which function is called where there are variants is not known.
    if program.directives.iter().any(|it| it.name.ends_with("declare variant")) {
        return all;
    }
    let mut met = FxHashSet::default();
    // `main` knows the values of most arguments. Functions that it does not reach are roots of their own.
    let mut roots: Vec<FunctionId> = program.defined_functions().map(|it| it.0).collect();
    roots.sort_by_key(|it| (program.function(*it).name != "main", facts.is_called.contains(it)));
    for root in roots {
        if !facts.has_region_besides(program, root, &met) {
            continue;
        }
        let Execution { races, met: also_met, .. } = execution(root);
        met.extend(also_met);
        let first = all.accesses.len();
        let moved = |it: Race| Race { write: it.write + first, other: it.other + first, ..it };
        all.races.extend(races.races.into_iter().map(moved));
        all.accesses.extend(races.accesses);
        all.origins.extend(races.origins);
        all.counters.extend(races.counters);
    }
    all
}

/// Executes a function.
pub(super) fn execute(program: &Program, facts: &Facts, function: FunctionId, body: StmtId) -> Execution {
    let mut lowering = Lowering::new(program, facts);
    lowering.run_root(function, body);
    let races = find_races(&lowering.accesses, &lowering.tasks, &lowering.lock_events);
    let mut summarized = FxHashSet::default();
    for stmt in &lowering.summarized {
        summarized.extend(&facts.with_callees(program, *stmt).callees);
    }
    Execution {
        met: lowering.met.iter().copied().collect(),
        executed: lowering.executed.iter().copied().collect(),
        summarized,
        races: around(races, lowering),
    }
}

/// Races with the accesses to what races alone.
fn around(mut races: Vec<Race>, lowering: Lowering<'_>) -> Races {
    let mut origins: FxHashSet<Origin> = FxHashSet::default();
    origins.extend(races.iter().flat_map(|it| [it.write, it.other]).map(|it| lowering.origins[it]));
    let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
    let mut found = Races::default();
    for (number, (access, origin)) in lowering.accesses.into_iter().zip(lowering.origins).enumerate() {
        if origins.contains(&origin) {
            numbers.insert(number, found.accesses.len());
            found.accesses.push(access);
            found.origins.push(origin);
        }
    }
    for race in &mut races {
        (race.write, race.other) = (numbers[&race.write], numbers[&race.other]);
    }
    found.races = races;
    if !found.races.is_empty() {
        found.counters = lowering.counter_names;
    }
    found
}
