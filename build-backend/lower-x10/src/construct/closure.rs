//! Closure conversion: closures and bodies of `async` and `at` become classes whose fields are the captures.

use apg_analysis::program::body::{Capture, Captured, Closure, ExprId, LocalId, StmtId};
use apg_analysis::program::ty::Ty;
use smol_str::SmolStr;

use crate::builder::function::{Builder, Returns, Variable};
use crate::builder::operands::expr;
use crate::mono::instances::immutable_field;
use crate::{ClassKey, Lowerer};
use apg_mir::{self as mir, ExprKind};

/// A value captured by a closure.
struct CapturedValue {
    /// `None` for a value that has no variable in the source.
    what: Option<Captured>,
    name: SmolStr,
    /// The machine type of the field: a cell's for a shared variable.
    value: mir::Expr,
    cell: Option<mir::ClassId>,
}

impl Builder<'_, '_> {
    /// A closure literal as a value of type `ty`.
    pub(crate) fn closure_value(&mut self, closure: &Closure, ty: Ty, id: ExprId) -> mir::Expr {
        let params: Vec<Ty> = closure.params.iter().map(|it| self.variable_type(*it)).collect();
        let result = self.concrete(closure.result);
        let function_type = Ty::function(self.lowerer.db, params, result);
        self.at(self.source.body.expr(id).range);
        let returns = Returns::Value(result);
        let made = self.make_closure(
            &closure.params,
            &closure.captures,
            Vec::new(),
            function_type,
            returns,
            |it, _| {
                it.stmt(closure.body);
            },
        );
        let value = self.retype(made, mir::Ty::Any);
        self.convert(value, function_type, ty)
    }

    /// The body of an `async` or `at` statement as a closure without parameters and result.
    pub(crate) fn activity(&mut self, body: StmtId, captures: &[Capture]) -> mir::Expr {
        self.activity_with(captures, Vec::new(), |builder, _| builder.stmt(body))
    }

    /// A closure with the given code, which receives the locals of further captured values.
    pub(crate) fn activity_with(
        &mut self,
        captures: &[Capture],
        extra: Vec<(SmolStr, mir::Expr)>,
        code: impl FnOnce(&mut Builder<'_, '_>, &[mir::LocalId]),
    ) -> mir::Expr {
        let void = Ty::void(self.lowerer.db);
        let function_type = Ty::function(self.lowerer.db, Vec::new(), void);
        self.make_closure(&[], captures, extra, function_type, Returns::Nothing, code)
    }

    /// `at (p) e`.
    pub(crate) fn at_expression(
        &mut self,
        place: ExprId,
        body: StmtId,
        captures: &[Capture],
        ty: Ty,
        id: ExprId,
    ) -> mir::Expr {
        let any = Ty::any(self.lowerer.db);
        let place = self.place_id(place);
        let place = self.save(place);
        let function_type = Ty::function(self.lowerer.db, Vec::new(), any);
        let closure =
            self.make_closure(&[], captures, Vec::new(), function_type, Returns::Value(any), |it, _| {
                it.stmt(body);
            });
        self.at(self.source.body.expr(id).range);
        let closure = self.as_any(closure);
        let value = expr(mir::Ty::Any, ExprKind::At { place: Box::new(place), closure: Box::new(closure) });
        if ty.is_void(self.lowerer.db) {
            self.push(mir::StmtKind::Expr(value));
            return crate::builder::operands::zero(mir::Ty::Void);
        }
        self.convert(value, any, ty)
    }

    /// Makes a closure object: its class with the captures as fields, and the code in slot `CLOSURE_APPLY`.
    fn make_closure(
        &mut self,
        params: &[LocalId],
        captures: &[Capture],
        extra: Vec<(SmolStr, mir::Expr)>,
        function_type: Ty,
        returns: Returns,
        code: impl FnOnce(&mut Builder<'_, '_>, &[mir::LocalId]),
    ) -> mir::Expr {
        let mut carried: Vec<CapturedValue> = captures.iter().filter_map(|it| self.carry(it)).collect();
        carried.extend(extra.into_iter().map(|(name, value)| CapturedValue {
            what: None,
            name,
            value,
            cell: None,
        }));
        let class = self.lowerer.closure_class(function_type);
        let fields = carried.iter().map(|it| immutable_field(&it.name, it.value.ty)).collect();
        self.lowerer.set_fields(class, fields);
        let apply = self.lowerer.reserve_function();
        self.lowerer.class_data[class.index()].apply = Some(apply);
        self.write_apply(class, apply, params, &carried, returns, code);
        let fields = carried.into_iter().map(|it| it.value).collect();
        expr(mir::Ty::Ref(class), ExprKind::MakeObject { class, fields })
    }

    /// The value of a captured variable, or the cell that holds it.
    fn carry(&mut self, capture: &Capture) -> Option<CapturedValue> {
        match capture.what {
            Captured::This => {
                let value = self.local(self.this?);
                Some(CapturedValue {
                    what: Some(capture.what),
                    name: SmolStr::new_static("this"),
                    value,
                    cell: None,
                })
            }
            Captured::Local(local) => {
                let name = self.source.body.local(local).name.clone();
                let (value, cell) = match *self.variables.get(&local)? {
                    Variable::Cell(cell, class) if capture.by_reference => (self.local(cell), Some(class)),
                    _ => (self.read_variable(local)?, None),
                };
                Some(CapturedValue { what: Some(capture.what), name, value, cell })
            }
        }
    }

    fn write_apply(
        &mut self,
        class: mir::ClassId,
        apply: mir::FunctionId,
        params: &[LocalId],
        carried: &[CapturedValue],
        returns: Returns,
        code: impl FnOnce(&mut Builder<'_, '_>, &[mir::LocalId]),
    ) {
        let source = self.source.clone();
        let name = format!("{}$closure", source.name);
        let span = self.span;
        let constructs = self.constructs_struct;
        let mut inner = Builder::new(self.lowerer, source, returns);
        (inner.span, inner.head) = (span, span);
        inner.constructs_struct = constructs;
        let this = inner.new_local("closure", mir::Ty::Ref(class), false);
        // Shared formals move into cells, which needs all parameters to be declared first.
        let machine_params = params.len() as u32 + 1;
        inner.declare_params(params);
        let mut extra = Vec::new();
        for (i, item) in carried.iter().enumerate() {
            let object = Box::new(inner.local(this));
            let kind = ExprKind::Field { object, class, field: i as u32, checked: false };
            extra.extend(inner.receive(item, expr(item.value.ty, kind)));
        }
        code(&mut inner, &extra);
        let result = match returns {
            Returns::Value(ty) => inner.lowerer.machine(ty),
            _ => mir::Ty::Void,
        };
        inner.end_of_value(result);
        inner.finish(apply, name, machine_params, result);
    }

    /// Declares a captured value inside the closure. Returns the local of a value without a variable.
    fn receive(&mut self, item: &CapturedValue, value: mir::Expr) -> Option<mir::LocalId> {
        match (item.what, item.cell) {
            (None, _) => {
                let local = self.new_local(item.name.clone(), value.ty, false);
                self.set(local, value);
                return Some(local);
            }
            (Some(Captured::This), _) => {
                let local = self.new_local("this", value.ty, false);
                self.set(local, value);
                self.this = Some(local);
            }
            (Some(Captured::Local(id)), Some(class)) => {
                let local = self.new_local(item.name.clone(), value.ty, false);
                self.set(local, value);
                self.variables.insert(id, Variable::Cell(local, class));
            }
            // A copy that is shared again inside (by a nested `async`) gets a cell of its own.
            (Some(Captured::Local(id)), None) => {
                let variable = self.declare(id);
                self.initialise(variable, value);
            }
        }
        None
    }

    /// Ends the function with a return that flow analysis has shown to be unreachable: C++ requires a value
    /// on every path.
    pub(crate) fn end_of_value(&mut self, result: mir::Ty) {
        let returned = self.block().last().is_some_and(|it| leaves(&it.kind));
        if result != mir::Ty::Void && !returned {
            self.push(mir::StmtKind::Return(Some(crate::builder::operands::zero(result))));
        }
    }
}

impl Lowerer<'_> {
    /// A new closure class.
    fn closure_class(&mut self, function_type: Ty) -> mir::ClassId {
        let root = self.root();
        self.closures += 1;
        let name = self.type_name(function_type);
        let class =
            self.new_class(ClassKey::Closure(self.closures), name, mir::ClassKind::Closure, Some(root));
        self.class_data[class.index()].function_type = Some(function_type);
        self.instantiate(class);
        class
    }
}

/// Whether control never reaches the end of a statement.
fn leaves(kind: &mir::StmtKind) -> bool {
    let last = |body: &[mir::Stmt]| body.last().is_some_and(|it| leaves(&it.kind));
    match kind {
        mir::StmtKind::Return(_) | mir::StmtKind::Throw(_) => true,
        mir::StmtKind::Block(body) => last(body),
        mir::StmtKind::If { then, otherwise, .. } => last(then) && last(otherwise),
        _ => false,
    }
}
