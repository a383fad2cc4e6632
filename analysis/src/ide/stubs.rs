//! Declarations that override an inherited method.

use crate::db::Db;
use crate::ide::signature::describe;
use crate::ids::MethodId;
use crate::item_tree::Modifiers;
use crate::item_tree::items::{class_kind, method_item};
use crate::ty::Ty;

/// A declaration without a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stub {
    /// `name(formals):Result`
    pub(super) head: String,
    /// With modifiers and `def`.
    pub(super) declaration: String,
}

/// The declaration that overrides `method` of `owner`.
pub(super) fn stub(db: &dyn Db, method: MethodId, owner: Ty) -> Option<Stub> {
    let item = method_item(db, method)?;
    let described = describe(db, method, Some(owner));
    let head = format!("{}{}", method.name(db), described.tail());
    let of_interface = class_kind(db, method.class(db)) == Some(crate::item_tree::ClassKind::Interface);
    let access = match () {
        () if of_interface || item.modifiers.has(Modifiers::PUBLIC) => "public ",
        () if item.modifiers.has(Modifiers::PROTECTED) => "protected ",
        () => "",
    };
    Some(Stub { declaration: format!("{access}def {head}"), head })
}
