//! Owners of bodies: declarations with code.

use crate::db::Db;
use crate::ids::{ClassId, FieldId, MethodId};
use crate::item_tree::items::{class_head, method_item};
use crate::item_tree::source::Item;

/// The declaration that a body belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, salsa::Supertype)]
pub enum Owner {
    /// A method, operator or constructor.
    Method(MethodId),
    /// The initialiser of a field.
    Field(FieldId),
}

impl From<Owner> for Item {
    fn from(owner: Owner) -> Item {
        match owner {
            Owner::Method(method) => Item::Method(method),
            Owner::Field(field) => Item::Field(field),
        }
    }
}

/// The owner of the body in which a local or anonymous class is declared.
pub(crate) fn enclosing_owner(db: &dyn Db, class: ClassId) -> Option<Owner> {
    let body = class_head(db, class).as_ref()?.body.as_ref()?;
    let outer = class.outer(db)?;
    let method = MethodId::new(db, outer, body.owner.clone(), body.nth);
    Some(match method_item(db, method) {
        Some(_) => Owner::Method(method),
        None => Owner::Field(FieldId::new(db, outer, body.owner.clone())),
    })
}
