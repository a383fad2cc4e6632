//! What is known at a point of the body, for constraints: the types of `val`s, what they are equal to,
//! and which place `here` is.

use apg_syntax::TextRange;

use super::ctx::Infer;
use crate::body::{ExprId, LocalId};
use crate::ty::subst::facts_about;
use crate::ty::{Constraint, ConstraintTerm, Path, PathRoot, Ty, TyKind};

impl Infer<'_> {
    /// `here`, at this point: the place of the method, or of the `at` or closure around.
    pub(super) fn here_path(&self) -> Path {
        self.here.clone()
    }

    /// Inside an `at` or a closure `here` is another place, equal to `place` if that is known. The result
    /// goes to [`Infer::leave_place`].
    pub(super) fn enter_place(&mut self, place: Option<ExprId>, range: TextRange) -> Path {
        let known = place.and_then(|place| self.path_of(place));
        let there = Path::local("here", range.start().into());
        if let Some(known) = known {
            self.known.push(ConstraintTerm::Equal(there.clone(), known));
        }
        std::mem::replace(&mut self.here, there)
    }

    pub(super) fn leave_place(&mut self, outer: Path) {
        self.here = outer;
    }

    /// A type that was written at the place of its declaration, as it reads at this one: `here` in its
    /// constraints is this place.
    pub(super) fn at_this_place(&self, ty: Ty) -> Ty {
        let db = self.db;
        match ty.kind(db) {
            TyKind::Constrained { base, constraint } => {
                let terms = constraint.terms.iter().map(|term| self.term_here(term)).collect();
                self.at_this_place(*base).constrained(db, Constraint { terms })
            }
            TyKind::Class { class, args } if !args.is_empty() => {
                let args = args.iter().map(|&arg| self.at_this_place(arg)).collect();
                Ty::class(db, *class, args)
            }
            _ => ty,
        }
    }

    /// A condition that mentions `here`, at this place.
    pub(super) fn term_here(&self, term: &ConstraintTerm) -> ConstraintTerm {
        let path = |path: &Path| match path.root {
            PathRoot::Here => {
                let mut there = self.here.clone();
                there.fields.extend(path.fields.iter().cloned());
                there
            }
            _ => path.clone(),
        };
        match term {
            ConstraintTerm::Equal(a, b) => ConstraintTerm::Equal(path(a), path(b)),
            ConstraintTerm::NotEqual(a, b) => ConstraintTerm::NotEqual(path(a), path(b)),
            ConstraintTerm::Holds(a) => ConstraintTerm::Holds(path(a)),
            ConstraintTerm::Opaque(_) => term.clone(),
        }
    }

    fn note_about(&mut self, path: &Path, ty: Ty) {
        if let Some(constraint) = ty.constraint(self.db) {
            self.known.extend(facts_about(constraint, path));
        }
    }

    /// A new local: what its type says of it holds from here on.
    pub(super) fn note_local(&mut self, local: LocalId) {
        let variable = self.body.local(local);
        if variable.mutable {
            return;
        }
        let path = Path::local(variable.name.clone(), variable.range.start().into());
        let ty = variable.ty;
        self.note_about(&path, ty);
    }

    /// A `val` that was given a value with a name of its own is another name of it.
    pub(super) fn note_value(&mut self, local: LocalId, value: ExprId) {
        let variable = self.body.local(local);
        if variable.mutable {
            return;
        }
        let path = Path::local(variable.name.clone(), variable.range.start().into());
        if let Some(value) = self.path_of(value) {
            self.known.push(ConstraintTerm::Equal(path, value));
        }
    }

    /// A field with a stable path: what its type says holds of it.
    pub(super) fn note_expression(&mut self, id: ExprId) {
        if self.ty(id).constraint(self.db).is_none() {
            return;
        }
        let Some(path) = self.path_of(id) else { return };
        let ty = self.ty(id);
        let before = self.known.len();
        self.note_about(&path, ty);
        // Fields are used many times: each fact is kept once.
        let new = self.known.split_off(before);
        for fact in new {
            if !self.known.contains(&fact) {
                self.known.push(fact);
            }
        }
    }
}
