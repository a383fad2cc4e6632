//! Shared memory that a thread reads where another one wrote, or writes where another one may still have to read, with no barrier
//! between. On a device the result depends on how threads are scheduled; on the processor, where threads of a block run one after the
//! other up to the next barrier, it is another one.
//!
//! Only what is sure is said: indices are sums of the thread's indices, of loop variables and of what is the same for all threads
//! ([`Affine`]), and conditions that pick threads are `thread < n` or `thread == n`. All else is taken to be right.

use rustc_hash::FxHashSet;

use super::affine::Affine;
use super::draft::Draft;
use super::facts::{Callable, Shape};
use super::repair::Repair;
use super::{Axis, Kernel};
use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::diagnostics::cuda;

/// An element of a shared rail that threads read or write.
#[derive(Clone, Debug)]
struct Access {
    rail: LocalId,
    index: Affine,
    site: ExprId,
    /// The threads that do it count up to here, for some axes.
    bounds: Vec<(LocalId, i64)>,
    /// Only one thread does it.
    alone: bool,
}

/// What a condition says about the threads for which it holds.
enum Limit {
    /// All or none.
    Uniform,
    /// Those below this number on the axis.
    Below(LocalId, i64),
    /// One.
    One,
    /// Nobody knows.
    Unknown,
}

struct Races<'d, 'a> {
    draft: &'d Draft<'a>,
    /// The indices of a thread, and how many there are.
    axes: Vec<(LocalId, Option<i64>)>,
    /// Shared rails.
    shared: FxHashSet<LocalId>,
    /// Indices of the block.
    fixed: FxHashSet<LocalId>,
    /// Variables of loops over ranges.
    counters: FxHashSet<LocalId>,
    /// Since the last barrier.
    writes: Vec<Access>,
    reads: Vec<Access>,
    bounds: Vec<(LocalId, i64)>,
    alone: u32,
    unknown: u32,
    /// The statement of the thread's block that is looked at.
    outermost: Option<StmtId>,
}

impl Draft<'_> {
    /// Reports accesses to shared memory that lack a barrier between them.
    pub(super) fn races(&self, kernel: &Kernel) {
        // Threads that leave early are not there for what follows.
        let mut leaves = false;
        self.body.walk(Node::Stmt(kernel.body), &mut |node| {
            leaves |= matches!(node, Node::Stmt(stmt) if matches!(self.stmt(stmt).kind, StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_)));
            !leaves
        });
        if kernel.shared.is_empty() || leaves {
            return;
        }
        let extent = |axis: &Axis| self.constant(axis.last).and_then(|last| last.checked_add(1));
        let mut races = Races {
            draft: self,
            axes: kernel.threads.iter().filter_map(|axis| Some((axis.local?, extent(axis)))).collect(),
            shared: kernel.shared.iter().map(|rail| rail.local).collect(),
            fixed: kernel.blocks.iter().filter_map(|axis| axis.local).collect(),
            counters: FxHashSet::default(),
            writes: Vec::new(),
            reads: Vec::new(),
            bounds: Vec::new(),
            alone: 0,
            unknown: 0,
            outermost: None,
        };
        for stmt in self.statements(kernel.body) {
            races.outermost = Some(stmt);
            races.stmt(stmt);
        }
    }
}

impl Races<'_, '_> {
    fn stmt(&mut self, stmt: StmtId) {
        match &self.draft.stmt(stmt).kind {
            StmtKind::If { condition, then, otherwise } => {
                self.expr(*condition);
                self.branches(*condition, Node::Stmt(*then), otherwise.map(Node::Stmt));
            }
            StmtKind::While { condition, body, .. } | StmtKind::DoWhile { condition, body, .. } => {
                for _ in 0..2 {
                    self.expr(*condition);
                    self.stmt(*body);
                }
            }
            StmtKind::For { init, condition, update, body, .. } => {
                init.iter().for_each(|it| self.stmt(*it));
                for _ in 0..2 {
                    condition.iter().for_each(|it| self.expr(*it));
                    self.stmt(*body);
                    update.iter().for_each(|it| self.expr(*it));
                }
            }
            StmtKind::ForIn { local, components, iterable, body, .. } => {
                self.expr(*iterable);
                if components.is_empty() && self.counts_alike(*iterable) {
                    self.counters.insert(*local);
                }
                self.stmt(*body);
                // In the next round the variable is another.
                let stays = |it: &Access| it.index.factor(*local) == 0;
                self.writes.retain(stays);
                self.reads.retain(stays);
                self.stmt(*body);
            }
            StmtKind::Switch { value, cases, .. } => {
                self.expr(*value);
                self.unknown += 1;
                cases.iter().flat_map(|case| &case.1).for_each(|it| self.stmt(*it));
                self.unknown -= 1;
            }
            _ => self.children(Node::Stmt(stmt)),
        }
    }

    fn children(&mut self, node: Node) {
        for child in self.draft.body.children(node) {
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
        let draft = self.draft;
        match &draft.expr(expr).kind {
            ExprKind::Conditional { condition, then, otherwise } => {
                self.expr(*condition);
                self.branches(*condition, Node::Expr(*then), Some(Node::Expr(*otherwise)));
            }
            ExprKind::ShortCircuit { left, right, .. } => {
                self.expr(*left);
                self.branches(*left, Node::Expr(*right), None);
            }
            ExprKind::Call { method, receiver, args, .. } => {
                self.children(Node::Expr(expr));
                let waits = matches!(draft.facts.callable(*method), Callable::Barrier | Callable::Together);
                let is_rail = |it: &ExprId| matches!(draft.facts.shape(draft.expr(*it).ty), Shape::Rail(_));
                let is_function = draft.facts.callable(*method) == Callable::Function;
                // What a function does to a rail is not looked into.
                if waits || is_function && args.iter().any(is_rail) {
                    self.writes.clear();
                    self.reads.clear();
                    return;
                }
                let rail =
                    receiver.and_then(|it| draft.named_local(it)).filter(|it| self.shared.contains(it));
                if let (Some(rail), Some(index)) = (rail, args.first()) {
                    match method.name(draft.facts.db).as_str() {
                        "operator()" => self.access(rail, *index, expr, false),
                        "operator()=" => self.access(rail, *index, expr, true),
                        _ => {}
                    }
                }
            }
            _ => self.children(Node::Expr(expr)),
        }
    }

    /// What runs if the condition holds, and if it does not.
    fn branches(&mut self, condition: ExprId, then: Node, otherwise: Option<Node>) {
        let limits = self.limits(condition);
        let is_uniform = limits.iter().all(|it| matches!(it, Limit::Uniform));
        let before = (self.writes.clone(), self.reads.clone());
        let bounds = self.bounds.len();
        let alone = limits.iter().any(|it| matches!(it, Limit::One));
        let unknown = !alone && limits.iter().any(|it| matches!(it, Limit::Unknown));
        for limit in &limits {
            if let Limit::Below(axis, end) = limit {
                self.bounds.push((*axis, *end));
            }
        }
        self.alone += u32::from(alone);
        self.unknown += u32::from(unknown);
        self.node(then);
        self.alone -= u32::from(alone);
        self.unknown -= u32::from(unknown);
        self.bounds.truncate(bounds);
        let after =
            (std::mem::replace(&mut self.writes, before.0), std::mem::replace(&mut self.reads, before.1));
        if let Some(otherwise) = otherwise {
            self.unknown += u32::from(!is_uniform);
            self.node(otherwise);
            self.unknown -= u32::from(!is_uniform);
        }
        let new = |all: &[Access], it: &Access| all.iter().all(|old| old.site != it.site);
        let writes: Vec<Access> = after.0.into_iter().filter(|it| new(&self.writes, it)).collect();
        self.writes.extend(writes);
        let reads: Vec<Access> = after.1.into_iter().filter(|it| new(&self.reads, it)).collect();
        self.reads.extend(reads);
    }

    /// Whether the variable is an index of the thread.
    fn is_axis(&self, local: LocalId) -> bool {
        self.axes.iter().any(|axis| axis.0 == local)
    }

    fn affine(&self, expr: ExprId) -> Option<Affine> {
        let is_known = |local: LocalId| {
            self.is_axis(local)
                || self.fixed.contains(&local)
                || self.counters.contains(&local)
                || (!self.draft.inner.contains(&local) && !self.draft.local(local).mutable)
        };
        self.draft.affine(expr, &is_known)
    }

    /// The value is the same for all threads of the block.
    fn is_uniform(&self, value: &Affine) -> bool {
        value.terms.iter().all(|(local, _)| !self.is_axis(*local))
    }

    /// Whether a loop over this range has the same rounds in all threads.
    fn counts_alike(&self, iterable: ExprId) -> bool {
        let ExprKind::Call { receiver, args, .. } = &self.draft.expr(self.draft.strip(iterable)).kind else {
            return false;
        };
        let ends: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        ends.len() == 2 && ends.iter().all(|it| self.affine(*it).is_some_and(|it| self.is_uniform(&it)))
    }

    fn limits(&self, condition: ExprId) -> Vec<Limit> {
        let draft = self.draft;
        let condition = draft.strip(condition);
        match &draft.expr(condition).kind {
            ExprKind::ShortCircuit { left, right, is_or: false } => {
                let mut limits = self.limits(*left);
                limits.extend(self.limits(*right));
                limits
            }
            ExprKind::Equal { left, right, negated } => {
                let difference =
                    self.affine(*left).zip(self.affine(*right)).and_then(|(a, b)| a.plus(-1, &b));
                vec![match difference {
                    Some(value) if self.is_uniform(&value) => Limit::Uniform,
                    Some(_) if !negated && self.axes.len() == 1 => Limit::One,
                    _ => Limit::Unknown,
                }]
            }
            ExprKind::Call { method, receiver, args, .. } => {
                let operands: Vec<Option<Affine>> =
                    receiver.iter().chain(args).map(|it| self.affine(*it)).collect();
                let [Some(left), Some(right)] = &operands[..] else { return vec![Limit::Unknown] };
                if self.is_uniform(left) && self.is_uniform(right) {
                    return vec![Limit::Uniform];
                }
                let name = method.name(draft.facts.db);
                let (low, high, more) = match name.strip_prefix("operator").map_or("", str::trim) {
                    "<" => (left, right, 0),
                    "<=" => (left, right, 1),
                    ">" => (right, left, 0),
                    ">=" => (right, left, 1),
                    _ => return vec![Limit::Unknown],
                };
                vec![match (&low.terms[..], high.terms.is_empty()) {
                    ([(axis, 1)], true) if self.is_axis(*axis) => {
                        Limit::Below(*axis, high.constant + more - low.constant)
                    }
                    _ => Limit::Unknown,
                }]
            }
            _ => vec![Limit::Unknown],
        }
    }

    fn access(&mut self, rail: LocalId, index: ExprId, site: ExprId, is_write: bool) {
        if self.unknown > 0 {
            return;
        }
        let Some(index) = self.affine(index) else { return };
        let access = Access { rail, index, site, bounds: self.bounds.clone(), alone: self.alone > 0 };
        let before = if is_write { &self.reads } else { &self.writes };
        let found = before.iter().find(|it| match is_write {
            true => self.meets(&access, it),
            false => self.meets(it, &access),
        });
        if let Some(other) = found.cloned() {
            self.report(&access, &other, is_write);
            // As if the barrier was there.
            self.writes.clear();
            self.reads.clear();
        }
        let all = if is_write { &mut self.writes } else { &mut self.reads };
        all.retain(|it| it.site != access.site);
        all.push(access);
    }

    /// How many threads of an axis do it, if that is known.
    fn count(&self, axis: LocalId, access: &Access) -> Option<i64> {
        let all = self.axes.iter().find(|it| it.0 == axis).and_then(|it| it.1);
        let bounds = access.bounds.iter().filter(|it| it.0 == axis).map(|it| it.1);
        bounds.chain(all).min()
    }

    /// Whether what one thread writes is surely what another reads.
    fn meets(&self, write: &Access, read: &Access) -> bool {
        if write.rail != read.rail {
            return false;
        }
        let Some(distance) = read.index.plus(-1, &write.index) else { return false };
        let own: Vec<(LocalId, i64)> =
            write.index.terms.iter().copied().filter(|(local, _)| self.is_axis(*local)).collect();
        match &distance.terms[..] {
            [] if distance.constant == 0 => own.is_empty() && write.alone && !read.alone,
            [] => {
                let shifted = |(axis, factor): &(LocalId, i64)| {
                    let shift = distance.constant / factor;
                    let fits = |count: Option<i64>, by: i64| count.is_none_or(|count| by < count);
                    distance.constant % factor == 0
                        && fits(self.count(*axis, write), shift)
                        && fits(self.count(*axis, read), -shift)
                };
                !write.alone && !read.alone && own.iter().any(shifted)
            }
            [(axis, factor)] if self.is_axis(*axis) => {
                let (of_read, of_write) = (read.index.factor(*axis), write.index.factor(*axis));
                let others = self.count(*axis, write).is_none_or(|count| count > 1);
                let all_one = of_read == 0 && *factor == -of_write;
                others && !write.alone && !read.alone && (all_one || (of_read != 0 && of_read == -of_write))
            }
            [a, b] => {
                let (axis, other) = if self.is_axis(a.0) { (a, b) } else { (b, a) };
                let reads_along = read.index.factor(axis.0) == 0 && other.1 == -axis.1;
                self.is_axis(axis.0) && self.counters.contains(&other.0) && reads_along && !write.alone
            }
            _ => false,
        }
    }

    fn report(&self, access: &Access, other: &Access, is_write: bool) {
        let draft = self.draft;
        let name = &draft.local(access.rail).name;
        let (message, there) = match is_write {
            true => (
                format!("a thread writes an element of `{name}` that another one may still have to read"),
                "it is read here, and no barrier is between",
            ),
            false => (
                format!("a thread reads an element of `{name}` that another one writes"),
                "it is written here, and no barrier is between",
            ),
        };
        let violation = draft
            .violation(&cuda::missing_barrier::RULE, draft.expr(access.site).range, message)
            .note("the threads of a block run in any order: `Clock.advanceAll()` lets all of them come here before one goes on")
            .related(None, draft.expr(other.site).range, there);
        // Between two statements of the thread all threads come along.
        let start = self.outermost.map(|stmt| draft.stmt(stmt).range.start());
        let is_between = |start: &apg_syntax::TextSize| draft.expr(other.site).range.end() <= *start;
        let repair = start.filter(is_between).map(|start| {
            Repair::insert("Insert a barrier before this statement", start, "Clock.advanceAll(); ")
        });
        draft.report(violation.repair(repair));
    }
}
