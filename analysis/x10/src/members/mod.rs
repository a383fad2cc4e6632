//! Members of types: which there are, which may be used from where, and which a call means.

pub mod access;
pub mod candidates;
pub mod operators;
pub mod resolve;
#[cfg(test)]
mod tests;
pub mod unify;

use crate::db::Db;
use crate::ids::{ClassId, FieldId, MethodId};
use crate::item_tree::items::{class_head, class_kind, field_item, method_item};
use crate::item_tree::{ClassKind, ClassPlace, Modifiers, ParamItem};
use crate::scope::signature::method_signature;
use crate::ty::Ty;

pub use candidates::Candidate;
pub use resolve::{Arg, Failure, Reason, Rejection, Resolution};

/// What a method gives: the declared result, else what its body does. In terms of the method's and its
/// class's type parameters.
pub fn result_type(db: &dyn Db, method: MethodId) -> Ty {
    method_signature(db, method).result.unwrap_or_else(|| inferred_result(db, method))
}

fn inferred_result(db: &dyn Db, method: MethodId) -> Ty {
    crate::infer::inferred_result(db, method)
}

/// The type of a field that declares none: its initialiser's.
pub fn inferred_field_type(db: &dyn Db, field: FieldId) -> Ty {
    crate::infer::owner_body(db, crate::infer::Owner::Field(field)).result
}

/// Whether objects of a nested class have no object of the class around them.
pub fn is_static_class(db: &dyn Db, class: ClassId) -> bool {
    let Some(item) = class_head(db, class) else { return true };
    match item.place {
        // No object is of an interface and nothing more: what is declared in one has none around it.
        ClassPlace::Member => {
            item.kind != ClassKind::Class
                || item.modifiers.has(Modifiers::STATIC)
                || class.outer(db).is_none_or(|it| class_kind(db, it) == Some(ClassKind::Interface))
        }
        // A class in the code of a static member has no object around it.
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

/// A method as a person would name it in a list of candidates: `max(a:Int, b:Int):Int`.
pub fn describe_method(db: &dyn Db, method: MethodId) -> String {
    let signature = method_signature(db, method);
    let item = method_item(db, method);
    let name = |p: Option<&ParamItem>| p.and_then(|p| p.name.clone()).filter(|n| !n.is_empty());
    let params: Vec<String> = signature
        .written_params()
        .iter()
        .enumerate()
        .map(|(i, param)| match name(item.and_then(|m| m.params.get(i))) {
            Some(name) => format!("{name}:{}", param.ty.display(db)),
            None => param.ty.display(db).to_string(),
        })
        .collect();
    let type_params = item.map_or(&[][..], |m| &m.type_params);
    let type_params = match type_params.is_empty() {
        true => String::new(),
        false => format!("[{}]", type_params.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(",")),
    };
    let result = match signature.result {
        Some(result) if item.is_some_and(|m| !m.kind.is_constructor()) => format!(":{}", result.display(db)),
        _ => String::new(),
    };
    format!("{}{type_params}({}){result}", method.name(db), params.join(", "))
}
