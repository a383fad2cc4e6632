//! What editors ask, as plain data in byte offsets; only the server knows the protocol.

mod hover;
mod lens;
mod symbol;
#[cfg(test)]
mod tests;

pub use hover::{Hover, hover};
pub use lens::{Lens, LensKind, lenses};
pub use symbol::{Symbol, declaration, documentation, symbol_at};

use crate::db::Db;
use crate::ids::{ClassId, SourceFile};
use crate::infer::Owner;
use crate::item_tree::items::{all_classes, class_item, fields, methods, own_typedefs};
use crate::item_tree::source::Item;

/// Everything of a file that has code: methods, operators, constructors and field initialisers.
fn owners(db: &dyn Db, file: SourceFile) -> impl Iterator<Item = Owner> {
    let classes = all_classes(db, file).clone();
    classes.into_iter().flat_map(move |class| {
        let own = methods(db, class).iter().copied().map(Owner::Method).collect::<Vec<_>>().into_iter();
        own.chain(fields(db, class).iter().copied().map(Owner::Field).collect::<Vec<_>>())
    })
}

/// The fields, methods and type definitions of a class.
fn members_of(db: &dyn Db, class: ClassId) -> Vec<Item> {
    let mut all: Vec<Item> = fields(db, class).iter().copied().map(Item::Field).collect();
    all.extend(methods(db, class).iter().copied().map(Item::Method));
    let typedefs = class_item(db, class).as_ref().map_or(&[][..], |c| &c.typedefs);
    let first = typedefs.iter().filter(|t| t.nth == 0);
    all.extend(first.flat_map(|t| own_typedefs(db, class, &t.name)).map(Item::Typedef));
    all
}
