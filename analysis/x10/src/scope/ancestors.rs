//! What classes inherit from, by the names in their headers alone. Type arguments and constraints in a header
//! may speak of members that classes inherit, of the class itself too, so what is inherited has to be known
//! before those are resolved.

use rustc_hash::FxHashSet;

use crate::db::Db;
use crate::ids::ClassId;
use crate::item_tree::TypeRefKind;
use crate::item_tree::items::class_item;
use crate::scope::type_scope::TypeScope;

/// The classes and interfaces that `class` inherits from, nearest first.
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

/// Whether all classes and interfaces named there were found.
pub fn knows_parents(db: &dyn Db, class: ClassId) -> bool {
    class_item(db, class).as_ref().is_some_and(|item| {
        let written = item.extends.iter().chain(&item.implements);
        written.filter(|it| !matches!(it.kind, TypeRefKind::Function { .. })).count()
            == parents(db, class).len()
    })
}

fn nobody(_db: &dyn Db, _id: salsa::Id, _class: ClassId) -> Vec<ClassId> {
    Vec::new()
}
