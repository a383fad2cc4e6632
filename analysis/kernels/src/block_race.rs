//! Data races between blocks: elements of global memory that one block stores and another one loads in the
//! same launch (Adve and Boehm, CACM 2010). Blocks run in any order, and a barrier orders the threads of its
//! block alone.
//!
//! A pair of accesses is a system of affine constraints (Banerjee 1988; [`apg_symbolic::dependence`]) on the
//! indices of two threads of different blocks. Only certain races are found: extents and conditions are
//! known, or the condition bounds the element itself from above, as `i < n` before an access to `a[i - 1]`.
//! Kernels with jumps, atomic accesses or calls whose accesses are not seen are left out: they may order
//! blocks.

use apg_symbolic::dependence::{Answer, Point};
use apg_symbolic::{Affine, BinaryOp, Interval, System};

use crate::Variable;
use crate::condition::Condition;
use crate::expression::Scope;
use crate::index::{Index, Operation, Operator, Term};
use crate::model::{Access, AccessKind, Kernel, Space, Stmt, for_each_stmt};

/// Maximum number of boxes that are searched for all pairs of accesses of a kernel.
const MAX_EXAMINED_BOXES: u32 = 2048;
/// Maximum number of accesses to one array that are compared.
const MAX_ACCESSES: usize = 64;

/// A load of an element that another block stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockRace<V, S> {
    /// The array.
    pub array: V,
    /// The load.
    pub load: S,
    /// The store.
    pub store: S,
    /// The indices of the reading thread: of its block, and in it.
    pub reader: ThreadPosition,
    /// The indices of the writing thread.
    pub writer: ThreadPosition,
}

/// The indices of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadPosition {
    /// Those of its block, outermost first.
    pub block: Vec<i64>,
    /// Those of the thread in its block.
    pub thread: Vec<i64>,
}

/// Races between blocks, at most one for each load.
pub fn find_block_races<V: Variable, S: Copy + PartialEq>(kernel: &Kernel<V, S>) -> Vec<BlockRace<V, S>> {
    if may_order_blocks(kernel) {
        return Vec::new();
    }
    let Some(axes) = Axes::new(kernel) else { return Vec::new() };
    let mut collector =
        Collector { kernel, axes: &axes, conditions: Vec::new(), loops: Vec::new(), found: Vec::new() };
    kernel.body.iter().for_each(|it| collector.stmts(it));
    let accesses = collector.found;
    let mut boxes = MAX_EXAMINED_BOXES;
    let mut races = Vec::new();
    for load in accesses.iter().filter(|it| !it.is_store) {
        let stores = accesses.iter().filter(|it| it.is_store && it.array == load.array);
        races.extend(stores.take(MAX_ACCESSES).find_map(|store| axes.race(store, load, &mut boxes)));
    }
    races
}

/// Whether there are jumps, or operations that blocks may wait for each other by.
fn may_order_blocks<V, S>(kernel: &Kernel<V, S>) -> bool {
    let mut found = false;
    let mut visit = |stmt: &Stmt<V, S>| {
        found |= match stmt {
            Stmt::Barrier | Stmt::Call(..) | Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return => true,
            Stmt::Access(access) => access.kind == AccessKind::Atomic,
            _ => false,
        }
    };
    kernel.body.iter().for_each(|stmts| for_each_stmt(stmts, &mut visit));
    found
}

/// The axes of a grid and its blocks, with the last indices.
struct Axes<V> {
    /// Where the number of blocks is not known, there are two.
    blocks: Vec<(V, i64)>,
    threads: Vec<(V, i64)>,
}

/// An access that all threads make for which its conditions hold.
struct ElementAccess<V, S> {
    array: V,
    site: S,
    is_store: bool,
    index: Index<V>,
    conditions: Vec<Condition<V>>,
    /// Variables of loops around it, with their first and last values.
    loops: Vec<(V, i64, i64)>,
}

/// An unknown of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unknown<V> {
    /// The index of the writing thread minus that of the reading one.
    Difference(V),
    /// That of the writing thread.
    Writer(V),
    /// That of the reading thread.
    Reader(V),
}

/// An affine form over the unknowns.
type Form<V> = Affine<Unknown<V>>;

impl<V: Variable> Axes<V> {
    /// `None` if an axis has no name, or the number of threads is not known.
    fn new<S>(kernel: &Kernel<V, S>) -> Option<Axes<V>> {
        let values = crate::Values::default();
        let scope = Scope {
            is_symbol: &|_| false,
            is_non_negative: &|_| false,
            values: &values,
            definitions: kernel,
        };
        let constant = |it| scope.index(it).and_then(|it| it.as_constant().copied());
        let blocks = kernel.blocks.iter().map(|it| Some((it.variable?, constant(&it.last).unwrap_or(1))));
        let threads = kernel.threads.iter().map(|it| Some((it.variable?, constant(&it.last)?)));
        let axes = Axes { blocks: blocks.collect::<Option<_>>()?, threads: threads.collect::<Option<_>>()? };
        let is_run = axes.all().all(|it| it.1 >= 0);
        (is_run && axes.blocks.iter().any(|it| it.1 > 0)).then_some(axes)
    }

    fn all(&self) -> impl Iterator<Item = &(V, i64)> {
        self.blocks.iter().chain(&self.threads)
    }

    /// A load of an element by a block other than that which stores it.
    fn race<S: Copy>(
        &self,
        store: &ElementAccess<V, S>,
        load: &ElementAccess<V, S>,
        boxes: &mut u32,
    ) -> Option<BlockRace<V, S>> {
        // A value that all blocks store to one element is taken to be the same.
        let is_own = |it: &Term<V>| self.blocks.iter().any(|axis| *it == Term::Variable(axis.0));
        if !store.index.terms().any(|it| is_own(it.0)) {
            return None;
        }
        let system = self.system(store, load)?;
        for (axis, last) in self.blocks.iter().filter(|it| it.1 > 0) {
            for (low, high) in [(1, *last), (-last, -1)] {
                let mut system = system.clone();
                self.require_difference(&mut system, *axis, (low, high), store, load)?;
                if let Answer::Yes(point) = system.solve_within(boxes) {
                    let (writer, reader) = self.threads_at(&point);
                    let (array, store, load) = (store.array, store.site, load.site);
                    return Some(BlockRace { array, load, store, reader, writer });
                }
            }
        }
        None
    }

    /// Whether only the difference of a variable in both threads matters.
    fn is_difference<S>(&self, variable: V, store: &ElementAccess<V, S>, load: &ElementAccess<V, S>) -> bool {
        let coefficient = |it: &ElementAccess<V, S>| it.index.coefficient(&Term::Variable(variable));
        let mut is_condition = false;
        for condition in store.conditions.iter().chain(&load.conditions) {
            condition.for_each_variable(&mut |it| is_condition |= it == variable);
        }
        !is_condition && coefficient(store) == coefficient(load)
    }

    /// The constraints that both threads exist, satisfy the conditions and access one element; `None` if
    /// these are not affine, or depend on more than the threads.
    fn system<S>(
        &self,
        store: &ElementAccess<V, S>,
        load: &ElementAccess<V, S>,
    ) -> Option<System<Unknown<V>>> {
        let mut system = System::default();
        for (axis, last) in self.all() {
            if self.is_difference(*axis, store, load) {
                system.bound(Unknown::Difference(*axis), Interval::new(-last, *last)?);
            } else {
                system.bound(Unknown::Writer(*axis), Interval::new(0, *last)?);
                system.bound(Unknown::Reader(*axis), Interval::new(0, *last)?);
            }
        }
        for (variable, low, high) in &store.loops {
            system.bound(Unknown::Writer(*variable), Interval::new(*low, *high)?);
        }
        for (variable, low, high) in &load.loops {
            system.bound(Unknown::Reader(*variable), Interval::new(*low, *high)?);
        }
        let unknown = |variable: V, access: &ElementAccess<V, S>, of: fn(V) -> Unknown<V>| {
            if access.loops.iter().any(|it| it.0 == variable) {
                return Some(of(variable));
            }
            let is_axis = self.all().any(|it| it.0 == variable);
            is_axis.then(|| of(variable))
        };
        let form = |index: &Index<V>, access, of: fn(V) -> Unknown<V>| {
            let constant = Affine::from_constant(index.constant);
            index.terms().try_fold(constant, |sum, (term, factor)| {
                let Term::Variable(variable) = term else { return None };
                sum.add_scaled(*factor, &Affine::symbol(unknown(*variable, access, of)?))
            })
        };
        // The elements are one: terms that both have in common, and those of differences, cancel.
        let mut element = Affine::from_constant(store.index.constant.checked_sub(load.index.constant)?);
        let accesses = [(store, load, 1_i64), (load, store, -1)];
        for (access, other, sign) in accesses {
            for (term, factor) in access.index.terms() {
                let Term::Variable(variable) = term else { return None };
                let of = if sign == 1 { Unknown::Writer } else { Unknown::Reader };
                let symbol = match unknown(*variable, access, of) {
                    Some(_) if self.is_axis(*variable) && self.is_difference(*variable, store, load) => {
                        if sign == -1 {
                            continue;
                        }
                        Unknown::Difference(*variable)
                    }
                    Some(symbol) => symbol,
                    // Another value is the same for both, and must not matter.
                    None if other.index.coefficient(term) == *factor => continue,
                    None => return None,
                };
                element = element.add_scaled(factor.checked_mul(sign)?, &Affine::symbol(symbol))?;
            }
        }
        system.require_equal(&element, &Affine::from_constant(0));
        for (access, _, sign) in accesses {
            let of: fn(V) -> Unknown<V> = if sign == 1 { Unknown::Writer } else { Unknown::Reader };
            for condition in &access.conditions {
                require(&mut system, condition, true, &|index| form(index, access, of))?;
            }
        }
        Some(system)
    }

    fn is_axis(&self, variable: V) -> bool {
        self.all().any(|it| it.0 == variable)
    }

    /// Requires that the index of the writing thread's block differs from the reading one's by this range.
    fn require_difference<S>(
        &self,
        system: &mut System<Unknown<V>>,
        axis: V,
        (low, high): (i64, i64),
        store: &ElementAccess<V, S>,
        load: &ElementAccess<V, S>,
    ) -> Option<()> {
        if self.is_difference(axis, store, load) {
            system.bound(Unknown::Difference(axis), Interval::new(low, high)?);
            return Some(());
        }
        let writer = Affine::symbol(Unknown::Writer(axis));
        let reader = Affine::symbol(Unknown::Reader(axis));
        let difference = writer.checked_sub(&reader)?;
        system.require_at_most(&Affine::from_constant(low), &difference);
        system.require_at_most(&difference, &Affine::from_constant(high));
        Some(())
    }

    /// The writing and the reading thread of a solution.
    fn threads_at(&self, point: &Point<Unknown<V>>) -> (ThreadPosition, ThreadPosition) {
        let value = |variable: V| match point.get(&Unknown::Difference(variable)) {
            Some(difference) => ((*difference).max(0), (-difference).max(0)),
            None => {
                let of = |it| point.get(&it).copied().unwrap_or(0);
                (of(Unknown::Writer(variable)), of(Unknown::Reader(variable)))
            }
        };
        let blocks: Vec<(i64, i64)> = self.blocks.iter().map(|it| value(it.0)).collect();
        let threads: Vec<(i64, i64)> = self.threads.iter().map(|it| value(it.0)).collect();
        let position = |choose: fn(&(i64, i64)) -> i64| ThreadPosition {
            block: blocks.iter().map(choose).collect(),
            thread: threads.iter().map(choose).collect(),
        };
        (position(|it| it.0), position(|it| it.1))
    }
}

/// Adds a condition to a system; `None` if it is not affine, or no conjunction.
fn require<V: Variable>(
    system: &mut System<Unknown<V>>,
    condition: &Condition<V>,
    holds: bool,
    form: &dyn Fn(&Index<V>) -> Option<Form<V>>,
) -> Option<()> {
    match condition {
        Condition::Less(left, right) => match holds {
            true => system.require_less(&form(left)?, &form(right)?),
            false => system.require_at_most(&form(right)?, &form(left)?),
        },
        Condition::Equal(left, right) if holds => system.require_equal(&form(left)?, &form(right)?),
        Condition::All(all) if holds => all.iter().try_for_each(|it| require(system, it, true, form))?,
        Condition::Not(it) => require(system, it, !holds, form)?,
        Condition::Literal(value) if *value == holds => {}
        Condition::Equal(..) | Condition::All(_) | Condition::Literal(_) => return None,
    }
    Some(())
}

/// Appends the conditions that all hold where this one does.
fn push_conjuncts<V>(condition: Condition<V>, conditions: &mut Vec<Condition<V>>) {
    match condition {
        Condition::All(all) => all.into_iter().for_each(|it| push_conjuncts(it, conditions)),
        it => conditions.push(it),
    }
}

/// Collects the accesses to global memory that threads certainly make.
struct Collector<'k, V, S> {
    kernel: &'k Kernel<V, S>,
    axes: &'k Axes<V>,
    conditions: Vec<Condition<V>>,
    loops: Vec<(V, i64, i64)>,
    found: Vec<ElementAccess<V, S>>,
}

impl<V: Variable, S: Copy> Collector<'_, V, S> {
    fn stmts(&mut self, stmts: &[Stmt<V, S>]) {
        for stmt in stmts {
            match stmt {
                Stmt::Access(access) => self.access(access),
                Stmt::Labeled(body) => self.stmts(body),
                Stmt::Branch(guard, then, otherwise) => {
                    // Statements under other conditions may run in no thread.
                    let Some(condition) = self.scope(|it| it.condition(&guard.test)) else { continue };
                    let outside = self.conditions.len();
                    push_conjuncts(condition.clone(), &mut self.conditions);
                    self.stmts(then);
                    self.conditions.truncate(outside);
                    self.conditions.push(condition.negated());
                    otherwise.iter().for_each(|it| self.stmts(it));
                    self.conditions.truncate(outside);
                }
                Stmt::Range(it) => {
                    let constant =
                        |expr| self.scope(|it| it.index(expr)).and_then(|it| it.as_constant().copied());
                    let (Some(low), Some(high)) = (constant(&it.bounds.0), constant(&it.bounds.1)) else {
                        continue;
                    };
                    if low <= high {
                        self.loops.push((it.variable, low, high));
                        self.stmts(&it.body);
                        self.loops.pop();
                    }
                }
                _ => {}
            }
        }
    }

    fn access(&mut self, access: &Access<V, S>) {
        let is_store = access.kind.is_write();
        if access.space != Space::Global {
            return;
        }
        let Some(index) = self.scope(|it| it.index(&access.index)) else { return };
        let is_limiting = |it: &&Condition<V>| !self.holds_in_large_arrays(it, &index);
        let conditions = self.conditions.iter().filter(is_limiting).cloned().collect();
        let (array, site, loops) = (access.array, access.site, self.loops.clone());
        self.found.push(ElementAccess { array, site, is_store, index, conditions, loops });
    }

    /// Whether a condition bounds an index, plus a number, from above by a captured value (`i < n`,
    /// `i + 1 <= 2 * n`): threads satisfy it if that value is large enough. A bound from below excludes some
    /// threads whatever the value is.
    fn holds_in_large_arrays(&self, condition: &Condition<V>, index: &Index<V>) -> bool {
        let is_own = |it: &Index<V>| it.terms().eq(index.terms());
        let is_bound = |it: &Index<V>| it.as_constant().is_none() && self.grows_with_captured(it);
        match condition {
            Condition::Less(left, right) => is_own(left) && is_bound(right),
            Condition::Not(it) => {
                matches!(&**it, Condition::Less(left, right) if is_bound(left) && is_own(right))
            }
            Condition::Equal(..) | Condition::All(_) | Condition::Literal(_) => false,
        }
    }

    /// Whether a value grows beyond each limit with captured variables, as `n / 2 - 1`.
    fn grows_with_captured(&self, value: &Index<V>) -> bool {
        let is_growing_term = |term: &Term<V>| match term {
            Term::Variable(variable) => self.kernel.captured.contains(variable),
            Term::Operation(it) => match &**it {
                Operation::Binary(Operator::Arithmetic(BinaryOp::TruncDiv), dividend, divisor) => {
                    divisor.as_constant().is_some_and(|it| *it > 0) && self.grows_with_captured(dividend)
                }
                Operation::Binary(..) | Operation::Select(..) => false,
            },
        };
        value.terms().all(|(term, factor)| *factor > 0 && is_growing_term(term))
    }

    fn scope<R>(&self, evaluate: impl FnOnce(&Scope<'_, V, S>) -> R) -> R {
        let is_symbol = |it: V| {
            self.axes.is_axis(it)
                || self.loops.iter().any(|of| of.0 == it)
                || self.kernel.captured.contains(&it)
        };
        let values = crate::Values::default();
        evaluate(&Scope {
            is_symbol: &is_symbol,
            is_non_negative: &|_| false,
            values: &values,
            definitions: self.kernel,
        })
    }
}
