//! The declarations around an offset or range of a file.

use apg_syntax::TextRange;

use super::owners;
use crate::body::Owner;
use crate::db::Db;
use crate::ids::{ClassId, SourceFile};
use crate::item_tree::items::all_classes;
use crate::item_tree::source::{Item, item_ptr};

/// The owners of bodies in a file with their ranges.
#[salsa::tracked]
fn owner_spans(db: &dyn Db, file: SourceFile) -> Vec<(TextRange, Owner)> {
    owners(db, file).filter_map(|owner| Some((item_ptr(db, owner.into())?.range(), owner))).collect()
}

/// The innermost method, constructor or field initialiser around a range. A class declared in a body has
/// owners of its own.
pub(super) fn owner_at(db: &dyn Db, file: SourceFile, range: TextRange) -> Option<Owner> {
    let around = owner_spans(db, file).iter().filter(|(span, _)| span.contains_range(range));
    around.min_by_key(|(span, _)| span.len()).map(|(_, owner)| *owner)
}

/// All classes and members of a file with their ranges.
#[salsa::tracked]
fn item_spans(db: &dyn Db, file: SourceFile) -> Vec<(TextRange, Item)> {
    let members = |class: &ClassId| {
        std::iter::once(Item::Class(*class)).chain(super::members_of(db, *class)).collect::<Vec<_>>()
    };
    let items = all_classes(db, file).iter().flat_map(members);
    items.filter_map(|item| Some((item_ptr(db, item)?.range(), item))).collect()
}

/// The classes and members around a range, outer classes first.
pub(super) fn items_around(db: &dyn Db, file: SourceFile, range: TextRange) -> impl Iterator<Item = Item> {
    let around = item_spans(db, file).iter().filter(move |(span, _)| span.contains_range(range));
    around.map(|(_, item)| *item)
}

/// The innermost class around a range.
pub(super) fn enclosing_class(db: &dyn Db, file: SourceFile, range: TextRange) -> Option<ClassId> {
    let around = item_spans(db, file).iter().filter(|(span, _)| span.contains_range(range));
    let classes = around.filter_map(|(span, item)| match item {
        Item::Class(class) => Some((span, *class)),
        _ => None,
    });
    classes.min_by_key(|(span, _)| span.len()).map(|(_, class)| class)
}
