//! Supertypes of classes, in terms of their own type parameters.

use crate::item_tree::items::type_param_ids;
use crate::item_tree::nesting::all_type_params;

use rustc_hash::FxHashSet;

use crate::db::Db;
use crate::ids::ClassId;
use crate::signature::class_header;
use crate::ty::known::{Known, known_class};
use crate::ty::subst::Substitution;
use crate::ty::{Ty, TyKind};

/// The types that `class` extends and implements, in terms of its own type parameters; the superclass first.
pub(crate) fn direct_supertypes(db: &dyn Db, class: ClassId) -> &[Ty] {
    &class_header(db, class).supers
}

/// The superclass of a class, in terms of its own parameters.
pub(crate) fn superclass(db: &dyn Db, class: ClassId) -> Option<Ty> {
    let header = class_header(db, class);
    header.has_superclass.then(|| header.supers.first().copied()).flatten()
}

/// Maximum number of generic supertypes: only an infinitely expanding hierarchy has more.
const MAX_APPLIED: usize = 512;

/// `class` itself and its supertypes, direct and transitive, in terms of its own type parameters; nearest
/// first, `Any` last. Cyclic inheritance, which is reported elsewhere, ends here.
#[salsa::tracked(cycle_result = itself)]
pub fn all_supertypes(db: &dyn Db, class: ClassId) -> Vec<Ty> {
    let any = known_class(db, Known::Any).map(|any| Ty::class(db, any, Vec::new()));
    let mut all = vec![Ty::this_type(db, class)];
    let mut seen: FxHashSet<Ty> = all.iter().copied().collect();
    let mut applied = 0;
    let mut next = 0;
    while next < all.len() && applied < MAX_APPLIED {
        if let TyKind::Class { class, args } = all[next].kind(db) {
            let substitution = Substitution::class(db, *class, args);
            for supertype in direct_supertypes(db, *class) {
                let supertype = substitution.apply(db, supertype.base(db));
                if Some(supertype) != any && seen.insert(supertype) {
                    applied += usize::from(supertype.as_class(db).is_some_and(|(_, args)| !args.is_empty()));
                    all.push(supertype);
                }
            }
        }
        next += 1;
    }
    all.extend(any.filter(|any| all[0] != *any));
    all
}

fn itself(db: &dyn Db, _id: salsa::Id, class: ClassId) -> Vec<Ty> {
    vec![Ty::this_type(db, class)]
}

/// The arguments for the type parameters that `class` has from the classes around it, where code of the class
/// `from` names it: those of the enclosing class as `from` inherits it.
pub(crate) fn enclosing_args(
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
