//! Uniformity analysis of kernels: which values all threads of a block agree on, and whether they execute
//! collective operations together (Coutinho and others, PACT 2011; barriers: CUDA C++ Programming Guide,
//! "Synchronization Functions").
//!
//! A barrier may be controlled only by conditions that are uniform for the block, a collective operation of
//! warps by conditions that are uniform for each warp. [`crate::divergence`] is the lattice; the solution is
//! the least fixed point over the statements, in the order of their execution. Rules about threads are
//! clients, and passes over kernels, whose assignments are a model too.

use std::hash::Hash;

use apg_symbolic::{BinaryOp, ValueRange};
use rustc_hash::FxHashMap;

use crate::Variable;
use crate::divergence::{Cause, Divergence, DivergentBranch, WARP_SIZE};
use crate::expression::{Expr, Spread, Test};
use crate::index::Operator;
use crate::model::{Access, AccessKind, Guard, Kernel, RangeLoop, Scope, Stmt, WhileLoop, for_each_stmt};
use crate::reaching_definitions::{ReachingDefinition, ReachingDefinitions};
use crate::value_ranges::ValueRanges;

/// A name that a front end gives to a place in the source.
pub trait Site: Copy + Eq + Hash + std::fmt::Debug {}

impl<T: Copy + Eq + Hash + std::fmt::Debug> Site for T {}

/// A collective operation that not all threads of its group execute together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DivergentCollective<V, S> {
    /// The operation.
    pub site: S,
    /// The group.
    pub scope: Scope,
    /// The outermost divergent condition around it.
    pub branch: DivergentBranch<V, S>,
    /// Whether no other divergent condition is around it.
    pub is_only_branch: bool,
}

/// What is known of an argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument<V, S> {
    /// Which threads agree on it.
    pub spread: Spread,
    /// A superset of its values.
    pub range: ValueRange,
    /// Why threads do not agree on it.
    pub cause: Option<Cause<V, S>>,
}

/// What is known of the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallContext<V, S> {
    /// The call.
    pub site: S,
    /// The arguments.
    pub arguments: Vec<Argument<V, S>>,
}

/// The result of the analysis.
#[derive(Debug)]
pub struct Uniformity<'k, V, S> {
    kernel: &'k Kernel<V, S>,
    divergence: FxHashMap<V, Divergence<V, S>>,
    ranges: ValueRanges<V>,
    /// Collective operations that not all threads execute together, each once.
    pub divergent_collectives: Vec<DivergentCollective<V, S>>,
    /// Calls of functions with collective operations.
    pub calls: Vec<CallContext<V, S>>,
    /// Stores of updated values (`a[i] = a[i] + x`) to one element by all threads of a block.
    pub lost_updates: Vec<S>,
}

impl<'k, V: Variable, S: Site> Uniformity<'k, V, S> {
    /// Analyses a kernel or function.
    pub fn new(kernel: &'k Kernel<V, S>) -> Uniformity<'k, V, S> {
        let ranges = ValueRanges::new(kernel);
        let mut divergence = thread_index_divergence(kernel, &ranges);
        divergence.extend(kernel.parameters.iter().map(|it| {
            let by = Cause::Parameter(it.variable);
            (it.variable, Divergence::of_spread_by(it.spread, by))
        }));
        let mut assigned: FxHashMap<V, bool> = FxHashMap::default();
        let mut statements = 0;
        for stmts in &kernel.body {
            for_each_stmt(stmts, &mut |stmt| {
                statements += 1;
                match stmt {
                    Stmt::Assign(variable, _) => _ = assigned.insert(*variable, true),
                    Stmt::Declare(variable, _) => _ = assigned.entry(*variable).or_default(),
                    _ => {}
                }
            });
        }
        // Divergence only grows, so the iteration ends; the bound is a safeguard.
        let max_rounds = 2 * (assigned.len() + statements) + 2;
        let facts = Uniformity {
            kernel,
            divergence,
            ranges,
            divergent_collectives: Vec::new(),
            calls: Vec::new(),
            lost_updates: Vec::new(),
        };
        let has_several_threads = has_several_threads(kernel, &facts.ranges);
        let mut analysis = Analysis {
            facts,
            assigned,
            reaching: ReachingDefinitions::default(),
            declared: FxHashMap::default(),
            labels: Vec::new(),
            label_divergence: FxHashMap::default(),
            control: Vec::new(),
            position: 0,
            changed: true,
            is_final: false,
            has_several_threads,
        };
        for _ in 0..max_rounds {
            if !std::mem::take(&mut analysis.changed) {
                break;
            }
            analysis.sweep();
        }
        analysis.is_final = true;
        analysis.sweep();
        analysis.facts
    }

    /// Whether a condition is the same for all threads of a block that evaluate it together.
    pub fn is_uniform(&self, test: &Test<V, S>) -> bool {
        self.test(test, &|it| self.divergence.get(&it).copied()) == Divergence::Uniform
    }

    /// The divergence of a value. `of` is that of a variable; captured ones are uniform.
    fn expr(&self, expr: &Expr<V, S>, of: &dyn Fn(V) -> Option<Divergence<V, S>>) -> Divergence<V, S> {
        let value = |it: &Expr<V, S>| self.expr(it, of);
        match expr {
            Expr::Constant(_) => Divergence::Uniform,
            Expr::Variable(variable, _) => of(*variable).unwrap_or(Divergence::Uniform),
            Expr::Binary(op, left, right) => self.binary(*op, (left, right), None, of),
            Expr::Located(site, inner) => match &**inner {
                Expr::Binary(op, left, right) => self.binary(*op, (left, right), Some(*site), of),
                inner => value(inner),
            },
            Expr::Select(test, then, otherwise) => {
                let both = value(then).join(value(otherwise));
                match self.test(test, of) {
                    Divergence::Uniform => both,
                    condition => both.join(condition).without_offset(),
                }
            }
            // Narrow integers may wrap within a warp.
            Expr::Convert(ty, it) if !ty.is_wide() => value(it).without_offset(),
            Expr::Convert(_, it) | Expr::Natural(it) => value(it),
            Expr::Truth(test) => self.test(test, of),
            Expr::Load(operands) => {
                match operands.iter().map(value).fold(Divergence::Uniform, Divergence::join) {
                    same @ (Divergence::Uniform | Divergence::WarpUniform(_)) => same,
                    _ => Divergence::Divergent(Cause::Data),
                }
            }
            Expr::Function(operands) => join_all(operands.iter().map(value)),
            Expr::Opaque(spread) => Divergence::of_spread(*spread),
            Expr::Unknown => Divergence::Divergent(Cause::Data),
        }
    }

    fn binary(
        &self,
        op: Operator,
        (left, right): (&Expr<V, S>, &Expr<V, S>),
        site: Option<S>,
        of: &dyn Fn(V) -> Option<Divergence<V, S>>,
    ) -> Divergence<V, S> {
        let (a, b) = (self.expr(left, of), self.expr(right, of));
        let constant = |it: &Expr<V, S>| self.ranges.range(it).as_constant();
        let is_commutative = op == Operator::Arithmetic(BinaryOp::And);
        if let Divergence::Rank(..) = a
            && let Some(by) = constant(right)
            && let Some(found) = a.apply_constant(op, by)
        {
            let rounds = matches!(op, Operator::Arithmetic(BinaryOp::TruncDiv | BinaryOp::TruncRem));
            return match site {
                _ if !rounds || self.ranges.range(left).is_non_negative() => found,
                Some(site) => Divergence::Divergent(Cause::Rounding(site)),
                None => Divergence::Divergent(Cause::Data),
            };
        }
        if let Divergence::Rank(..) = b
            && is_commutative
            && let Some(found) = constant(left).and_then(|by| b.apply_constant(op, by))
        {
            return found;
        }
        match (op, a, b) {
            // The rank counts from another multiple of 32.
            (Operator::Arithmetic(BinaryOp::Add), Divergence::Rank(..), Divergence::Uniform)
                if self.is_warp_multiple(right) =>
            {
                a
            }
            (Operator::Arithmetic(BinaryOp::Add), Divergence::Uniform, Divergence::Rank(..))
                if self.is_warp_multiple(left) =>
            {
                b
            }
            (Operator::Arithmetic(BinaryOp::Add), Divergence::Uniform, it)
            | (Operator::Arithmetic(BinaryOp::Add | BinaryOp::Sub), it, Divergence::Uniform) => {
                it.plus_uniform()
            }
            (Operator::Arithmetic(BinaryOp::Sub), a, b) if a.has_base_of(b) => Divergence::Uniform,
            _ => join_all([a, b].into_iter()),
        }
    }

    fn is_warp_multiple(&self, expr: &Expr<V, S>) -> bool {
        self.ranges.range(expr).is_multiple_of(WARP_SIZE.unsigned_abs())
    }

    fn test(&self, test: &Test<V, S>, of: &dyn Fn(V) -> Option<Divergence<V, S>>) -> Divergence<V, S> {
        match test {
            Test::Literal(_) => Divergence::Uniform,
            Test::Variable(variable) => of(*variable).unwrap_or(Divergence::Uniform),
            Test::Less(left, right) => {
                let (a, b) = (self.expr(left, of), self.expr(right, of));
                // In comparisons, all multiples of 32 behave alike.
                let limit = |it: &Expr<V, S>, divergence| {
                    let is_multiple = || divergence == Divergence::Uniform && self.is_warp_multiple(it);
                    self.ranges.range(it).as_constant().or_else(|| is_multiple().then_some(0))
                };
                let known = match (a, b) {
                    (Divergence::Rank(..), _) => limit(right, b).and_then(|it| a.less_than(it)),
                    (_, Divergence::Rank(..)) => limit(left, a).and_then(|it| b.greater_than(it)),
                    _ => None,
                };
                known.unwrap_or_else(|| a.compare(b))
            }
            Test::Equal(left, right) => self.expr(left, of).compare(self.expr(right, of)),
            Test::All(all) => join_all(all.iter().map(|it| self.test(it, of))),
            Test::Not(it) => self.test(it, of).without_offset(),
            Test::Function(operands) => join_all(operands.iter().map(|it| self.expr(it, of))),
            Test::Unknown => Divergence::Divergent(Cause::Data),
        }
    }
}

/// The divergence of a function of some values.
fn join_all<V: Variable, S: Site>(values: impl Iterator<Item = Divergence<V, S>>) -> Divergence<V, S> {
    values.fold(Divergence::Uniform, |all, it| all.join(it.without_offset()))
}

/// The divergence of thread indices. A warp is 32 consecutive threads, the last axis fastest.
fn thread_index_divergence<V: Variable, S: Site>(
    kernel: &Kernel<V, S>,
    ranges: &ValueRanges<V>,
) -> FxHashMap<V, Divergence<V, S>> {
    let extents = extents(kernel, ranges);
    let product = |axes: &[Option<i64>]| axes.iter().try_fold(1_i64, |all, it| all.checked_mul((*it)?));
    let divergence = |position: usize, variable: V| {
        let cause = Cause::Index(variable);
        let alone = product(&extents[..position]) == Some(1);
        let whole = extents[position].is_some_and(|it| it % WARP_SIZE == 0);
        match product(&extents[position + 1..]) {
            Some(below) if below > 0 && below % WARP_SIZE == 0 => Divergence::WarpUniform(cause),
            Some(1) if alone || whole => Divergence::Rank(Some(variable), cause),
            _ => Divergence::Divergent(cause),
        }
    };
    let named = kernel.threads.iter().enumerate();
    named.filter_map(|(position, it)| Some((it.variable?, divergence(position, it.variable?)))).collect()
}

/// The numbers of threads of the axes, where they are constant.
fn extents<V: Variable, S>(kernel: &Kernel<V, S>, ranges: &ValueRanges<V>) -> Vec<Option<i64>> {
    kernel.threads.iter().map(|it| ranges.range(&it.last).as_constant()?.checked_add(1)).collect()
}

/// Whether a block is known to have more than one thread.
fn has_several_threads<V: Variable, S>(kernel: &Kernel<V, S>, ranges: &ValueRanges<V>) -> bool {
    extents(kernel, ranges).iter().any(|it| it.is_some_and(|it| it > 1))
}

impl<V: Variable, S: Site> Kernel<V, S> {
    /// Whether a block is known to have a multiple of 32 threads.
    pub fn has_whole_warps(&self) -> bool {
        let extents = extents(self, &ValueRanges::new(self));
        let product = extents.into_iter().try_fold(1_i64, |all, it| all.checked_mul(it?));
        !self.threads.is_empty() && product.is_some_and(|it| it % WARP_SIZE == 0)
    }
}

/// A loop or labelled statement around the current statement.
#[derive(Clone, Copy)]
struct Label {
    /// The position of the statement, which identifies it.
    position: usize,
    /// The number of divergent conditions outside it.
    outside: usize,
}

struct Analysis<'k, V, S> {
    facts: Uniformity<'k, V, S>,
    /// Declared variables, and whether they get other values later.
    assigned: FxHashMap<V, bool>,
    reaching: ReachingDefinitions<V, S>,
    /// Position of each declaration, and the number of divergent conditions around it.
    declared: FxHashMap<V, (usize, usize)>,
    /// The loops and labelled statements around the current statement, the whole code first.
    labels: Vec<Label>,
    /// How jumps to labels diverge: between warps (`true`), and within warps (`false`).
    label_divergence: FxHashMap<(usize, bool), DivergentBranch<V, S>>,
    /// The divergent conditions around the current statement.
    control: Vec<DivergentBranch<V, S>>,
    /// The number of statements before this one, in the order of a sweep.
    position: usize,
    changed: bool,
    /// Whether the solution is reached and results are recorded.
    is_final: bool,
    has_several_threads: bool,
}

impl<'k, V: Variable, S: Site> Analysis<'k, V, S> {
    /// All statements, once.
    fn sweep(&mut self) {
        self.position = 0;
        let kernel = self.facts.kernel;
        self.labeled(0, |this| {
            let open = this.reaching.len();
            kernel.body.iter().for_each(|it| this.list_statements(it, 0));
            this.reaching.truncate(open);
        });
    }

    fn stmts(&mut self, stmts: &'k [Stmt<V, S>]) {
        let open = self.reaching.len();
        self.list_statements(stmts, self.position);
        self.reaching.truncate(open);
    }

    fn list_statements(&mut self, stmts: &'k [Stmt<V, S>], list: usize) {
        for stmt in stmts {
            self.position += 1;
            self.stmt(stmt, list);
        }
    }

    fn stmt(&mut self, stmt: &'k Stmt<V, S>, list: usize) {
        match stmt {
            Stmt::Access(access) => self.access(access),
            Stmt::Barrier => {}
            Stmt::Collective(site, scope) => self.collective(*site, *scope),
            Stmt::Call(site, arguments) => self.call(*site, arguments),
            Stmt::Declare(variable, value) => {
                self.declared.insert(*variable, (self.position, self.control.len()));
                if let Some(value) = value {
                    let is_assigned = self.assigned.get(variable).copied().unwrap_or(false);
                    let value = self.expr(value).at_declaration(*variable, is_assigned);
                    self.declare(*variable, value);
                }
            }
            Stmt::Assign(variable, value) => self.assign(*variable, value, list),
            Stmt::Sometimes(body) => self.stmts(body),
            Stmt::Branch(guard, then, otherwise) => self.under(Some(guard), |this| {
                this.stmts(then);
                otherwise.iter().for_each(|it| this.stmts(it));
            }),
            Stmt::Range(it) => self.range_loop(it),
            Stmt::While(it) => self.condition_loop(it),
            Stmt::Labeled(body) => self.labeled(self.position, |this| this.stmts(body)),
            Stmt::Break(between) => self.jump(*between, None),
            Stmt::Continue(between) => self.jump(*between, Some(self.position + 1)),
            Stmt::Return => self.jump(self.labels.len().saturating_sub(1), None),
        }
    }

    fn range_loop(&mut self, it: &'k RangeLoop<V, S>) {
        let label = self.position;
        let bounds = join_all([&it.bounds.0, &it.bounds.1].into_iter().map(|it| self.expr(it)));
        self.declare(it.variable, bounds);
        self.controlled(DivergentBranch::new(it.site, bounds), |this| {
            this.labeled(label, |this| this.stmts(&it.body));
        });
    }

    fn condition_loop(&mut self, it: &'k WhileLoop<V, S>) {
        let label = self.position;
        self.stmts(&it.condition);
        self.under(it.guard.as_ref(), |this| {
            let outside = this.control.len();
            this.labeled(label, |this| this.stmts(&it.body));
            // What a `continue` skips ends before the update; a `break` leaves that out as well.
            let left = this.label_branches(label).filter(|it| !it.is_skipped());
            let left: Vec<_> = left.collect();
            this.control.extend(left);
            this.stmts(&it.update);
            this.control.truncate(outside);
        });
        self.stmts(&it.condition);
    }

    /// Runs `body` under the control of a condition.
    fn under(&mut self, guard: Option<&Guard<V, S>>, body: impl FnOnce(&mut Self)) {
        let branch = guard.and_then(|it| DivergentBranch::new(it.site, self.test(&it.test)));
        self.controlled(branch, body);
    }

    fn controlled(&mut self, branch: Option<DivergentBranch<V, S>>, body: impl FnOnce(&mut Self)) {
        let around = self.control.len();
        self.control.extend(branch);
        body(self);
        self.control.truncate(around);
    }

    /// Runs statements that jumps can leave. Threads that leave them at different times diverge in all of
    /// them.
    fn labeled(&mut self, position: usize, body: impl FnOnce(&mut Self)) {
        let outside = self.control.len();
        self.labels.push(Label { position, outside });
        let branches: Vec<_> = self.label_branches(position).collect();
        self.control.extend(branches);
        body(self);
        self.control.truncate(outside);
        self.labels.pop();
    }

    fn label_branches(&self, label: usize) -> impl Iterator<Item = DivergentBranch<V, S>> {
        [true, false].into_iter().filter_map(move |it| self.label_divergence.get(&(label, it)).copied())
    }

    /// A jump under a divergent condition within the labelled statement makes that statement divergent, and
    /// those inside it that are left with it.
    fn jump(&mut self, between: usize, from: Option<usize>) {
        let Some(target) = self.labels.len().checked_sub(between + 1) else { return };
        let Label { position, outside } = self.labels[target];
        let around = self.control[outside..].iter().filter(|it| !it.is_skipped());
        let branches: Vec<DivergentBranch<V, S>> = around.copied().collect();
        let inner: Vec<usize> = self.labels[target + 1..].iter().map(|it| it.position).collect();
        for is_warp_uniform in [true, false] {
            let found = branches.iter().find(|it| it.is_warp_uniform == is_warp_uniform);
            let Some(branch) = found.copied() else { continue };
            self.add_label_divergence(position, DivergentBranch { from, ..branch });
            for label in &inner {
                self.add_label_divergence(*label, branch);
            }
        }
    }

    fn add_label_divergence(&mut self, label: usize, new: DivergentBranch<V, S>) {
        let key = (label, new.is_warp_uniform);
        match self.label_divergence.get(&key) {
            Some(old) if old.from.is_none() => {}
            Some(old) if new.from.is_some() && old.from <= new.from => {}
            _ => {
                self.label_divergence.insert(key, new);
                self.changed = true;
            }
        }
    }

    fn declare(&mut self, variable: V, value: Divergence<V, S>) {
        let old = self.facts.divergence.get(&variable).copied();
        self.set_divergence(variable, old, old.map_or(value, |old| old.join(value)));
    }

    fn assign(&mut self, variable: V, value: &'k Expr<V, S>, list: usize) {
        let value = self.expr(value);
        let at = self.position;
        let old = self.facts.divergence.get(&variable).copied();
        // A variable without an initial value starts with its first one.
        let new = old.map_or(value, |old| old.join(value));
        let declared = self.declared.get(&variable).copied().unwrap_or_default();
        self.set_divergence(variable, old, self.under_control(new, declared, at));
        for definition in self.reaching.joined_by_assignment(variable, list) {
            let new = self.reaching.of(definition.position).map_or(value, |old| old.join(value));
            let new = self.under_control(new, (definition.position, definition.around), at);
            self.changed |= self.reaching.set(definition.position, new);
        }
        let known = self.reaching.of(at).map_or(value, |known| known.join(value));
        self.changed |= self.reaching.set(at, known);
        let around = self.control.len();
        self.reaching.push(ReachingDefinition { variable, position: at, list, around });
    }

    /// The divergence of a value that is assigned under the current conditions.
    fn under_control(
        &self,
        new: Divergence<V, S>,
        (from, around): (usize, usize),
        at: usize,
    ) -> Divergence<V, S> {
        // Conditions around the declaration do not count: each thread that reaches it has its own variable.
        let is_before = |position: usize, it: &DivergentBranch<V, S>| position < around && it.controls(from);
        let branches = self.control.iter().enumerate();
        let parted = branches.filter(|(position, it)| it.controls(at) && !is_before(*position, it));
        parted.map(|it| it.1.assigned_divergence()).fold(new, |new, parted| match (new, parted) {
            (_, Divergence::Divergent(_)) => parted,
            _ => new.join(parted),
        })
    }

    fn set_divergence(&mut self, variable: V, old: Option<Divergence<V, S>>, new: Divergence<V, S>) {
        if old != Some(new) {
            self.facts.divergence.insert(variable, new);
            self.changed = true;
        }
    }

    fn expr(&self, expr: &Expr<V, S>) -> Divergence<V, S> {
        self.facts.expr(expr, &|it| self.variable(it))
    }

    fn test(&self, test: &Test<V, S>) -> Divergence<V, S> {
        self.facts.test(test, &|it| self.variable(it))
    }

    fn variable(&self, variable: V) -> Option<Divergence<V, S>> {
        self.reaching.get(variable).or_else(|| self.facts.divergence.get(&variable).copied())
    }

    fn access(&mut self, access: &Access<V, S>) {
        let is_update = access.kind == AccessKind::Store { is_update: true };
        if !self.is_final || !is_update || !self.has_several_threads {
            return;
        }
        let is_own = self.variable(access.array).is_some_and(|it| it != Divergence::Uniform);
        let is_unconditional = !self.control.iter().any(|it| it.controls(self.position));
        if !is_own && is_unconditional && self.expr(&access.index) == Divergence::Uniform {
            self.facts.lost_updates.push(access.site);
        }
    }

    fn collective(&mut self, site: S, scope: Scope) {
        let is_known = || self.facts.divergent_collectives.iter().any(|it| it.site == site);
        if !self.is_final || is_known() {
            return;
        }
        let diverges = |it: &&DivergentBranch<V, S>| {
            it.controls(self.position) && !(scope == Scope::Warp && it.is_warp_uniform)
        };
        let Some(branch) = self.control.iter().find(diverges).copied() else { return };
        let is_only_branch = self.control.len() == 1;
        self.facts.divergent_collectives.push(DivergentCollective { site, scope, branch, is_only_branch });
    }

    fn call(&mut self, site: S, arguments: &[Expr<V, S>]) {
        if !self.is_final || self.facts.calls.iter().any(|it| it.site == site) {
            return;
        }
        let of = |it: &Expr<V, S>| {
            let value = self.expr(it);
            Argument { spread: value.spread(), range: self.facts.ranges.range(it), cause: value.cause() }
        };
        let arguments = arguments.iter().map(of).collect();
        self.facts.calls.push(CallContext { site, arguments });
    }
}
