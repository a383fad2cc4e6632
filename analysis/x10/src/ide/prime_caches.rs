//! Priming of the results that workspace-wide requests need.

use crate::db::Db;
use crate::ids::SourceFile;
use crate::infer::owner_body;
use crate::item_tree::items::all_classes;
use crate::signature::supertypes::all_supertypes;

/// Computes the supertypes of the classes of a file.
pub fn prime_supertypes(db: &dyn Db, file: SourceFile) {
    for class in all_classes(db, file) {
        all_supertypes(db, *class);
    }
}

/// Types the bodies of a file, and returns their number.
pub fn prime_bodies(db: &dyn Db, file: SourceFile) -> usize {
    let mut bodies = 0;
    for owner in super::owners(db, file) {
        owner_body(db, owner);
        bodies += 1;
    }
    bodies
}
