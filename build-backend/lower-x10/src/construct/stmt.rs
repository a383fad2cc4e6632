//! Lowering of statements.

use apg_analysis::program::body::{Annotation, ExprId, LabelId, Literal, LocalId, StmtId, StmtKind};
use apg_analysis::program::ty::Known;
use smol_str::SmolStr;

use crate::LowerError;
use crate::builder::function::{Builder, Returns};
use crate::builder::operands::{expr, int, operation, zero};
use apg_mir::{self as mir, ExprKind, Operation, StmtKind as Out};

impl Builder<'_, '_> {
    /// Appends the code of a statement to the current block.
    pub(crate) fn stmt(&mut self, id: StmtId) {
        let fast = self.fast;
        self.fast |= self.source.body.stmt(id).annotations.iter().any(|it| it.name == "FastMath");
        self.statement(id);
        self.fast = fast;
    }

    fn statement(&mut self, id: StmtId) {
        let source = self.source.body.clone();
        let stmt = source.stmt(id);
        self.at(stmt.range);
        self.unroll = self.unrolling(&stmt.annotations);
        match &stmt.kind {
            // `ateach` remains in kernels only, which are lowered elsewhere.
            StmtKind::Error | StmtKind::AtEach { .. } => {
                let error =
                    LowerError::new("build/erroneous", "this statement has an error, so it cannot be built");
                self.error(error.note("`apg check` says what is wrong with it"), stmt.range);
            }
            StmtKind::Empty => {}
            StmtKind::Block(stmts) => {
                if !self.native_block(&stmt.annotations, stmts.is_empty(), stmt.range) {
                    self.block_statement(stmts);
                }
            }
            StmtKind::Let { local, init } => self.let_statement(*local, *init),
            StmtKind::Expr(value) => self.effect_of(*value),
            StmtKind::ConstructorCall { is_super, outer, constructor, args, .. } => {
                self.constructor_call(*is_super, *outer, *constructor, args, stmt.range);
            }
            StmtKind::Property { fields, values } => self.set_properties(fields, values),
            StmtKind::If { condition, then, otherwise } => self.if_statement(*condition, *then, *otherwise),
            StmtKind::While { label, condition, body } => self.while_loop(*label, *condition, *body),
            StmtKind::DoWhile { label, body, condition } => self.do_while(*label, *body, *condition),
            StmtKind::For { label, init, condition, update, body } => {
                self.for_loop(*label, init, *condition, update, *body);
            }
            StmtKind::ForIn { label, local, components, iterable, iteration, body } => {
                self.for_in(*label, *local, components, *iterable, iteration, *body);
            }
            StmtKind::Switch { label, value, cases } => self.switch_statement(*label, *value, cases),
            StmtKind::Labeled { label, body } => {
                let label = self.begin_label(*label);
                let body = self.nested_stmt(*body);
                self.push(Out::Labeled { label, body });
            }
            StmtKind::Break(label) => {
                if let Some(label) = self.target(*label, stmt.range) {
                    self.push(Out::Break(label));
                }
            }
            StmtKind::Continue(label) => {
                if let Some(label) = self.continue_target(*label, stmt.range) {
                    self.push(Out::Continue(label));
                }
            }
            StmtKind::Return(value) => self.return_statement(*value, id),
            StmtKind::Throw(value) => {
                let value = self.value(*value);
                self.push(Out::Throw(value));
            }
            StmtKind::Try { body, catches, finally } => self.try_statement(*body, catches, *finally),
            StmtKind::Assert { condition, message } => self.assert_statement(*condition, *message),
            StmtKind::Async { clocked, body, captures } => self.spawn(id, clocked, *body, captures),
            StmtKind::Finish { clocked, body } => self.finish_statement(clocked, *body),
            StmtKind::At { place, body, captures } => self.at_statement(id, *place, *body, captures),
            StmtKind::Atomic(body) => {
                let body = self.nested_stmt(*body);
                self.push(Out::Atomic(body));
            }
            StmtKind::When(branches) => self.when_statement(branches),
        }
    }

    fn switch_statement(
        &mut self,
        label: LabelId,
        value: ExprId,
        cases: &[(Vec<Option<Literal>>, Vec<StmtId>)],
    ) {
        let constants = || cases.iter().flat_map(|(constants, _)| constants).flatten();
        let labels: Vec<SmolStr> = constants().filter_map(text).collect();
        let is_string_type = self.type_of(value).is_known(self.lowerer.db, Known::String);
        let value = self.value(value);
        let value = if is_string_type { self.position_among(value, &labels) } else { value };
        let number = |constant: &Literal| match text(constant) {
            Some(wanted) => labels.iter().position(|it| *it == wanted).map_or(0, |at| at as i64),
            None => constant_number(constant),
        };
        let label = self.begin_label(label);
        let cases = cases.iter().map(|(constants, body)| {
            let constants = constants.iter().map(|it| it.as_ref().map(number)).collect();
            (constants, self.nested(|it| body.iter().for_each(|stmt| it.stmt(*stmt))).0)
        });
        let cases = cases.collect();
        self.push(Out::Switch { label, value, cases });
    }

    /// The index of a string among case labels; -1 for none and for null.
    fn position_among(&mut self, value: mir::Expr, labels: &[SmolStr]) -> mir::Expr {
        let value = self.save(value);
        let found = self.new_local("$", mir::Ty::I64, true);
        self.set(found, int(mir::Ty::I64, -1));
        let label = self.new_label();
        let (body, ()) = self.nested(|it| {
            let null = expr(value.ty, ExprKind::Null);
            let is_null = operation(Operation::Eq, mir::Ty::Bool, vec![value.clone(), null]);
            let nothing = vec![mir::Stmt::new(it.span, Out::Break(label))];
            it.push(Out::If { condition: is_null, then: nothing, otherwise: Vec::new() });
            for (at, text) in labels.iter().enumerate() {
                let wanted = expr(value.ty, ExprKind::String(text.clone()));
                let condition = it.runtime("string_equals", vec![value.clone(), wanted], mir::Ty::Bool);
                let (then, ()) = it.nested(|it| {
                    it.set(found, int(mir::Ty::I64, at as i64));
                    it.push(Out::Break(label));
                });
                it.push(Out::If { condition, then, otherwise: Vec::new() });
            }
        });
        self.push(Out::Labeled { label, body });
        self.local(found)
    }

    fn block_statement(&mut self, stmts: &[StmtId]) {
        let (block, ()) = self.nested(|it| stmts.iter().for_each(|stmt| it.stmt(*stmt)));
        match block.len() {
            0 => {}
            1 if !matches!(block[0].kind, Out::Set { .. }) => self.block().extend(block),
            _ => self.push(Out::Block(block)),
        }
    }

    fn let_statement(&mut self, local: LocalId, init: Option<ExprId>) {
        let ty = self.variable_type(local);
        if let Some((length, value)) = init.and_then(|it| self.filled_rail(it)) {
            return self.stack_rail(local, ty, length, value);
        }
        let value = match init {
            Some(init) => self.value_as(init, ty),
            None => zero(self.lowerer.machine(ty)),
        };
        let variable = self.declare(local);
        if let (None, crate::builder::function::Variable::Local(local)) = (init, variable) {
            self.note_reassigned(local);
        }
        self.initialise(variable, value);
    }

    fn if_statement(&mut self, condition: ExprId, then: StmtId, otherwise: Option<StmtId>) {
        let condition = self.value(condition);
        let span = self.span;
        let then = self.nested_stmt(then);
        let otherwise = otherwise.map(|it| self.nested_stmt(it)).unwrap_or_default();
        self.span = span;
        self.push(Out::If { condition, then, otherwise });
    }

    fn return_statement(&mut self, value: Option<ExprId>, id: StmtId) {
        match self.returns {
            Returns::Value(ty) => match value {
                None => self.push(Out::Return(None)),
                Some(value) if ty.is_void(self.lowerer.db) => {
                    self.effect_of(value);
                    self.push(Out::Return(None));
                }
                Some(value) => {
                    let value = self.value_as(value, ty);
                    self.push(Out::Return(Some(value)));
                }
            },
            Returns::This => {
                let this = self.this.map(|it| self.local(it));
                self.push(Out::Return(this));
            }
            Returns::Nothing if value.is_none() => self.push(Out::Return(None)),
            Returns::Nothing => {
                let range = self.source.body.stmt(id).range;
                let error =
                    LowerError::new("build/jump-out", "a `return` leaves the body of an `async` or `at`");
                self.error(
                    error.note("use `at (p) { ... return e; }` as an expression, or set a variable"),
                    range,
                );
            }
        }
    }

    fn try_statement(&mut self, body: StmtId, catches: &[(LocalId, StmtId)], finally: Option<StmtId>) {
        let body = self.nested_stmt(body);
        let catches = catches.iter().map(|(local, handler)| self.catch_clause(*local, *handler));
        let catches = catches.collect();
        let finally = finally.map(|it| self.nested_stmt(it)).unwrap_or_default();
        self.push(Out::Try { body, catches, finally });
    }

    fn catch_clause(&mut self, local: LocalId, handler: StmtId) -> mir::Catch {
        let ty = self.variable_type(local);
        let class = match self.lowerer.machine(ty) {
            mir::Ty::Ref(class) => class,
            _ => self.lowerer.root(),
        };
        let name = self.source.body.local(local).name.clone();
        let raw = self.new_local(name, mir::Ty::Ref(class), false);
        let (body, ()) = self.nested(|it| {
            let value = it.local(raw);
            let variable = it.declare(local);
            let value = match variable {
                crate::builder::function::Variable::Local(local) => {
                    let ty = it.locals[local.index()].ty;
                    it.retype(value, ty)
                }
                crate::builder::function::Variable::Cell(..) => value,
            };
            it.initialise(variable, value);
            it.stmt(handler);
        });
        mir::Catch { class, local: raw, body }
    }

    fn assert_statement(&mut self, condition: ExprId, message: Option<ExprId>) {
        let condition = self.value(condition);
        let failed = operation(Operation::Not, mir::Ty::Bool, vec![condition]);
        let (then, ()) = self.nested(|it| {
            let message = message.map(|message| {
                let ty = it.type_of(message);
                let value = it.value(message);
                it.string_of_value(value, ty)
            });
            it.throw_new("x10.lang.AssertionError", message);
        });
        self.push(Out::If { condition: failed, then, otherwise: Vec::new() });
    }

    /// The factor of `@Unroll(n)`, a constant.
    fn unrolling(&self, annotations: &[Annotation]) -> Option<u32> {
        let unroll = annotations.iter().find(|it| it.name == "Unroll")?;
        match apg_analysis::program::body::constant::value(
            self.lowerer.db,
            &self.source.body,
            *unroll.args.first()?,
        )? {
            Literal::Int(times) => u32::try_from(times).ok(),
            _ => None,
        }
    }
}

/// The string of a `case`.
fn text(literal: &Literal) -> Option<SmolStr> {
    match literal {
        Literal::String(text) => Some(text.clone()),
        _ => None,
    }
}

/// The number of a `case`.
fn constant_number(literal: &Literal) -> i64 {
    match literal {
        Literal::Int(value) => *value,
        Literal::Char(value) => i64::from(u32::from(*value)),
        Literal::Bool(value) => i64::from(*value),
        _ => 0,
    }
}
