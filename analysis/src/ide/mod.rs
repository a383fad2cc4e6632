//! What editors ask, as plain data in byte offsets; only the server knows the protocol.

mod hover;
mod lens;

pub use hover::{Hover, hover};
pub use lens::{Lens, LensKind, lenses};

use crate::db::Db;
use crate::ids::SourceFile;
use crate::infer::Owner;
use crate::item_tree::items::{all_classes, field_ids, method_ids};

/// Everything of a file that has code: methods, operators, constructors and field initialisers.
fn owners(db: &dyn Db, file: SourceFile) -> impl Iterator<Item = Owner> {
    let classes = all_classes(db, file).clone();
    classes.into_iter().flat_map(move |class| {
        let methods = method_ids(db, class).into_iter().map(Owner::Method);
        methods.chain(field_ids(db, class).into_iter().map(Owner::Field))
    })
}
