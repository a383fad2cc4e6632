//! What extends a class or overrides a method.

use super::symbol::Symbol;
use crate::check::overridden;
use crate::db::Db;
use crate::ids::{ClassId, SourceFile};
use crate::item_tree::items::{all_classes, own_methods};
use crate::item_tree::source::Item;
use crate::ty::supers::{all_supertypes, direct_supertypes};

/// The classes below a class, or the methods that override a method, in `files`.
pub fn implementations(db: &dyn Db, files: &[SourceFile], symbol: &Symbol) -> Vec<Symbol> {
    match symbol {
        Symbol::Item(Item::Class(class)) => {
            below(db, files, *class).map(|c| Symbol::Item(Item::Class(c))).collect()
        }
        Symbol::Item(Item::Method(method)) => {
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

fn below<'a>(db: &'a dyn Db, files: &'a [SourceFile], class: ClassId) -> impl Iterator<Item = ClassId> + 'a {
    let classes = files.iter().flat_map(move |f| all_classes(db, *f).iter().copied());
    classes.filter(move |c| {
        *c != class && all_supertypes(db, *c).iter().any(|t| t.as_class(db).is_some_and(|(s, _)| s == class))
    })
}

/// What a class extends and implements itself.
pub fn supertypes(db: &dyn Db, class: ClassId) -> Vec<ClassId> {
    let direct = direct_supertypes(db, class).iter();
    direct.filter_map(|t| t.base(db).as_class(db).map(|(class, _)| class)).collect()
}

/// The classes in `files` that extend or implement a class themselves.
pub fn subtypes(db: &dyn Db, files: &[SourceFile], class: ClassId) -> Vec<ClassId> {
    below(db, files, class).filter(|c| supertypes(db, *c).contains(&class)).collect()
}
