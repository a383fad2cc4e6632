//! Least upper bounds of types, for `c ? a : b`, rail literals and the results of closures.

use crate::constraint::Entailment;
use crate::relate::Context;
use crate::relate::entailment::Question;
use crate::relate::subtype::erase;
use crate::ty::{Constraint, Ty, TyKind};

impl<'db> Context<'db> {
    /// The least upper bound of `types`; `None` if there are none.
    pub fn lub_all(&self, types: impl IntoIterator<Item = Ty>) -> Option<Ty> {
        types.into_iter().reduce(|a, b| self.lub(a, b))
    }

    /// The least upper bound of two types. Among several minimal ones a class is preferred to interfaces;
    /// `Any` if there is none.
    pub fn lub(&self, a: Ty, b: Ty) -> Ty {
        let db = self.db;
        if a == b || b.is_error(db) {
            return a;
        }
        if a.is_error(db) {
            return b;
        }
        let base = self.lub_base(a.base(db), b.base(db));
        base.constrained(db, self.common_constraint(a, b))
    }

    fn lub_base(&self, a: Ty, b: Ty) -> Ty {
        let db = self.db;
        if self.is_subtype(a, b) {
            return b;
        }
        if self.is_subtype(b, a) {
            return a;
        }
        if let (Some((p, r)), Some((q, s))) = (a.as_function(db), b.as_function(db)) {
            let same_params =
                p.len() == q.len() && p.iter().zip(q).all(|(x, y)| erase(db, *x) == erase(db, *y));
            if same_params && !r.is_void(db) && !s.is_void(db) {
                return Ty::function(db, p.to_vec(), self.lub(r, s));
            }
        }
        let value = |ty: Ty| ty.is_struct(db) || matches!(ty.kind(db), TyKind::Param(_));
        let common: Vec<Ty> = self.supertypes(a).iter().copied().filter(|t| self.is_subtype(b, *t)).collect();
        // Prefer a class; among interfaces, the one below all the others.
        let class = common.iter().find(|t| !t.is_interface(db) && t.as_class(db).is_some() && !value(**t));
        let least = || common.iter().find(|t| common.iter().all(|other| self.is_subtype(**t, *other)));
        class.or_else(least).copied().unwrap_or_else(|| Ty::any(db))
    }

    /// The terms of each constraint that the other one entails.
    fn common_constraint(&self, a: Ty, b: Ty) -> Constraint {
        let (Some(x), Some(y)) = (self.constraint_of(a), self.constraint_of(b)) else {
            return Constraint::default();
        };
        let mut common = Constraint::default();
        for (terms, given, ty) in [(&x, &y, b), (&y, &x, a)] {
            for term in &terms.terms {
                let question = Question { given: &given.terms, self_ty: Some(ty.base(self.db)), value: None };
                let holds = self.decide(question, std::slice::from_ref(term)) == Entailment::Proved;
                if holds && !common.terms.contains(term) {
                    common.terms.push(term.clone());
                }
            }
        }
        common
    }

    fn constraint_of(&self, ty: Ty) -> Option<Constraint> {
        if ty.is_null(self.db) {
            let null = crate::ty::ConstraintTerm::Equal(
                crate::ty::Path::self_value(),
                crate::ty::Path::literal("null"),
            );
            return Some(Constraint { terms: vec![null] });
        }
        ty.constraint(self.db).cloned()
    }
}
