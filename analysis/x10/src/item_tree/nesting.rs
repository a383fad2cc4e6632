//! Nesting of classes: static classes, the method around a local class, and the type parameters in scope in a
//! class.
//!
//! The type parameters of the enclosing classes and methods are implicit type parameters of an inner or local
//! class, after its own.

use crate::db::Db;
use crate::ids::{ClassId, FieldId, MethodId, TypeParamId};
use crate::item_tree::items::{
    class_head, class_kind, field_item, method_item, method_type_param_ids, type_param_ids,
};
use crate::item_tree::{ClassKind, ClassPlace, Modifiers};

/// All type parameters of a class: its own, those of the method around it, and those of the class around it
/// unless it is static. The arguments of a class type are in this order.
#[salsa::tracked]
pub fn all_type_params(db: &dyn Db, class: ClassId) -> Vec<TypeParamId> {
    let mut all = type_param_ids(db, class).clone();
    if let Some(method) = enclosing_method(db, class) {
        all.extend(method_type_param_ids(db, method));
    }
    if let Some(outer) = class.outer(db).filter(|_| !is_static_class(db, class)) {
        all.extend(all_type_params(db, outer));
    }
    all
}

/// The method around a local or anonymous class.
pub(crate) fn enclosing_method(db: &dyn Db, class: ClassId) -> Option<MethodId> {
    let body = class_head(db, class).as_ref()?.body.as_ref()?;
    let method = MethodId::new(db, class.outer(db)?, body.owner.clone(), body.nth);
    method_item(db, method).map(|_| method)
}

/// Whether objects of a nested class have no enclosing object.
pub fn is_static_class(db: &dyn Db, class: ClassId) -> bool {
    let Some(item) = class_head(db, class) else { return true };
    match item.place {
        // A member class of an interface has no enclosing object.
        ClassPlace::Member => {
            item.kind != ClassKind::Class
                || item.modifiers.has(Modifiers::STATIC)
                || class.outer(db).is_none_or(|it| class_kind(db, it) == Some(ClassKind::Interface))
        }
        // A class in the body of a static member has no enclosing object.
        ClassPlace::Local | ClassPlace::Anonymous => match (&item.body, class.outer(db)) {
            (Some(body), Some(outer)) => owner_is_static(db, outer, &body.owner, body.nth),
            _ => false,
        },
    }
}

fn owner_is_static(db: &dyn Db, class: ClassId, owner: &str, nth: u32) -> bool {
    let method = MethodId::new(db, class, smol_str::SmolStr::new(owner), nth);
    if let Some(item) = method_item(db, method) {
        return item.modifiers.has(Modifiers::STATIC);
    }
    let field = FieldId::new(db, class, smol_str::SmolStr::new(owner));
    field_item(db, field).is_some_and(|f| f.modifiers.has(Modifiers::STATIC))
}
