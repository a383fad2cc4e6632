//! What questions about all files need, found before they are asked.

use crate::db::Db;
use crate::ids::SourceFile;
use crate::infer::owner_body;
use crate::item_tree::items::all_classes;
use crate::signature::supertypes::all_supertypes;

/// Finds what the classes of a file extend and implement.
pub fn find_supertypes(db: &dyn Db, file: SourceFile) {
    for class in all_classes(db, file) {
        all_supertypes(db, *class);
    }
}

/// Types the code of a file; how many bodies that were.
pub fn type_code(db: &dyn Db, file: SourceFile) -> usize {
    let mut bodies = 0;
    for owner in super::owners(db, file) {
        owner_body(db, owner);
        bodies += 1;
    }
    bodies
}
