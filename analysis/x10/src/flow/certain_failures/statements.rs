//! Statements: what they make of the state.

use super::integer_types::Interval;
use super::state::State;
use super::value::{Number, Value};
use super::{Interpreter, Jumps};
use crate::body::{Clocked, ExprId, LabelId, Literal, LocalId, Stmt, StmtId, StmtKind};
use crate::rules::values::{Symbol, Variable};
use apg_symbolic::Comparison;

impl Interpreter<'_> {
    pub(super) fn stmt(&mut self, id: StmtId) {
        if !self.state.live {
            return;
        }
        self.count_visit();
        let body = self.body;
        let stmt = body.stmt(id);
        match &stmt.kind {
            StmtKind::Error | StmtKind::Empty => {}
            StmtKind::Block(stmts) => stmts.iter().for_each(|it| self.stmt(*it)),
            StmtKind::Let { local, init } => {
                let value = init.map_or(Value::Unknown, |it| self.expr(it));
                self.state.forget(Variable::Local(*local));
                if let Some(init) = init {
                    self.assign_local(*local, value, *init);
                }
            }
            StmtKind::Expr(value) => {
                self.expr(*value);
            }
            StmtKind::ConstructorCall { outer, args, .. } => {
                outer.iter().chain(args).for_each(|it| {
                    self.expr(*it);
                });
            }
            StmtKind::Property { values, .. } => values.iter().for_each(|it| {
                self.expr(*it);
            }),
            StmtKind::If { condition, then, otherwise } => self.branch(*condition, *then, *otherwise),
            StmtKind::While { .. }
            | StmtKind::DoWhile { .. }
            | StmtKind::For { .. }
            | StmtKind::ForIn { .. } => self.loop_statement(id),
            StmtKind::Switch { label, value, cases } => self.switch(id, *label, *value, cases),
            StmtKind::Labeled { label, body } => {
                let is_certain = self.certain_after(&[*body]);
                let jumps = self.with_label(*label, |it| it.stmt(*body));
                self.state.join(&jumps.breaks);
                self.state.is_certain = is_certain;
            }
            StmtKind::Break(label) => self.jump(*label, true),
            StmtKind::Continue(label) => self.jump(*label, false),
            StmtKind::Return(value) => {
                value.iter().for_each(|it| {
                    self.expr(*it);
                });
                self.state = State::dead();
            }
            StmtKind::Throw(value) => {
                self.expr(*value);
                self.state = State::dead();
            }
            StmtKind::Try { body, catches, finally } => self.try_statement(*body, catches, *finally),
            StmtKind::Assert { condition, message } => {
                let mut when_false = self.condition(*condition);
                std::mem::swap(&mut self.state, &mut when_false);
                message.iter().for_each(|it| {
                    self.expr(*it);
                });
                self.state = when_false;
            }
            _ => self.activity(stmt),
        }
    }

    /// Statements that start, wait for, move or exclude activities.
    fn activity(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Async { clocked, body, .. } => {
                self.clocks(clocked);
                let before = self.state.clone();
                self.stmt(*body);
                self.state = before;
            }
            StmtKind::Finish { clocked, body } => {
                self.clocks(clocked);
                self.stmt(*body);
            }
            StmtKind::At { place, body, .. } => {
                self.expr(*place);
                let is_marked = |it: &Stmt| it.annotations.iter().any(|it| it.name == "CUDA");
                let is_kernel = is_marked(stmt) || is_marked(self.body.stmt(*body));
                let around = self.is_in_kernel;
                self.is_in_kernel |= is_kernel;
                self.elsewhere(*body);
                self.is_in_kernel = around;
            }
            StmtKind::AtEach { clocked, distribution, body, local, .. } => {
                self.clocks(clocked);
                self.expr(*distribution);
                let before = self.state.clone();
                local.iter().for_each(|it| self.state.forget(Variable::Local(*it)));
                self.state.is_certain = false;
                self.elsewhere(*body);
                self.state = before;
            }
            StmtKind::Atomic(body) => self.stmt(*body),
            StmtKind::When(arms) => {
                let bodies: Vec<StmtId> = arms.iter().map(|it| it.1).collect();
                let is_certain = self.certain_after(&bodies);
                let before = self.state.clone();
                let mut after = State::dead();
                for (condition, body) in arms {
                    self.state = before.clone();
                    self.condition(*condition);
                    self.state.is_certain = false;
                    self.stmt(*body);
                    after.join(&self.state);
                }
                self.state = after.with_certainty(is_certain);
            }
            _ => {}
        }
    }

    fn clocks(&mut self, clocked: &Clocked) {
        if let Clocked::Clocks(clocks) = clocked {
            clocks.iter().for_each(|it| {
                self.expr(*it);
            });
        }
    }

    /// Code that runs on copies of what it captures.
    pub(super) fn elsewhere(&mut self, body: StmtId) {
        let before = self.state.clone();
        self.state.forget_fields();
        self.stmt(body);
        let exits = self.exits_of(body);
        let may_have_left = before.may_have_left || exits.by_jump || (exits.by_call && !self.is_in_kernel);
        self.state = before;
        self.state.may_have_left = may_have_left;
    }

    /// Whether the iteration under analysis certainly gets behind these parts of a statement.
    pub(super) fn certain_after(&mut self, parts: &[StmtId]) -> bool {
        self.state.is_certain && !parts.iter().any(|it| self.exits_of(*it).by_jump)
    }

    fn branch(&mut self, condition: ExprId, then: StmtId, otherwise: Option<StmtId>) {
        let is_certain = match otherwise {
            Some(otherwise) => self.certain_after(&[then, otherwise]),
            None => self.certain_after(&[then]),
        };
        let when_false = self.condition(condition);
        let is_decided = !self.state.live || !when_false.live;
        let is_irrelevant =
            otherwise.is_none() && !is_decided && !self.may_report() && self.keeps_state(then, &[]);
        match is_irrelevant {
            true => self.leave_by_calls_in(then),
            false => self.stmt(then),
        }
        let after_then = std::mem::replace(&mut self.state, when_false);
        otherwise.iter().for_each(|it| self.stmt(*it));
        self.state.join(&after_then);
        if !is_decided {
            self.state.is_certain = is_certain;
        }
    }

    pub(super) fn with_label(&mut self, label: LabelId, interpret: impl FnOnce(&mut Self)) -> Jumps {
        let outer = self.jumps.insert(label, Jumps::none());
        interpret(self);
        let jumps = self.jumps.remove(&label).unwrap_or_else(Jumps::none);
        if let Some(outer) = outer {
            self.jumps.insert(label, outer);
        }
        jumps
    }

    fn jump(&mut self, label: LabelId, is_break: bool) {
        let here = std::mem::replace(&mut self.state, State::dead());
        if let Some(jumps) = self.jumps.get_mut(&label) {
            if is_break { jumps.breaks.join(&here) } else { jumps.continues.join(&here) }
        }
    }

    fn switch(
        &mut self,
        id: StmtId,
        label: LabelId,
        value: ExprId,
        cases: &[(Vec<Option<Literal>>, Vec<StmtId>)],
    ) {
        let is_certain = self.certain_after(&[id]);
        let number = self.expr(value).number();
        let entry = self.state.clone().with_certainty(false);
        let constants: Vec<Number> = cases
            .iter()
            .flat_map(|(constants, _)| constants)
            .filter_map(|it| self.literal(it.as_ref()?, value).number())
            .collect();
        let is_some_case =
            |number: Number| constants.iter().any(|it| number.decides(Comparison::Equal, it) == Some(true));
        let jumps = self.with_label(label, |this| {
            this.state = State::dead();
            for (constants, stmts) in cases {
                for constant in constants {
                    let mut selected = entry.clone();
                    match (constant, number) {
                        (Some(constant), Some(number)) => {
                            let constant = this.literal(constant, value).number();
                            let fallen = std::mem::replace(&mut this.state, selected);
                            if let Some(constant) = constant {
                                this.narrow(value, number, Comparison::Equal, constant);
                            }
                            selected = std::mem::replace(&mut this.state, fallen);
                        }
                        (None, Some(number)) if is_some_case(number) => selected.live = false,
                        _ => {}
                    }
                    this.state.join(&selected);
                }
                stmts.iter().for_each(|it| this.stmt(*it));
            }
        });
        if !cases.iter().any(|(constants, _)| constants.contains(&None)) {
            self.state.join(&entry);
        }
        self.state.join(&jumps.breaks);
        self.state.is_certain = is_certain;
    }

    /// A handler may start with any assignment of the body done. Locals that a `finally` assigns are unknown
    /// everywhere ([`super::prescan`]).
    fn try_statement(&mut self, body: StmtId, catches: &[(LocalId, StmtId)], finally: Option<StmtId>) {
        let mut parts: Vec<StmtId> = catches.iter().map(|it| it.1).collect();
        parts.push(body);
        let is_certain = self.certain_after(&parts);
        let mut handler = self.state.clone().with_certainty(false);
        self.assigned_in(body, &[]).iter().for_each(|it| handler.forget(*it));
        self.stmt(body);
        let mut after = self.state.clone();
        for (local, catch) in catches {
            self.state = handler.clone();
            self.state.forget(Variable::Local(*local));
            self.stmt(*catch);
            after.join(&self.state);
        }
        let Some(finally) = finally else {
            self.state = after.with_certainty(is_certain);
            return;
        };
        let mut entry = handler;
        for part in parts {
            self.assigned_in(part, &[]).iter().for_each(|it| entry.forget(*it));
        }
        self.state = entry;
        self.stmt(finally);
        let completes = self.state.live;
        self.state = after.with_certainty(is_certain);
        self.state.live &= completes;
    }

    /// A local gets a value, which `from` computes.
    pub(super) fn assign_local(&mut self, local: LocalId, value: Value, from: ExprId) {
        let variable = Variable::Local(local);
        self.state.forget(variable);
        if self.is_shared(local) {
            return;
        }
        self.set_variable(variable, value, from);
    }

    /// Notes the value of a variable, and where it comes from.
    pub(super) fn set_variable(&mut self, variable: Variable, value: Value, from: ExprId) {
        let range = self.range(from);
        let value = match value {
            Value::Number(number) if number.range.as_constant().is_some() => {
                Value::Number(Number { origin: number.origin.or(Some(range)), ..number })
            }
            Value::Number(number) if self.is_whole_type(from, number.range) && number.relation.is_none() => {
                Value::Unknown
            }
            Value::Reference(mut reference) => {
                reference.origin = reference.origin.or(Some(range));
                Value::Reference(reference)
            }
            value => value,
        };
        self.state.set(Symbol::Value(variable), value);
    }

    fn is_whole_type(&self, id: ExprId, range: Interval) -> bool {
        self.facts.of_type(self.body.expr(id).ty).integers() == Some(range)
    }
}
