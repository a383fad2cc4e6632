//! Whether all threads of a block reach each barrier together.
//!
//! A barrier may stand only where conditions lead that are the same for all threads of the block; what the threads of a warp do
//! together also where they are the same for each warp. [`super::variance`] says how values vary.

mod outside;
mod report;

use apg_syntax::TextSize;
use rustc_hash::FxHashMap;

use super::draft::Draft;
use super::facts::{Callable, Shape};
use super::numbers::Numbers;
use super::variance::{Cause, Split, Variance, compare};
use super::versions::{Version, Versions};
use super::{Axis, function};
use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, Iteration, LabelId, LocalId, StmtId, StmtKind};
use crate::diagnostics::cuda;
use crate::ids::MethodId;

/// How values and conditions vary over the threads.
pub(super) struct Uniformity<'d, 'a> {
    draft: &'d Draft<'a>,
    variance: FxHashMap<LocalId, Variance>,
    versions: Versions,
    /// Where locals are declared, and how many conditions are around that.
    declared: FxHashMap<LocalId, (TextSize, usize)>,
    numbers: Numbers<'d, 'a>,
    /// All warps of a block are known to have 32 threads.
    whole_warps: bool,
    /// Those of the kernel: of the blocks, of the threads.
    axes: (Vec<Axis>, Vec<Axis>),
    /// A block is known to have more than one thread.
    several: bool,
    /// How jumps to labels part threads: whole warps, and the threads of one.
    labels: FxHashMap<(LabelId, bool), Split>,
    /// The conditions around the current node that are not the same for all threads.
    control: Vec<Split>,
    /// The loops around the current node, with the number of divergent conditions outside them.
    loops: Vec<(LabelId, usize)>,
    changed: bool,
    reporting: bool,
    /// Functions around.
    depth: u32,
    /// In a function: how `this` varies.
    this: Variance,
}

/// Functions that call each other deeper than this are not looked into.
const DEEPEST: u32 = 16;

impl<'a> Draft<'a> {
    /// How values vary over the threads of a kernel. Reports the barriers that not all threads of a block reach together.
    pub(super) fn barriers(&self, body: StmtId, blocks: &[Axis], threads: &[Axis]) -> Uniformity<'_, 'a> {
        let indices = self.thread_indices(threads).into_iter().collect();
        let mut uniformity =
            Uniformity::new(self, indices, Numbers::new(self, std::iter::empty()), Variance::Uniform, 0);
        uniformity.whole_warps = self.are_warps_whole(threads);
        uniformity.axes = (blocks.to_vec(), threads.to_vec());
        uniformity.several = self.has_several_threads(threads);
        uniformity.run(body);
        uniformity
    }

    /// Whether a function returns at its end only.
    fn returns_last(&self, root: StmtId) -> bool {
        let is_return = |stmt: StmtId| matches!(self.stmt(stmt).kind, StmtKind::Return(_));
        let last = self.statements(root).last().copied().filter(|stmt| is_return(*stmt));
        let mut early = false;
        self.body.walk(Node::Stmt(root), &mut |node| {
            early |= matches!(node, Node::Stmt(stmt) if is_return(stmt) && Some(stmt) != last);
            !early
        });
        !early
    }
}

impl<'d, 'a> Uniformity<'d, 'a> {
    fn new(
        draft: &'d Draft<'a>,
        variance: FxHashMap<LocalId, Variance>,
        numbers: Numbers<'d, 'a>,
        this: Variance,
        depth: u32,
    ) -> Uniformity<'d, 'a> {
        Uniformity {
            draft,
            variance,
            versions: Versions::default(),
            declared: FxHashMap::default(),
            numbers,
            whole_warps: false,
            axes: Default::default(),
            several: false,
            labels: FxHashMap::default(),
            control: Vec::new(),
            loops: Vec::new(),
            changed: true,
            reporting: false,
            depth,
            this,
        }
    }

    fn run(&mut self, body: StmtId) {
        // Each round can only make something less uniform, so this ends; the bound is for safety.
        let bound = 2 * (self.draft.body.locals.len() + self.draft.body.stmts.len()) + 2;
        for _ in 0..bound {
            if !std::mem::take(&mut self.changed) {
                break;
            }
            self.stmt(body);
        }
        self.reporting = true;
        self.stmt(body);
        self.reporting = false;
    }

    /// Whether an expression of the code is the same for all threads of the block, when they come to it together.
    pub(super) fn is_uniform(&mut self, expr: ExprId) -> bool {
        self.expr(expr) == Variance::Uniform
    }

    /// A call of a function in which threads meet, with what it is called for.
    fn function(
        &mut self,
        call: ExprId,
        method: MethodId,
        this: Variance,
        operands: &[Variance],
        args: &[ExprId],
    ) {
        let facts = self.draft.facts;
        self.barrier(call, !function::meets_in_blocks(facts.db, method));
        let result = facts.body(method);
        let body = &result.body;
        let Some(root) = body.root else { return };
        if !self.reporting || self.depth >= DEEPEST {
            return;
        }
        let parents = Parents::of(body);
        let mut draft = Draft::new(facts, body, &parents, root);
        draft.inner.extend(body.params.iter().copied());
        if !draft.returns_last(root) {
            let name = facts.method_name(method);
            let message = format!("`{name}` may return before threads have met in it");
            let note = "all threads go through such a function together: give it one `return`, at its end";
            let violation =
                self.draft.violation(&cuda::barrier_divergent::RULE, self.draft.expr(call).range, message);
            return self.draft.report(violation.note(note).related(
                Some(method),
                draft.stmt(root).range,
                "its code",
            ));
        }
        let operands = operands.iter().map(|it| it.in_a_function());
        let variance = body.params.iter().copied().zip(operands).collect();
        let formals =
            body.params.iter().zip(args).filter(|it| self.numbers.is_natural(*it.1)).map(|it| *it.0);
        let numbers = Numbers::new(&draft, formals);
        let mut inside = Uniformity::new(&draft, variance, numbers, this.in_a_function(), self.depth + 1);
        inside.run(root);
        drop(inside);
        if let Some(first) = draft.into_violations().first() {
            let name = facts.method_name(method);
            let message = format!("the threads that call `{name}` part inside it before they meet");
            let range = self.draft.expr(call).range;
            let violation = self.draft.violation(&cuda::barrier_divergent::RULE, range, message);
            let note =
                "with these arguments a condition in it is not the same for all threads that meet behind it";
            self.draft.report(violation.note(note).related(Some(method), first.range, first.message.clone()));
        }
    }

    fn stmt(&mut self, stmt: StmtId) {
        let range = self.draft.stmt(stmt).range;
        match &self.draft.stmt(stmt).kind {
            StmtKind::Let { local, init: Some(init) } => {
                let value = self.expr(*init);
                let value = match self.is_scalar(*local) {
                    true => value.first_of(*local, self.draft.local(*local).mutable),
                    false => value,
                };
                if !self.draft.local(*local).mutable {
                    self.numbers.declare(*local, *init);
                }
                self.declared.insert(*local, (range.start(), self.control.len()));
                self.declare(*local, value);
            }
            StmtKind::Let { local, init: None } => {
                self.declared.insert(*local, (range.start(), self.control.len()));
            }
            StmtKind::If { condition, then, otherwise } => {
                let value = self.expr(*condition);
                self.under(*condition, value, |this| {
                    this.stmt(*then);
                    if let Some(otherwise) = otherwise {
                        this.stmt(*otherwise);
                    }
                });
            }
            StmtKind::While { .. }
            | StmtKind::DoWhile { .. }
            | StmtKind::For { .. }
            | StmtKind::ForIn { .. }
            | StmtKind::Switch { .. } => self.repetition(stmt),
            StmtKind::Block(stmts) => {
                let open = self.versions.len();
                stmts.iter().for_each(|it| self.statement_of(stmt, *it));
                self.versions.close(open);
            }
            StmtKind::Labeled { label, body } => self.looped(*label, |this| this.stmt(*body)),
            StmtKind::Break(label) => self.leave(*label, None),
            StmtKind::Continue(label) => self.leave(*label, Some(range.end())),
            _ => {
                for child in self.draft.body.children(Node::Stmt(stmt)) {
                    match child {
                        Node::Stmt(stmt) => self.stmt(stmt),
                        Node::Expr(expr) => {
                            self.expr(expr);
                        }
                    }
                }
            }
        }
    }

    /// A statement of a block. What it assigns to a variable is what the rest of the block sees.
    fn statement_of(&mut self, block: StmtId, stmt: StmtId) {
        let StmtKind::Expr(expr) = self.draft.stmt(stmt).kind else { return self.stmt(stmt) };
        let ExprKind::Assign { target: AssignTarget::Local(local), value } = self.draft.expr(expr).kind
        else {
            return self.stmt(stmt);
        };
        let value = self.expr(value);
        let at = self.draft.stmt(stmt).range.start();
        self.assign(local, value, at, Some(block));
        let known = self.versions.of(stmt).map_or(value, |known| known.join(value));
        self.changed |= self.versions.set(stmt, known);
        self.versions.open(Version { local, set: stmt, block, declared: (at, self.control.len()) });
    }

    /// Loops, and `switch`, which can be left like one.
    fn repetition(&mut self, stmt: StmtId) {
        match &self.draft.stmt(stmt).kind {
            StmtKind::While { label, condition, body } => {
                self.repeated(*label, Some(*condition), |this| this.stmt(*body))
            }
            StmtKind::DoWhile { label, body, condition } => {
                self.repeated(*label, Some(*condition), |this| this.stmt(*body));
            }
            StmtKind::For { label, init, condition, update, body } => {
                init.iter().for_each(|stmt| self.stmt(*stmt));
                self.repeated(*label, *condition, |this| {
                    this.stmt(*body);
                    update.iter().for_each(|expr| {
                        this.expr(*expr);
                    });
                });
            }
            StmtKind::ForIn { label, local, components, iterable, iteration, body } => {
                let over = self.expr(*iterable).mixed();
                for local in components.iter().chain([local]) {
                    self.declare(*local, over);
                }
                // All rails that are the same for all threads are equally long.
                let over = if *iteration == Iteration::Rail { Variance::Uniform } else { over };
                self.under(*iterable, over, |this| this.looped(*label, |this| this.stmt(*body)));
            }
            StmtKind::Switch { label, value, cases } => {
                let chosen = self.expr(*value);
                self.under(*value, chosen, |this| {
                    this.looped(*label, |this| {
                        cases.iter().flat_map(|case| &case.1).for_each(|stmt| this.stmt(*stmt))
                    });
                });
            }
            _ => {}
        }
    }

    fn is_scalar(&self, local: LocalId) -> bool {
        self.draft.facts.shape(self.draft.local(local).ty) == Shape::Plain
    }

    fn repeated(&mut self, label: LabelId, condition: Option<ExprId>, mut body: impl FnMut(&mut Self)) {
        let value = condition.map_or(Variance::Uniform, |condition| self.expr(condition));
        match condition {
            Some(condition) => self.under(condition, value, |this| this.looped(label, &mut body)),
            None => self.looped(label, body),
        }
        if let Some(condition) = condition {
            self.expr(condition);
        }
    }

    /// Runs `body` as controlled by a condition.
    fn under(&mut self, condition: ExprId, value: Variance, body: impl FnOnce(&mut Self)) {
        let split = Split::of(self.draft.expr(condition).range, value);
        self.control.extend(split);
        body(self);
        if split.is_some() {
            self.control.pop();
        }
    }

    /// Runs the body of a loop; threads that leave it at different times part in all of it.
    fn looped(&mut self, label: LabelId, body: impl FnOnce(&mut Self)) {
        let outside = self.control.len();
        self.loops.push((label, outside));
        self.control.extend([true, false].iter().filter_map(|keeps| self.labels.get(&(label, *keeps))));
        body(self);
        self.control.truncate(outside);
        self.loops.pop();
    }

    /// `break` or `continue`: under a condition within the loop that is not the same for all threads, it parts them. Loops inside that one
    /// are left at different times as well.
    fn leave(&mut self, label: LabelId, from: Option<TextSize>) {
        let Some(position) = self.loops.iter().rposition(|(open, _)| *open == label) else { return };
        let around = self.control[self.loops[position].1..].iter().filter(|split| split.from.is_none());
        let splits: Vec<Split> = around.copied().collect();
        let inner: Vec<LabelId> = self.loops[position + 1..].iter().map(|it| it.0).collect();
        for keeps_warps in [true, false] {
            let Some(split) = splits.iter().find(|it| it.keeps_warps == keeps_warps) else { continue };
            self.part(label, Split { from, ..*split });
            for label in &inner {
                self.part(*label, *split);
            }
        }
    }

    fn part(&mut self, label: LabelId, new: Split) {
        match self.labels.get(&(label, new.keeps_warps)) {
            Some(old) if old.from.is_none() => {}
            Some(old) if new.from.is_some() && old.from <= new.from => {}
            _ => {
                self.labels.insert((label, new.keeps_warps), new);
                self.changed = true;
            }
        }
    }

    fn declare(&mut self, local: LocalId, value: Variance) {
        let old = self.variance.get(&local).copied();
        let new = match old {
            Some(old) => old.join(value),
            None => value,
        };
        self.set(local, old, new);
    }

    /// An assignment, by a statement of `block` if that is known.
    fn assign(&mut self, local: LocalId, value: Variance, at: TextSize, block: Option<StmtId>) {
        let old = self.variance.get(&local).copied();
        // A variable without an initialiser starts with its first value.
        let new = old.map_or(value, |old| old.join(value));
        let declared = self.declared.get(&local).copied().unwrap_or_default();
        let new = self.parted(new, declared, at);
        self.set(local, old, new);
        for version in self.versions.reached(local, block) {
            let new = self.versions.of(version.set).map_or(value, |old| old.join(value));
            let new = self.parted(new, version.declared, at);
            self.changed |= self.versions.set(version.set, new);
        }
    }

    /// What a variable is that gets a value under the conditions of here.
    fn parted(&self, new: Variance, declared: (TextSize, usize), at: TextSize) -> Variance {
        // Threads that parted before it was declared have variables of their own.
        let (from, around) = declared;
        let is_before = |position: usize, it: &Split| position < around && it.reaches(from);
        let splits = self.control.iter().enumerate();
        let parted = splits.filter(|(position, it)| it.reaches(at) && !is_before(*position, it));
        parted.map(|it| it.1.parted()).fold(new, |new, parted| match (new, parted) {
            (_, Variance::Divergent(_)) => parted,
            _ => new.join(parted),
        })
    }

    fn set(&mut self, local: LocalId, old: Option<Variance>, new: Variance) {
        if old != Some(new) {
            self.variance.insert(local, new);
            self.changed = true;
        }
    }

    fn expr(&mut self, expr: ExprId) -> Variance {
        let draft = self.draft;
        match &draft.expr(expr).kind {
            ExprKind::Local(local) => {
                let known = self.versions.get(*local).or_else(|| self.variance.get(local).copied());
                known.unwrap_or(Variance::Uniform)
            }
            ExprKind::This => self.this,
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => {
                let value = self.expr(*value);
                self.numbers.converted(value, draft.expr(expr).ty)
            }
            ExprKind::Assign { target, value } => {
                let value = self.expr(*value);
                if let AssignTarget::Local(local) = target {
                    self.assign(*local, value, draft.expr(expr).range.start(), None);
                }
                value
            }
            ExprKind::Let { stmts, result } => {
                stmts.iter().for_each(|stmt| self.stmt(*stmt));
                self.expr(*result)
            }
            ExprKind::Equal { left, right, .. } => {
                let (left, right) = (self.expr(*left), self.expr(*right));
                compare(left, right)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let condition_value = self.expr(*condition);
                let mut value = Variance::Uniform;
                self.under(*condition, condition_value, |this| {
                    let then = this.expr(*then);
                    value = then.join(this.expr(*otherwise));
                });
                if condition_value == Variance::Uniform { value } else { value.join(condition_value).mixed() }
            }
            ExprKind::ShortCircuit { left, right, .. } => {
                let left_value = self.expr(*left);
                let mut right_value = Variance::Uniform;
                self.under(*left, left_value, |this| right_value = this.expr(*right));
                left_value.join(right_value).mixed()
            }
            ExprKind::Call { .. } => self.call(expr),
            // A rail that a thread allocates is its own.
            ExprKind::New { .. } if !matches!(draft.facts.shape(draft.expr(expr).ty), Shape::Plain) => {
                Variance::Divergent(Cause::Data)
            }
            _ => self.operands(expr),
        }
    }

    fn operands(&mut self, expr: ExprId) -> Variance {
        let mut value = Variance::Uniform;
        for child in self.draft.body.children(Node::Expr(expr)) {
            match child {
                Node::Expr(child) => value = value.join(self.expr(child).mixed()),
                Node::Stmt(stmt) => self.stmt(stmt),
            }
        }
        value
    }

    fn call(&mut self, expr: ExprId) -> Variance {
        let draft = self.draft;
        let ExprKind::Call { method, receiver, args, .. } = &draft.expr(expr).kind else {
            return Variance::Uniform;
        };
        if draft.facts.callable(*method) == Callable::Barrier {
            self.barrier(expr, false);
            return Variance::Uniform;
        }
        let operands: Vec<Variance> =
            receiver.iter().chain(args).map(|operand| self.expr(*operand)).collect();
        match draft.facts.callable(*method) {
            Callable::Together | Callable::ThreadNumber => {
                return self.threads_operation(expr, *method, args);
            }
            Callable::Function if function::meets(draft.facts.db, *method) => {
                let count = usize::from(receiver.is_some());
                let this = operands[..count].first().copied().unwrap_or(Variance::Uniform);
                self.function(expr, *method, this, &operands[count..], args);
                return Variance::Divergent(Cause::Data);
            }
            Callable::Function if function::is_of_threads(draft.facts.db, *method) => {
                return Variance::Divergent(Cause::Data);
            }
            _ => {}
        }
        let all_alike = operands.iter().take(2).all(|it| *it == Variance::Uniform);
        if self.reporting && self.depth == 0 {
            let (blocks, threads) = &self.axes;
            let is_shared = self.several && all_alike && self.all_come_to(expr);
            let lost = if is_shared { draft.lost_update(expr) } else { None };
            let found = lost.or_else(|| draft.overlapping_store(expr, blocks, threads));
            found.into_iter().for_each(|it| draft.report(it));
        }
        let name = method.name(draft.facts.db);
        // What a struct makes of an operator is its own affair.
        let number = |it: &ExprId| draft.expr(*it).ty.primitive(draft.facts.db).is_some();
        let is_of_numbers = receiver.iter().chain(args).all(number);
        let sign = name.strip_prefix("operator").map_or("", str::trim);
        let sign = if is_of_numbers || sign == "()" { sign } else { "" };
        let exprs: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        if is_of_numbers && let Some(found) = self.numbers.by_constant(sign, expr, &operands, &exprs) {
            return found;
        }
        if sign == "+" && is_of_numbers && self.numbers.any_multiple(&operands, &exprs) {
            // It counts from another multiple of 32 then.
            let rank = operands.iter().copied().find(|it| matches!(it, Variance::Rank(..)));
            return rank.unwrap_or(Variance::Uniform);
        }
        match (sign, &operands[..]) {
            ("+", [Variance::Uniform, other] | [other, Variance::Uniform]) => other.plus_uniform(),
            ("-", [other, Variance::Uniform]) => other.plus_uniform(),
            ("-", [left, right]) if left.minus(*right).is_some() => Variance::Uniform,
            ("<" | ">" | "<=" | ">=", [left, right]) => compare(*left, *right),
            // Conversions between number types.
            (_, [value])
                if is_of_numbers
                    && name.starts_with("operator")
                    && sign != "-"
                    && sign != "~"
                    && sign != "!" =>
            {
                self.numbers.converted(*value, draft.expr(expr).ty)
            }
            ("()", [rail, index]) => match rail.join(*index) {
                same @ (Variance::Uniform | Variance::Warp(_)) => same,
                _ => Variance::Divergent(Cause::Data),
            },
            _ => operands.iter().fold(Variance::Uniform, |all, operand| all.join(operand.mixed())),
        }
    }

    /// What the threads of a warp or block do together, or a number of a thread.
    fn threads_operation(&mut self, expr: ExprId, method: MethodId, args: &[ExprId]) -> Variance {
        let facts = self.draft.facts;
        if facts.callable(method) == Callable::Together {
            self.barrier(expr, facts.is_of_warp(method));
        }
        // The first lane of a warp is always there. That of another may not be, and each thread keeps its own value then.
        let is_first_lane = || args.get(1).and_then(|lane| self.draft.constant(*lane)) == Some(0);
        match facts.thread_operation(method) {
            Some("rank") => Variance::Rank(None, Cause::Data),
            Some("grid_index") if self.whole_warps => Variance::Rank(None, Cause::Data),
            Some("shuffle") if is_first_lane() => Variance::Warp(Cause::Data),
            _ if facts.is_same_for_block(method) => Variance::Uniform,
            _ if facts.is_same_for_warp(method) => Variance::Warp(Cause::Data),
            _ => Variance::Divergent(Cause::Data),
        }
    }

    /// Whether no condition picks the threads that execute an expression.
    fn all_come_to(&self, expr: ExprId) -> bool {
        let at = self.draft.expr(expr).range.start();
        !self.control.iter().any(|it| it.reaches(at))
    }
}
