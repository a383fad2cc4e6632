//! Coercion insertion: a value of one type where another is needed gets an explicit conversion.

use crate::body::local_class_env::{captured_path, captured_variable, outer_path};
use crate::body::{Dispatch, ExprId, ExprKind, Literal};
use crate::constraint::Entailment;
use crate::infer::call::overload::CallTarget;
use crate::infer::constraint::residual::RequiredBy;
use crate::infer::context::Infer;
use crate::relate::Context;
use crate::relate::entailment::Question;
use crate::relate::subtype::{ImplicitCall, Representation};
use crate::rules::r#type::mismatch::Mismatch;
use crate::rules::r#type::mismatch::NeededAs;
use crate::rules::r#type::void_value::VoidValue;
use crate::suggest::difference::Difference;
use crate::ty::known::Known;
use crate::ty::subst::Substitution;
use crate::ty::{Constraint, ConstraintTerm, Path, Ty};

/// The context in which a value of some type is required; decides the message if the value does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConversionSite {
    Initialiser,
    Assignment,
    Argument,
    Return,
    Condition,
    Place,
    Receiver,
    Element,
    /// `as`: conditions that do not follow are checked at run time.
    Cast,
}

impl<'db> Infer<'db> {
    /// The context of subtyping questions: the code's class and method, and the facts at this point.
    pub(crate) fn context(&self) -> Context<'db> {
        let mut context = match self.owner {
            crate::body::Owner::Method(method) => Context::method(self.db, method),
            crate::body::Owner::Field(_) => Context::class(self.db, self.class),
        };
        context.facts = self.known.clone();
        context.typed = self.typed.clone();
        context.here = Some(self.here_path());
        context
    }

    pub(crate) fn is_subtype(&self, a: Ty, b: Ty) -> bool {
        a.is_error(self.db) || b.is_error(self.db) || self.context().is_subtype(a, b)
    }

    /// Whether a value of type `from` is assignable to `to`, possibly after a conversion.
    pub(crate) fn is_assignable(&self, from: Ty, to: Ty) -> bool {
        self.context().convert(from, to, None).is_some()
    }

    /// Whether the value `id` is assignable to `to`, considering the facts about the value.
    pub(crate) fn fits(&self, id: ExprId, to: Ty) -> bool {
        let path = self.path_of(id);
        self.context().convert(self.ty(id), to, path.as_ref()).is_some()
    }

    pub(crate) fn as_super(&self, ty: Ty, class: crate::ids::ClassId) -> Option<Ty> {
        self.context().as_super(ty, class)
    }

    /// `id` as a value of type `to`.
    pub(crate) fn convert(&mut self, id: ExprId, to: Ty, why: ConversionSite) -> ExprId {
        let db = self.db;
        let from = self.ty(id);
        let range = self.range(id);
        if from == to || from.is_error(db) || to.is_error(db) {
            return id;
        }
        if from.is_void(db) {
            return self.void_used(range);
        }
        let path = self.path_of(id);
        let known = if to.constraint(db).is_some() && self.is_not_null(id) {
            from.constrained(db, Constraint::not_null())
        } else {
            from
        };
        let Some(conversion) = self.context().convert(known, to, path.as_ref()) else {
            self.explain_mismatch(id, to, why);
            return self.alloc(ExprKind::Coerce { value: id }, to, range);
        };
        let mut value = id;
        let mut plain = to;
        if conversion.checked {
            plain = to.base(db);
            let seen = conversion.implicit.as_ref().map_or(known, |call| call.result);
            if why != ConversionSite::Cast {
                let open = self.residual_terms(id, seen, to);
                self.require_terms(&open, range, RequiredBy::Value(id, to));
            }
        }
        if let Some(call) = &conversion.implicit {
            value = self.implicit_call(call, id);
        }
        value = match conversion.representation {
            Representation::Same if self.ty(value) == to => value,
            Representation::Same | Representation::Coerce => {
                self.alloc(ExprKind::Coerce { value }, plain, range)
            }
            Representation::Box => self.alloc(ExprKind::Box { value }, plain, range),
        };
        if conversion.checked {
            value = self.alloc(ExprKind::Cast { value, checked: true }, to, range);
        }
        value
    }

    fn implicit_call(&mut self, call: &ImplicitCall, mut argument: ExprId) -> ExprId {
        let db = self.db;
        let class_params = crate::item_tree::nesting::all_type_params(db, call.method.class(db));
        let own = crate::item_tree::items::method_type_param_ids(db, call.method);
        let substitution =
            Substitution::types(class_params, &call.class_args).with_types(own, &call.type_args);
        let formal = crate::signature::method_signature(db, call.method).params.first().map(|p| p.ty);
        let asked = self.asked_of(call, &substitution, argument);
        let mut stmts = Vec::new();
        self.bind_skolems(&asked, std::slice::from_mut(&mut argument), &mut stmts);
        let argument = match formal {
            Some(formal) => {
                let formal = substitution.apply(db, formal).base(db);
                self.convert(argument, formal, ConversionSite::Argument)
            }
            None => argument,
        };
        let range = self.range(argument);
        let kind = ExprKind::Call {
            method: call.method,
            dispatch: Dispatch::Static,
            receiver: None,
            class_args: call.class_args.clone(),
            type_args: call.type_args.clone(),
            args: vec![argument],
        };
        let id = self.alloc(kind, call.result, range);
        self.guarded(id, &asked, stmts)
    }

    /// The part of a conversion operator's guard that does not follow from the facts.
    fn asked_of(&mut self, call: &ImplicitCall, types: &Substitution, value: ExprId) -> CallTarget {
        let guard = crate::signature::inferred::full_guard(self.db, call.method);
        let mut unproved = Constraint::default();
        if !guard.terms.is_empty() {
            let path = self.name_value(value);
            let substitution = types.clone().with_paths(None, vec![path]);
            let terms = substitution.constraint(&guard).terms.into_iter();
            let open = |term: &ConstraintTerm| {
                let known = self.context().decide(Question::default(), std::slice::from_ref(term));
                known != Entailment::Proved
            };
            unproved.terms = terms.filter(open).collect();
        }
        CallTarget {
            method: call.method,
            owner: call.result,
            class_args: call.class_args.clone(),
            type_args: call.type_args.clone(),
            params: Vec::new(),
            conversions: Vec::new(),
            result: call.result,
            unproved,
            is_refuted: false,
        }
    }

    fn explain_mismatch(&mut self, id: ExprId, to: Ty, why: ConversionSite) {
        let (from, range) = (self.ty(id), self.range(id));
        if from.mentions_error(self.db) || to.mentions_error(self.db) {
            return;
        }
        if let Some((item, wanted)) = self.odd_item(id, to) {
            return self.explain_mismatch(item, wanted, ConversionSite::Element);
        }
        let gives_nothing =
            |ty: Ty| ty.base(self.db).as_function(self.db).is_some_and(|(_, result)| result.is_void(self.db));
        if gives_nothing(from) && !gives_nothing(to) && self.refuse_unused_values(range) {
            return;
        }
        if why == ConversionSite::Condition {
            let has_null = self.context().has_null(from);
            return self.report_at(range, Mismatch::Condition { value: id, found: from, has_null });
        }
        let difference = self.difference(id, to);
        let needed_as = match why {
            ConversionSite::Place => NeededAs::Place,
            ConversionSite::Return => NeededAs::Result,
            _ => NeededAs::Value,
        };
        self.report_at(range, Mismatch::Value { difference, needed_as });
    }

    /// The value `id` and the type that it should have.
    pub(crate) fn difference(&self, id: ExprId, to: Ty) -> Difference {
        let from = self.ty(id);
        Difference {
            value: id,
            found: from,
            needed: to,
            is_supertype: self.is_subtype(to, from),
            hides_variable: self.hides_variable(id),
        }
    }

    /// Whether `f(x)` calls a method though a variable of that name could be applied.
    fn hides_variable(&self, id: ExprId) -> bool {
        let ExprKind::Call { method, .. } = self.body.expr(id).kind else { return false };
        let variable = self.scopes.local(method.name(self.db));
        variable.is_some_and(|it| self.can_apply(self.body.local(it).ty))
    }

    /// The first element of `[1, 2.0]` that does not fit where others do, and the type that it should have.
    fn odd_item(&self, id: ExprId, to: Ty) -> Option<(ExprId, Ty)> {
        let ExprKind::RailLiteral { items, .. } = &self.body.expr(id).kind else { return None };
        let wanted = to.rail_element(self.db)?;
        let plain = |item: &ExprId| match self.body.expr(*item).kind {
            ExprKind::Box { value } | ExprKind::Coerce { value } => value,
            _ => *item,
        };
        let fits = |item: &ExprId| self.is_subtype(self.ty(plain(item)), wanted);
        let odd = items.iter().find(|item| !fits(item))?;
        items.iter().any(fits).then(|| (plain(odd), wanted))
    }

    /// A call without a result where a value is needed.
    pub(crate) fn void_used(&mut self, range: apg_syntax::TextRange) -> ExprId {
        self.report_at(range, VoidValue);
        self.error(range)
    }

    /// The path of an expression in constraints: a `val`, a literal, or a property of one.
    pub(crate) fn path_of(&self, id: ExprId) -> Option<Path> {
        match &self.body.expr(id).kind {
            ExprKind::Local(local) => {
                let local = self.body.local(*local);
                let stable = !local.mutable;
                stable.then(|| Path::local(local.name.clone(), local.range.start().into()))
            }
            ExprKind::This => Some(Path::this()),
            ExprKind::Outer(class) => Some(outer_path(self.db, *class)),
            ExprKind::Field { field, .. } if captured_variable(self.db, *field).is_some() => {
                let name = captured_variable(self.db, *field)?;
                Some(captured_path(self.db, field.class(self.db), name))
            }
            ExprKind::Here => Some(self.here_path()),
            ExprKind::Literal(Literal::Int(value)) if self.ty(id).is_known(self.db, Known::ULong) => {
                Some(Path::literal((*value as u64).to_string()))
            }
            ExprKind::Literal(literal) => literal_path(literal),
            ExprKind::Coerce { value } | ExprKind::Box { value } => self.path_of(*value),
            ExprKind::Let { result, .. } => self.path_of(*result),
            ExprKind::Assign { value, .. } => self.path_of(*value),
            // Checked, it is still the same value.
            ExprKind::Cast { value, checked: true } => self.path_of(*value),
            ExprKind::Field { object, field } => {
                let stable = !crate::item_tree::items::field_is_mutable(self.db, *field);
                let object = self.path_of(*object).filter(|_| stable)?;
                Some(object.field(field.name(self.db).clone()))
            }
            ExprKind::StaticField(field) => {
                let stable = !crate::item_tree::items::field_is_mutable(self.db, *field);
                stable.then(|| Path::static_field(self.db, *field))
            }
            // A reference to an object elsewhere as a place: its home.
            ExprKind::Call { method, receiver: None, args, .. }
                if method.name(self.db) == "operator implicit as" && self.is_global_ref(args) =>
            {
                Some(self.path_of(args[0])?.field("home"))
            }
            ExprKind::Call { method, receiver: Some(receiver), args, .. } if args.is_empty() => {
                let property = crate::item_tree::items::method_item(self.db, *method)
                    .is_some_and(|item| item.kind == crate::item_tree::MethodKind::Property);
                let receiver = self.path_of(*receiver).filter(|_| property)?;
                Some(receiver.field(method.name(self.db).clone()))
            }
            _ => None,
        }
        .or_else(|| self.skolem_local(id).map(|local| self.local_path(local)))
    }

    pub(crate) fn local_path(&self, local: crate::body::LocalId) -> Path {
        let local = self.body.local(local);
        Path::local(local.name.clone(), local.range.start().into())
    }
}

impl Infer<'_> {
    /// Whether the one argument is a `GlobalRef`.
    fn is_global_ref(&self, args: &[ExprId]) -> bool {
        matches!(args, [arg] if self.ty(*arg).is_known(self.db, Known::GlobalRef))
    }
}

/// A literal as constraints name it.
pub(crate) fn literal_path(literal: &Literal) -> Option<Path> {
    let text = match literal {
        Literal::Int(value) => value.to_string(),
        Literal::Float(bits) => format!("{:?}", f64::from_bits(*bits)),
        Literal::Bool(value) => value.to_string(),
        Literal::Char(value) => format!("{value:?}"),
        Literal::String(value) => format!("{value:?}"),
        Literal::Null => "null".to_owned(),
    };
    Some(Path::literal(text))
}
