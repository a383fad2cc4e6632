//! Shared memory that a thread reads where another one wrote, or writes where another one may still have to read, with no barrier
//! between. On a device the result depends on how threads are scheduled; on the processor, where threads of a block run one after the
//! other up to the next barrier, it is another one.
//!
//! Only what is sure is said: indices are sums of the thread's indices, of loop variables and of what is the same for all threads
//! ([`Affine`]), the numbers of threads and rounds are known, and conditions that pick threads are `thread < n` or `thread == n`. Then
//! the elements are counted out. Loops of which each round is known (`for (var d:Int = 32n; d > 0n; d /= 2n)`) are gone through so; others
//! are taken to run more than once. All else is taken to be right.

use rustc_hash::{FxHashMap, FxHashSet};

use super::affine::Affine;
use super::barrier::Uniformity;
use super::draft::Draft;
use super::facts::{Callable, Shape};
use super::repair::Repair;
use super::{Axis, Kernel, function};
use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::diagnostics::cuda;

mod limits;

use limits::Limit;

/// So many elements are counted out for one access.
const MOST_ELEMENTS: usize = 1 << 16;
/// Loops that lie deeper in each other than this are gone through once.
const DEEPEST_LOOP: u32 = 4;
/// So many rounds of the loops of a kernel are gone through one by one.
const MOST_ROUNDS: u32 = 64;

/// The first and the last of some numbers.
type Range = (i64, i64);

/// Elements of a shared rail that threads read or write.
#[derive(Clone, Debug)]
struct Access {
    rail: LocalId,
    index: Affine,
    /// Factors of variables of loops that are over, with the values that those had.
    rounds: Vec<(i64, Range)>,
    site: ExprId,
    /// The threads that do it, for some axes.
    threads: Vec<(LocalId, Range)>,
}

struct Races<'d, 'a> {
    draft: &'d Draft<'a>,
    /// The indices of a thread, and their last values.
    axes: Vec<(LocalId, i64)>,
    /// Shared rails.
    shared: FxHashSet<LocalId>,
    /// Indices of the block.
    fixed: FxHashSet<LocalId>,
    /// Variables of loops; their values, if all rounds come between two barriers.
    counters: FxHashMap<LocalId, Option<Range>>,
    /// Since the last barrier.
    writes: Vec<Access>,
    reads: Vec<Access>,
    threads: Vec<(LocalId, Range)>,
    /// Conditions around of which nobody knows for which threads they hold.
    unknown: u32,
    /// Loops around.
    depth: u32,
    /// Barriers so far.
    barriers: u32,
    /// The statement of the thread's block that is looked at.
    outermost: Option<StmtId>,
    /// Variables that have a known number now, the same in all threads.
    values: FxHashMap<LocalId, i64>,
    /// So many rounds of loops may still be gone through one by one.
    budget: u32,
    /// What is the same for all threads.
    uniformity: Uniformity<'d, 'a>,
}

impl<'a> Draft<'a> {
    /// Reports accesses to shared memory that lack a barrier between them.
    pub(super) fn races<'d>(&'d self, kernel: &Kernel, uniformity: Uniformity<'d, 'a>) {
        // Threads that leave early are not there for what follows.
        let mut leaves = false;
        self.body.walk(Node::Stmt(kernel.body), &mut |node| {
            leaves |= matches!(node, Node::Stmt(stmt) if matches!(self.stmt(stmt).kind, StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_)));
            !leaves
        });
        if kernel.shared.is_empty() || leaves {
            return;
        }
        // Threads of which nobody knows how many there are share nothing for sure.
        let axis = |axis: &Axis| Some((axis.local?, self.constant(axis.last)?));
        let Some(axes) = kernel.threads.iter().map(axis).collect::<Option<Vec<_>>>() else { return };
        let mut races = Races {
            draft: self,
            axes,
            shared: kernel.shared.iter().map(|rail| rail.local).collect(),
            fixed: kernel.blocks.iter().filter_map(|axis| axis.local).collect(),
            counters: FxHashMap::default(),
            writes: Vec::new(),
            reads: Vec::new(),
            threads: Vec::new(),
            unknown: 0,
            depth: 0,
            barriers: 0,
            outermost: None,
            values: FxHashMap::default(),
            budget: MOST_ROUNDS,
            uniformity,
        };
        for stmt in self.statements(kernel.body) {
            races.outermost = Some(stmt);
            races.stmt(stmt);
        }
    }
}

impl Draft<'_> {
    /// Whether threads may wait for each other in a statement.
    fn may_wait(&self, stmt: StmtId) -> bool {
        let waits = |it: &Callable| !matches!(it, Callable::Builtin | Callable::ThreadNumber);
        self.calls_any(stmt, &waits)
    }

    /// Whether there is a barrier in a statement.
    pub(super) fn has_barrier(&self, stmt: StmtId) -> bool {
        self.calls_any(stmt, &|it| *it == Callable::Barrier)
    }

    fn calls_any(&self, stmt: StmtId, is_meant: &dyn Fn(&Callable) -> bool) -> bool {
        let mut found = false;
        self.body.walk(Node::Stmt(stmt), &mut |node| {
            if let Node::Expr(expr) = node
                && let ExprKind::Call { method, .. } = &self.expr(expr).kind
            {
                found |= is_meant(&self.facts.callable(*method));
            }
            !found
        });
        found
    }
}

impl Races<'_, '_> {
    fn stmt(&mut self, stmt: StmtId) {
        match &self.draft.stmt(stmt).kind {
            StmtKind::If { condition, then, otherwise } => {
                self.expr(*condition);
                self.branches(*condition, Node::Stmt(*then), otherwise.map(Node::Stmt));
            }
            StmtKind::Let { local, init } => {
                init.iter().for_each(|it| self.expr(*it));
                self.set(*local, *init);
            }
            StmtKind::While { condition, body, .. } => self.rounds(Some(*condition), &[], *body),
            StmtKind::DoWhile { condition, body, .. } => {
                self.stmt(*body);
                self.rounds(Some(*condition), &[], *body);
            }
            StmtKind::For { init, condition, update, body, .. } => {
                init.iter().for_each(|it| self.stmt(*it));
                self.rounds(*condition, update, *body);
            }
            StmtKind::ForIn { local, components, iterable, body, .. } => {
                self.expr(*iterable);
                let ends = self.ends(*iterable).filter(|_| components.is_empty());
                let known = ends.as_ref().filter(|(low, high)| low.terms.is_empty() && high.terms.is_empty());
                let range = known.map(|(low, high)| (low.constant, high.constant));
                if ends.is_some() {
                    self.counters.insert(*local, range.filter(|_| !self.draft.may_wait(*body)));
                }
                let once = range.is_some_and(|(low, high)| low >= high);
                self.forget_values(Node::Stmt(*body));
                self.repeated(ends.is_some(), Some((*local, once)), |this| this.stmt(*body));
            }
            StmtKind::Switch { value, cases, .. } => {
                self.expr(*value);
                self.unknown += 1;
                cases.iter().flat_map(|case| &case.1).for_each(|it| self.stmt(*it));
                self.unknown -= 1;
                self.forget_values(Node::Stmt(stmt));
            }
            _ => self.children(Node::Stmt(stmt)),
        }
    }

    /// A loop under a condition. Its rounds are gone through one by one as long as it is known whether there is a next one.
    fn rounds(&mut self, condition: Option<ExprId>, update: &[ExprId], body: StmtId) {
        let round = |this: &mut Self| {
            condition.iter().for_each(|it| this.expr(*it));
            this.stmt(body);
            update.iter().for_each(|it| this.expr(*it));
        };
        while let Some(is_next) = condition.and_then(|it| self.truth(it)).filter(|_| self.budget > 0) {
            if !is_next {
                return condition.iter().for_each(|it| self.expr(*it));
            }
            self.budget -= 1;
            round(self);
        }
        let parts = update.iter().chain(&condition).map(|it| Node::Expr(*it)).chain([Node::Stmt(body)]);
        parts.clone().for_each(|it| self.forget_values(it));
        let alike = condition.is_none_or(|it| self.is_alike(it));
        self.repeated(alike, None, round);
        parts.for_each(|it| self.forget_values(it));
        self.unknown += u32::from(!alike);
        condition.iter().for_each(|it| self.expr(*it));
        self.unknown -= u32::from(!alike);
    }

    /// The body of a loop, of which each thread runs as many rounds, if `alike`; its variable, and whether it has only one round.
    fn repeated(&mut self, alike: bool, counter: Option<(LocalId, bool)>, mut body: impl FnMut(&mut Self)) {
        self.unknown += u32::from(!alike);
        self.depth += 1;
        body(self);
        if self.depth <= DEEPEST_LOOP && !counter.is_some_and(|(_, once)| once) {
            if let Some((counter, _)) = counter {
                // In the next round it is another.
                self.forget(counter);
            }
            body(self);
        }
        self.depth -= 1;
        self.unknown -= u32::from(!alike);
        let Some((counter, _)) = counter else { return };
        let Some(Some(range)) = self.counters.remove(&counter) else { return self.forget(counter) };
        let over = |it: &mut Access| {
            let factor = it.index.factor(counter);
            it.index.terms.retain(|term| term.0 != counter);
            it.rounds.extend((factor != 0).then_some((factor, range)));
        };
        self.writes.iter_mut().for_each(over);
        self.reads.iter_mut().for_each(over);
    }

    /// Leaves out what was done to elements that a variable picks.
    fn forget(&mut self, counter: LocalId) {
        let stays = |it: &Access| it.index.factor(counter) == 0;
        self.writes.retain(stays);
        self.reads.retain(stays);
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
            ExprKind::ShortCircuit { left, right, is_or } => {
                self.expr(*left);
                self.unknown += u32::from(*is_or);
                self.branches(*left, Node::Expr(*right), None);
                self.unknown -= u32::from(*is_or);
            }
            ExprKind::Assign { target: AssignTarget::Local(local), value } => {
                self.expr(*value);
                self.set(*local, Some(*value));
            }
            ExprKind::Call { method, receiver, args, .. } => {
                self.children(Node::Expr(expr));
                let waits = matches!(draft.facts.callable(*method), Callable::Barrier | Callable::Together);
                let is_rail = |it: &ExprId| matches!(draft.facts.shape(draft.expr(*it).ty), Shape::Rail(_));
                let is_function = draft.facts.callable(*method) == Callable::Function;
                // What a function does to a rail is not looked into.
                let meets = || is_function && function::meets(draft.facts.db, *method);
                if waits || is_function && args.iter().any(is_rail) || meets() {
                    self.barriers += 1;
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
        match self.truth(condition) {
            Some(true) => return self.node(then),
            Some(false) => return otherwise.into_iter().for_each(|it| self.node(it)),
            None => {}
        }
        let limits = self.limits(condition);
        let all_threads = limits.iter().any(|it| matches!(it, Limit::Uniform));
        let unknown = limits.iter().any(|it| matches!(it, Limit::Unknown));
        let before = (self.writes.clone(), self.reads.clone());
        if all_threads && self.depth > 0 && self.varies(condition) {
            // Perhaps it holds only in rounds before which what is pending is not done.
            self.writes.clear();
            self.reads.clear();
        }
        let start = (self.writes.clone(), self.reads.clone());
        let values = self.values.clone();
        let (barriers, around) = (self.barriers, self.threads.len());
        for limit in &limits {
            if let Limit::Threads(axis, range) = limit {
                self.threads.push((*axis, *range));
            }
        }
        self.unknown += u32::from(unknown);
        self.node(then);
        self.unknown -= u32::from(unknown);
        self.threads.truncate(around);
        if let Some(otherwise) = otherwise {
            let after =
                (std::mem::replace(&mut self.writes, start.0), std::mem::replace(&mut self.reads, start.1));
            self.values = values;
            // Which threads come here is the opposite of what is known.
            let is_uniform = limits.iter().all(|it| matches!(it, Limit::Uniform));
            self.unknown += u32::from(!is_uniform);
            self.node(otherwise);
            self.unknown -= u32::from(!is_uniform);
            (self.writes, self.reads) = after;
        }
        otherwise.iter().chain([&then]).for_each(|it| self.forget_values(*it));
        if self.barriers != barriers {
            // Perhaps all have passed one.
            self.writes.clear();
            self.reads.clear();
        } else if all_threads {
            // Perhaps none of it was done.
            (self.writes, self.reads) = before;
        }
    }

    fn access(&mut self, rail: LocalId, index: ExprId, site: ExprId, is_write: bool) {
        if self.unknown > 0 {
            return;
        }
        let Some(index) = self.affine(index) else { return };
        let access = Access { rail, index, rounds: Vec::new(), site, threads: self.threads.clone() };
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
        all.retain(|it| it.site != access.site || it.index != access.index || it.threads != access.threads);
        all.push(access);
    }

    /// Whether what one thread writes is surely what another reads.
    fn meets(&self, write: &Access, read: &Access) -> bool {
        if write.rail != read.rail {
            return false;
        }
        let is_own = |access: &Access| access.index.terms.iter().any(|(local, _)| self.is_axis(*local));
        // What is the same in both, the variables of loops around both among it.
        let both =
            |local: LocalId| !self.is_axis(local) && write.index.factor(local) == read.index.factor(local);
        let Some(written) = self.elements(write, &both) else { return false };
        let Some(read) = self.elements(read, &both) else { return false };
        // All threads that write one element write the same, if it is right at all.
        if !is_own(write) && written.iter().any(|it| it.1 != written[0].1) {
            return false;
        }
        let mut writers: FxHashMap<i64, u32> = FxHashMap::default();
        let mut several: FxHashSet<i64> = FxHashSet::default();
        for (element, thread) in written {
            if *writers.entry(element).or_insert(thread) != thread {
                several.insert(element);
            }
        }
        read.iter().any(|(element, thread)| {
            several.contains(element) || writers.get(element).is_some_and(|writer| writer != thread)
        })
    }

    /// The elements of an access and the number of the thread of each, without what `both` accesses add alike; none if they are too many
    /// or not known.
    fn elements(&self, access: &Access, both: &dyn Fn(LocalId) -> bool) -> Option<Vec<(i64, u32)>> {
        let mut found = vec![(access.index.constant, 0_u32)];
        let mut spread = |factor: i64, (low, high): Range, of_thread: Option<u32>| -> Option<()> {
            let count = usize::try_from(high.checked_sub(low)?.checked_add(1)?.max(0)).ok()?;
            if found.len().checked_mul(count)? > MOST_ELEMENTS {
                return None;
            }
            let before = std::mem::take(&mut found);
            for (element, thread) in before {
                for value in low..=high {
                    let thread = match of_thread {
                        Some(size) => thread.checked_mul(size)?.checked_add(u32::try_from(value).ok()?)?,
                        None => thread,
                    };
                    found.push((element.checked_add(value.checked_mul(factor)?)?, thread));
                }
            }
            Some(())
        };
        for (axis, last) in &self.axes {
            let own = access.threads.iter().filter(|it| it.0 == *axis).map(|it| it.1);
            let range = own.fold((0, *last), |all, it| (all.0.max(it.0), all.1.min(it.1)));
            let size = u32::try_from(last.checked_add(1)?).ok()?;
            spread(access.index.factor(*axis), range, Some(size))?;
        }
        for (local, factor) in &access.index.terms {
            if !self.is_axis(*local) && !both(*local) {
                spread(*factor, (*self.counters.get(local)?)?, None)?;
            }
        }
        for (factor, range) in &access.rounds {
            spread(*factor, *range, None)?;
        }
        Some(found)
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
        // A loop may have a label, which belongs to it.
        let is_loop = |stmt: &StmtId| {
            matches!(
                draft.stmt(*stmt).kind,
                StmtKind::For { .. }
                    | StmtKind::ForIn { .. }
                    | StmtKind::While { .. }
                    | StmtKind::DoWhile { .. }
                    | StmtKind::Labeled { .. }
            )
        };
        let start = self.outermost.filter(|it| !is_loop(it)).map(|stmt| draft.stmt(stmt).range.start());
        let is_between = |start: &apg_syntax::TextSize| draft.expr(other.site).range.end() <= *start;
        let repair = start.filter(is_between).map(|start| {
            Repair::insert("Insert a barrier before this statement", start, "Clock.advanceAll(); ")
        });
        draft.report(violation.repair(repair));
    }
}
