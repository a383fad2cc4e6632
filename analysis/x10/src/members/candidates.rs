//! Candidates of method resolution: the methods of a name, own and inherited.

use std::borrow::Cow;

use smol_str::SmolStr;

use super::access::{Visibility, visibility};
use crate::db::Db;
use crate::ids::{ClassId, FieldId, MethodId};
use crate::item_tree::items::{method_item, own_field, own_methods};
use crate::item_tree::{MethodItem, MethodKind};
use crate::relate::Context;
use crate::relate::subtype::erase;
use crate::signature::method_signature;
use crate::ty::subst::Substitution;
use crate::ty::{Ty, TyKind};

/// A candidate of method resolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The method.
    pub method: MethodId,
    /// The declaring type, as seen from the receiver's.
    pub owner: Ty,
}

impl<'db> Context<'db> {
    /// The methods `name` of the type `receiver`, own and inherited, without overridden ones; nearest first.
    pub fn methods_named(&self, receiver: Ty, name: &str) -> Cow<'db, [Candidate]> {
        let base = receiver.base(self.db);
        if let TyKind::Class { .. } = base.kind(self.db)
            && let Some(methods) = class_methods(self.db, base, SmolStr::new(name))
        {
            return Cow::Borrowed(methods);
        }
        Cow::Owned(methods_among(self.db, &self.supertypes(base), name, |nearer, further| {
            self.sees(nearer) || !self.sees(further)
        }))
    }

    /// The constructors of a class.
    pub fn constructors(&self, class: ClassId) -> &'db [MethodId] {
        own_methods(self.db, class, "this")
    }

    /// The field or property `name`, own or inherited, with the declaring type as seen from `receiver`.
    pub fn find_field(&self, receiver: Ty, name: &str) -> Option<(FieldId, Ty)> {
        let base = receiver.base(self.db);
        match base.kind(self.db) {
            TyKind::Class { .. } => class_field(self.db, base, SmolStr::new(name)),
            _ => field_among(self.db, &self.supertypes(base), name),
        }
    }

    /// The nullary property method `name`, which may be called without parentheses.
    pub fn find_property_method(&self, receiver: Ty, name: &str) -> Option<Candidate> {
        let property = |c: &Candidate| {
            method_item(self.db, c.method)
                .is_some_and(|m| m.kind == MethodKind::Property && m.params.is_empty())
        };
        self.methods_named(receiver, name).iter().copied().find(property)
    }
}

/// [`Context::methods_named`] for an instantiated class, if it does not depend on the context: an
/// inaccessible method does not hide an accessible one, so all overriding methods must be public.
#[salsa::tracked(cycle_initial = no_methods)]
fn class_methods(db: &dyn Db, receiver: Ty, name: SmolStr) -> Option<Vec<Candidate>> {
    let mut same = true;
    let found = methods_among(db, &Context::global(db).supertypes(receiver), &name, |nearer, _| {
        let modifiers = method_item(db, nearer).map_or_else(Default::default, |item| item.modifiers);
        same &= visibility(db, nearer.class(db), modifiers) == Visibility::Public;
        true
    });
    same.then_some(found)
}

fn no_methods(_db: &dyn Db, _id: salsa::Id, _receiver: Ty, _name: SmolStr) -> Option<Vec<Candidate>> {
    Some(Vec::new())
}

/// [`Context::find_field`] for an instantiated class.
#[salsa::tracked(returns(copy), cycle_initial = no_field)]
fn class_field(db: &dyn Db, receiver: Ty, name: SmolStr) -> Option<(FieldId, Ty)> {
    field_among(db, &Context::global(db).supertypes(receiver), &name)
}

fn no_field(_db: &dyn Db, _id: salsa::Id, _receiver: Ty, _name: SmolStr) -> Option<(FieldId, Ty)> {
    None
}

fn field_among(db: &dyn Db, supertypes: &[Ty], name: &str) -> Option<(FieldId, Ty)> {
    supertypes.iter().find_map(|supertype| {
        let (class, _) = supertype.as_class(db)?;
        Some((own_field(db, class, name)?, *supertype))
    })
}

/// The methods `name` of these supertypes. `hides` tells whether the first method, which is nearer and
/// overrides the second, hides it.
fn methods_among(
    db: &dyn Db,
    supertypes: &[Ty],
    name: &str,
    mut hides: impl FnMut(MethodId, MethodId) -> bool,
) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for supertype in supertypes {
        let Some((class, _)) = supertype.as_class(db) else { continue };
        // Methods of one class do not override each other.
        let nearer = found.len();
        for method in own_methods(db, class, name) {
            let candidate = Candidate { method: *method, owner: *supertype };
            let mut overriding = found[..nearer].iter().filter(|nearer| overrides(db, **nearer, candidate));
            if !overriding.any(|nearer| hides(nearer.method, *method)) {
                found.push(candidate);
            }
        }
    }
    found
}

/// Whether `a`, found nearer, overrides `b`: the formals have the same types, up to renaming of type
/// parameters.
fn overrides(db: &dyn Db, a: Candidate, b: Candidate) -> bool {
    let (Some(x), Some(y)) = (method_item(db, a.method), method_item(db, b.method)) else { return false };
    let shape = |item: &MethodItem| {
        (item.type_params.len(), item.params.len(), item.offers.is_some(), kind_class(item.kind))
    };
    if shape(x) != shape(y) {
        return false;
    }
    let theirs = formals(db, b);
    if x.type_params.is_empty() {
        return formals(db, a) == theirs;
    }
    let params = |m| crate::item_tree::items::method_type_param_ids(db, m);
    let own: Vec<Ty> = params(a.method).iter().map(|p| Ty::param(db, *p)).collect();
    formals(db, a) == Substitution::types(params(b.method), &own).apply_all(db, &theirs)
}

/// The types of the formals as seen from the receiver's type, without constraints.
fn formals(db: &dyn Db, candidate: Candidate) -> Vec<Ty> {
    let (class, args) = candidate.owner.as_class(db).map_or((candidate.method.class(db), &[][..]), |it| it);
    let substitution = Substitution::class(db, class, args);
    let params = &method_signature(db, candidate.method).params;
    params.iter().map(|p| erase(db, substitution.apply(db, p.ty))).collect()
}

/// Groups kinds of methods: operators of different groups do not override each other though they share a
/// name.
fn kind_class(kind: MethodKind) -> u8 {
    match kind {
        MethodKind::Binary => 1,
        MethodKind::BinaryRight => 2,
        MethodKind::Unary => 3,
        _ => 0,
    }
}
