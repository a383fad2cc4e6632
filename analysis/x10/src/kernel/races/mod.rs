//! Data races in shared memory: conflicting accesses of two threads without a barrier between them (Adve and
//! Boehm, CACM 2010).
//!
//!
//! Only certain races are reported. Indices and conditions are symbolic functions ([`Affine`]) of thread
//! indices, loop variables and uniform values, and are evaluated for all threads of a block ([`elements`]).
//! Loops with known iterations (`for (var d:Int = 32n; d > 0n; d /= 2n)`) are executed symbolically; others
//! are taken to run more than once. If the number of threads is a variable, a race must exist for every
//! sampled size ([`block_sizes`]).

pub(in crate::kernel) mod loop_dependence;
pub(in crate::kernel) mod write_conflicts;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::kernel::affine::{Affine, Condition};
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::{CalleeKind, TypeCategory};
use crate::kernel::fixes::template::FixTemplate;
use crate::kernel::uniformity::UniformityAnalysis;
use crate::kernel::{Kernel, device_code::functions};
use crate::rules::cuda::missing_barrier::MissingBarrier;

mod block_sizes;
mod elements;
mod thread_conditions;

use elements::ConflictExample;
use thread_conditions::ThreadCondition;

/// Maximum nesting depth of loops that are walked twice, to find races between iterations.
const MAX_LOOP_DEPTH: u32 = 4;
/// Maximum number of loop iterations executed symbolically in one kernel.
const MAX_EXECUTED_ITERATIONS: u32 = 64;

/// First and last value of a variable.
type Range = (i64, i64);

/// An access to an element of a shared rail.
#[derive(Clone, Debug)]
struct Access {
    rail: LocalId,
    index: Affine,
    /// Variables of completed loops, with their ranges.
    bound: Vec<(LocalId, Range)>,
    site: ExprId,
    /// Conditions that hold for the accessing threads.
    conditions: Vec<Condition>,
}

impl Access {
    fn mentions(&self, local: LocalId) -> bool {
        let mut found = self.index.mentions(local);
        self.conditions.iter().for_each(|it| it.for_each_variable(&mut |it| found |= it == local));
        found
    }

    fn bound(&self, local: LocalId) -> Option<Range> {
        self.bound.iter().find(|it| it.0 == local).map(|it| it.1)
    }
}

/// Two conflicting accesses without a barrier between them.
struct Race {
    access: Access,
    other: Access,
    is_write: bool,
    /// The statement of the thread's block that has the second access.
    outermost: Option<StmtId>,
    example: ConflictExample,
}

struct RaceDetector<'d, 'u, 'a> {
    context: &'d KernelContext<'a>,
    /// The thread indices, and their last values.
    axes: Vec<(LocalId, i64)>,
    /// Shared rails.
    shared: FxHashSet<LocalId>,
    /// Block indices, with their last values where these are constant.
    blocks: FxHashMap<LocalId, Option<i64>>,
    /// Loop variables that are never negative.
    non_negative: FxHashSet<LocalId>,
    /// Loop variables; their ranges, if all iterations run between two barriers.
    loop_variables: FxHashMap<LocalId, Option<Range>>,
    /// Accesses since the last barrier.
    writes: Vec<Access>,
    reads: Vec<Access>,
    /// Enclosing conditions that depend on the thread.
    conditions: Vec<Condition>,
    /// Number of enclosing conditions that hold for an unknown set of threads.
    unknown: u32,
    /// Number of enclosing loops.
    depth: u32,
    /// Number of barriers so far.
    barriers: u32,
    /// The statement of the thread's block under analysis.
    outermost: Option<StmtId>,
    /// Current values of variables.
    values: FxHashMap<LocalId, Affine>,
    /// Remaining loop iterations to execute symbolically.
    budget: u32,
    races: Vec<Race>,
    /// Whether the block size is one of several samples.
    is_sampled: bool,
    /// Uniformity of conditions.
    uniformity: &'d mut UniformityAnalysis<'u, 'a>,
}

impl<'a> KernelContext<'a> {
    /// Reports accesses to shared memory that lack a barrier between them.
    pub(in crate::kernel) fn check_races(&self, kernel: &Kernel, mut uniformity: UniformityAnalysis<'_, 'a>) {
        // With early exits, the set of threads at later accesses is unknown.
        let mut leaves = false;
        self.body.walk(Node::Stmt(kernel.body), &mut |node| {
            leaves |= matches!(node, Node::Stmt(stmt) if matches!(self.stmt(stmt).kind, StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_)));
            !leaves
        });
        if kernel.shared.is_empty() || leaves {
            return;
        }
        let mut found: Option<Vec<Race>> = None;
        for size in self.sampled_block_sizes(kernel) {
            let races = self.races_in_block(kernel, size, &mut uniformity);
            let common = match found.take() {
                None => races,
                Some(before) => before
                    .into_iter()
                    .filter(|it| races.iter().any(|other| other.access.site == it.access.site))
                    .collect(),
            };
            if common.is_empty() {
                return;
            }
            found = Some(common);
        }
        found.into_iter().flatten().for_each(|it| self.report_race(&it));
    }

    /// The races in blocks of a given size.
    fn races_in_block(
        &self,
        kernel: &Kernel,
        size: block_sizes::BlockSize,
        uniformity: &mut UniformityAnalysis<'_, 'a>,
    ) -> Vec<Race> {
        let blocks = self.last_block_indices(kernel, &size);
        let mut races = RaceDetector {
            context: self,
            axes: size.axes,
            shared: kernel.shared.iter().map(|rail| rail.local).collect(),
            blocks,
            non_negative: FxHashSet::default(),
            loop_variables: FxHashMap::default(),
            writes: Vec::new(),
            reads: Vec::new(),
            conditions: Vec::new(),
            unknown: 0,
            depth: 0,
            barriers: 0,
            outermost: None,
            values: size.values,
            budget: MAX_EXECUTED_ITERATIONS,
            races: Vec::new(),
            is_sampled: size.is_sampled,
            uniformity,
        };
        for stmt in self.flat_statements(kernel.body) {
            races.outermost = Some(stmt);
            races.stmt(stmt);
        }
        races.races
    }
}

impl KernelContext<'_> {
    /// Whether a statement may synchronise threads.
    fn may_synchronise(&self, stmt: StmtId) -> bool {
        let waits = |it: &CalleeKind| !matches!(it, CalleeKind::Builtin | CalleeKind::ThreadIndex);
        self.calls_any(stmt, &waits)
    }

    /// Whether a statement contains a barrier.
    pub(in crate::kernel) fn has_barrier(&self, stmt: StmtId) -> bool {
        self.calls_any(stmt, &|it| *it == CalleeKind::Barrier)
    }

    fn calls_any(&self, stmt: StmtId, is_meant: &dyn Fn(&CalleeKind) -> bool) -> bool {
        let mut found = false;
        self.body.walk(Node::Stmt(stmt), &mut |node| {
            if let Node::Expr(expr) = node
                && let ExprKind::Call { method, .. } = &self.expr(expr).kind
            {
                found |= is_meant(&self.semantics.callee_kind(*method));
            }
            !found
        });
        found
    }
}

impl RaceDetector<'_, '_, '_> {
    fn stmt(&mut self, stmt: StmtId) {
        match &self.context.stmt(stmt).kind {
            StmtKind::If { condition, then, otherwise } => {
                self.expr(*condition);
                self.branches(*condition, Node::Stmt(*then), otherwise.map(Node::Stmt));
            }
            StmtKind::Let { local, init } => {
                init.iter().for_each(|it| self.expr(*it));
                self.set_value(*local, *init);
            }
            StmtKind::While { condition, body, .. } => self.condition_loop(Some(*condition), &[], *body),
            StmtKind::DoWhile { condition, body, .. } => {
                self.stmt(*body);
                self.condition_loop(Some(*condition), &[], *body);
            }
            StmtKind::For { init, condition, update, body, .. } => {
                init.iter().for_each(|it| self.stmt(*it));
                self.condition_loop(*condition, update, *body);
            }
            StmtKind::ForIn { local, components, iterable, body, .. } => {
                self.expr(*iterable);
                let ends = self.uniform_bounds(*iterable).filter(|_| components.is_empty());
                self.range_loop(*local, ends, *body);
            }
            StmtKind::Switch { value, cases, .. } => {
                self.expr(*value);
                self.unknown += 1;
                cases.iter().flat_map(|case| &case.1).for_each(|it| self.stmt(*it));
                self.unknown -= 1;
                self.drop_assigned_values(Node::Stmt(stmt));
            }
            _ => self.children(Node::Stmt(stmt)),
        }
    }

    /// A loop over a range; `ends` are its uniform bounds.
    fn range_loop(&mut self, local: LocalId, ends: Option<(Affine, Affine)>, body: StmtId) {
        let range = ends.as_ref().and_then(|(low, high)| Some((low.as_constant()?, high.as_constant()?)));
        let waits = self.context.may_synchronise(body);
        let iterations = range.and_then(block_sizes::count).and_then(|it| u32::try_from(it).ok());
        if let (Some((low, high)), Some(iterations), true) = (range, iterations, waits)
            && iterations <= self.budget
        {
            self.budget -= iterations;
            for value in low..=high {
                self.values.insert(local, Affine::from_constant(value));
                self.stmt(body);
            }
            self.values.remove(&local);
            return;
        }
        if let Some((low, _)) = &ends {
            self.loop_variables.insert(local, range.filter(|_| !waits));
            if low.as_constant().is_some_and(|low| low >= 0) {
                self.non_negative.insert(local);
            }
        }
        let once = range.is_some_and(|(low, high)| low >= high);
        self.drop_assigned_values(Node::Stmt(body));
        self.loop_body(ends.is_some(), Some((local, once)), |this| this.stmt(body));
        self.drop_assigned_values(Node::Stmt(body));
    }

    /// A loop with a condition. Iterations are executed symbolically while the condition is known.
    fn condition_loop(&mut self, condition: Option<ExprId>, update: &[ExprId], body: StmtId) {
        let round = |this: &mut Self| {
            condition.iter().for_each(|it| this.expr(*it));
            this.stmt(body);
            update.iter().for_each(|it| this.expr(*it));
        };
        while let Some(is_next) = condition.and_then(|it| self.known_value(it)).filter(|_| self.budget > 0) {
            if !is_next {
                return condition.iter().for_each(|it| self.expr(*it));
            }
            self.budget -= 1;
            round(self);
        }
        let parts = update.iter().chain(&condition).map(|it| Node::Expr(*it)).chain([Node::Stmt(body)]);
        parts.clone().for_each(|it| self.drop_assigned_values(it));
        let alike = condition.is_none_or(|it| self.is_uniform_condition(it));
        self.loop_body(alike, None, round);
        parts.for_each(|it| self.drop_assigned_values(it));
        self.unknown += u32::from(!alike);
        condition.iter().for_each(|it| self.expr(*it));
        self.unknown -= u32::from(!alike);
    }

    /// The body of a loop. `alike`: all threads run the same number of iterations. `counter`: the loop
    /// variable, and whether there is only one iteration.
    fn loop_body(&mut self, alike: bool, counter: Option<(LocalId, bool)>, mut body: impl FnMut(&mut Self)) {
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
        self.values.retain(|_, value| !value.mentions(counter));
    }

    /// Drops accesses to elements that depend on a variable.
    fn drop_accesses_by(&mut self, counter: LocalId) {
        let stays = |it: &Access| !it.mentions(counter) || it.bound(counter).is_some();
        self.writes.retain(stays);
        self.reads.retain(stays);
        self.values.retain(|_, value| !value.mentions(counter));
    }

    fn children(&mut self, node: Node) {
        for child in self.context.body.children(node) {
            self.node(child);
        }
    }

    fn node(&mut self, node: Node) {
        match node {
            Node::Stmt(stmt) => self.stmt(stmt),
            Node::Expr(expr) => self.expr(expr),
        }
    }

    fn expr(&mut self, expr: ExprId) {
        let context = self.context;
        match &context.expr(expr).kind {
            ExprKind::Conditional { condition, then, otherwise } => {
                self.expr(*condition);
                self.branches(*condition, Node::Expr(*then), Some(Node::Expr(*otherwise)));
            }
            ExprKind::ShortCircuit { left, right, is_or } => {
                self.expr(*left);
                self.unknown += u32::from(*is_or);
                self.branches(*left, Node::Expr(*right), None);
                self.unknown -= u32::from(*is_or);
            }
            ExprKind::Assign { target: AssignTarget::Local(local), value } => {
                self.expr(*value);
                self.set_value(*local, Some(*value));
            }
            ExprKind::Call { method, receiver, args, .. } => {
                self.children(Node::Expr(expr));
                let waits = matches!(
                    context.semantics.callee_kind(*method),
                    CalleeKind::Barrier | CalleeKind::Collective
                );
                let is_rail = |it: &ExprId| {
                    matches!(context.semantics.category(context.expr(*it).ty), TypeCategory::Rail(_))
                };
                let is_function = context.semantics.callee_kind(*method) == CalleeKind::Function;
                // Accesses by callees are not analysed.
                let meets = || is_function && functions::synchronizes(context.semantics.db, *method);
                if waits || is_function && args.iter().any(is_rail) || meets() {
                    self.barriers += 1;
                    self.writes.clear();
                    self.reads.clear();
                    return;
                }
                let rail =
                    receiver.and_then(|it| context.named_local(it)).filter(|it| self.shared.contains(it));
                if let (Some(rail), Some(index)) = (rail, args.first()) {
                    match method.name(context.semantics.db).as_str() {
                        "operator()" => self.access(rail, *index, expr, false),
                        "operator()=" => self.access(rail, *index, expr, true),
                        _ => {}
                    }
                }
            }
            _ => self.children(Node::Expr(expr)),
        }
    }

    /// The branches of a condition.
    fn branches(&mut self, condition: ExprId, then: Node, otherwise: Option<Node>) {
        match self.known_value(condition) {
            Some(true) => return self.node(then),
            Some(false) => return otherwise.into_iter().for_each(|it| self.node(it)),
            None => {}
        }
        let limits = self.thread_conditions(condition);
        let all_threads = limits.iter().any(|it| matches!(it, ThreadCondition::Uniform));
        let unknown = limits.iter().any(|it| matches!(it, ThreadCondition::Unknown));
        let before = (self.writes.clone(), self.reads.clone());
        if all_threads && self.depth > 0 && self.is_loop_variant(condition) {
            // The condition may hold only in iterations that have no pending access.
            self.writes.clear();
            self.reads.clear();
        }
        let start = (self.writes.clone(), self.reads.clone());
        let values = self.values.clone();
        let (barriers, around) = (self.barriers, self.conditions.len());
        let picked: Vec<Condition> = limits
            .iter()
            .filter_map(|it| match it {
                ThreadCondition::Threads(condition) => Some(condition.clone()),
                _ => None,
            })
            .collect();
        self.conditions.extend(picked.iter().cloned());
        self.unknown += u32::from(unknown);
        self.node(then);
        self.unknown -= u32::from(unknown);
        self.conditions.truncate(around);
        if let Some(otherwise) = otherwise.filter(|_| picked.len() == limits.len()) {
            // The other threads run this branch, with no barrier between.
            self.values = values;
            self.conditions.push(Condition::All(picked).negated());
            self.node(otherwise);
            self.conditions.truncate(around);
        } else if let Some(otherwise) = otherwise {
            let after =
                (std::mem::replace(&mut self.writes, start.0), std::mem::replace(&mut self.reads, start.1));
            self.values = values;
            // The set of threads in this branch is the complement of an unknown one.
            let is_uniform = limits.iter().all(|it| matches!(it, ThreadCondition::Uniform));
            self.unknown += u32::from(!is_uniform);
            self.node(otherwise);
            self.unknown -= u32::from(!is_uniform);
            (self.writes, self.reads) = after;
        }
        otherwise.iter().chain([&then]).for_each(|it| self.drop_assigned_values(*it));
        if self.barriers != barriers {
            // All threads may have passed a barrier.
            self.writes.clear();
            self.reads.clear();
        } else if all_threads {
            // No thread may have run the branch.
            (self.writes, self.reads) = before;
        }
    }

    fn access(&mut self, rail: LocalId, index: ExprId, site: ExprId, is_write: bool) {
        if self.unknown > 0 {
            return;
        }
        let Some(index) = self.affine(index) else { return };
        let access = Access { rail, index, bound: Vec::new(), site, conditions: self.conditions.clone() };
        let before = if is_write { &self.reads } else { &self.writes };
        let found = before.iter().find_map(|it| {
            let example = match is_write {
                true => self.find_conflict(&access, it),
                false => self.find_conflict(it, &access),
            };
            example.map(|example| (it.clone(), example))
        });
        if let Some((other, example)) = found {
            let (access, outermost) = (access.clone(), self.outermost);
            self.races.push(Race { access, other, is_write, outermost, example });
            // Continues as if the barrier was there.
            self.writes.clear();
            self.reads.clear();
        }
        let all = if is_write { &mut self.writes } else { &mut self.reads };
        all.retain(|it| {
            it.site != access.site || it.index != access.index || it.conditions != access.conditions
        });
        all.push(access);
    }
}

impl KernelContext<'_> {
    fn report_race(&self, finding: &Race) {
        let Race { access, other, is_write, outermost, example } = finding;
        let data = MissingBarrier {
            rail: access.rail,
            other: self.expr(other.site).range,
            is_write: *is_write,
            reader: example.reader.clone(),
            writer: example.writer.clone(),
            block: example.block.clone(),
            block_index: example.block_index,
        };
        let violation = self.violation(self.expr(access.site).range, data);
        // Between two statements of the thread's block a barrier is uniform.
        // A label belongs to its loop.
        let is_loop = |stmt: &StmtId| {
            matches!(
                self.stmt(*stmt).kind,
                StmtKind::For { .. }
                    | StmtKind::ForIn { .. }
                    | StmtKind::While { .. }
                    | StmtKind::DoWhile { .. }
                    | StmtKind::Labeled { .. }
            )
        };
        let start = outermost.filter(|it| !is_loop(it)).map(|stmt| self.stmt(stmt).range.start());
        let is_between = |start: &apg_syntax::TextSize| self.expr(other.site).range.end() <= *start;
        let fix = start.filter(is_between).map(|start| {
            FixTemplate::insert("Insert a barrier before this statement", start, "Clock.advanceAll(); ")
        });
        self.report(violation.fix(fix));
    }
}
