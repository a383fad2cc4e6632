//! Data races in memory that a block shares: conflicting accesses of two threads without a barrier between
//! them (Adve and Boehm, CACM 2010).
//!
//! Only certain races are found. Indices and conditions are symbolic functions of thread indices, loop
//! variables and uniform values, and are evaluated for all threads of a block ([`crate::conflict`]). Loops
//! with known iterations (`for (d = 32; d > 0; d /= 2)`) are executed symbolically; others are taken to run
//! more than once. If the number of threads is a variable, a race must exist for every sampled size
//! ([`crate::block_size`]).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::block_size::BlockSize;
use crate::condition::Condition;
use crate::conflict::{ConflictExample, Domain, ElementSet};
use crate::expression::{Expr, Scope, Test};
use crate::index::{self, Index};
use crate::model::{
    Access, AccessKind, Guard, Kernel, RangeLoop, Space, Stmt, WhileLoop, for_each_assigned, for_each_stmt,
};
use crate::uniformity::{Site, Uniformity};
use crate::{Range, Values, Variable, range_len};

/// Maximum nesting depth of loops that are walked twice, to find races between iterations.
const MAX_LOOP_DEPTH: u32 = 4;
/// Maximum number of loop iterations executed symbolically in one kernel.
const MAX_EXECUTED_ITERATIONS: u32 = 64;

/// Two conflicting accesses without a barrier between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race<V, S> {
    /// The array.
    pub array: V,
    /// The second access.
    pub site: S,
    /// The first access.
    pub other: S,
    /// Whether the second access writes.
    pub is_write: bool,
    /// The number of the statement in [`Kernel::body`] that has the second access.
    pub statement: usize,
    /// Two threads.
    pub example: ConflictExample,
}

/// The threads for which a condition holds.
enum Threads<V> {
    /// All or none.
    Uniform,
    /// Those that satisfy the condition.
    Where(Condition<V>),
    /// An unknown set.
    Unknown,
}

/// The accesses of a kernel that lack a barrier between them in blocks of every size.
pub fn find_races<V: Variable, S: Site>(
    kernel: &Kernel<V, S>,
    uniformity: &Uniformity<'_, V, S>,
) -> Vec<Race<V, S>> {
    if !has_accesses(kernel) || leaves_early(kernel) {
        return Vec::new();
    }
    let mut found: Option<Vec<Race<V, S>>> = None;
    for size in kernel.block_sizes() {
        let races = races_in_block(kernel, uniformity, size);
        let common: Vec<Race<V, S>> = match found.take() {
            None => races,
            Some(before) => {
                before.into_iter().filter(|it| races.iter().any(|other| other.site == it.site)).collect()
            }
        };
        if common.is_empty() {
            return Vec::new();
        }
        found = Some(common);
    }
    found.unwrap_or_default()
}

/// Whether there is an access to memory that a block shares.
fn has_accesses<V, S>(kernel: &Kernel<V, S>) -> bool {
    let mut found = false;
    let mut visit = |stmt: &Stmt<V, S>| {
        found |= matches!(stmt, Stmt::Access(access) if access.space == Space::Shared);
    };
    kernel.body.iter().for_each(|stmts| for_each_stmt(stmts, &mut visit));
    found
}

/// Whether a jump leaves statements early: then the set of threads at later accesses is unknown.
fn leaves_early<V, S>(kernel: &Kernel<V, S>) -> bool {
    let mut found = false;
    let mut visit =
        |stmt: &Stmt<V, S>| found |= matches!(stmt, Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return);
    kernel.body.iter().for_each(|stmts| for_each_stmt(stmts, &mut visit));
    found
}

/// The races in blocks of a given size.
fn races_in_block<V: Variable, S: Site>(
    kernel: &Kernel<V, S>,
    uniformity: &Uniformity<'_, V, S>,
    size: BlockSize<V>,
) -> Vec<Race<V, S>> {
    let mut detector = RaceDetector {
        kernel,
        uniformity,
        axes: size.axes,
        blocks: kernel.last_block_indices(&size.values),
        non_negative: FxHashSet::default(),
        loop_variables: FxHashMap::default(),
        writes: Vec::new(),
        reads: Vec::new(),
        conditions: Vec::new(),
        unknown: 0,
        depth: 0,
        barriers: 0,
        statement: 0,
        values: size.values,
        budget: MAX_EXECUTED_ITERATIONS,
        races: Vec::new(),
        is_sampled: size.is_sampled,
    };
    for (number, stmts) in kernel.body.iter().enumerate() {
        detector.statement = number;
        detector.stmts(stmts);
    }
    detector.races
}

struct RaceDetector<'k, V, S> {
    kernel: &'k Kernel<V, S>,
    uniformity: &'k Uniformity<'k, V, S>,
    /// The thread indices, and their last values.
    axes: Vec<(V, i64)>,
    /// Block indices, with their last values where these are constant.
    blocks: FxHashMap<V, Option<i64>>,
    /// Loop variables that are never negative.
    non_negative: FxHashSet<V>,
    /// Loop variables; their ranges, if all iterations run between two barriers.
    loop_variables: FxHashMap<V, Option<Range>>,
    /// Accesses since the last barrier.
    writes: Vec<ElementSet<V, S>>,
    reads: Vec<ElementSet<V, S>>,
    /// Enclosing conditions that depend on the thread.
    conditions: Vec<Condition<V>>,
    /// Number of enclosing conditions that hold for an unknown set of threads.
    unknown: u32,
    /// Number of enclosing loops.
    depth: u32,
    /// Number of barriers so far.
    barriers: u32,
    /// The statement of the kernel under analysis.
    statement: usize,
    /// Current values of variables.
    values: Values<V>,
    /// Remaining loop iterations to execute symbolically.
    budget: u32,
    races: Vec<Race<V, S>>,
    /// Whether the block size is one of several samples.
    is_sampled: bool,
}

impl<V: Variable, S: Site> RaceDetector<'_, V, S> {
    fn stmts(&mut self, stmts: &[Stmt<V, S>]) {
        stmts.iter().for_each(|it| self.stmt(it));
    }

    fn stmt(&mut self, stmt: &Stmt<V, S>) {
        match stmt {
            Stmt::Access(access) => self.access(access),
            // A call may access memory, and a collective operation of a warp orders accesses of its threads.
            Stmt::Barrier | Stmt::Collective(..) | Stmt::Call(..) => {
                self.barriers += 1;
                self.drop_accesses();
            }
            Stmt::Declare(variable, None) => _ = self.values.remove(variable),
            Stmt::Declare(variable, Some(value)) | Stmt::Assign(variable, value) => {
                match self.index(value) {
                    Some(value) => self.values.insert(*variable, value),
                    None => self.values.remove(variable),
                };
            }
            Stmt::Labeled(body) => self.stmts(body),
            Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return => {}
            Stmt::Sometimes(body) => {
                self.unknown += 1;
                self.stmts(body);
                self.unknown -= 1;
                self.drop_assigned_values(body);
            }
            Stmt::Branch(guard, then, otherwise) => self.branch(guard, then, otherwise.as_deref()),
            Stmt::Range(it) => self.range_loop(it),
            Stmt::While(it) => self.condition_loop(it),
        }
    }

    fn drop_accesses(&mut self) {
        self.writes.clear();
        self.reads.clear();
    }

    fn range_loop(&mut self, range_loop: &RangeLoop<V, S>) {
        let RangeLoop { variable, bounds: (low, high), may_synchronise, body, .. } = range_loop;
        let uniform = |it: &Expr<V, S>| self.index(it).filter(|it| self.is_uniform(it));
        let ends = uniform(low).zip(uniform(high));
        let range = ends.as_ref().and_then(|(low, high)| Some((*low.as_constant()?, *high.as_constant()?)));
        let iterations = range.and_then(range_len).and_then(|it| u32::try_from(it).ok());
        if let (Some((low, high)), Some(iterations), true) = (range, iterations, *may_synchronise)
            && iterations <= self.budget
        {
            self.budget -= iterations;
            for value in low..=high {
                self.values.insert(*variable, Index::from_constant(value));
                self.stmts(body);
            }
            self.values.remove(variable);
            return;
        }
        if let Some((low, _)) = &ends {
            self.loop_variables.insert(*variable, range.filter(|_| !may_synchronise));
            if low.as_constant().is_some_and(|low| *low >= 0) {
                self.non_negative.insert(*variable);
            }
        }
        let once = range.is_some_and(|(low, high)| low >= high);
        self.drop_assigned_values(body);
        self.loop_body(ends.is_some(), Some((*variable, once)), |this| this.stmts(body));
        self.drop_assigned_values(body);
    }

    /// A loop with a condition. Iterations are executed symbolically while the condition is known.
    fn condition_loop(&mut self, it: &WhileLoop<V, S>) {
        let round = |this: &mut Self| {
            [&it.condition, &it.body, &it.update].into_iter().for_each(|it| this.stmts(it));
        };
        if !it.is_tested_first {
            self.stmts(&it.body);
        }
        while let Some(is_next) = it.guard.as_ref().and_then(|it| self.truth(it)).filter(|_| self.budget > 0)
        {
            if !is_next {
                return self.stmts(&it.condition);
            }
            self.budget -= 1;
            round(self);
        }
        let parts = [&it.update, &it.condition, &it.body];
        parts.iter().for_each(|it| self.drop_assigned_values(it));
        let alike = it.guard.as_ref().is_none_or(|it| self.is_uniform_guard(it));
        self.loop_body(alike, None, round);
        parts.iter().for_each(|it| self.drop_assigned_values(it));
        self.unknown += u32::from(!alike);
        self.stmts(&it.condition);
        self.unknown -= u32::from(!alike);
    }

    /// The body of a loop. `alike`: all threads run the same number of iterations. `counter`: the loop
    /// variable, and whether there is only one iteration.
    fn loop_body(&mut self, alike: bool, counter: Option<(V, bool)>, mut body: impl FnMut(&mut Self)) {
        self.unknown += u32::from(!alike);
        self.depth += 1;
        body(self);
        if self.depth <= MAX_LOOP_DEPTH && !counter.is_some_and(|(_, once)| once) {
            if let Some((counter, _)) = counter {
                // The variable has another value in the next iteration.
                self.drop_accesses_by(counter);
            }
            body(self);
        }
        self.depth -= 1;
        self.unknown -= u32::from(!alike);
        let Some((counter, _)) = counter else { return };
        let Some(Some(range)) = self.loop_variables.remove(&counter) else {
            return self.drop_accesses_by(counter);
        };
        for access in self.writes.iter_mut().chain(&mut self.reads) {
            if access.mentions(counter) && access.bound(counter).is_none() {
                access.bound.push((counter, range));
            }
        }
        self.values.retain(|_, value| !index::mentions(value, counter));
    }

    /// Drops accesses to elements that depend on a variable.
    fn drop_accesses_by(&mut self, counter: V) {
        let stays = |it: &ElementSet<V, S>| !it.mentions(counter) || it.bound(counter).is_some();
        self.writes.retain(stays);
        self.reads.retain(stays);
        self.values.retain(|_, value| !index::mentions(value, counter));
    }

    /// Drops the values of variables that statements assign.
    fn drop_assigned_values(&mut self, stmts: &[Stmt<V, S>]) {
        for_each_assigned(stmts, &mut |it| {
            self.values.remove(&it);
        });
    }

    /// The branches of a condition.
    fn branch(&mut self, guard: &Guard<V, S>, then: &[Stmt<V, S>], otherwise: Option<&[Stmt<V, S>]>) {
        match self.truth(guard) {
            Some(true) => return self.stmts(then),
            Some(false) => return otherwise.into_iter().for_each(|it| self.stmts(it)),
            None => {}
        }
        let parts = self.threads_of(guard);
        let all_threads = parts.iter().any(|it| matches!(it, Threads::Uniform));
        let is_uniform = parts.iter().all(|it| matches!(it, Threads::Uniform));
        let unknown = parts.iter().any(|it| matches!(it, Threads::Unknown));
        let before = (self.writes.clone(), self.reads.clone());
        if all_threads && self.depth > 0 && self.kernel.is_loop_variant(&guard.test) {
            // The condition may hold only in iterations that have no pending access.
            self.drop_accesses();
        }
        let start = (self.writes.clone(), self.reads.clone());
        let values = self.values.clone();
        let (barriers, around) = (self.barriers, self.conditions.len());
        let count = parts.len();
        let selected: Vec<Condition<V>> = parts
            .into_iter()
            .filter_map(|it| match it {
                Threads::Where(condition) => Some(condition),
                _ => None,
            })
            .collect();
        self.conditions.extend(selected.iter().cloned());
        self.unknown += u32::from(unknown);
        self.stmts(then);
        self.unknown -= u32::from(unknown);
        self.conditions.truncate(around);
        if let Some(otherwise) = otherwise.filter(|_| selected.len() == count) {
            // The other threads run this branch, with no barrier between.
            self.values = values;
            self.conditions.push(Condition::All(selected).negated());
            self.stmts(otherwise);
            self.conditions.truncate(around);
        } else if let Some(otherwise) = otherwise {
            let after =
                (std::mem::replace(&mut self.writes, start.0), std::mem::replace(&mut self.reads, start.1));
            self.values = values;
            // The set of threads in this branch is the complement of an unknown one.
            self.unknown += u32::from(!is_uniform);
            self.stmts(otherwise);
            self.unknown -= u32::from(!is_uniform);
            (self.writes, self.reads) = after;
        }
        otherwise.into_iter().chain([then]).for_each(|it| self.drop_assigned_values(it));
        if self.barriers != barriers {
            // All threads may have passed a barrier.
            self.drop_accesses();
        } else if all_threads {
            // No thread may have run the branch.
            (self.writes, self.reads) = before;
        }
    }

    fn access(&mut self, access: &Access<V, S>) {
        // Atomic updates race with nothing that can be known here: each sees the one before it.
        if self.unknown > 0 || access.space != Space::Shared || access.kind == AccessKind::Atomic {
            return;
        }
        let Some(index) = self.index(&access.index) else { return };
        let conditions = self.conditions.clone();
        let elements =
            ElementSet { array: access.array, index, bound: Vec::new(), site: access.site, conditions };
        let is_write = access.kind.is_write();
        let before = if is_write { &self.reads } else { &self.writes };
        let is_non_negative = |it: V| self.is_non_negative(it);
        let domain = Domain {
            axes: &self.axes,
            blocks: &self.blocks,
            loop_variables: &self.loop_variables,
            is_non_negative: &is_non_negative,
            is_sampled: self.is_sampled,
        };
        let found = before.iter().find_map(|it| {
            let example = match is_write {
                true => domain.find_conflict(&elements, it),
                false => domain.find_conflict(it, &elements),
            };
            example.map(|example| (it.site, example))
        });
        if let Some((other, example)) = found {
            let (array, site) = (access.array, access.site);
            self.races.push(Race { array, site, other, is_write, statement: self.statement, example });
            // Continues as if the barrier was there.
            self.drop_accesses();
        }
        let all = if is_write { &mut self.writes } else { &mut self.reads };
        all.retain(|it| {
            it.site != elements.site || it.index != elements.index || it.conditions != elements.conditions
        });
        all.push(elements);
    }

    fn index(&self, expr: &Expr<V, S>) -> Option<Index<V>> {
        self.in_scope(|scope| scope.index(expr))
    }

    /// The truth value of a condition, if known.
    fn truth(&self, guard: &Guard<V, S>) -> Option<bool> {
        self.in_scope(|scope| scope.condition(&guard.test))?.evaluate(&|_| None)
    }

    fn in_scope<R>(&self, evaluate: impl FnOnce(&Scope<'_, V, S>) -> R) -> R {
        let is_symbol = |it: V| {
            self.is_axis(it)
                || self.blocks.contains_key(&it)
                || self.loop_variables.contains_key(&it)
                || self.kernel.captured.contains(&it)
        };
        let is_non_negative = |it: V| self.is_non_negative(it);
        evaluate(&Scope {
            is_symbol: &is_symbol,
            is_non_negative: &is_non_negative,
            values: &self.values,
            definitions: self.kernel,
        })
    }

    fn is_axis(&self, variable: V) -> bool {
        self.axes.iter().any(|it| it.0 == variable)
    }

    /// Whether a symbol is never negative.
    fn is_non_negative(&self, variable: V) -> bool {
        self.is_axis(variable) || self.blocks.contains_key(&variable) || self.non_negative.contains(&variable)
    }

    /// Whether the value is uniform for the block.
    fn is_uniform(&self, value: &Index<V>) -> bool {
        let mut is_uniform = true;
        index::for_each_variable(value, &mut |it| is_uniform &= !self.is_axis(it));
        is_uniform
    }

    fn is_uniform_guard(&self, guard: &Guard<V, S>) -> bool {
        self.threads_of(guard).iter().all(|it| matches!(it, Threads::Uniform))
    }

    /// The threads for which a condition holds, one entry a conjunct.
    fn threads_of(&self, guard: &Guard<V, S>) -> Vec<Threads<V>> {
        let mut found = Vec::new();
        self.add_threads(&guard.test, &mut found);
        found
    }

    fn add_threads(&self, test: &Test<V, S>, found: &mut Vec<Threads<V>>) {
        let threads = |condition: Condition<V>| {
            let (mut is_uniform, mut is_known) = (true, true);
            condition.for_each_variable(&mut |it| {
                is_uniform &= !self.is_axis(it);
                is_known &= self.is_axis(it) || matches!(self.loop_variables.get(&it), Some(Some(_)));
            });
            match (is_uniform, is_known) {
                (true, _) => Threads::Uniform,
                (false, true) => Threads::Where(condition),
                (false, false) => Threads::Unknown,
            }
        };
        match test {
            _ if self.uniformity.is_uniform(test) => found.push(Threads::Uniform),
            Test::All(all) => all.iter().for_each(|it| self.add_threads(it, found)),
            _ => {
                let condition = self.in_scope(|scope| scope.condition(test));
                found.push(condition.map_or(Threads::Unknown, threads));
            }
        }
    }
}
