//! Object construction (X10 2.6, "Object Initialization"): until its constructor completes, only the
//! constructor, field initialisers and methods that cannot be overridden may access an object, and no field
//! is read before it is assigned.
//!
//!
//! Constructors, initialisers and the methods that they call are checked together, a class at a time:
//! [`escape`] checks how the object escapes, [`order`] the order of `super(...)`, `property(...)` and other
//! code, [`fields`] definite assignment. Results are relative to declarations, so that edits elsewhere keep
//! them.

mod escape;
mod fields;
mod order;

use std::sync::Arc;

use crate::body::Owner;
use crate::body::local_class_env::captured_variable;
use crate::body::walk::Node;
use crate::body::{Body, ExprId, ExprKind};
use crate::db::Db;
use crate::ids::{ClassId, FieldId, MethodId};
use crate::infer::{BodyResult, owner_body};
use crate::item_tree::items::{
    class_head, field_is_static, field_item, fields as own_fields, method_item, methods,
};
use crate::item_tree::{ClassKind, MethodItem, Modifiers, has_annotation};
use crate::rules::Problem;

/// Problems in the construction of a class's objects, each with its code's owner.
#[salsa::tracked]
pub fn construction_problems(db: &dyn Db, class: ClassId) -> Vec<(Owner, Problem)> {
    let Some(item) = class_head(db, class) else { return Vec::new() };
    if item.kind == ClassKind::Interface {
        return Vec::new();
    }
    let object = Object::new(db, class);
    let mut found = Vec::new();
    let reached = escape::check(&object, &mut found);
    let effects = fields::effects(&object, &reached);
    order::check(&object, &effects, &mut found);
    fields::check(&object, &effects, &mut found);
    found.extend(escape::check_annotated_methods(&object));
    found
}

/// A class whose objects are constructed.
struct Object<'db> {
    db: &'db dyn Db,
    class: ClassId,
    /// Whether its methods cannot be overridden.
    is_final: bool,
    /// Instance fields with an initialiser, in order.
    initializers: Vec<(FieldId, Arc<BodyResult>)>,
    /// Constructors with their code, the automatic one included.
    constructors: Vec<(MethodId, Arc<BodyResult>)>,
}

impl<'db> Object<'db> {
    fn new(db: &'db dyn Db, class: ClassId) -> Object<'db> {
        let item = class_head(db, class).as_ref();
        let is_final =
            item.is_some_and(|item| item.kind == ClassKind::Struct || item.modifiers.has(Modifiers::FINAL));
        let has_init = |field: &FieldId| {
            !field_is_static(db, *field) && field_item(db, *field).is_some_and(|item| item.has_initializer)
        };
        let initializers = own_fields(db, class).iter().copied().filter(has_init);
        let constructors = methods(db, class).iter().copied().filter(|method| {
            method_item(db, *method).is_some_and(|item| {
                item.kind.is_constructor()
                    && !item.modifiers.has(Modifiers::NATIVE)
                    && !has_annotation(&item.annotations, "Native")
            })
        });
        Object {
            db,
            class,
            is_final,
            initializers: initializers.map(|f| (f, owner_body(db, Owner::Field(f)).clone())).collect(),
            constructors: constructors.map(|m| (m, owner_body(db, Owner::Method(m)).clone())).collect(),
        }
    }

    /// A method declared in the class, with its code.
    fn own_method(&self, method: MethodId) -> Option<(&'db MethodItem, Arc<BodyResult>)> {
        let item = method_item(self.db, method).filter(|item| item.has_body)?;
        (method.class(self.db) == self.class)
            .then(|| (item, owner_body(self.db, Owner::Method(method)).clone()))
    }

    /// Whether a call has one target whatever the object's class.
    fn cannot_be_overridden(&self, item: &MethodItem) -> bool {
        self.is_final || item.modifiers.has(Modifiers::FINAL) || item.modifiers.has(Modifiers::PRIVATE)
    }
}

/// Whether a node is a captured variable of a local class, which its objects have from the start.
fn is_captured_variable(db: &dyn Db, body: &Body, node: Node) -> bool {
    let Node::Expr(id) = node else { return false };
    match body.expr(id).kind {
        ExprKind::Field { field, .. } => captured_variable(db, field).is_some(),
        _ => false,
    }
}

/// Whether an expression is `this`, possibly converted to a superclass.
fn is_this(body: &Body, id: ExprId) -> bool {
    match body.expr(id).kind {
        ExprKind::This => true,
        ExprKind::Coerce { value } => is_this(body, value),
        _ => false,
    }
}
