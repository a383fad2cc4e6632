//! Loops. `for (i in a..b)` allocates no range, and terminates also when `b` is the largest number.

use apg_analysis::program::body::{ExprId, ExprKind as Source, Iteration, LabelId, LocalId, StmtId};
use apg_analysis::program::items::MethodId;
use apg_analysis::program::ty::Ty;

use crate::builder::function::Builder;
use crate::builder::operands::{bool, expr, int, operation, zero};
use crate::{Callee, LowerError};
use apg_mir::{self as mir, ExprKind, Operation, StmtKind as Out};

impl Builder<'_, '_> {
    pub(crate) fn while_loop(&mut self, label: LabelId, condition: ExprId, body: StmtId) {
        self.general_loop(label, Some(condition), &[], body);
    }

    pub(crate) fn for_loop(
        &mut self,
        label: LabelId,
        init: &[StmtId],
        condition: Option<ExprId>,
        update: &[ExprId],
        body: StmtId,
    ) {
        let unroll = self.unroll.take();
        let (block, ()) = self.nested(|it| {
            init.iter().for_each(|stmt| it.stmt(*stmt));
            it.unroll = unroll;
            it.general_loop(label, condition, update, body);
        });
        self.push(Out::Block(block));
    }

    /// The body of a loop.
    pub(crate) fn loop_body(&mut self, body: StmtId) {
        self.loop_depth += 1;
        self.stmt(body);
        self.loop_depth -= 1;
    }

    fn nested_loop_body(&mut self, body: StmtId) -> Vec<mir::Stmt> {
        self.nested(|it| it.loop_body(body)).0
    }

    fn general_loop(&mut self, label: LabelId, condition: Option<ExprId>, update: &[ExprId], body: StmtId) {
        let unroll = self.unroll.take();
        let label = self.begin_label(label);
        let span = self.span;
        let (mut setup, test) = match condition {
            Some(condition) => self.nested(|it| it.value(condition)),
            None => (Vec::new(), bool(true)),
        };
        let body = self.nested_loop_body(body);
        let (update, ()) = self.nested(|it| update.iter().for_each(|value| it.effect_of(*value)));
        self.span = span;
        let (condition, body) = if setup.is_empty() {
            (test, body)
        } else {
            let failed = operation(Operation::Not, mir::Ty::Bool, vec![test]);
            let then = vec![mir::Stmt::new(span, Out::Break(label))];
            setup.push(mir::Stmt::new(span, Out::If { condition: failed, then, otherwise: Vec::new() }));
            setup.extend(body);
            (bool(true), setup)
        };
        self.push(Out::Loop { label, condition, body, update, unroll, post_tested: false });
    }

    pub(crate) fn do_while(&mut self, label: LabelId, body: StmtId, condition: ExprId) {
        let unroll = self.unroll.take();
        let label = self.begin_label(label);
        // The test is outside the scope of the body: its value goes into a variable declared before the loop.
        let again = self.new_local("$", mir::Ty::Bool, true);
        self.set(again, bool(true));
        let body = self.nested_loop_body(body);
        let (update, ()) = self.nested(|it| {
            let value = it.value(condition);
            it.set(again, value);
        });
        let condition = self.local(again);
        self.push(Out::Loop { label, condition, body, update, unroll, post_tested: true });
    }

    pub(crate) fn for_in(
        &mut self,
        label: LabelId,
        local: LocalId,
        components: &[LocalId],
        iterable: ExprId,
        iteration: &Iteration,
        body: StmtId,
    ) {
        let unroll = self.unroll.take();
        let (block, ()) = self.nested(|it| match iteration {
            Iteration::IntRange | Iteration::LongRange => {
                it.unroll = unroll;
                it.range_loop(label, local, components, iterable, body);
            }
            Iteration::Rail => it.rail_loop(label, local, components, iterable, body),
            Iteration::Iterable { .. } if it.point_loop(label, local, components, iterable, body) => {}
            Iteration::Iterable { iterator, has_next, next, iterator_ty } => {
                let methods = [*iterator, *has_next, *next];
                it.iterator_loop(label, local, components, iterable, methods, *iterator_ty, body);
            }
        });
        self.push(Out::Block(block));
    }

    /// `low` and `high` of a range expression. A range operator allocates no range.
    fn bounds(&mut self, range: ExprId) -> Option<(mir::Expr, mir::Expr)> {
        let source = self.source.body.clone();
        let mut inner = range;
        while let Source::Coerce { value } = &source.expr(inner).kind {
            inner = *value;
        }
        let ty = self.type_of(inner);
        let fields = self.lowerer.own_fields(ty);
        let [low, high] = [*fields.first()?, *fields.get(1)?];
        let bound_ty = self.lowerer.field_of(low, ty);
        if let Source::Call { method, receiver, args, .. } = &source.expr(inner).kind
            && method.name(self.lowerer.db) == "operator.."
        {
            let mut operands: Vec<_> =
                receiver.iter().chain(args).copied().map(|it| (it, bound_ty)).collect();
            operands.truncate(2);
            let is_plain = operands.len() == 2 && operands.iter().all(|it| self.type_of(it.0) == bound_ty);
            if is_plain {
                let mut values = self.operands(&operands);
                let high = values.pop()?;
                return Some((values.pop()?, high));
            }
        }
        let value = self.value(inner);
        let value = self.save(value);
        let low = self.field_value(value.clone(), ty, low, bound_ty, false);
        let high = self.field_value(value, ty, high, bound_ty, false);
        Some((low, high))
    }

    /// Counts from `low` to `high` with a single test at the end of each iteration.
    fn range_loop(
        &mut self,
        label: LabelId,
        local: LocalId,
        components: &[LocalId],
        range: ExprId,
        body: StmtId,
    ) {
        let Some((low, high)) = self.bounds(range) else {
            let at = self.source.body.expr(range).range;
            self.unsupported("a loop over this range", at);
            return;
        };
        let low = self.save(low);
        let high = self.save(high);
        let variables: Vec<LocalId> = std::iter::once(local).chain(components.iter().copied()).collect();
        self.counted_loop(low, high, |it, index| {
            let label = it.begin_label(label);
            for variable in &variables {
                let value = it.local(index);
                let variable = it.declare(*variable);
                it.initialise(variable, value);
            }
            it.loop_body(body);
            label
        });
    }

    /// Counts from `low` to `high` with a single test at the end of each iteration, so that overflow does no
    /// harm. `lower_body` lowers the body and returns the label of the loop.
    pub(crate) fn counted_loop(
        &mut self,
        low: mir::Expr,
        high: mir::Expr,
        lower_body: impl FnOnce(&mut Self, mir::LocalId) -> mir::LabelId,
    ) {
        let unroll = self.unroll.take();
        let ty = low.ty;
        let index = self.new_local("$i", ty, true);
        self.set(index, low);
        let end = match &high.kind {
            ExprKind::Int(value) if ty == mir::Ty::I32 => int(ty, i64::from((*value as i32).wrapping_add(1))),
            ExprKind::Int(value) => int(ty, value.wrapping_add(1)),
            _ => operation(Operation::Add, ty, vec![high.clone(), int(ty, 1)]),
        };
        let end = self.save(end);
        let not_empty = operation(Operation::Le, mir::Ty::Bool, vec![self.local(index), high]);
        let (then, ()) = self.nested(|it| {
            let (body, label) = it.nested(|it| lower_body(it, index));
            let (update, ()) = it.nested(|it| {
                let next = operation(Operation::Add, ty, vec![it.local(index), int(ty, 1)]);
                it.set(index, next);
            });
            let condition = operation(Operation::Ne, mir::Ty::Bool, vec![it.local(index), end]);
            it.push(Out::Loop { label, condition, body, update, unroll, post_tested: true });
        });
        self.push(Out::If { condition: not_empty, then, otherwise: Vec::new() });
    }

    fn rail_loop(
        &mut self,
        label: LabelId,
        local: LocalId,
        components: &[LocalId],
        iterable: ExprId,
        body: StmtId,
    ) {
        let ty = self.type_of(iterable);
        let rail_ty = self.lowerer.as_rail(ty).unwrap_or(ty);
        let rail = self.value(iterable);
        let machine = self.lowerer.machine(rail_ty);
        let rail = self.retype(rail, machine);
        let rail = self.save(rail);
        let length = expr(mir::Ty::I64, ExprKind::Length { rail: Box::new(rail.clone()), checked: true });
        let length = self.save(length);
        let index = self.new_local("$i", mir::Ty::I64, true);
        self.set(index, int(mir::Ty::I64, 0));
        let element = rail_ty.rail_element(self.lowerer.db).unwrap_or(ty);
        let element_machine = self.lowerer.machine(element);
        let label = self.begin_label(label);
        let (loop_body, ()) = self.nested(|it| {
            let (rail, at) = (Box::new(rail), Box::new(it.local(index)));
            let value = expr(element_machine, ExprKind::Element { rail, index: at, checked: false });
            it.loop_variable(local, components, value, element);
            it.loop_body(body);
        });
        let (update, ()) = self.nested(|it| {
            let next = operation(Operation::Add, mir::Ty::I64, vec![it.local(index), int(mir::Ty::I64, 1)]);
            it.set(index, next);
        });
        let condition = operation(Operation::Lt, mir::Ty::Bool, vec![self.local(index), length]);
        self.push(Out::Loop { label, condition, body: loop_body, update, unroll: None, post_tested: false });
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of the statement")]
    fn iterator_loop(
        &mut self,
        label: LabelId,
        local: LocalId,
        components: &[LocalId],
        iterable: ExprId,
        [iterator, has_next, next]: [MethodId; 3],
        iterator_ty: Ty,
        body: StmtId,
    ) {
        let range = self.source.body.expr(iterable).range;
        let ty = self.type_of(iterable);
        let value = self.value(iterable);
        let (made, made_ty) = self.call_plain(iterator, ty, value, range);
        let iterator_ty = self.concrete(iterator_ty);
        let made = self.convert(made, made_ty, iterator_ty);
        let made = self.save(made);
        let label = self.begin_label(label);
        let (mut loop_body, (more, _)) =
            self.nested(|it| it.call_plain(has_next, iterator_ty, made.clone(), range));
        let span = self.span;
        let condition = if loop_body.is_empty() {
            more
        } else {
            let condition = operation(Operation::Not, mir::Ty::Bool, vec![more]);
            let then = vec![mir::Stmt::new(span, Out::Break(label))];
            loop_body.push(mir::Stmt::new(span, Out::If { condition, then, otherwise: Vec::new() }));
            bool(true)
        };
        let (rest, ()) = self.nested(|it| {
            let (value, ty) = it.call_plain(next, iterator_ty, made, range);
            it.loop_variable(local, components, value, ty);
            it.loop_body(body);
        });
        loop_body.extend(rest);
        self.push(Out::Loop {
            label,
            condition,
            body: loop_body,
            update: Vec::new(),
            unroll: None,
            post_tested: false,
        });
    }

    /// Assigns the variable of `for (x in e)` in an iteration, and destructures points.
    fn loop_variable(&mut self, local: LocalId, components: &[LocalId], value: mir::Expr, ty: Ty) {
        let declared = self.variable_type(local);
        let value = self.convert(value, ty, declared);
        let variable = self.declare(local);
        self.initialise(variable, value);
        for (i, component) in components.iter().enumerate() {
            let Some(point) = self.read_variable(local) else { continue };
            let range = self.source.body.local(*component).range;
            let (value, ty) = self.component(point, declared, i as i64, range);
            let wanted = self.variable_type(*component);
            let value = self.convert(value, ty, wanted);
            let variable = self.declare(*component);
            self.initialise(variable, value);
        }
    }

    /// `point(i)`.
    fn component(
        &mut self,
        point: mir::Expr,
        ty: Ty,
        i: i64,
        range: apg_syntax::TextRange,
    ) -> (mir::Expr, Ty) {
        let db = self.lowerer.db;
        let long = Ty::long(db);
        let found = self.lowerer.method_with("operator()", ty, &[long]);
        let index = int(mir::Ty::I64, i);
        match found {
            Some(callee) => {
                let (_, result) = self.lowerer.concrete_signature(&callee);
                let args = vec![point, index];
                let dispatch = apg_analysis::program::body::Dispatch::Virtual;
                (self.call_instance(&callee, dispatch, ty, false, args, result, range), result)
            }
            None => {
                let name = self.lowerer.type_name(ty);
                let error =
                    LowerError::new("build/no-components", format!("{name} cannot be destructured by index"));
                self.error(error, range);
                (zero(mir::Ty::I64), long)
            }
        }
    }

    /// A call without arguments on a lowered receiver.
    pub(crate) fn call_plain(
        &mut self,
        method: MethodId,
        receiver: Ty,
        value: mir::Expr,
        range: apg_syntax::TextRange,
    ) -> (mir::Expr, Ty) {
        let class = method.class(self.lowerer.db);
        let owner = self.lowerer.as_instance_of(receiver, class).unwrap_or(receiver);
        let callee = Callee { method, owner, type_args: Vec::new() };
        let (_, result) = self.lowerer.concrete_signature(&callee);
        let dispatch = apg_analysis::program::body::Dispatch::Virtual;
        let value = self.call_instance(&callee, dispatch, receiver, false, vec![value], result, range);
        (value, result)
    }
}
