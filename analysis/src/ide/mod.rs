//! What editors ask, as plain data in byte offsets; only the server knows the protocol.

mod hover;
mod lens;

pub use hover::{Hover, hover};
pub use lens::{Lens, LensKind, lenses};

use crate::db::Db;
use crate::ids::SourceFile;
use crate::infer::Owner;
use crate::item_tree::items::{all_classes, fields, methods};

/// Everything of a file that has code: methods, operators, constructors and field initialisers.
fn owners(db: &dyn Db, file: SourceFile) -> impl Iterator<Item = Owner> {
    let classes = all_classes(db, file).clone();
    classes.into_iter().flat_map(move |class| {
        let own = methods(db, class).iter().copied().map(Owner::Method).collect::<Vec<_>>().into_iter();
        own.chain(fields(db, class).iter().copied().map(Owner::Field).collect::<Vec<_>>())
    })
}
