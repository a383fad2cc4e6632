//! Supertypes of types, type parameters with bounds included.

use std::borrow::Cow;

use super::Context;
use crate::db::Db;
use crate::ids::ClassId;
use crate::signature::supertypes::all_supertypes;
use crate::ty::known::{Known, known_class};
use crate::ty::subst::Substitution;
use crate::ty::{Ty, TyKind};

/// The supertypes of an instantiated class, which do not depend on the context.
#[salsa::tracked(cycle_initial = alone)]
fn applied_supertypes(db: &dyn Db, ty: Ty) -> Vec<Ty> {
    Context::global(db).find_supertypes(ty)
}

fn alone(_db: &dyn Db, _id: salsa::Id, ty: Ty) -> Vec<Ty> {
    vec![ty]
}

impl<'db> Context<'db> {
    /// `ty` and all its supertypes, nearest first. The supertypes of a type parameter are its upper bounds
    /// and theirs.
    pub fn supertypes(&self, ty: Ty) -> Cow<'db, [Ty]> {
        let db = self.db;
        let ty = ty.base(db);
        match ty.kind(db) {
            TyKind::Class { class, args } if args.is_empty() => Cow::Borrowed(all_supertypes(db, *class)),
            TyKind::Class { .. } => Cow::Borrowed(applied_supertypes(db, ty)),
            _ => Cow::Owned(self.find_supertypes(ty)),
        }
    }

    fn find_supertypes(&self, ty: Ty) -> Vec<Ty> {
        let db = self.db;
        let mut all = Vec::new();
        self.add_supertypes(ty.base(db), &mut all, 0);
        if let Some(any) = known_class(db, Known::Any) {
            let any = Ty::class(db, any, Vec::new());
            all.retain(|t| *t != any);
            if !matches!(ty.kind(db), TyKind::Void | TyKind::Error) {
                all.push(any);
            }
        }
        all
    }

    fn add_supertypes(&self, ty: Ty, all: &mut Vec<Ty>, depth: u32) {
        let db = self.db;
        if all.contains(&ty) || depth > 16 {
            return;
        }
        match ty.kind(db) {
            TyKind::Class { class, args } => {
                let substitution = Substitution::class(db, *class, args);
                for supertype in all_supertypes(db, *class) {
                    let supertype = substitution.apply(db, *supertype);
                    if !all.contains(&supertype) {
                        all.push(supertype);
                    }
                }
            }
            TyKind::Param(_) => {
                all.push(ty);
                for bound in self.upper_bounds(ty) {
                    self.add_supertypes(bound.base(db), all, depth + 1);
                }
            }
            _ => all.push(ty),
        }
    }

    /// Whether `ty` or one of its supertypes is unknown, so that a member it seems to lack is not reported.
    pub fn is_open(&self, ty: Ty) -> bool {
        self.supertypes(ty).iter().any(|it| it.mentions_error(self.db))
    }

    /// The supertype of `ty` that is an instance of `class`, if any.
    pub fn as_super(&self, ty: Ty, class: ClassId) -> Option<Ty> {
        let db = self.db;
        let base = ty.base(db);
        let is_it = |t: &Ty| t.as_class(db).is_some_and(|(c, _)| c == class);
        match base.kind(db) {
            TyKind::Class { class: c, .. } if *c == class => Some(base),
            // Instantiates only the wanted supertype.
            TyKind::Class { class: c, args } => {
                let found = all_supertypes(db, *c).iter().find(|t| is_it(t))?;
                Some(Substitution::class(db, *c, args).apply(db, *found))
            }
            _ => self.supertypes(base).iter().copied().find(is_it),
        }
    }

    /// The function type that `ty` is or implements, if any.
    pub fn as_function(&self, ty: Ty) -> Option<Ty> {
        let db = self.db;
        let base = ty.base(db);
        if matches!(base.kind(db), TyKind::Function { .. }) {
            return Some(base);
        }
        self.supertypes(base).iter().copied().find(|t| matches!(t.kind(db), TyKind::Function { .. }))
    }

    /// Whether `sub` is `class`, extends it or implements it.
    pub fn is_subclass(&self, sub: ClassId, class: ClassId) -> bool {
        sub == class
            || all_supertypes(self.db, sub)
                .iter()
                .any(|t| t.as_class(self.db).is_some_and(|(c, _)| c == class))
    }
}
