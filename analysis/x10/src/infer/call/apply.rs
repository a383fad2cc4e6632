//! Application: calls of function values, `f(x)`, application operators, `a(i)` and `a(i) = v`, and
//! operators called by name.

use std::borrow::Cow;

use apg_syntax::TextRange;
use apg_syntax::ast;
use smol_str::SmolStr;

use crate::body::{ExprId, ExprKind};
use crate::constraint::Entailment;
use crate::infer::call::overload::Call;
use crate::infer::constraint::residual::RequiredBy;
use crate::infer::context::{Infer, range_of};
use crate::infer::expr::convert::ConversionSite;
use crate::infer::expr::name::Resolved;
use crate::item_tree::MethodKind;
use crate::item_tree::items::method_item;
use crate::members::Candidate;
use crate::relate::entailment::Question;
use crate::rules::r#type::no_matching_call::NoMatchingCall;
use crate::rules::r#type::not_assignable::NotAssignable;
use crate::rules::r#type::not_callable::NotCallable;
use crate::ty::function::{self, Applied};
use crate::ty::{ConstraintTerm, Path, Ty};

impl Infer<'_> {
    pub(crate) fn can_apply(&self, ty: Ty) -> bool {
        ty.is_error(self.db)
            || self.context().as_function(ty).is_some()
            || !self.candidates(ty, "operator()").is_empty()
    }

    /// `f(x)` for a value: a function, or an object with an application operator.
    pub(crate) fn apply(&mut self, value: ExprId, args: Vec<ExprId>, range: TextRange) -> ExprId {
        let ty = self.ty(value);
        if ty.is_error(self.db) {
            return self.error(range);
        }
        if ty.is_void(self.db) {
            return self.void_used(self.range(value));
        }
        if ty.as_function(self.db).is_some() {
            return self.call_closure(value, args, range);
        }
        let at = self.range(value);
        let call = Call { args, type_args: Vec::new(), through_super: false, at, range };
        let candidates = self.candidates(ty, "operator()");
        if candidates.is_empty() {
            if let Some(function) = self.context().as_function(ty) {
                let value = self.convert(value, function, ConversionSite::Receiver);
                return self.apply(value, call.args, range);
            }
            if self.context().is_open(ty) {
                return self.error(range);
            }
            self.report_at(range, NotCallable::Value { ty });
            return self.error(range);
        }
        let path = self.receiver_path(value, &candidates);
        match self.resolve_call(&candidates, path.as_ref(), &call) {
            Ok(picked) => self.instance_call(value, picked, call),
            Err(reason) => self.call_failed("operator()", &reason, Some(value), &call),
        }
    }

    fn call_closure(&mut self, closure: ExprId, mut args: Vec<ExprId>, range: TextRange) -> ExprId {
        let db = self.db;
        let function = self.ty(closure);
        let mentioned = function::formal_names(db, function);
        let name = |infer: &mut Self, (index, &arg): (usize, &ExprId)| match mentioned.contains_key(&index) {
            true => infer.name_value(arg),
            false => infer.path_of(arg),
        };
        let paths: Vec<Option<Path>> = args.iter().enumerate().map(|arg| name(self, arg)).collect();
        let Some(Applied { params, result, guard }) = function.applied(db, &paths) else {
            return self.error(range);
        };
        if params.len() != args.len() {
            let problem = NoMatchingCall::FunctionArity { wanted: params.len(), given: args.len() };
            self.report_at(range, problem);
            return self.error(range);
        }
        let known = self.known.len();
        self.note_arguments(&args);
        let context = self.context();
        let open = |term: &ConstraintTerm| {
            context.decide(Question::default(), std::slice::from_ref(term)) != Entailment::Proved
        };
        let mut unproved = guard;
        unproved.terms.retain(open);
        // Values that a run-time check mentions are evaluated once, in order.
        let mut stmts = Vec::new();
        let mut speaks = unproved.terms.iter().any(ConstraintTerm::mentions_nameless);
        params.iter().for_each(|param| param.visit_paths(db, &mut |path| speaks |= path.is_nameless()));
        if speaks && !self.in_kernel {
            self.bind_operands(&mut args, &mut stmts);
        }
        let pairs = args.into_iter().zip(params);
        let args = pairs.map(|(arg, param)| self.convert(arg, param, ConversionSite::Argument)).collect();
        self.check_terms(&unproved.terms, range, RequiredBy::Function(function), &mut stmts);
        self.forget(known);
        let result = self.at_this_place(result);
        let call = self.alloc(ExprKind::ClosureCall { closure, args }, result, range);
        self.after_all(stmts, call)
    }

    /// `a(i) = v`
    pub(crate) fn set_element(
        &mut self,
        receiver: ExprId,
        index: Vec<ExprId>,
        value: ExprId,
        range: TextRange,
    ) -> ExprId {
        let ty = self.ty(receiver);
        if ty.is_error(self.db) {
            return self.error(range);
        }
        let mut args = index;
        args.push(value);
        let at = self.range(receiver);
        let call = Call { args, type_args: Vec::new(), through_super: false, at, range };
        let candidates = self.candidates(ty, "operator()=");
        if candidates.is_empty() {
            if self.context().is_open(ty) {
                return self.error(range);
            }
            self.report_at(range, NotAssignable::Element { ty });
            return self.error(range);
        }
        let path = self.receiver_path(receiver, &candidates);
        match self.resolve_call(&candidates, path.as_ref(), &call) {
            Ok(picked) => self.instance_call(receiver, picked, call),
            Err(reason) => self.call_failed("operator()=", &reason, Some(receiver), &call),
        }
    }

    /// The element type of a rail, which an assigned value should have.
    pub(crate) fn element_type(&self, receiver: ExprId) -> Option<Ty> {
        let ty = self.ty(receiver);
        ty.rail_element(self.db).or_else(|| ty.global_rail_element(self.db))
    }

    /// `a.operator+(b)`, `operator+(a, b)`, `T.operator+(a, b)`
    pub(crate) fn call_operator(
        &mut self,
        e: &ast::OperatorExpr,
        type_args: Vec<Ty>,
        args: Vec<ExprId>,
        range: TextRange,
    ) -> ExprId {
        let Some(name) = e.operator_name().and_then(|name| name.method_name()) else {
            return self.error(range);
        };
        let at = range_of(e);
        if let Some(
            ast::OperatorNameKind::ExplicitConversion(to) | ast::OperatorNameKind::ImplicitConversion(to),
        ) = e.operator_name().and_then(|name| name.kind())
        {
            return self.call_conversion(e, to, args, range);
        }
        self.call_on(e.receiver(), &name, at, type_args, args, range)
    }

    /// `T.operator as[U](x)`: a conversion called by its name; `to` is the type that it gives, if there are
    /// several.
    fn call_conversion(
        &mut self,
        e: &ast::OperatorExpr,
        to: Option<ast::Type>,
        args: Vec<ExprId>,
        range: TextRange,
    ) -> ExprId {
        let at = range_of(e);
        let name = e.operator_name().and_then(|name| name.method_name()).unwrap_or_default();
        let to = to.map(|ty| self.written_type(&ty));
        let owner = match e.receiver() {
            None => Ty::this_type(self.db, self.class),
            Some(receiver) => match self.resolve(&receiver, true) {
                Resolved::Type(ty) => ty,
                Resolved::Value(value) => self.ty(value),
                Resolved::Package(_) | Resolved::Error => return self.error(range),
            },
        };
        let mut candidates = self.candidates(owner, &name).into_owned();
        if let Some(to) = to {
            let gives = |c: &Candidate| crate::signature::inferred::result_type(self.db, c.method);
            candidates.retain(|c| self.is_subtype(gives(c), to));
        }
        let call = Call { args, type_args: Vec::new(), through_super: false, at, range };
        match self.resolve_call(&candidates, None, &call) {
            Ok(picked) => self.static_call(picked, call),
            Err(reason) => self.call_failed(&name, &reason, None, &call),
        }
    }

    /// The method that the name `name` calls. Conversions have names of methods, too: `T.operator_as(x)`.
    pub(crate) fn called_name(name: &SmolStr) -> SmolStr {
        match name.as_str() {
            "operator_as" => SmolStr::new_static("operator as"),
            "implicit_operator_as" => SmolStr::new_static("operator implicit as"),
            _ => name.clone(),
        }
    }

    /// `a.operator+(b)` is `a + b`, as long as the class of `a` says what that is.
    pub(crate) fn prefer_left_operand(&self, candidates: &mut Cow<'_, [Candidate]>) {
        let is = |c: &Candidate, kind| method_item(self.db, c.method).is_some_and(|item| item.kind == kind);
        let any = |kind| candidates.iter().any(|c| is(c, kind));
        if any(MethodKind::BinaryRight) && any(MethodKind::Binary) {
            candidates.to_mut().retain(|c| !is(c, MethodKind::BinaryRight));
        }
    }

    /// An operator called by its name: of an object, a class, `super`, or a class around the code.
    pub(crate) fn call_on(
        &mut self,
        receiver: Option<ast::Expr>,
        name: &SmolStr,
        at: TextRange,
        type_args: Vec<Ty>,
        args: Vec<ExprId>,
        range: TextRange,
    ) -> ExprId {
        let Some(receiver) = receiver else { return self.call_name(name, at, type_args, args, range) };
        let through_super = matches!(receiver, ast::Expr::SuperExpr(_));
        let call = Call { args, type_args, through_super, at, range };
        let object = match through_super {
            true => self.super_object(&receiver).map_or(Resolved::Error, Resolved::Value),
            false => self.resolve(&receiver, true),
        };
        match object {
            Resolved::Value(object) => self.call_method(object, name, call),
            Resolved::Type(ty) => self.call_static(ty, name, at, call),
            Resolved::Package(_) => {
                self.not_a_value(range_of(&receiver));
                self.error(range)
            }
            Resolved::Error => self.error(range),
        }
    }
}
