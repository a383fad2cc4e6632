//! The parts of signatures that are inferred from bodies: result types, types of fields, guards, environments
//! of local classes. Only this module calls from signatures up to type inference, through [`Db`].

use super::header::{field_signature, method_signature};
use crate::body::local_class_env::captured_variable;
use crate::db::Db;
use crate::ids::{FieldId, MethodId};
use crate::inputs::checks;
use crate::item_tree::has_annotation;
use crate::item_tree::items::method_item;
use crate::ty::{Constraint, Ty};

/// The result type of a method: the declared one, else the one inferred from its body. In terms of the type
/// parameters of the method and its class.
pub fn result_type(db: &dyn Db, method: MethodId) -> Ty {
    method_signature(db, method).result.unwrap_or_else(|| db.inferred_result(method))
}

/// The type of a field: the declared one, else that of its initialiser.
pub fn field_type(db: &dyn Db, field: FieldId) -> Ty {
    field_signature(db, field).ty.unwrap_or_else(|| db.inferred_field_type(field))
}

/// The type of a hidden field of a local or anonymous class.
pub(crate) fn captured_type(db: &dyn Db, field: FieldId) -> Option<Ty> {
    let name = captured_variable(db, field)?;
    db.local_class_env(field.class(db)).local(name).map(|local| local.ty)
}

/// Whether the guard of a method is inferred from its code.
pub(crate) fn infers_guard(db: &dyn Db, method: MethodId) -> bool {
    checks(db, method.class(db).file(db)).infers_guards
        && method_item(db, method).is_some_and(|item| has_annotation(&item.annotations, "InferGuard"))
}

/// The guard on values that is inferred for a method, over its parameters; empty unless it [`infers_guard`].
pub(crate) fn inferred_guard(db: &dyn Db, method: MethodId) -> Constraint {
    if infers_guard(db, method) { db.inferred_guard(method) } else { Constraint::default() }
}

/// The guard of a method on values: the declared and, where requested, the inferred one.
pub(crate) fn full_guard(db: &dyn Db, method: MethodId) -> Constraint {
    let mut guard = method_signature(db, method).guard.constraint.clone();
    for term in inferred_guard(db, method).terms {
        if !guard.terms.contains(&term) {
            guard.terms.push(term);
        }
    }
    guard
}
