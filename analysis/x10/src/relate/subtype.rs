//! Subtyping and assignability.

use crate::constraint::{Entailment, entails};
use crate::db::Db;
use crate::ids::MethodId;
use crate::item_tree::items::own_methods;
use crate::item_tree::nesting::all_type_params;
use crate::relate::Context;
use crate::relate::entailment::Question;
use crate::signature::method_signature;
use crate::signature::supertypes::all_supertypes;
use crate::ty::known::Known;
use crate::ty::subst::Substitution;
use crate::ty::{Constraint, Path, Ty, TyKind};

/// Maximum depth of nested bounds; a cycle exceeds it.
const MAX_DEPTH: u32 = 24;

/// The steps that convert a value of one type to another type.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Conversion {
    /// The implicit conversion operator to call first, if any.
    pub implicit: Option<ImplicitCall>,
    /// The change of representation after it.
    pub representation: Representation,
    /// Whether the constraint of the target type is undecided and must be checked at run time, last.
    pub checked: bool,
}

/// A call of an implicit conversion operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImplicitCall {
    /// The operator, a static method of one argument.
    pub method: MethodId,
    /// Type arguments of its class.
    pub class_args: Vec<Ty>,
    /// Its own type arguments.
    pub type_args: Vec<Ty>,
    /// The result type.
    pub result: Ty,
}

/// How the representation of a value changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Representation {
    /// Same type: no conversion.
    #[default]
    Same,
    /// Same value, other static type (THIR `Coerce`).
    Coerce,
    /// A struct, function or value of a type parameter becomes a reference (THIR `Box`).
    Box,
}

impl Conversion {
    /// Whether the conversion does nothing.
    pub fn is_identity(&self) -> bool {
        *self == Conversion::default()
    }
}

impl<'db> Context<'db> {
    /// Whether `a` is a subtype of `b`, constraints aside.
    pub fn is_subtype(&self, a: Ty, b: Ty) -> bool {
        self.subtype(erase(self.db, a), erase(self.db, b), 0)
    }

    /// Whether `a` and `b` are the same type, constraints aside.
    pub fn is_same(&self, a: Ty, b: Ty) -> bool {
        let (a, b) = (erase(self.db, a), erase(self.db, b));
        a == b || self.subtype(a, b, 0) && self.subtype(b, a, 0)
    }

    fn subtype(&self, a: Ty, b: Ty, depth: u32) -> bool {
        let db = self.db;
        if a == b {
            return true;
        }
        if depth > MAX_DEPTH {
            return false;
        }
        match (a.kind(db), b.kind(db)) {
            (TyKind::Error, _) | (_, TyKind::Error) => true,
            (TyKind::Void, _) | (_, TyKind::Void) => false,
            (TyKind::Null, _) => self.has_null(b),
            _ if b.is_known(db, Known::Any) => true,
            (TyKind::Param(_), _)
                if self.bounds_lead(a, b, |ty| self.upper_bounds(ty), |t| (t, b), depth) =>
            {
                true
            }
            (_, TyKind::Param(_)) => self.bounds_lead(b, a, |ty| self.lower_bounds(ty), |t| (a, t), depth),
            (TyKind::Class { class: from, args: given }, TyKind::Class { class, args }) => {
                let of_class = |t: &&Ty| t.as_class(db).is_some_and(|(c, _)| c == *class);
                let supertypes = all_supertypes(db, *from);
                let mut found = supertypes.iter().filter(of_class).peekable();
                // Fast path: most often no supertype is of that class, or the class has no type arguments. A
                // type with an unknown supertype may be a subtype of anything.
                if args.is_empty() || found.peek().is_none() {
                    return found.peek().is_some() || supertypes.iter().any(|t| t.is_error(db));
                }
                let substitution = Substitution::class(db, *from, given);
                found.any(|t| match substitution.apply(db, *t).kind(db) {
                    TyKind::Class { args: found, .. } => {
                        found.len() == args.len()
                            && found.iter().zip(args).all(|(x, y)| self.equivalent(*x, *y, depth + 1))
                    }
                    _ => false,
                })
            }
            (TyKind::Class { .. }, TyKind::Function { .. }) => self.supertypes(a).iter().any(|t| {
                matches!(t.kind(db), TyKind::Function { .. } | TyKind::Error)
                    && self.subtype(erase(db, *t), b, depth + 1)
            }),
            (
                TyKind::Function { params: from, result: gives, .. },
                TyKind::Function { params: to, result: wanted, .. },
            ) => {
                from.len() == to.len()
                    && from.iter().zip(to).all(|(x, y)| self.subtype(*y, *x, depth + 1))
                    && self.subtype(*gives, *wanted, depth + 1)
            }
            _ => false,
        }
    }

    /// Follows the bounds of the type parameter `from`, transitively through other type parameters, each once
    /// since bounds may be cyclic. Whether they contain `to`, or a bound that is no type parameter is in the
    /// subtype relation `of` it.
    fn bounds_lead(
        &self,
        from: Ty,
        to: Ty,
        bounds: impl Fn(Ty) -> Vec<Ty>,
        of: impl Fn(Ty) -> (Ty, Ty),
        depth: u32,
    ) -> bool {
        let db = self.db;
        let mut all = vec![from];
        let mut next = 0;
        while next < all.len() {
            for bound in bounds(all[next]) {
                let bound = erase(db, bound);
                if bound == to {
                    return true;
                }
                if matches!(bound.kind(db), TyKind::Param(_)) {
                    if !all.contains(&bound) {
                        all.push(bound);
                    }
                    continue;
                }
                let (sub, sup) = of(bound);
                if self.subtype(sub, sup, depth + 1) {
                    return true;
                }
            }
            next += 1;
        }
        false
    }

    /// Whether two type arguments are equivalent: subtypes of each other. Type arguments are invariant, but
    /// bounds may make two type parameters equal.
    fn equivalent(&self, a: Ty, b: Ty, depth: u32) -> bool {
        let (a, b) = (erase(self.db, a), erase(self.db, b));
        a == b || self.subtype(a, b, depth) && self.subtype(b, a, depth)
    }

    /// Whether `null` is a value of `ty`.
    pub fn has_null(&self, ty: Ty) -> bool {
        let db = self.db;
        match ty.base(db).kind(db) {
            TyKind::Class { .. } => !ty.is_struct(db),
            TyKind::Function { .. } | TyKind::Null | TyKind::Error => true,
            TyKind::Param(_) => {
                self.assumes_ref(ty)
                    || self
                        .upper_bounds(ty)
                        .iter()
                        .any(|t| t.as_class(db).is_some() && self.is_class_type(*t))
            }
            TyKind::Void | TyKind::Constrained { .. } => false,
        }
    }

    /// Whether `ty` is a type parameter with an upper bound that has `null`: a class, interface or function
    /// type.
    pub fn is_bounded(&self, ty: Ty) -> bool {
        let db = self.db;
        matches!(ty.base(db).kind(db), TyKind::Param(_))
            && self.upper_bounds(ty.base(db)).iter().any(|bound| self.has_null(*bound))
    }

    fn is_class_type(&self, ty: Ty) -> bool {
        !ty.is_struct(self.db) && !ty.is_interface(self.db)
    }

    /// Whether `ty` has a default value, its zero: a number, `false`, `null`, or a struct whose fields all
    /// have one.
    pub fn has_zero(&self, ty: Ty) -> bool {
        self.zero(ty, 0)
    }

    fn zero(&self, ty: Ty, depth: u32) -> bool {
        let db = self.db;
        if depth > MAX_DEPTH {
            return true;
        }
        let zero_allowed = |constraint: &Constraint| {
            // `null` satisfies every constraint that does not exclude it.
            let null = Path::literal("null");
            if self.has_null(ty) {
                let question = Question { value: Some(&null), self_ty: Some(ty.base(db)), given: &[] };
                return self.decide(question, &constraint.terms) == Entailment::Proved;
            }
            let zero = match ty.primitive(db) {
                Some(Known::Boolean) => "false",
                Some(Known::Float | Known::Double) => "0.0",
                Some(Known::Char) => r"'\0'",
                _ => "0",
            };
            entails(&[], constraint, Some(&Path::literal(zero))) == Entailment::Proved
        };
        match ty.kind(db) {
            TyKind::Constrained { base, constraint } => self.zero(*base, depth) && zero_allowed(constraint),
            TyKind::Param(_) => self.assumes_zero(ty) || self.has_null(ty),
            TyKind::Error => true,
            TyKind::Void => false,
            TyKind::Class { class, args } if ty.is_struct(db) => {
                if ty.primitive(db).is_some() {
                    return true;
                }
                // The guard of a struct may exclude the value with all fields zero.
                if crate::item_tree::items::class_head(db, *class).as_ref().is_some_and(|c| c.guard.is_some())
                {
                    return crate::signature::class_header(db, *class).guard.constraint.terms.is_empty();
                }
                let substitution = Substitution::class(db, *class, args);
                crate::item_tree::items::fields(db, *class).iter().all(|field| {
                    crate::item_tree::items::field_is_static(db, *field)
                        || self
                            .zero(substitution.apply(db, crate::signature::field_type(db, *field)), depth + 1)
                })
            }
            _ => true,
        }
    }

    /// The conversion of a value of type `from` to `to`; `None` if there is none. `value` is the value's
    /// path, if it has a stable one.
    pub fn convert(&self, from: Ty, to: Ty, value: Option<&Path>) -> Option<Conversion> {
        self.convert_directly(from, to, value).or_else(|| self.convert_implicitly(from, to))
    }

    /// As [`Context::convert`], without implicit conversion operators.
    pub fn convert_directly(&self, from: Ty, to: Ty, value: Option<&Path>) -> Option<Conversion> {
        let db = self.db;
        if from.is_error(db) || to.is_error(db) {
            return Some(Conversion::default());
        }
        if !self.is_subtype(from, to) || self.clashes(from, to) {
            return None;
        }
        let checked = match self.entailed(from, to, value) {
            Entailment::Proved => false,
            Entailment::Unknown => true,
            Entailment::Refuted => return None,
        };
        let representation = self.representation(from.base(db), to.base(db));
        Some(Conversion { implicit: None, representation, checked })
    }

    fn representation(&self, from: Ty, to: Ty) -> Representation {
        let db = self.db;
        let is_value = match from.kind(db) {
            TyKind::Class { .. } => from.is_struct(db),
            TyKind::Param(_) => true,
            TyKind::Function { .. } => !matches!(to.kind(db), TyKind::Function { .. }),
            _ => false,
        };
        match to.kind(db) {
            _ if erase(db, from) == erase(db, to) => Representation::Same,
            TyKind::Class { .. } if is_value => Representation::Box,
            TyKind::Function { .. } if is_value => Representation::Box,
            _ => Representation::Coerce,
        }
    }

    /// Whether every value of type `from`, or `value`, satisfies the constraint of `to`.
    pub fn entailed(&self, from: Ty, to: Ty, value: Option<&Path>) -> Entailment {
        let Some(wanted) = to.constraint(self.db) else { return Entailment::Proved };
        let mut given = from.constraint(self.db).map_or_else(Vec::new, |given| given.terms.clone());
        if from.is_null(self.db) {
            given.push(crate::ty::ConstraintTerm::Equal(Path::self_value(), Path::literal("null")));
        }
        let self_ty = if from.is_null(self.db) { to.base(self.db) } else { from.base(self.db) };
        self.decide(Question { given: &given, self_ty: Some(self_ty), value }, &wanted.terms)
    }

    /// The conversion by an implicit conversion operator of the class of `to` or `from`.
    pub fn convert_implicitly(&self, from: Ty, to: Ty) -> Option<Conversion> {
        let db = self.db;
        let target = to.as_class(db);
        let source = from.as_class(db).filter(|(c, _)| target.is_none_or(|(t, _)| t != *c));
        for (class, args) in target.into_iter().chain(source) {
            for method in own_methods(db, class, "operator implicit as") {
                let Some(call) = self.implicit_call(*method, args, from, to) else { continue };
                let mut conversion = self.convert_directly(call.result, to, None)?;
                conversion.implicit = Some(call);
                return Some(conversion);
            }
        }
        None
    }

    fn implicit_call(&self, method: MethodId, class_args: &[Ty], from: Ty, to: Ty) -> Option<ImplicitCall> {
        let db = self.db;
        let signature = method_signature(db, method);
        let [param] = signature.params.as_slice() else { return None };
        let own = crate::item_tree::items::method_type_param_ids(db, method);
        let class_params = all_type_params(db, method.class(db));
        let result = crate::signature::inferred::result_type(db, method);
        let mut inference = crate::members::unify::Inference::new(own);
        inference.add_subtype(self, from, param.ty);
        inference.add_subtype(
            self,
            Substitution::class(db, method.class(db), class_args).apply(db, result),
            to,
        );
        let type_args = if own.is_empty() { Vec::new() } else { inference.solve(self)? };
        let substitution = Substitution::types(class_params, class_args).with_types(own, &type_args);
        let formal = substitution.apply(db, param.ty);
        if !self.is_subtype(from, formal) || self.entailed(from, formal, None) == Entailment::Refuted {
            return None;
        }
        let result = substitution.with_paths(None, vec![None]).apply(db, result);
        if !self.is_subtype(result, to) {
            return None;
        }
        Some(ImplicitCall { method, class_args: class_args.to_vec(), type_args, result })
    }
}

/// Removes all constraints, also nested ones.
pub(crate) fn erase(db: &dyn Db, ty: Ty) -> Ty {
    match ty.kind(db) {
        TyKind::Constrained { base, .. } => erase(db, *base),
        TyKind::Class { class, args } if !args.is_empty() => {
            Ty::class(db, *class, args.iter().map(|t| erase(db, *t)).collect())
        }
        TyKind::Function { params, result, .. } => {
            Ty::function(db, params.iter().map(|t| erase(db, *t)).collect(), erase(db, *result))
        }
        _ => ty,
    }
}
