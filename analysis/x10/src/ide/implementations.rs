//! Go to implementation: the subtypes of a class and the methods that override a method.

use super::navigation_target::Symbol;
use crate::check::overridden;
use crate::db::Db;
use crate::ids::{ClassId, MethodId, SourceFile};
use crate::item_tree::items::{all_classes, method_is_static, own_methods};
use crate::item_tree::source::Item;
use crate::item_tree::token_index;
use crate::signature::supertypes::{all_supertypes, direct_supertypes};
use crate::ty::known::{Known, known_class};

/// The subtypes of a class, or the methods that override a method, in `files`.
pub fn implementations(db: &dyn Db, files: &[SourceFile], symbol: &Symbol) -> Vec<Symbol> {
    match symbol {
        Symbol::Item(Item::Class(class)) => {
            below(db, files, *class).map(|c| Symbol::Item(Item::Class(c))).collect()
        }
        Symbol::Item(Item::Method(method)) if may_be_overridden(db, *method) => {
            let overriding = |class: ClassId| {
                let own = own_methods(db, class, method.name(db)).iter().copied();
                own.filter(|m| overridden(db, class, *m).iter().any(|(other, _)| other == method))
                    .collect::<Vec<_>>()
            };
            let classes = below(db, files, method.class(db));
            classes.flat_map(overriding).map(|m| Symbol::Item(Item::Method(m))).collect()
        }
        _ => Vec::new(),
    }
}

/// Those of `files` that may contain implementations of `symbol`; the others need not be parsed.
pub fn files_below(db: &dyn Db, files: &[SourceFile], symbol: &Symbol) -> Vec<SourceFile> {
    let class = match symbol {
        Symbol::Item(Item::Class(class)) => *class,
        Symbol::Item(Item::Method(method)) if may_be_overridden(db, *method) => method.class(db),
        _ => return Vec::new(),
    };
    // Every class is a subtype of `Any` without naming it.
    match known_class(db, Known::Any) == Some(class) {
        true => files.to_vec(),
        false => token_index::files_below(db, files, class.name(db)),
    }
}

fn may_be_overridden(db: &dyn Db, method: MethodId) -> bool {
    method.name(db) != "this" && !method_is_static(db, method)
}

fn below(db: &dyn Db, files: &[SourceFile], class: ClassId) -> impl Iterator<Item = ClassId> {
    let files = files_below(db, files, &Symbol::Item(Item::Class(class))).into_iter();
    let classes = files.flat_map(move |f| all_classes(db, f).iter().copied());
    classes.filter(move |c| {
        *c != class && all_supertypes(db, *c).iter().any(|t| t.as_class(db).is_some_and(|(s, _)| s == class))
    })
}

/// The direct supertypes of a class.
pub fn supertypes(db: &dyn Db, class: ClassId) -> Vec<ClassId> {
    let direct = direct_supertypes(db, class).iter();
    direct.filter_map(|t| t.base(db).as_class(db).map(|(class, _)| class)).collect()
}

/// The direct subtypes of a class in `files`.
pub fn subtypes(db: &dyn Db, files: &[SourceFile], class: ClassId) -> Vec<ClassId> {
    below(db, files, class).filter(|c| supertypes(db, *c).contains(&class)).collect()
}
