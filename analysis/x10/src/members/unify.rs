//! Inference of type arguments from the types of arguments (`Strip` in the language specification): collects
//! equality, lower and upper bounds for each type parameter, then solves them.

use crate::db::Db;
use crate::ids::TypeParamId;
use crate::relate::Context;
use crate::relate::subtype::erase;
use crate::ty::{Ty, TyKind};

/// Maximum depth of the examined types.
const MAX_DEPTH: u32 = 32;

/// The bounds collected for some type parameters.
pub(crate) struct Inference {
    params: Vec<TypeParamId>,
    equal: Vec<Vec<Ty>>,
    upper: Vec<Vec<Ty>>,
    lower: Vec<Vec<Ty>>,
}

impl Inference {
    /// An inference without bounds for `params`.
    pub(crate) fn new(params: &[TypeParamId]) -> Inference {
        let none = || vec![Vec::new(); params.len()];
        Inference { params: params.to_vec(), equal: none(), upper: none(), lower: none() }
    }

    fn variable(&self, db: &dyn Db, ty: Ty) -> Option<usize> {
        let param = ty.as_param(db)?;
        self.params.iter().position(|p| *p == param)
    }

    /// Adds the bounds that follow from `a <: b`, where `b` mentions the parameters.
    pub(crate) fn add_subtype(&mut self, cx: &Context<'_>, a: Ty, b: Ty) {
        self.subtype(cx, a.base(cx.db), b.base(cx.db), 0);
    }

    fn subtype(&mut self, cx: &Context<'_>, a: Ty, b: Ty, depth: u32) {
        let db = cx.db;
        let (a, b) = (a.base(db), b.base(db));
        if depth > MAX_DEPTH || a.is_error(db) || b.is_error(db) {
            return;
        }
        if let Some(index) = self.variable(db, b) {
            self.lower[index].push(a);
            return;
        }
        if let Some(index) = self.variable(db, a) {
            self.upper[index].push(b);
            return;
        }
        match b.kind(db) {
            TyKind::Class { class, args } => {
                let Some(found) = cx.as_super(a, *class) else { return };
                let Some((_, found)) = found.as_class(db) else { return };
                for (x, y) in found.iter().zip(args) {
                    self.equal(cx, *x, *y, depth + 1);
                }
            }
            TyKind::Function { params, result, .. } => {
                let Some(found) = cx.as_function(a) else { return };
                let Some((from, gives)) = found.as_function(db) else { return };
                for (x, y) in from.iter().zip(params) {
                    self.subtype(cx, *y, *x, depth + 1);
                }
                if !gives.is_void(db) {
                    self.subtype(cx, gives, *result, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn equal(&mut self, cx: &Context<'_>, a: Ty, b: Ty, depth: u32) {
        let db = cx.db;
        let (a, b) = (a.base(db), b.base(db));
        if depth > MAX_DEPTH {
            return;
        }
        if let Some(index) = self.variable(db, b).or_else(|| self.variable(db, a)) {
            let other = if self.variable(db, b).is_some() { a } else { b };
            self.equal[index].push(other);
            return;
        }
        match (a.kind(db), b.kind(db)) {
            (TyKind::Class { class: c, args: x }, TyKind::Class { class: d, args: y }) if c == d => {
                x.iter().zip(y).for_each(|(x, y)| self.equal(cx, *x, *y, depth + 1));
            }
            (
                TyKind::Function { params: x, result: r, .. },
                TyKind::Function { params: y, result: s, .. },
            ) => {
                x.iter().zip(y).for_each(|(x, y)| self.equal(cx, *x, *y, depth + 1));
                self.equal(cx, *r, *s, depth + 1);
            }
            _ => {}
        }
    }

    /// The first parameter without a useful bound.
    pub(crate) fn first_unknown(&self, db: &dyn Db) -> Option<TypeParamId> {
        let unknown = |i: &usize| self.pick(db, *i).is_none();
        (0..self.params.len()).find(unknown).map(|i| self.params[i])
    }

    fn pick(&self, db: &dyn Db, index: usize) -> Option<()> {
        let useful = |ty: &Ty| !ty.is_null(db) && !ty.is_void(db);
        let known = self.equal[index].iter().chain(&self.upper[index]).chain(&self.lower[index]);
        known.into_iter().any(useful).then_some(())
    }

    /// A type for each parameter; `None` if one of them has no useful bound. The solution is not checked
    /// against the bounds.
    pub(crate) fn solve(&self, cx: &Context<'_>) -> Option<Vec<Ty>> {
        (0..self.params.len()).map(|i| self.solution(cx, i)).collect()
    }

    fn solution(&self, cx: &Context<'_>, index: usize) -> Option<Ty> {
        let db = cx.db;
        self.pick(db, index)?;
        if let Some(ty) = self.equal[index].first() {
            return Some(erase(db, *ty));
        }
        let useful = |ty: &&Ty| !ty.is_void(db);
        let lower = cx.lub_all(self.lower[index].iter().filter(useful).map(|t| erase(db, *t)));
        // The least of the upper bounds, if one of them is below all others.
        let upper = &self.upper[index];
        let least = upper.iter().find(|t| upper.iter().all(|other| cx.is_subtype(**t, *other)));
        // A solution from lower bounds, the given types, is preferred: it is narrower, as for `f(x:T,
        // g:(T)=>U)` called with a subtype. It must be a subtype of the least upper bound.
        match (lower, least) {
            (Some(lower), Some(upper)) if !lower.is_null(db) && cx.is_subtype(lower, *upper) => Some(lower),
            (_, Some(upper)) => Some(erase(db, *upper)),
            (lower, None) => lower,
        }
    }
}
