//! Whether all threads of a block reach each barrier together.
//!
//! A value is *uniform* if all threads of a block compute the same, *divergent* if not. Between the two: an
//! *offset*, a fixed divergent value plus something uniform, so that `i < last` is uniform if both count
//! from the same start. A barrier may stand only where uniform conditions lead. What is read from memory at
//! a uniform index is uniform, since the threads of a program without data races all read the same.

use apg_syntax::{TextRange, TextSize};
use rustc_hash::FxHashMap;

use super::draft::Draft;
use super::facts::{Callable, Shape};
use super::rules::Uses;
use super::{Axis, function};
use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, Iteration, LabelId, LocalId, StmtId, StmtKind};
use crate::diagnostics::cuda;
use crate::ids::MethodId;

/// Why threads differ in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// It was computed from this thread index.
    Index(LocalId),
    /// It was read at a thread's own index, or from a thread's own memory.
    Data,
}

/// How a value varies over the threads of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variance {
    Uniform,
    /// The value that the local had when it was declared, plus something uniform.
    Offset(LocalId, Cause),
    Divergent(Cause),
}

impl Variance {
    fn cause(self) -> Option<Cause> {
        match self {
            Variance::Uniform => None,
            Variance::Offset(_, cause) | Variance::Divergent(cause) => Some(cause),
        }
    }

    /// A value that is either of two, or computed from two in some way.
    fn join(self, other: Variance) -> Variance {
        match (self.cause(), other.cause()) {
            _ if self == other => self,
            (Some(cause), _) | (None, Some(cause)) => Variance::Divergent(cause),
            (None, None) => Variance::Uniform,
        }
    }

    /// A value computed from this one other than by adding.
    fn mixed(self) -> Variance {
        self.cause().map_or(Variance::Uniform, Variance::Divergent)
    }
}

/// A condition on which threads part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Split {
    range: TextRange,
    cause: Cause,
    /// Only what stands behind this offset is concerned (after a `continue`).
    from: Option<TextSize>,
}

struct Uniformity<'d, 'a> {
    draft: &'d Draft<'a>,
    variance: FxHashMap<LocalId, Variance>,
    labels: FxHashMap<LabelId, Split>,
    /// The divergent conditions around the current node.
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

impl Draft<'_> {
    /// Reports the barriers of the thread code that not all threads of a block reach together.
    pub(super) fn barriers(&self, body: StmtId, threads: &[Axis], uses: &Uses) {
        if uses.barriers.is_empty() {
            return;
        }
        let indices = threads.iter().filter_map(|axis| axis.local);
        let mut uniformity = Uniformity {
            draft: self,
            variance: indices.map(|local| (local, Variance::Divergent(Cause::Index(local)))).collect(),
            labels: FxHashMap::default(),
            control: Vec::new(),
            loops: Vec::new(),
            changed: true,
            reporting: false,
            depth: 0,
            this: Variance::Uniform,
        };
        uniformity.run(body);
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

impl Uniformity<'_, '_> {
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
    }

    /// A call of a function in which threads meet, with what it is called for.
    fn function(&mut self, call: ExprId, method: MethodId, this: Variance, operands: &[Variance]) {
        self.barrier(call);
        let facts = self.draft.facts;
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
        // Indices mean something only in the code that declares them.
        let foreign =
            |it: Variance| it.cause().map_or(Variance::Uniform, |_| Variance::Divergent(Cause::Data));
        let mut inside = Uniformity {
            draft: &draft,
            variance: body.params.iter().copied().zip(operands.iter().map(|it| foreign(*it))).collect(),
            labels: FxHashMap::default(),
            control: Vec::new(),
            loops: Vec::new(),
            changed: true,
            reporting: false,
            depth: self.depth + 1,
            this: foreign(this),
        };
        inside.run(root);
        drop(inside);
        if let Some(first) = draft.into_violations().first() {
            let name = facts.method_name(method);
            let message = format!("the threads that call `{name}` part inside it before they meet");
            let range = self.draft.expr(call).range;
            let violation = self.draft.violation(&cuda::barrier_divergent::RULE, range, message);
            let note = "with these arguments a condition in it is not the same for all threads of the block";
            self.draft.report(violation.note(note).related(Some(method), first.range, first.message.clone()));
        }
    }

    fn stmt(&mut self, stmt: StmtId) {
        let range = self.draft.stmt(stmt).range;
        match &self.draft.stmt(stmt).kind {
            StmtKind::Let { local, init: Some(init) } => {
                let value = self.expr(*init);
                let value = match value {
                    Variance::Divergent(cause) if self.is_scalar(*local) => Variance::Offset(*local, cause),
                    value => value,
                };
                self.declare(*local, value);
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
        let split =
            value.cause().map(|cause| Split { range: self.draft.expr(condition).range, cause, from: None });
        self.control.extend(split);
        body(self);
        if split.is_some() {
            self.control.pop();
        }
    }

    /// Runs the body of a loop; threads that leave it at different times part in all of it.
    fn looped(&mut self, label: LabelId, body: impl FnOnce(&mut Self)) {
        self.loops.push((label, self.control.len()));
        let split = self.labels.get(&label).copied();
        self.control.extend(split);
        body(self);
        if split.is_some() {
            self.control.pop();
        }
        self.loops.pop();
    }

    /// `break` or `continue`: under a divergent condition within the loop, it parts the threads.
    fn leave(&mut self, label: LabelId, from: Option<TextSize>) {
        let Some((_, outside)) = self.loops.iter().rev().find(|(open, _)| *open == label).copied() else {
            return;
        };
        let Some(split) = self.control[outside..].iter().find(|split| split.from.is_none()).copied() else {
            return;
        };
        let new = Split { from, ..split };
        match self.labels.get(&label) {
            Some(old) if old.from.is_none() => {}
            Some(old) if from.is_some() && old.from <= from => {}
            _ => {
                self.labels.insert(label, new);
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

    fn assign(&mut self, local: LocalId, value: Variance) {
        let parted = self.control.iter().find(|split| split.from.is_none()).map(|split| split.cause);
        let old = self.variance.get(&local).copied();
        let new = match parted {
            Some(cause) => Variance::Divergent(cause),
            // A variable without an initialiser starts with its first value.
            None => old.map_or(value, |old| old.join(value)),
        };
        let new = match old {
            Some(Variance::Divergent(cause)) => Variance::Divergent(cause),
            _ => new,
        };
        self.set(local, old, new);
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
            ExprKind::Local(local) => self.variance.get(local).copied().unwrap_or(Variance::Uniform),
            ExprKind::This => self.this,
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => self.expr(*value),
            ExprKind::Assign { target, value } => {
                let value = self.expr(*value);
                if let AssignTarget::Local(local) = target {
                    self.assign(*local, value);
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
            self.barrier(expr);
            return Variance::Uniform;
        }
        let operands: Vec<Variance> =
            receiver.iter().chain(args).map(|operand| self.expr(*operand)).collect();
        match draft.facts.callable(*method) {
            _ if draft.facts.is_same_for_block(*method) => {
                if draft.facts.callable(*method) == Callable::Together {
                    self.barrier(expr);
                }
                return Variance::Uniform;
            }
            Callable::Together => {
                self.barrier(expr);
                return Variance::Divergent(Cause::Data);
            }
            Callable::ThreadNumber => return Variance::Divergent(Cause::Data),
            Callable::Function if function::meets(draft.facts.db, *method) => {
                let count = usize::from(receiver.is_some());
                let this = operands[..count].first().copied().unwrap_or(Variance::Uniform);
                self.function(expr, *method, this, &operands[count..]);
                return Variance::Divergent(Cause::Data);
            }
            Callable::Function if function::is_of_threads(draft.facts.db, *method) => {
                return Variance::Divergent(Cause::Data);
            }
            _ => {}
        }
        let name = method.name(draft.facts.db);
        // What a struct makes of an operator is its own affair.
        let number = |it: &ExprId| draft.expr(*it).ty.primitive(draft.facts.db).is_some();
        let is_of_numbers = receiver.iter().chain(args).all(number);
        let sign = name.strip_prefix("operator").map_or("", str::trim);
        let sign = if is_of_numbers || sign == "()" { sign } else { "" };
        match (sign, &operands[..]) {
            ("+", [Variance::Uniform, other] | [other, Variance::Uniform]) => *other,
            ("-", [other, Variance::Uniform]) => *other,
            ("-", [Variance::Offset(a, _), Variance::Offset(b, _)]) if a == b => Variance::Uniform,
            ("<" | ">" | "<=" | ">=", [left, right]) => compare(*left, *right),
            // Conversions between number types.
            (_, [value])
                if is_of_numbers
                    && name.starts_with("operator")
                    && sign != "-"
                    && sign != "~"
                    && sign != "!" =>
            {
                *value
            }
            ("()", [rail, index]) => match rail.join(*index).cause() {
                None => Variance::Uniform,
                Some(_) => Variance::Divergent(Cause::Data),
            },
            _ => operands.iter().fold(Variance::Uniform, |all, operand| all.join(operand.mixed())),
        }
    }

    /// What waits for the other threads, why all must come, and what to write instead.
    fn waiting(&self, expr: ExprId) -> (String, [&'static str; 2]) {
        let facts = self.draft.facts;
        match &self.draft.expr(expr).kind {
            ExprKind::Call { method, .. } if facts.callable(*method) != Callable::Barrier => {
                let notes = [
                    "threads do this together: those that take another way would be missing",
                    "call it outside of the condition, in all threads, and use the result inside",
                ];
                (format!("`{}`", facts.method_name(*method)), notes)
            }
            _ => {
                let notes = [
                    "a barrier waits for all threads of the block: those that take another way would leave the others waiting for ever",
                    "move the barrier out of the condition, and let the threads that have nothing to do pass it as well",
                ];
                ("this barrier".to_owned(), notes)
            }
        }
    }

    fn barrier(&mut self, expr: ExprId) {
        if !self.reporting {
            return;
        }
        let range = self.draft.expr(expr).range;
        let around = |split: &&Split| split.from.is_none_or(|from| from <= range.start());
        let Some(split) = self.control.iter().find(around) else { return };
        let why = match split.cause {
            Cause::Index(local) => {
                format!("it depends on the thread index `{}`", self.draft.local(local).name)
            }
            Cause::Data => "it depends on data that differ from thread to thread".to_owned(),
        };
        let (what, notes) = self.waiting(expr);
        let skipped = if split.from.is_some() {
            format!("some threads of the block skip {what}")
        } else {
            format!("not all threads of the block reach {what} together")
        };
        let [why_not, instead] = notes;
        self.draft.report(
            self.draft
                .violation(&cuda::barrier_divergent::RULE, range, skipped)
                .note(why_not)
                .note(instead)
                .related(None, split.range, format!("this condition is not the same for all threads: {why}")),
        );
    }
}

/// Comparing: two values that count from the same start compare the same in all threads.
fn compare(left: Variance, right: Variance) -> Variance {
    match (left, right) {
        (Variance::Offset(a, _), Variance::Offset(b, _)) if a == b => Variance::Uniform,
        _ => left.join(right).mixed(),
    }
}
