//! Lists of the members of a type, for completion and stubs.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use crate::db::Db;
use crate::ids::{FieldId, MethodId};
use crate::item_tree::items::{field_is_static, field_item, fields, method_is_static, method_item, methods};
use crate::item_tree::{MethodKind, Modifiers};
use crate::relate::Context;
use crate::ty::Ty;

/// A member with the distance to its declaring type (0: the type itself).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Listed<T> {
    pub(super) member: T,
    /// The declaring type, as seen from the listed type.
    pub(super) owner: Ty,
    pub(super) distance: usize,
}

/// The accessible fields of a type: the static ones, or those of its values.
pub(super) fn all_fields(context: &Context<'_>, ty: Ty, is_static: bool) -> Vec<Listed<FieldId>> {
    let db = context.db;
    let mut seen: FxHashSet<SmolStr> = FxHashSet::default();
    let mut all = Vec::new();
    for (distance, owner) in context.supertypes(ty).iter().copied().enumerate() {
        let Some((class, _)) = owner.as_class(db) else { continue };
        for member in fields(db, class) {
            let fits = field_is_static(db, *member) == is_static
                && field_item(db, *member).is_some_and(|f| context.can_access(class, f.modifiers));
            if fits && seen.insert(member.name(db).clone()) {
                all.push(Listed { member: *member, owner, distance });
            }
        }
    }
    all
}

/// The methods that can be called by name on a type or on its values, without overridden ones.
pub(super) fn all_methods(context: &Context<'_>, ty: Ty, is_static: bool) -> Vec<Listed<MethodId>> {
    let db = context.db;
    let supertypes = context.supertypes(ty);
    let mut seen: FxHashSet<SmolStr> = FxHashSet::default();
    let mut all = Vec::new();
    for owner in supertypes.iter() {
        let Some((class, _)) = owner.as_class(db) else { continue };
        for method in methods(db, class) {
            let name = method.name(db);
            if !has_name(db, *method) || !seen.insert(name.clone()) {
                continue;
            }
            for found in context.methods_named(ty, name).iter().copied() {
                let fits = method_is_static(db, found.method) == is_static
                    && method_item(db, found.method)
                        .is_some_and(|m| context.can_access(found.method.class(db), m.modifiers));
                if fits {
                    let distance = supertypes.iter().position(|t| *t == found.owner).unwrap_or(0);
                    all.push(Listed { member: found.method, owner: found.owner, distance });
                }
            }
        }
    }
    all
}

fn has_name(db: &dyn Db, method: MethodId) -> bool {
    method_item(db, method).is_some_and(|m| matches!(m.kind, MethodKind::Method | MethodKind::Property))
}

/// The inherited methods that a class could override and does not, nearest first.
pub(super) fn overridable(context: &Context<'_>, this: Ty) -> Vec<Listed<MethodId>> {
    let db = context.db;
    let closed = Modifiers::FINAL.0 | Modifiers::PRIVATE.0;
    let inherited = all_methods(context, this, false).into_iter().filter(|m| m.distance > 0);
    inherited.filter(|m| method_item(db, m.member).is_some_and(|m| m.modifiers.0 & closed == 0)).collect()
}
