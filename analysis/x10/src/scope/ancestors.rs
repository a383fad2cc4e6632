//! Ancestor classes, resolved from the names in class headers alone. A type argument or constraint in a
//! header may name an inherited member, also one of the class itself, so the ancestors are computed before
//! type arguments and constraints are resolved.

use rustc_hash::FxHashSet;

use crate::db::Db;
use crate::ids::ClassId;
use crate::item_tree::TypeRefKind;
use crate::item_tree::items::class_item;
use crate::scope::type_scope::TypeScope;

/// The ancestors of `class`, nearest first: a breadth-first search of the inheritance graph.
#[salsa::tracked(cycle_result = nobody)]
pub fn ancestors(db: &dyn Db, class: ClassId) -> Vec<ClassId> {
    let mut all = vec![class];
    let mut seen: FxHashSet<ClassId> = all.iter().copied().collect();
    let mut next = 0;
    while next < all.len() {
        for parent in parents(db, all[next]) {
            if seen.insert(*parent) {
                all.push(*parent);
            }
        }
        next += 1;
    }
    all.remove(0);
    all
}

/// The classes and interfaces named after `extends` and `implements`.
#[salsa::tracked(cycle_result = nobody)]
fn parents(db: &dyn Db, class: ClassId) -> Vec<ClassId> {
    let Some(item) = class_item(db, class) else { return Vec::new() };
    let scope = TypeScope { header_of: Some(class), ..TypeScope::class(db, class) };
    item.extends.iter().chain(&item.implements).filter_map(|written| scope.class_of(written, 0)).collect()
}

/// Whether every class and interface after `extends` and `implements` was found.
pub(crate) fn knows_parents(db: &dyn Db, class: ClassId) -> bool {
    class_item(db, class).as_ref().is_some_and(|item| {
        let written = item.extends.iter().chain(&item.implements);
        written.filter(|it| !matches!(it.kind, TypeRefKind::Function { .. })).count()
            == parents(db, class).len()
    })
}

fn nobody(_db: &dyn Db, _id: salsa::Id, _class: ClassId) -> Vec<ClassId> {
    Vec::new()
}
