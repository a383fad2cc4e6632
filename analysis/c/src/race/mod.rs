//! Data races of parallel regions: lowering to fork-join accesses ([`apg_kernels::fork_join`]) by symbolic
//! execution of the program's functions, calls included.

mod accesses;
mod calls;
mod clauses;
mod elections;
mod expressions;
pub(crate) mod incremental;
mod iterations;
mod regions;
pub mod roots;
mod rows;
mod snapshot;
mod statements;
mod tasks;
mod values;

use std::collections::BTreeSet;
use std::sync::Arc;

use apg_kernels::fork_join::{Access, Constraint, LockEvent, Race, Step, Symbol, Task};
use rustc_hash::{FxHashMap, FxHashSet};

use self::elections::Elections;
use self::snapshot::Snapshots;
use self::values::{LockKey, Object, ObjectId, Value, Values};
use crate::facts::{Effects, Facts};
use crate::hir::{DirectiveId, ExprId, FunctionId, Program, StmtId, VariableId};

/// Maximum number of accesses and steps of the execution of one root function.
const MAX_STEPS: u32 = 200_000;
/// Maximum number of accesses that are kept.
const MAX_ACCESSES: usize = 4_000;
/// Maximum nesting of calls that are followed.
const MAX_CALL_DEPTH: usize = 12;

/// What is known of an access besides its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The outermost directive that makes it parallel.
    pub region: DirectiveId,
    /// The variable whose object it is a part of.
    pub variable: Option<VariableId>,
}

/// The races of parallel regions, and the accesses around them.
#[derive(Clone, Debug, Default)]
pub struct Races {
    /// The accesses to the variables that race, each in one region.
    pub accesses: Vec<Access<ExprId>>,
    /// Where each comes from.
    pub origins: Vec<Origin>,
    /// The races.
    pub races: Vec<Race>,
    /// Loop counters by their symbols.
    pub counters: FxHashMap<Symbol, VariableId>,
}

/// A sequential loop that is being executed.
#[derive(Clone, Copy, Debug)]
struct LoopFrame {
    /// The length of the path around it.
    depth: usize,
    /// The position at which it begins.
    start: u32,
    /// Its counter.
    counter: Option<Symbol>,
}

/// The state of the execution of one root function.
struct Lowering<'p> {
    program: &'p Program,
    facts: &'p Facts,
    objects: Vec<Object>,
    /// The objects of the variables of the function that is being executed.
    scope: FxHashMap<VariableId, ObjectId>,
    globals: FxHashMap<VariableId, ObjectId>,
    /// Threadprivate objects of the threads of a region.
    thread_objects: FxHashMap<(VariableId, u32), ObjectId>,
    /// Known values of scalar objects.
    values: Values,
    path: Snapshots<Vec<Step>>,
    /// The sequential loops around.
    loops: Vec<LoopFrame>,
    counter_names: FxHashMap<Symbol, VariableId>,
    constraints: Snapshots<Vec<Constraint>>,
    locks: Snapshots<BTreeSet<u32>>,
    elections: Elections,
    lock_keys: Vec<LockKey>,
    lock_events: Vec<LockEvent>,
    /// What `ordered` regions of the innermost loop exclude each other by.
    ordered: Option<u32>,
    /// The target of an atomic update.
    atomic: Option<ExprId>,
    /// Inside of an atomic comparison: all of it is indivisible.
    is_compared: bool,
    accesses: Vec<Access<ExprId>>,
    origins: Vec<Origin>,
    tasks: Vec<Task>,
    task: Option<u32>,
    /// The outermost region makes tasks.
    has_tasks: bool,
    /// The outermost directive that makes threads.
    region: Option<DirectiveId>,
    /// Variables that the outermost region assigns.
    written: FxHashSet<VariableId>,
    /// Threads wait for each other by their own means: what follows is not judged.
    is_synchronised_by_hand: bool,
    calls: Vec<FunctionId>,
    /// What the function that is being executed returns: the value of its only `return`.
    returned: Option<Option<Value>>,
    /// What the elements of arrays of pointers point to.
    pointer_tables: FxHashMap<ObjectId, Vec<Option<Value>>>,
    /// Spaces of iterations that are divided statically.
    spaces: Vec<Vec<Option<Value>>>,
    /// Parallel regions that were met.
    met: FxHashSet<DirectiveId>,
    /// The functions that were executed, and those whose effects stand for their execution.
    executed: FxHashSet<FunctionId>,
    /// The statements whose effects were requested, with those of the functions that they call.
    summarized: FxHashSet<StmtId>,
    next_symbol: u32,
    next_region: u32,
    time: u32,
}

impl<'p> Lowering<'p> {
    fn new(program: &'p Program, facts: &'p Facts) -> Lowering<'p> {
        Lowering {
            program,
            facts,
            objects: Vec::new(),
            scope: FxHashMap::default(),
            globals: FxHashMap::default(),
            thread_objects: FxHashMap::default(),
            values: Values::default(),
            path: Snapshots::default(),
            loops: Vec::new(),
            counter_names: FxHashMap::default(),
            constraints: Snapshots::default(),
            locks: Snapshots::default(),
            elections: Elections::default(),
            lock_keys: Vec::new(),
            lock_events: Vec::new(),
            ordered: None,
            atomic: None,
            is_compared: false,
            accesses: Vec::new(),
            origins: Vec::new(),
            tasks: Vec::new(),
            task: None,
            has_tasks: false,
            region: None,
            written: FxHashSet::default(),
            is_synchronised_by_hand: false,
            calls: Vec::new(),
            returned: None,
            pointer_tables: FxHashMap::default(),
            spaces: Vec::new(),
            met: FxHashSet::default(),
            executed: FxHashSet::default(),
            summarized: FxHashSet::default(),
            next_symbol: 0,
            next_region: 0,
            time: 0,
        }
    }

    fn run_root(&mut self, function: FunctionId, body: StmtId) {
        let is_main = self.program.function(function).name == "main";
        // A program starts with the initial values; other functions may be called later.
        for initial in self.facts.initials.iter().filter(|it| it.is_fixed || is_main) {
            let object = self.object(initial.variable);
            self.values.insert(object, Value::integer(initial.value));
        }
        self.executed.insert(function);
        self.calls.push(function);
        self.stmt(body);
        self.calls.pop();
    }

    /// The effects of a statement, those of called functions included.
    fn effects_of(&mut self, stmt: StmtId) -> Arc<Effects> {
        self.summarized.insert(stmt);
        self.facts.with_callees(self.program, stmt)
    }

    /// The directives in a statement, those of called functions included.
    fn directives_in(&mut self, stmt: StmtId) -> Vec<DirectiveId> {
        self.summarized.insert(stmt);
        self.facts.directives_in(self.program, stmt)
    }

    fn fresh_symbol(&mut self, make: fn(u32) -> Symbol) -> Symbol {
        self.next_symbol += 1;
        make(self.next_symbol)
    }

    fn fresh_region(&mut self) -> u32 {
        self.next_region += 1;
        self.next_region
    }

    /// Whether the limits are reached: nothing more is recorded.
    fn has_ended(&self) -> bool {
        self.time >= MAX_STEPS || self.accesses.len() >= MAX_ACCESSES
    }

    /// The counters of the sequential loops around.
    fn counters(&self) -> Vec<Symbol> {
        self.loops.iter().filter_map(|it| it.counter).collect()
    }

    fn enter_loop(&mut self, counter: Option<Symbol>) {
        self.loops.push(LoopFrame { depth: self.path.len(), start: self.time, counter });
    }

    /// Whether several threads or lanes may execute this place.
    fn is_parallel(&self) -> bool {
        !self.path.is_empty()
    }

    /// The index of the innermost team in the path.
    fn innermost_team(&self) -> Option<usize> {
        self.path.iter().rposition(|it| matches!(it, Step::Team { synchronises: true, .. }))
    }
}
