//! Members of types: lookup, access control, and resolution of calls.

pub(crate) mod access;
pub(crate) mod candidates;
pub(crate) mod operators;
pub(crate) mod resolve;
#[cfg(test)]
mod tests;
pub(crate) mod unify;

use crate::db::Db;
use crate::ids::MethodId;
use crate::item_tree::ParamItem;
use crate::item_tree::items::method_item;
use crate::signature::method_signature;

pub(crate) use candidates::Candidate;
pub(crate) use resolve::{Arg, Failure, Reason, Rejection, Resolution};

/// A method's signature for lists of candidates: `max(a:Int, b:Int):Int`.
pub(crate) fn describe_method(db: &dyn Db, method: MethodId) -> String {
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
