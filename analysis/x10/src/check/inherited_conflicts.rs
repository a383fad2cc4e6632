//! Conflicts of inherited methods: equal formals with incompatible results, which no method can implement
//! together.

use super::problem::DeclarationProblem;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::overrides::{formals, own_params};
use crate::db::Db;
use crate::ids::{ClassId, MethodId};
use crate::item_tree::items::{
    class_kind, method_is_static, method_item, method_type_param_ids, methods, own_methods,
};
use crate::item_tree::source::Item;
use crate::item_tree::{ClassItem, ClassKind, Modifiers};
use crate::relate::Context;
use crate::rules::r#type::bad_override::{BadOverride, InheritedMethod};
use crate::signature::method_signature;
use crate::signature::supertypes::{all_supertypes, direct_supertypes};
use crate::ty::Ty;
use crate::ty::known::Known;
use crate::ty::subst::Substitution;

/// Adds the first conflict among the methods that `class` inherits.
pub(super) fn conflict_problems(
    db: &dyn Db,
    class: ClassId,
    item: &ClassItem,
    all: &mut Vec<(Item, Vec<DeclarationProblem>)>,
) {
    // With one supertype, the conflict is that type's.
    if direct_supertypes(db, class).len() < 2 {
        return;
    }
    let mut by_name: FxHashMap<&SmolStr, Vec<(MethodId, Ty)>> = FxHashMap::default();
    for supertype in all_supertypes(db, class).iter().skip(1) {
        let Some((owner, _)) = supertype.as_class(db) else { continue };
        if supertype.is_known(db, Known::Any) {
            continue;
        }
        for method in methods(db, owner) {
            let Some(item) = method_item(db, *method) else { continue };
            let hidden = item.kind.is_constructor() || item.modifiers.has(Modifiers::PRIVATE);
            if !hidden && !method_is_static(db, *method) {
                by_name.entry(method.name(db)).or_default().push((*method, *supertype));
            }
        }
    }
    let mut names: Vec<_> = by_name.into_iter().filter(|(_, found)| found.len() > 1).collect();
    names.sort_by_key(|(name, _)| (*name).clone());
    for (_, found) in names {
        for (at, first) in found.iter().enumerate() {
            for second in &found[at + 1..] {
                if let Some(problem) = conflict(db, class, item, *first, *second) {
                    all.push((Item::Class(class), vec![problem]));
                    return;
                }
            }
        }
    }
}

fn conflict(
    db: &dyn Db,
    class: ClassId,
    item: &ClassItem,
    (first, first_owner): (MethodId, Ty),
    (second, second_owner): (MethodId, Ty),
) -> Option<DeclarationProblem> {
    let context = Context::class(db, class);
    let is_interface =
        |owner: Ty| owner.as_class(db).is_some_and(|(c, _)| class_kind(db, c) == Some(ClassKind::Interface));
    if !is_interface(first_owner) && !is_interface(second_owner) {
        return None;
    }
    // Among related types one method overrides the other, which is checked there.
    if context.is_subtype(first_owner, second_owner) || context.is_subtype(second_owner, first_owner) {
        return None;
    }
    // A direct supertype that inherits both has the same problem.
    let inherits = |supertype: Ty, owner: Ty| context.is_subtype(supertype, owner);
    let direct = direct_supertypes(db, class);
    if direct.iter().any(|it| inherits(*it, first_owner) && inherits(*it, second_owner)) {
        return None;
    }
    let own = own_params(db, first);
    let types = formals(db, first, first_owner, &own);
    let same = method_type_param_ids(db, second).len() == own.len()
        && formals(db, second, second_owner, &own) == types
        && !types.iter().any(|ty| ty.mentions_error(db));
    // A method of the class itself is checked against each of them.
    let overridden = || {
        own_methods(db, class, first.name(db)).iter().any(|m| {
            method_type_param_ids(db, *m).len() == own.len()
                && formals(db, *m, Ty::this_type(db, class), &own) == types
        })
    };
    if !same || overridden() {
        return None;
    }
    let (a, b) = (result(db, first, first_owner, &own)?, result(db, second, second_owner, &own)?);
    let fits = a.is_void(db) == b.is_void(db)
        && (a.is_void(db) || context.is_subtype(a, b) || context.is_subtype(b, a));
    if fits || a.mentions_error(db) || b.mentions_error(db) {
        return None;
    }
    let data = BadOverride::Conflict {
        class,
        first: InheritedMethod { method: first, owner: first_owner, result: a },
        second: InheritedMethod { method: second, owner: second_owner, result: b },
    };
    Some(DeclarationProblem::new(item.at, data))
}

fn result(db: &dyn Db, method: MethodId, owner: Ty, own: &[Ty]) -> Option<Ty> {
    let (class, args) = owner.as_class(db)?;
    let substitution =
        Substitution::class(db, class, args).with_types(method_type_param_ids(db, method), own);
    Some(substitution.apply(db, method_signature(db, method).result?))
}
