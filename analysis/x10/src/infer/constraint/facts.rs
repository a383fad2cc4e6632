//! Facts for constraint solving at a point of a body: types and equalities of `val`s, and which place
//! `here` is.

use std::sync::Arc;

use apg_syntax::TextRange;

use crate::body::{ExprId, LocalId};
use crate::constraint::Entailment;
use crate::infer::context::Infer;
use crate::relate::entailment::Question;
use crate::ty::subst::facts_about;
use crate::ty::{Constraint, ConstraintTerm, Path, PathRoot, Ty, TyKind};

/// Maximum length of the paths that facts are collected for: recursion can build ever longer paths.
const MAX_FIELDS: usize = 4;

impl Infer<'_> {
    /// The path of `here` at this point: the place of the method, or of the enclosing `at` or closure.
    pub(crate) fn here_path(&self) -> Path {
        self.here.clone()
    }

    /// Enters an `at` or a closure: `here` becomes another place, equal to `place` if that is known. The
    /// result is the argument of [`Infer::leave_place`].
    pub(crate) fn enter_place(&mut self, place: Option<ExprId>, range: TextRange) -> Path {
        let known = place.and_then(|place| self.path_of(place));
        let there = Path::local("here", range.start().into());
        if let Some(known) = known {
            self.learn(ConstraintTerm::Equal(there.clone(), known));
        }
        std::mem::replace(&mut self.here, there)
    }

    pub(crate) fn leave_place(&mut self, outer: Path) {
        self.here = outer;
    }

    /// Replaces `here` in the constraints of a declared type by the place at this point.
    pub(crate) fn at_this_place(&self, ty: Ty) -> Ty {
        match ty.kind(self.db) {
            // In the body of a function, `here` is the place of its call.
            TyKind::Function { .. } => ty,
            _ => ty.map_terms(self.db, &mut |term| Some(self.term_here(term))),
        }
    }

    /// Replaces `here` in a term by the place at this point.
    pub(crate) fn term_here(&self, term: &ConstraintTerm) -> ConstraintTerm {
        let path = |path: &Path| match path.root {
            PathRoot::Here => {
                let mut there = self.here.clone();
                there.fields.extend(path.fields.iter().cloned());
                there
            }
            _ => path.clone(),
        };
        term.map(|it| Some(path(it))).unwrap_or_else(|| term.clone())
    }

    /// Adds a fact, which holds to the end of the block.
    pub(crate) fn learn(&mut self, term: ConstraintTerm) {
        // Fields are used many times, but each fact is stored once.
        if !self.known.contains(&term) {
            Arc::make_mut(&mut self.known).push(term);
        }
    }

    /// Drops the facts after the first `length` ones.
    pub(crate) fn forget(&mut self, length: usize) {
        if self.known.len() > length {
            Arc::make_mut(&mut self.known).truncate(length);
        }
    }

    fn note_about(&mut self, path: &Path, ty: Ty) {
        if let Some(constraint) = ty.constraint(self.db) {
            facts_about(constraint, path).into_iter().for_each(|fact| self.learn(fact));
        }
    }

    /// Adds the facts that follow from the type of a new local.
    pub(crate) fn note_local(&mut self, local: LocalId) {
        let variable = self.body.local(local);
        let path = Path::local(variable.name.clone(), variable.range.start().into());
        let (ty, mutable) = (variable.ty, variable.mutable);
        Arc::make_mut(&mut self.typed).insert(path.root.clone(), ty.base(self.db));
        if mutable {
            return;
        }
        // An unnamed value may never be evaluated, so its type says nothing of other values.
        let is_nameless = path.is_nameless();
        for fact in ty.constraint(self.db).map_or_else(Vec::new, |c| facts_about(c, &path)) {
            if !is_nameless || fact.paths().any(|it| it.root == path.root) {
                self.learn(fact);
            }
        }
    }

    /// Adds the equality of a `val` and its initialiser, if that has a path.
    pub(crate) fn note_value(&mut self, local: LocalId, value: ExprId) {
        let variable = self.body.local(local);
        if variable.mutable {
            return;
        }
        let path = Path::local(variable.name.clone(), variable.range.start().into());
        if let Some(value) = self.path_of(value) {
            self.learn(ConstraintTerm::Equal(path, value));
        }
    }

    /// Adds the facts that follow from the types of arguments, for the duration of a call.
    pub(crate) fn note_arguments(&mut self, args: &[ExprId]) {
        for &arg in args {
            self.note_expression(arg);
        }
    }

    /// The common type `ty` of two values, constrained by the facts that hold for both.
    pub(crate) fn common_facts(&self, a: ExprId, b: ExprId, ty: Ty) -> Ty {
        let (Some(x), Some(y)) = (self.path_of(a), self.path_of(b)) else { return ty };
        let context = self.context();
        let mut common = Vec::new();
        for (path, other, of) in [(&x, &y, b), (&y, &x, a)] {
            let to_self = |it: &Path| match it.fields.strip_prefix(&path.fields[..]) {
                Some(rest) if it.root == path.root => Path::self_value().with_fields(rest),
                _ => it.clone(),
            };
            let mut candidates = vec![ConstraintTerm::Equal(Path::self_value(), path.clone())];
            let about = self.known.about(&path.root).iter().map(|&index| &self.known.terms()[index as usize]);
            candidates.extend(about.filter_map(|fact| fact.map(|it| Some(to_self(it)))));
            let self_ty = Some(self.ty(of).base(self.db));
            let question = Question { given: &[], self_ty, value: Some(other) };
            for term in candidates {
                let speaks = term.paths().any(|it| it.root == PathRoot::SelfValue);
                let holds = || context.decide(question, std::slice::from_ref(&term)) == Entailment::Proved;
                if speaks && !common.contains(&term) && holds() {
                    common.push(term);
                }
            }
        }
        ty.constrained(self.db, Constraint { terms: common })
    }

    /// The type with conditions on unnamed values expressed by named ones; conditions that cannot be are
    /// dropped.
    pub(crate) fn without_skolems(&self, ty: Ty) -> Ty {
        let Some(constraint) = ty.constraint(self.db) else { return ty };
        if !constraint.terms.iter().any(ConstraintTerm::mentions_nameless) {
            return ty;
        }
        let named = |path: &Path| match path.is_nameless() {
            true => self.other_name(path, &Path::has_name, 0),
            false => Some(path.clone()),
        };
        let terms = constraint.terms.iter().filter_map(|term| term.map(named)).collect();
        ty.base(self.db).constrained(self.db, Constraint { terms })
    }

    /// A path that is known to be equal to `path` and that `fits`.
    pub(crate) fn other_name(&self, path: &Path, fits: &dyn Fn(&Path) -> bool, depth: u32) -> Option<Path> {
        if path.fields.len() > MAX_FIELDS || depth > 8 {
            return None;
        }
        if fits(path) {
            return Some(path.clone());
        }
        for &index in self.known.about(&path.root) {
            let ConstraintTerm::Equal(a, b) = &self.known.terms()[index as usize] else { continue };
            for (from, to) in [(a, b), (b, a)] {
                let begins = from.root == path.root && path.fields.starts_with(&from.fields);
                if !begins || to.root == path.root {
                    continue;
                }
                let other = to.clone().with_fields(&path.fields[from.fields.len()..]);
                if let Some(found) = self.other_name(&other, fits, depth + 1) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// A field with a stable path: what its type says holds of it.
    pub(crate) fn note_expression(&mut self, id: ExprId) {
        if self.ty(id).constraint(self.db).is_none() {
            return;
        }
        let Some(path) = self.path_of(id) else { return };
        self.note_about(&path, self.ty(id));
    }
}
