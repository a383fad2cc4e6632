//! The type parameters that a class depends on. An inner class is one class for each instance of the classes around
//! it, and a class in a method's code one for each instance of the method: their parameters follow its own.

use super::Ty;
use super::subst::Substitution;
use super::supers::all_supertypes;
use crate::db::Db;
use crate::ids::{ClassId, TypeParamId};
use crate::item_tree::items::{method_type_param_ids, type_param_ids};
use crate::members::is_static_class;
use crate::scope::resolve::enclosing_method;

/// All type parameters that a class depends on: its own, those of the method whose code it stands in, and those of the
/// class around it unless it is static. The arguments of a class type are in this order.
#[salsa::tracked]
pub fn all_type_params(db: &dyn Db, class: ClassId) -> Vec<TypeParamId> {
    let mut all = type_param_ids(db, class).clone();
    if let Some(method) = enclosing_method(db, class) {
        all.extend(method_type_param_ids(db, method));
    }
    if let Some(outer) = class.outer(db).filter(|_| !is_static_class(db, class)) {
        all.extend(all_type_params(db, outer));
    }
    all
}

/// The arguments for the parameters of `class` that are not its own, where code of the class `from` names it: what
/// the class around `class` is for that code.
pub fn enclosing_args(
    db: &dyn Db,
    class: ClassId,
    from: Option<ClassId>,
    header_of: Option<ClassId>,
) -> Vec<Ty> {
    let params = &all_type_params(db, class)[type_param_ids(db, class).len()..];
    let same: Vec<Ty> = params.iter().map(|p| Ty::param(db, *p)).collect();
    let Some(outer) = class.outer(db).filter(|_| !same.is_empty()) else { return same };
    for around in std::iter::successors(from, |c| c.outer(db)) {
        if around == outer {
            return same;
        }
        if Some(around) == header_of {
            continue;
        }
        let seen =
            all_supertypes(db, around).iter().filter_map(|t| t.as_class(db)).find(|(c, _)| *c == outer);
        if let Some((_, args)) = seen {
            return Substitution::class(db, outer, args).apply_all(db, &same);
        }
    }
    same
}
