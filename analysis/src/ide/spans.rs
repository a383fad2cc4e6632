//! Which declaration an offset of a file lies in.

use apg_syntax::TextRange;

use super::owners;
use crate::db::Db;
use crate::ids::{ClassId, SourceFile};
use crate::infer::Owner;
use crate::item_tree::items::all_classes;
use crate::item_tree::source::{Item, item_ptr};

/// Everything with code in a file and where it stands.
#[salsa::tracked]
fn owner_spans(db: &dyn Db, file: SourceFile) -> Vec<(TextRange, Owner)> {
    owners(db, file).filter_map(|owner| Some((item_ptr(db, owner.into())?.range(), owner))).collect()
}

/// The innermost method, constructor or field initialiser around a range. A class in a method's code has owners of its own.
pub(super) fn owner_at(db: &dyn Db, file: SourceFile, range: TextRange) -> Option<Owner> {
    let around = owner_spans(db, file).iter().filter(|(span, _)| span.contains_range(range));
    around.min_by_key(|(span, _)| span.len()).map(|(_, owner)| *owner)
}

/// The innermost class around a range.
pub(super) fn enclosing_class(db: &dyn Db, file: SourceFile, range: TextRange) -> Option<ClassId> {
    let span = |class: &ClassId| item_ptr(db, Item::Class(*class)).map(|ptr| ptr.range());
    let around = all_classes(db, file).iter().filter(|c| span(c).is_some_and(|s| s.contains_range(range)));
    around.copied().min_by_key(|c| span(c).map(|s| s.len()))
}
