//! Definite assignment and reachability: one walk along the control flow of a body (Java Language
//! Specification, chapter 16 and 14.22; X10 2.6 adds activities).
//!
//!
//! For every variable without an initialiser the state says whether it is assigned on all paths, on some
//! path, or on all paths once the activities of the enclosing `finish` have ended ([`AssignmentState`]).
//! [`super::construction`] uses the same walk for the fields of an object.

mod expressions;
pub(super) mod state;

use apg_syntax::TextRange;
use rustc_hash::FxHashMap;

use super::FlowContext;
use crate::body::Owner;
use crate::body::{Body, ExprId, ExprKind, LabelId, Literal, LocalId, StmtId, StmtKind, walk::Node};
use crate::ids::{FieldId, MethodId};
use crate::rules::Problem;
use crate::rules::flow::missing_return::MissingReturn;
use crate::rules::flow::unreachable::Unreachable;
use state::{AssignmentState, SlotSet};

/// States at the jumps to one label.
struct JumpStates {
    breaks: AssignmentState,
    continues: AssignmentState,
}

/// Effects of a method called during construction on fields, by slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Effects {
    /// Fields that it may read before assigning them.
    pub(super) reads: SlotSet,
    /// Fields that it, or an activity that it starts, may assign.
    pub(super) writes: SlotSet,
    /// Fields assigned when it returns.
    pub(super) assigned: SlotSet,
    /// Fields assigned when the activities that it starts have ended, too.
    pub(super) after_finish: SlotSet,
}

/// The fields of an object under construction.
pub(super) struct TrackedFields<'a> {
    /// Fields without an initial value; the slot of a field is its index.
    pub(super) tracked: &'a [FieldId],
    /// Effects of the class's methods, when called on the object.
    pub(super) effects: &'a dyn Fn(MethodId) -> Option<Effects>,
    /// Whether reads are reported, or only collected.
    pub(super) report: bool,
}

pub(super) struct AssignmentWalker<'a> {
    pub(super) context: &'a FlowContext<'a>,
    pub(super) body: &'a Body,
    /// Owner of the locals.
    pub(super) owner: Option<Owner>,
    /// If set, the walk tracks these fields, otherwise locals.
    pub(super) fields: Option<&'a TrackedFields<'a>>,
    /// Fields read before they are assigned.
    pub(super) reads: SlotSet,
    /// Locals already reported as read before assignment, each once.
    reported: SlotSet,
    local_slots: FxHashMap<LocalId, usize>,
    field_slots: FxHashMap<FieldId, usize>,
    state: AssignmentState,
    /// State at the `return`s of the current method, closure or `at` expression.
    returns: AssignmentState,
    jumps: FxHashMap<LabelId, JumpStates>,
    /// Slots possibly assigned where an exception leaves the body of the innermost `try`.
    thrown: SlotSet,
    /// If positive, nothing is reported.
    suppressed: u32,
    pub(super) problems: Vec<Problem>,
}

impl<'a> AssignmentWalker<'a> {
    /// A walk that tracks locals.
    pub(super) fn new(context: &'a FlowContext<'a>, owner: Owner, body: &'a Body) -> AssignmentWalker<'a> {
        let mut local_slots = FxHashMap::default();
        let mut push_problem = |local: LocalId| {
            let slot = local_slots.len();
            local_slots.entry(local).or_insert(slot);
        };
        for stmt in &body.stmts {
            match &stmt.kind {
                StmtKind::Let { local, init: None } => push_problem(*local),
                // Declarations of one `case` are in scope in the following ones, which may be jumped to.
                StmtKind::Switch { cases, .. } => {
                    for &id in cases.iter().flat_map(|(_, stmts)| stmts) {
                        if let StmtKind::Let { local, .. } = body.stmt(id).kind {
                            push_problem(local);
                        }
                    }
                }
                _ => {}
            }
        }
        AssignmentWalker { owner: Some(owner), local_slots, ..AssignmentWalker::without_slots(context, body) }
    }

    /// A walk that tracks fields.
    pub(super) fn of_fields(
        context: &'a FlowContext<'a>,
        body: &'a Body,
        fields: &'a TrackedFields<'a>,
        state: AssignmentState,
    ) -> AssignmentWalker<'a> {
        let field_slots = fields.tracked.iter().enumerate().map(|(slot, &field)| (field, slot)).collect();
        AssignmentWalker {
            field_slots,
            state,
            fields: Some(fields),
            ..AssignmentWalker::without_slots(context, body)
        }
    }

    fn without_slots(context: &'a FlowContext<'a>, body: &'a Body) -> AssignmentWalker<'a> {
        AssignmentWalker {
            context,
            body,
            owner: None,
            fields: None,
            reads: SlotSet::default(),
            reported: SlotSet::default(),
            local_slots: FxHashMap::default(),
            field_slots: FxHashMap::default(),
            state: AssignmentState::start(),
            returns: AssignmentState::dead(),
            jumps: FxHashMap::default(),
            thrown: SlotSet::default(),
            suppressed: 0,
            problems: Vec::new(),
        }
    }

    /// Walks the body; returns the state after it, over all ways to leave it.
    pub(super) fn run(&mut self) -> AssignmentState {
        let Some(root) = self.body.root else { return self.state.clone() };
        self.stmt(root);
        if self.state.live && self.context.needs_value {
            let last_value = self.unused_value(root);
            self.report(Problem::new(self.context.name, MissingReturn::Method { last_value }));
        }
        let fallen = std::mem::replace(&mut self.state, AssignmentState::dead());
        self.returns.join(&fallen);
        self.returns.clone()
    }

    /// The trailing expression of the code, if its value is unused.
    fn unused_value(&self, root: StmtId) -> Option<TextRange> {
        match &self.body.stmt(root).kind {
            StmtKind::Block(stmts) => self.unused_value(*stmts.last()?),
            StmtKind::Expr(value) => {
                let value = self.body.expr(*value);
                let has_value = !value.ty.is_void(self.context.db) && !value.ty.is_error(self.context.db);
                let is_assignment = matches!(value.kind, ExprKind::Assign { .. } | ExprKind::Let { .. });
                (has_value && !is_assignment).then_some(value.range)
            }
            _ => None,
        }
    }

    /// Reports a problem of code or locals, unless fields are tracked.
    fn report(&mut self, problem: Problem) {
        if self.fields.is_none() {
            self.push_problem(problem);
        }
    }

    /// Reports a problem of fields.
    fn report_field(&mut self, problem: Problem) {
        if self.fields.is_some_and(|fields| fields.report) {
            self.push_problem(problem);
        }
    }

    fn push_problem(&mut self, problem: Problem) {
        if self.suppressed == 0 && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Whether a reachable statement can complete normally.
    pub(super) fn completes(&mut self, id: StmtId) -> bool {
        self.stmt(id);
        self.state.live
    }

    fn stmt(&mut self, id: StmtId) {
        let body = self.body;
        let stmt = body.stmt(id);
        match &stmt.kind {
            StmtKind::Error | StmtKind::Empty => {}
            StmtKind::Block(stmts) => self.block(stmts),
            StmtKind::Let { local, init: Some(init) } => {
                self.expr(*init);
                if let Some(&slot) = self.local_slots.get(local) {
                    self.state.assign(slot);
                }
            }
            StmtKind::Let { local, init: None } => {
                if let Some(&slot) = self.local_slots.get(local) {
                    self.state.unassign(slot);
                }
            }
            StmtKind::Expr(e) => self.expr(*e),
            StmtKind::ConstructorCall { is_super, args, .. } => {
                self.exprs(args);
                self.may_throw();
                if !is_super && let Some(fields) = self.fields {
                    self.assign_fields(fields.tracked);
                }
            }
            StmtKind::Property { fields, values } => {
                self.exprs(values);
                self.may_throw();
                self.assign_fields(fields);
            }
            StmtKind::If { condition, then, otherwise } => self.branch(*condition, *then, *otherwise),
            StmtKind::While { label, condition, body } => {
                self.loop_statement(*label, Some(*condition), *body, &[], true);
            }
            StmtKind::DoWhile { label, body, condition } => self.do_while(*label, *body, *condition),
            StmtKind::For { label, init, condition, update, body } => {
                init.iter().for_each(|&s| self.stmt(s));
                self.loop_statement(*label, *condition, *body, update, condition.is_some());
            }
            StmtKind::ForIn { label, iterable, body, .. } => {
                self.expr(*iterable);
                self.may_throw();
                self.loop_statement(*label, None, *body, &[], true);
                // The iterator may throw between two iterations.
                self.may_throw();
            }
            StmtKind::Switch { label, value, cases } => {
                self.expr(*value);
                self.switch(*label, cases);
            }
            StmtKind::Labeled { label, body } => {
                let jumps = self.with_label(*label, |walker| walker.stmt(*body));
                self.state.join(&jumps.breaks);
            }
            StmtKind::Break(label) => self.jump(*label, true),
            StmtKind::Continue(label) => self.jump(*label, false),
            StmtKind::Return(value) => {
                value.iter().for_each(|&e| self.expr(e));
                let here = std::mem::replace(&mut self.state, AssignmentState::dead());
                self.returns.join(&here);
            }
            StmtKind::Throw(e) => {
                self.expr(*e);
                self.may_throw();
                self.state = AssignmentState::dead();
            }
            StmtKind::Try { body, catches, finally } => self.try_statement(*body, catches, *finally),
            StmtKind::Assert { condition, message } => {
                self.expr(*condition);
                let after = self.state.clone();
                message.iter().for_each(|&e| self.expr(e));
                self.may_throw();
                self.state = after;
            }
            _ => self.activity(id),
        }
    }

    /// Statements that start, wait for, move or exclude activities.
    fn activity(&mut self, id: StmtId) {
        let body = self.body;
        let stmt = body.stmt(id);
        match &stmt.kind {
            StmtKind::Async { body, .. } => {
                let waited_for = !stmt.annotations.iter().any(|a| a.name == "Uncounted");
                self.may_throw();
                self.async_statement(*body, &clocks_of_async(&stmt.kind), waited_for);
            }
            StmtKind::Finish { body, .. } => self.finish(*body),
            StmtKind::At { place, body, .. } => {
                self.expr(*place);
                self.may_throw();
                if self.fields.is_some() {
                    // It cannot use the object, which is reported separately.
                    self.slots_assigned_in(&[Node::Stmt(*body)])
                        .into_iter()
                        .for_each(|slot| self.state.assign(slot));
                    return;
                }
                let before = self.state.clone();
                self.stmt(*body);
                self.state = AssignmentState { live: self.state.live, ..before };
            }
            StmtKind::AtEach { distribution, body, .. } => {
                self.expr(*distribution);
                self.may_throw();
                let before = self.state.clone();
                if self.fields.is_none() {
                    self.stmt(*body);
                }
                self.state = before;
            }
            StmtKind::Atomic(body) => {
                self.may_throw();
                self.stmt(*body);
            }
            StmtKind::When(arms) => {
                self.may_throw();
                self.when(arms);
            }
            _ => {}
        }
    }

    fn block(&mut self, stmts: &[StmtId]) {
        for &id in stmts {
            let kind = &self.body.stmt(id).kind;
            if !self.state.live && !matches!(kind, StmtKind::Empty | StmtKind::Error) {
                self.report(Problem::new(self.body.stmt(id).range, Unreachable));
                return;
            }
            self.stmt(id);
        }
    }

    fn branch(&mut self, condition: ExprId, then: StmtId, otherwise: Option<StmtId>) {
        let when_false = self.condition(condition);
        self.stmt(then);
        let after_then = std::mem::replace(&mut self.state, when_false);
        if let Some(otherwise) = otherwise {
            self.stmt(otherwise);
        }
        self.state.join(&after_then);
    }

    fn with_label(&mut self, label: LabelId, walk: impl FnOnce(&mut Self)) -> JumpStates {
        let fresh = JumpStates { breaks: AssignmentState::dead(), continues: AssignmentState::dead() };
        let outer = self.jumps.insert(label, fresh);
        walk(self);
        let dead = JumpStates { breaks: AssignmentState::dead(), continues: AssignmentState::dead() };
        let jumps = self.jumps.remove(&label).unwrap_or(dead);
        if let Some(outer) = outer {
            self.jumps.insert(label, outer);
        }
        jumps
    }

    fn jump(&mut self, label: LabelId, is_break: bool) {
        let here = std::mem::replace(&mut self.state, AssignmentState::dead());
        if let Some(jumps) = self.jumps.get_mut(&label) {
            if is_break { jumps.breaks.join(&here) } else { jumps.continues.join(&here) }
        }
    }

    /// A loop with its test before each iteration. `has_condition`: whether it has a test.
    fn loop_statement(
        &mut self,
        label: LabelId,
        condition: Option<ExprId>,
        body: StmtId,
        update: &[ExprId],
        has_condition: bool,
    ) {
        let mut nodes = vec![Node::Stmt(body)];
        nodes.extend(condition.iter().chain(update).map(|&e| Node::Expr(e)));
        self.add_earlier_iterations(&nodes, |walker| {
            walker.iteration(label, condition, body, update);
        });
        let (exit, jumps) = self.iteration(label, condition, body, update);
        let endless = !has_condition || condition.is_some_and(|c| self.is_true(c));
        self.state = if endless { AssignmentState::dead() } else { exit };
        self.state.join(&jumps.breaks);
    }

    /// One iteration; returns the state after the test, where the loop may end.
    fn iteration(
        &mut self,
        label: LabelId,
        condition: Option<ExprId>,
        body: StmtId,
        update: &[ExprId],
    ) -> (AssignmentState, JumpStates) {
        let exit = match condition {
            Some(condition) => self.condition(condition),
            None => self.state.clone(),
        };
        let jumps = self.with_label(label, |walker| walker.stmt(body));
        self.state.join(&jumps.continues);
        update.iter().for_each(|&e| self.expr(e));
        (exit, jumps)
    }

    fn do_while(&mut self, label: LabelId, body: StmtId, condition: ExprId) {
        let once = |walker: &mut Self| {
            let jumps = walker.with_label(label, |walker| walker.stmt(body));
            walker.state.join(&jumps.continues);
            let when_false = walker.condition(condition);
            (jumps, when_false)
        };
        self.add_earlier_iterations(&[Node::Stmt(body), Node::Expr(condition)], |walker| {
            once(walker);
        });
        let (jumps, when_false) = once(self);
        self.state = if self.is_true(condition) { AssignmentState::dead() } else { when_false };
        self.state.join(&jumps.breaks);
    }

    /// Adds the assignments of earlier iterations to the state at the head of a loop. A first walk without
    /// reports finds them; in such a walk, inner loops are approximated by all their assignments, so that the
    /// cost is linear in the nesting depth.
    fn add_earlier_iterations(&mut self, nodes: &[Node], iteration: impl FnOnce(&mut Self)) {
        if !self.state.live || (self.local_slots.is_empty() && self.field_slots.is_empty()) {
            return;
        }
        if self.suppressed > 0 {
            for slot in self.slots_assigned_in(nodes) {
                self.state.possible.insert(slot);
            }
            return;
        }
        let before = self.state.clone();
        self.suppressed += 1;
        iteration(self);
        self.suppressed -= 1;
        let after = std::mem::replace(&mut self.state, before);
        if after.live {
            self.state.possible.insert_all(&after.possible);
        }
    }

    fn slots_assigned_in(&self, nodes: &[Node]) -> Vec<usize> {
        let mut slots = Vec::new();
        for &node in nodes {
            self.body.walk(node, &mut |node| {
                if let Node::Expr(id) = node
                    && let ExprKind::Assign { target, .. } = self.body.expr(id).kind
                {
                    slots.extend(self.slot_of(target));
                }
                true
            });
        }
        slots
    }

    fn switch(&mut self, label: LabelId, cases: &[(Vec<Option<Literal>>, Vec<StmtId>)]) {
        let entry = self.state.clone();
        let jumps = self.with_label(label, |walker| {
            walker.state = AssignmentState::dead();
            for (_, stmts) in cases {
                walker.state.join(&entry);
                walker.block(stmts);
            }
        });
        if !cases.iter().any(|(constants, _)| constants.contains(&None)) {
            self.state.join(&entry);
        }
        self.state.join(&jumps.breaks);
    }

    /// Walks code and collects its jumps, which pass through the surrounding statement before they continue.
    fn collect_jumps(
        &mut self,
        walk: impl FnOnce(&mut Self),
    ) -> (FxHashMap<LabelId, JumpStates>, AssignmentState) {
        let dead = || JumpStates { breaks: AssignmentState::dead(), continues: AssignmentState::dead() };
        let apart = self.jumps.keys().map(|&label| (label, dead())).collect();
        let around = (
            std::mem::replace(&mut self.jumps, apart),
            std::mem::replace(&mut self.returns, AssignmentState::dead()),
        );
        walk(self);
        (std::mem::replace(&mut self.jumps, around.0), std::mem::replace(&mut self.returns, around.1))
    }

    /// Continues collected jumps after the effect of `pass`.
    fn resume_jumps(
        &mut self,
        (apart, returns): (FxHashMap<LabelId, JumpStates>, AssignmentState),
        pass: impl Fn(&mut AssignmentState),
    ) {
        let through = |mut state: AssignmentState| {
            if state.live {
                pass(&mut state);
            }
            state
        };
        for (label, jumps) in apart {
            if let Some(around) = self.jumps.get_mut(&label) {
                around.breaks.join(&through(jumps.breaks));
                around.continues.join(&through(jumps.continues));
            }
        }
        self.returns.join(&through(returns));
    }

    fn try_statement(&mut self, body: StmtId, catches: &[(LocalId, StmtId)], finally: Option<StmtId>) {
        let before = self.state.clone();
        let jumps = self.collect_jumps(|walker| walker.body_and_catches(body, catches));
        let Some(finally) = finally else { return self.resume_jumps(jumps, |_| {}) };
        let mut nodes: Vec<Node> = catches.iter().map(|(_, s)| Node::Stmt(*s)).collect();
        nodes.push(Node::Stmt(body));
        let mut entry = before;
        for slot in self.slots_assigned_in(&nodes) {
            entry.possible.insert(slot);
        }
        let after = std::mem::replace(&mut self.state, entry);
        self.stmt(finally);
        let (ended, assigned) = (self.state.clone(), self.slots_assigned_in(&[Node::Stmt(finally)]));
        self.resume_jumps(jumps, |state| {
            state.live = ended.live;
            state.definite.insert_all(&ended.definite);
            state.after_finish.insert_all(&ended.after_finish);
            assigned.iter().for_each(|&slot| state.possible.insert(slot));
        });
        let live = self.state.live && after.live;
        self.state.definite.insert_all(&after.definite);
        self.state.after_finish.insert_all(&after.after_finish);
        self.state.possible.insert_all(&after.possible);
        if !live {
            self.state = AssignmentState::dead();
        }
    }

    fn body_and_catches(&mut self, body: StmtId, catches: &[(LocalId, StmtId)]) {
        let mut handler = self.state.clone();
        let around = std::mem::take(&mut self.thrown);
        self.stmt(body);
        handler.possible.insert_all(&self.thrown);
        self.thrown.insert_all(&around);
        let mut after = self.state.clone();
        for (_, catch) in catches {
            self.state = handler.clone();
            self.stmt(*catch);
            after.join(&self.state);
        }
        self.state = after;
    }

    /// `waited_for`: a `finish` waits for the activity. Otherwise its assignments may never happen.
    fn async_statement(&mut self, body: StmtId, clocks: &[ExprId], waited_for: bool) {
        self.exprs(clocks);
        let before = self.state.clone();
        self.stmt(body);
        let after = std::mem::replace(&mut self.state, before);
        self.state.possible.insert_all(&after.possible);
        if after.live && waited_for {
            self.state.after_finish.insert_all(&after.after_finish);
        }
    }

    fn finish(&mut self, body: StmtId) {
        let pending = self.state.after_finish.clone();
        self.state.after_finish = self.state.definite.clone();
        // Jumps out of a `finish` wait as well.
        let end = |state: &mut AssignmentState| {
            state.definite = state.after_finish.clone();
            state.after_finish.insert_all(&pending);
        };
        let jumps = self.collect_jumps(|walker| walker.stmt(body));
        self.resume_jumps(jumps, end);
        end(&mut self.state);
        // An exception of one activity arrives here, whatever the others have done.
        if !self.is_one_activity(body) {
            self.may_throw();
        }
    }

    /// Whether a statement only starts an activity.
    fn is_one_activity(&self, stmt: StmtId) -> bool {
        match &self.body.stmt(stmt).kind {
            StmtKind::Block(stmts) => matches!(stmts[..], [only] if self.is_one_activity(only)),
            kind => matches!(kind, StmtKind::Async { .. }),
        }
    }

    fn when(&mut self, arms: &[(ExprId, StmtId)]) {
        let before = self.state.clone();
        let mut after = AssignmentState::dead();
        for &(condition, body) in arms {
            self.state = before.clone();
            self.expr(condition);
            self.stmt(body);
            after.join(&self.state);
        }
        self.state = after;
    }

    /// Execution may leave this point by an exception.
    fn may_throw(&mut self) {
        if self.state.live {
            self.thrown.insert_all(&self.state.possible);
        }
    }

    fn is_true(&self, condition: ExprId) -> bool {
        matches!(self.body.expr(condition).kind, ExprKind::Literal(Literal::Bool(true)))
    }
}

/// The clocks that an `async` is registered on.
fn clocks_of_async(kind: &StmtKind) -> Vec<ExprId> {
    match kind {
        StmtKind::Async { clocked: crate::body::Clocked::Clocks(clocks), .. } => clocks.clone(),
        _ => Vec::new(),
    }
}
