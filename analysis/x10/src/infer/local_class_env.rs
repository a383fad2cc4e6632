//! Environments of local and anonymous classes: the variables in scope, and those that the class captures.
//!
//! A captured variable becomes a hidden field of the class, named [`captured_name`] and set by the
//! constructor. The variables are found by typing the enclosing body up to the class and no further, since
//! later code may depend on the class.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::body::Owner;
use crate::body::enclosing_owner;
use crate::body::local_class_env::{LocalClassEnv, captured_name, captured_variable};
use crate::body::{ExprKind, LocalId};
use crate::db::Db;
use crate::ids::{ClassId, FieldId};
use crate::infer::{body, field_init_body, owner_body};
use crate::item_tree::items::{fields, methods, nested_classes};
use crate::signature::supertypes::superclass;
use crate::ty::{ConstraintTerm, Named, Path, PathRoot, Ty};

/// The environment of a local or anonymous class; empty for other classes.
#[salsa::tracked(cycle_result = nothing_around)]
pub fn local_class_env(db: &dyn Db, class: ClassId) -> Arc<LocalClassEnv> {
    let found = enclosing_owner(db, class).and_then(|owner| body::local_class_env(db, owner, class));
    Arc::new(found.unwrap_or_default())
}

fn nothing_around(_db: &dyn Db, _id: salsa::Id, _class: ClassId) -> Arc<LocalClassEnv> {
    Arc::default()
}

/// A type of the enclosing body, as the class sees it: terms about values that it cannot name are dropped.
pub(crate) fn seen_by_class(db: &dyn Db, ty: Ty, path: &dyn Fn(&Path) -> Option<Path>) -> Ty {
    ty.map_terms(db, &mut |term| term_seen(term, path))
}

/// A term of the enclosing body, as the class sees it.
pub(crate) fn term_seen(
    term: &ConstraintTerm,
    path: &dyn Fn(&Path) -> Option<Path>,
) -> Option<ConstraintTerm> {
    Some(match term {
        ConstraintTerm::Equal(a, b) => ConstraintTerm::Equal(path(a)?, path(b)?),
        ConstraintTerm::NotEqual(a, b) => ConstraintTerm::NotEqual(path(a)?, path(b)?),
        ConstraintTerm::Holds(a) => ConstraintTerm::Holds(path(a)?),
        ConstraintTerm::Opaque(_) => return None,
    })
}

/// A variable captured by objects of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedVariable {
    /// The hidden field.
    pub field: FieldId,
    /// The owner of the enclosing body.
    pub owner: Owner,
    /// The variable in that body.
    pub local: LocalId,
}

/// The variables that objects of a local or anonymous class capture: those that its code uses, and those
/// captured by classes of the same body that it extends or instantiates.
#[salsa::tracked(cycle_result = nothing_captured)]
pub fn class_captures(db: &dyn Db, class: ClassId) -> Arc<Vec<CapturedVariable>> {
    let Some(owner) = enclosing_owner(db, class) else { return Arc::default() };
    let around = local_class_env(db, class);
    let mut captures = Vec::new();
    let mut siblings = vec![class];
    let mut next = 0;
    while next < siblings.len() {
        for name in used_variables(db, siblings[next], owner, &mut siblings) {
            let field = FieldId::new(db, class, captured_name(&name));
            let Some(local) = around.local(&name).map(|visible| visible.local) else { continue };
            let variable = CapturedVariable { field, owner, local };
            if !captures.contains(&variable) {
                captures.push(variable);
            }
        }
        next += 1;
    }
    Arc::new(captures)
}

fn nothing_captured(_db: &dyn Db, _id: salsa::Id, _class: ClassId) -> Arc<Vec<CapturedVariable>> {
    Arc::default()
}

/// The variables of the enclosing body that a run-time check of a type in `class` uses.
fn checked_variables(db: &dyn Db, ty: Ty, class: ClassId) -> Vec<SmolStr> {
    let paths = ty.constraint(db).into_iter().flat_map(|it| &it.terms).flat_map(ConstraintTerm::paths);
    let variable = |path: &Path| match path.root {
        PathRoot::Static { what: Named::Captured(field), .. } if field.class(db) == class => {
            captured_variable(db, field).map(SmolStr::new)
        }
        _ => None,
    };
    paths.filter_map(variable).collect()
}

/// The variables that the code of `class` itself uses. Adds the classes of `owner` that it extends or
/// instantiates to `siblings`.
fn used_variables(db: &dyn Db, class: ClassId, owner: Owner, siblings: &mut Vec<ClassId>) -> Vec<SmolStr> {
    let mut used = Vec::new();
    let mut meet = |other: ClassId| {
        if !siblings.contains(&other) && enclosing_owner(db, other) == Some(owner) {
            siblings.push(other);
        }
    };
    let mut inside = vec![class];
    while let Some(inner) = inside.pop() {
        inside.extend(nested_classes(db, inner));
        if let Some((above, _)) = superclass(db, inner).and_then(|ty| ty.as_class(db)) {
            meet(above);
        }
        let bodies =
            methods(db, inner).iter().map(|method| Some(owner_body(db, Owner::Method(*method)).clone()));
        for body in bodies.chain(fields(db, inner).iter().map(|field| field_init_body(db, *field))).flatten()
        {
            for expr in &body.body.exprs {
                match &expr.kind {
                    ExprKind::Field { field, .. } if field.class(db) == class => {
                        used.extend(captured_variable(db, *field).map(SmolStr::new));
                    }
                    ExprKind::New { class, .. } => meet(*class),
                    ExprKind::Cast { checked: true, .. } => {
                        used.extend(checked_variables(db, expr.ty, class))
                    }
                    ExprKind::InstanceOf { ty, .. } => used.extend(checked_variables(db, *ty, class)),
                    _ => {}
                }
            }
        }
    }
    used
}
