//! Definite assignment of expressions: reads, assignments and conditions (Java Language Specification, 16.1).

use apg_syntax::TextRange;

use super::{AssignmentState, AssignmentWalker};
use crate::body::enclosing_owner;
use crate::body::walk::Node;
use crate::body::{AssignTarget, Closure, ExprId, ExprKind, LocalId, StmtId};
use crate::ids::{ClassId, FieldId, MethodId};
use crate::infer::local_class_env::class_captures;
use crate::item_tree::items::field_item;
use crate::rules::Problem;
use crate::rules::flow::missing_return::MissingReturn;
use crate::rules::flow::use_before_assignment::UseBeforeAssignment;
use crate::rules::flow::val_reassigned::ValReassigned;
use crate::ty::{Ty, TyKind};

impl AssignmentWalker<'_> {
    pub(super) fn exprs(&mut self, ids: &[ExprId]) {
        ids.iter().for_each(|&id| self.expr(id));
    }

    pub(super) fn expr(&mut self, id: ExprId) {
        self.evaluate(id);
        if self.can_fail(id) {
            self.may_throw();
        }
    }

    /// Whether the last step of an evaluation, after its operands, may throw.
    fn can_fail(&self, id: ExprId) -> bool {
        let db = self.context.db;
        match &self.body.expr(id).kind {
            ExprKind::Error
            | ExprKind::Literal(_)
            | ExprKind::Local(_)
            | ExprKind::This
            | ExprKind::Outer(_)
            | ExprKind::Here
            | ExprKind::Closure(_)
            | ExprKind::Coerce { .. }
            | ExprKind::Box { .. }
            | ExprKind::InstanceOf { .. }
            | ExprKind::TypeTest(_)
            | ExprKind::Conditional { .. }
            | ExprKind::ShortCircuit { .. }
            | ExprKind::Let { .. } => false,
            ExprKind::Equal { left, .. } => self.body.expr(*left).ty.primitive(db).is_none(),
            ExprKind::Cast { checked, .. } => *checked,
            ExprKind::Assign { target: AssignTarget::Field { object, .. }, .. }
            | ExprKind::Field { object, .. } => !self.is_this(*object),
            ExprKind::Assign { .. } => false,
            // Division by zero throws; other arithmetic does not.
            ExprKind::Call { method, .. } => {
                let operator = method.name(db).strip_prefix("operator");
                let of_number = Ty::this_type(db, method.class(db)).primitive(db).is_some();
                !of_number || !operator.is_some_and(|it| !matches!(it, "/" | "%"))
            }
            _ => true,
        }
    }

    fn evaluate(&mut self, id: ExprId) {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::Local(local) => self.read_local(*local, id),
            ExprKind::Field { object, field } => {
                self.expr(*object);
                self.read_field(*object, *field, id);
            }
            ExprKind::Assign { target, value } => {
                if let AssignTarget::Field { object, .. } = *target {
                    self.expr(object);
                }
                self.expr(*value);
                self.assign(*target, id);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let when_false = self.condition(*condition);
                self.expr(*then);
                let after_then = std::mem::replace(&mut self.state, when_false);
                self.expr(*otherwise);
                self.state.join(&after_then);
            }
            ExprKind::ShortCircuit { .. } => {
                let when_false = self.condition(id);
                self.state.join(&when_false);
            }
            // During construction neither may use the object, which is reported separately.
            ExprKind::Closure(_) if self.fields.is_some() => {}
            ExprKind::At { place, .. } if self.fields.is_some() => self.expr(*place),
            // Exceptions of a closure's code are thrown at its calls.
            ExprKind::Closure(closure) => {
                let thrown = self.thrown.clone();
                self.closure(closure);
                self.thrown = thrown;
            }
            ExprKind::At { place, body: code, .. } => {
                self.expr(*place);
                self.nested(*code, !matches!(body.expr(id).ty.kind(self.context.db), TyKind::Void), id);
            }
            ExprKind::Let { stmts, result } => {
                stmts.iter().for_each(|&s| self.stmt(s));
                self.expr(*result);
            }
            ExprKind::New { outer, args, class, .. } => {
                outer.iter().for_each(|&outer| self.expr(outer));
                self.exprs(args);
                self.read_captured_variables(*class, id);
            }
            ExprKind::Call { receiver: Some(receiver), method, args, .. }
                if self.fields.is_some() && self.is_this(*receiver) =>
            {
                self.exprs(args);
                self.apply_method_effects(*method, id);
            }
            _ => {
                for child in body.children(Node::Expr(id)) {
                    match child {
                        Node::Expr(child) => self.expr(child),
                        Node::Stmt(child) => self.stmt(child),
                    }
                }
            }
        }
    }

    /// Creating an object of a local or anonymous class reads the variables that the class captures, in their
    /// current state. Code of the class itself is not considered: it uses the same captures.
    fn read_captured_variables(&mut self, class: ClassId, at: ExprId) {
        let db = self.context.db;
        if self.owner.is_none() || enclosing_owner(db, class) != self.owner {
            return;
        }
        for variable in class_captures(db, class).iter() {
            self.read_local(variable.local, at);
        }
    }

    /// A condition: afterwards the state is that of `true`, and the result is that of `false`. So `a && (x =
    /// f()) > 0` has assigned `x` where it is true.
    pub(super) fn condition(&mut self, id: ExprId) -> AssignmentState {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::ShortCircuit { is_or, left, right } => {
                let mut when_false = self.condition(*left);
                if *is_or {
                    let when_true = std::mem::replace(&mut self.state, when_false);
                    let when_false = self.condition(*right);
                    self.state.join(&when_true);
                    when_false
                } else {
                    when_false.join(&self.condition(*right));
                    when_false
                }
            }
            ExprKind::Call { method, receiver: Some(operand), args, .. }
                if args.is_empty() && method.name(self.context.db) == "operator!" =>
            {
                let when_false = self.condition(*operand);
                std::mem::replace(&mut self.state, when_false)
            }
            ExprKind::Coerce { value } => self.condition(*value),
            _ => {
                self.expr(id);
                self.state.clone()
            }
        }
    }

    pub(super) fn closure(&mut self, closure: &Closure) {
        let result = closure.result.kind(self.context.db);
        let needs_value = !matches!(result, TyKind::Void | TyKind::Error);
        let body = closure.body;
        let at = self.body.stmt(body).range;
        self.nested_at(body, needs_value, at);
    }

    pub(super) fn nested(&mut self, body: StmtId, needs_value: bool, at: ExprId) {
        let range = self.body.expr(at).range;
        self.nested_at(body, needs_value, range);
    }

    /// Code with its own `return`s: a closure or an `at` expression.
    pub(super) fn nested_at(&mut self, body: StmtId, needs_value: bool, range: TextRange) {
        let before = self.state.clone();
        let returns = std::mem::replace(&mut self.returns, AssignmentState::dead());
        self.stmt(body);
        if self.state.live && needs_value {
            let end = TextRange::new(
                range.end().checked_sub(1.into()).unwrap_or(range.start()).max(range.start()),
                range.end(),
            );
            self.report(Problem::new(end, MissingReturn::Block));
        }
        self.returns = returns;
        self.state = before;
    }

    pub(super) fn read_local(&mut self, local: LocalId, at: ExprId) {
        let Some(&slot) = self.local_slots.get(&local) else { return };
        if !self.state.live || self.state.definite.contains(slot) || self.reported.contains(slot) {
            return;
        }
        let is_assigned_by_activity = self.state.after_finish.contains(slot);
        let data = UseBeforeAssignment::Local { local, is_assigned_by_activity };
        self.report(Problem::new(self.body.expr(at).range, data));
        if self.suppressed == 0 {
            self.reported.insert(slot);
        }
    }

    /// Whether an expression is `this`, possibly converted to a superclass.
    pub(super) fn is_this(&self, id: ExprId) -> bool {
        match self.body.expr(id).kind {
            ExprKind::This => true,
            ExprKind::Coerce { value } => self.is_this(value),
            _ => false,
        }
    }

    pub(super) fn read_field(&mut self, object: ExprId, field: FieldId, at: ExprId) {
        if !self.is_this(object) {
            return;
        }
        let Some(&slot) = self.field_slots.get(&field) else { return };
        if !self.state.live || self.state.definite.contains(slot) {
            return;
        }
        self.reads.insert(slot);
        let is_property = field_item(self.context.db, field).is_some_and(|item| item.is_property);
        if is_property {
            return; // reported by construction::order
        }
        self.report_field(Problem::new(self.body.expr(at).range, UseBeforeAssignment::Field(field)));
    }

    /// A call of the object's own method during construction.
    fn apply_method_effects(&mut self, method: MethodId, at: ExprId) {
        let Some(fields) = self.fields else { return };
        let Some(effects) = (fields.effects)(method) else { return };
        if !self.state.live {
            return;
        }
        let too_early = |slot: &usize| effects.reads.contains(*slot) && !self.state.definite.contains(*slot);
        let too_early: Vec<usize> = (0..fields.tracked.len()).filter(too_early).collect();
        if let Some(&first) = too_early.first() {
            let data = UseBeforeAssignment::Callee { method, field: fields.tracked[first] };
            self.report_field(Problem::new(self.body.expr(at).range, data));
        }
        too_early.into_iter().for_each(|slot| self.reads.insert(slot));
        self.state.definite.insert_all(&effects.assigned);
        self.state.after_finish.insert_all(&effects.assigned);
        self.state.after_finish.insert_all(&effects.after_finish);
        self.state.possible.insert_all(&effects.writes);
    }

    pub(super) fn slot_of(&self, target: AssignTarget) -> Option<usize> {
        match target {
            AssignTarget::Local(local) => self.local_slots.get(&local).copied(),
            AssignTarget::Field { object, field } if self.is_this(object) => {
                self.field_slots.get(&field).copied()
            }
            _ => None,
        }
    }

    pub(super) fn assign_fields(&mut self, fields: &[FieldId]) {
        for field in fields {
            if let Some(&slot) = self.field_slots.get(field) {
                self.state.assign(slot);
            }
        }
    }

    pub(super) fn assign(&mut self, target: AssignTarget, at: ExprId) {
        let slot = self.slot_of(target);
        let is_val = match target {
            AssignTarget::Local(local) => !self.body.local(local).mutable,
            AssignTarget::Field { field, .. } | AssignTarget::Static(field) => (self.context.is_val)(field),
        };
        let is_checked_in_construction = match target {
            AssignTarget::Field { object, field } => {
                self.fields.is_none() && self.is_this(object) && (self.context.is_constructed)(field)
            }
            _ => false,
        };
        if is_val && self.state.live && !is_checked_in_construction {
            match slot {
                None => self.report_reassignment(target, at, false),
                Some(slot) if self.state.possible.contains(slot) => {
                    self.report_reassignment(target, at, true)
                }
                Some(_) => {}
            }
        }
        if let Some(slot) = slot {
            self.state.assign(slot);
        }
    }

    pub(super) fn report_reassignment(
        &mut self,
        target: AssignTarget,
        assignment: ExprId,
        may_be_first: bool,
    ) {
        let data = ValReassigned { assignment, target, may_be_first };
        let problem = Problem::new(self.body.expr(assignment).range, data);
        match self.fields {
            Some(fields) if self.slot_of(target).is_some() && fields.report => self.report_field(problem),
            Some(_) => {}
            None => self.report(problem),
        }
    }
}
