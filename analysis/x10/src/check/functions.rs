//! Classes that implement function types: `class Twice implements (Long) => Long` needs `operator
//! this(x:Long):Long`.

use super::override_types::result_problem;
use super::overrides::formals;
use super::problem::DeclarationProblem;
use crate::db::Db;
use crate::ids::{ClassId, MethodId};
use crate::item_tree::items::{method_item, method_type_param_ids, own_methods};
use crate::item_tree::source::Item;
use crate::item_tree::{ClassItem, Modifiers};
use crate::relate::Context;
use crate::relate::subtype::erase;
use crate::rules::r#type::bad_override::Promise;
use crate::rules::r#type::not_implemented::NotImplemented;
use crate::signature::inferred::result_type;
use crate::signature::supertypes::{all_supertypes, direct_supertypes};
use crate::ty::subst::Substitution;
use crate::ty::{Ty, TyKind};

/// The name of the application operator.
const APPLY: &str = "operator()";

/// Problems of the concrete class `class` with the function types that it implements.
pub(super) fn function_problems(
    db: &dyn Db,
    class: ClassId,
    item: &ClassItem,
) -> impl Iterator<Item = (Item, DeclarationProblem)> {
    all_supertypes(db, class).iter().filter_map(move |supertype| {
        let TyKind::Function { params, result, .. } = supertype.kind(db) else { return None };
        let Some((method, owner)) = implementing(db, class, params) else {
            let data = NotImplemented::Function { class, function: *supertype };
            return Some((Item::Class(class), DeclarationProblem::new(item.at, data)));
        };
        let declared = method_item(db, method)?;
        let (owner_class, args) = owner.as_class(db)?;
        let given = Substitution::class(db, owner_class, args).apply(db, result_type(db, method));
        let promise = Promise::Function(*supertype);
        let problem = result_problem(db, (method, declared), given, erase(db, *result), promise)?;
        // An inherited operator is reported at the class.
        if owner_class != class {
            // A superclass that implements the same type has the same problem.
            if !direct_supertypes(db, class).contains(supertype) {
                return None;
            }
            return Some((Item::Class(class), problem.moved_to(item.at)));
        }
        Some((Item::Method(method), problem))
    })
}

/// The function types that a class inherits without an operator.
pub(crate) fn missing_functions(db: &dyn Db, class: ClassId) -> Vec<Ty> {
    let is_missing = |ty: &Ty| match ty.kind(db) {
        TyKind::Function { params, .. } => implementing(db, class, params).is_none(),
        _ => false,
    };
    all_supertypes(db, class).iter().copied().filter(is_missing).collect()
}

/// The operators by which a class, with `types` for its type parameters, implements the function type
/// `wanted`.
pub(crate) fn functions_of(db: &dyn Db, class: ClassId, types: &Substitution, wanted: Ty) -> Vec<MethodId> {
    let context = Context::global(db);
    let is_it = |ty: Ty| context.is_subtype(erase(db, types.apply(db, ty)), erase(db, wanted));
    let operator = |ty: &Ty| match ty.kind(db) {
        TyKind::Function { params, .. } if is_it(*ty) => implementing(db, class, params),
        _ => None,
    };
    all_supertypes(db, class).iter().filter_map(operator).map(|(method, _)| method).collect()
}

/// The operator with these formals, and the supertype of `class` that declares it.
fn implementing(db: &dyn Db, class: ClassId, wanted: &[Ty]) -> Option<(MethodId, Ty)> {
    let wanted: Vec<Ty> = wanted.iter().map(|ty| erase(db, *ty)).collect();
    all_supertypes(db, class).iter().find_map(|supertype| {
        let (owner, _) = supertype.as_class(db)?;
        let operators = own_methods(db, owner, APPLY).iter().copied();
        let mut fitting = operators.filter(|method| {
            method_type_param_ids(db, *method).is_empty()
                && method_item(db, *method).is_some_and(|it| !it.modifiers.has(Modifiers::STATIC))
                && formals(db, *method, *supertype, &[]) == wanted
        });
        fitting.next().map(|method| (method, *supertype))
    })
}
