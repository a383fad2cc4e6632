//! The methods that a name may mean.

use crate::ids::{ClassId, FieldId, MethodId};
use crate::item_tree::MethodKind;
use crate::item_tree::items::{method_item, own_field, own_methods};
use crate::scope::signature::method_signature;
use crate::ty::Ty;
use crate::ty::context::Context;
use crate::ty::relate::erase;
use crate::ty::subst::Substitution;
use crate::ty::supers::all_supertypes;

/// A method that may be meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The method.
    pub method: MethodId,
    /// The declaring type, as seen from the receiver's.
    pub owner: Ty,
}

impl<'db> Context<'db> {
    /// The methods of that name of a value of type `receiver`, its own and inherited ones, without those
    /// that are overridden; nearest first.
    pub fn methods_named(&self, receiver: Ty, name: &str) -> Vec<Candidate> {
        let db = self.db;
        let mut found: Vec<(Candidate, Vec<Ty>)> = Vec::new();
        for supertype in self.supertypes(receiver) {
            let Some((class, args)) = supertype.as_class(db) else { continue };
            let substitution = Substitution::class(db, class, args);
            // Methods of one class do not override each other.
            let nearer = found.len();
            for method in own_methods(db, class, name) {
                let candidate = Candidate { method: *method, owner: supertype };
                let formals = &method_signature(db, *method).params;
                let formals =
                    formals.iter().map(|p| erase(db, substitution.apply(db, p.ty))).collect::<Vec<_>>();
                // One that cannot be seen hides nothing that can: a call through the superclass means both.
                let hidden = found[..nearer].iter().any(|(other, types)| {
                    self.overrides(*other, types, candidate, &formals)
                        && (self.sees(other.method) || !self.sees(*method))
                });
                if !hidden {
                    found.push((candidate, formals));
                }
            }
        }
        found.into_iter().map(|(candidate, _)| candidate).collect()
    }

    /// Whether `a`, found nearer, replaces `b`: same formals, up to the names of type parameters.
    fn overrides(&self, a: Candidate, a_formals: &[Ty], b: Candidate, b_formals: &[Ty]) -> bool {
        let db = self.db;
        if a_formals.len() != b_formals.len() {
            return false;
        }
        let (Some(x), Some(y)) = (method_item(db, a.method), method_item(db, b.method)) else { return false };
        if x.type_params.len() != y.type_params.len() || kind_class(x.kind) != kind_class(y.kind) {
            return false;
        }
        if x.type_params.is_empty() {
            return a_formals == b_formals;
        }
        let params = |m| crate::item_tree::items::method_type_param_ids(db, m);
        let own: Vec<Ty> = params(a.method).iter().map(|p| Ty::param(db, *p)).collect();
        let renamed = Substitution::types(params(b.method), &own).apply_all(db, b_formals);
        a_formals == renamed
    }

    /// The constructors of a class.
    pub fn constructors(&self, class: ClassId) -> &'db [MethodId] {
        own_methods(self.db, class, "this")
    }

    /// The field or property of that name, own or inherited, and the type that declares it as seen from
    /// `receiver`.
    pub fn find_field(&self, receiver: Ty, name: &str) -> Option<(FieldId, Ty)> {
        let db = self.db;
        let declared = |supertype: Ty| {
            let (class, _) = supertype.as_class(db)?;
            Some((own_field(db, class, name)?, supertype))
        };
        let receiver = receiver.base(db);
        let Some((class, args)) = receiver.as_class(db) else {
            return self.supertypes(receiver).into_iter().find_map(declared);
        };
        let (field, owner) = all_supertypes(db, class).iter().copied().find_map(declared)?;
        Some((field, Substitution::class(db, class, args).apply(db, owner)))
    }

    /// The nullary property method of that name, which may be called without parentheses.
    pub fn find_property_method(&self, receiver: Ty, name: &str) -> Option<Candidate> {
        let property = |c: &Candidate| {
            method_item(self.db, c.method)
                .is_some_and(|m| m.kind == MethodKind::Property && m.params.is_empty())
        };
        self.methods_named(receiver, name).into_iter().find(property)
    }
}

/// Operators of different form do not override each other though they share a name.
fn kind_class(kind: MethodKind) -> u8 {
    match kind {
        MethodKind::Binary => 1,
        MethodKind::BinaryRight => 2,
        MethodKind::Unary => 3,
        _ => 0,
    }
}
