//! The code around a local or anonymous class: which of its variables the class may use, and which it does.
//!
//! A variable that a class uses is a hidden field of the class, named [`captured_name`], set when an object is made. What
//! the variables are is found by typing the code around up to the class, and no further: what comes after it may depend
//! on the class.

use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};

use crate::body::{ExprKind, LocalId};
use crate::db::Db;
use crate::ids::{ClassId, FieldId, MethodId};
use crate::infer::{Owner, body, field_init_body, owner_body};
use crate::item_tree::items::{class_head, fields, method_item, methods, nested_classes, qualified_name};
use crate::ty::supers::superclass;
use crate::ty::{ConstraintTerm, Named, Path, PathRoot, Ty};

/// A variable of the code around a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visible {
    /// Its name.
    pub name: SmolStr,
    /// Its number in the code around.
    pub local: LocalId,
    /// Its type, as the class sees it.
    pub ty: Ty,
    /// `var`: the class cannot use it.
    pub mutable: bool,
}

/// The constructor that an anonymous class passes its arguments to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuperCall {
    /// The constructor.
    pub constructor: MethodId,
    /// The superclass's type arguments.
    pub class_args: Vec<Ty>,
    /// The type of the object that the superclass's object is inside of, if it is given.
    pub outer: Option<Ty>,
    /// The types of the arguments.
    pub params: Vec<Ty>,
}

/// What is known where a local or anonymous class stands.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LocalClassEnv {
    /// The variables in scope.
    pub locals: Vec<Visible>,
    /// What is known of them.
    pub known: Vec<ConstraintTerm>,
    /// Of an anonymous class that extends a class.
    pub superclass: Option<SuperCall>,
}

impl LocalClassEnv {
    /// The variable of that name.
    pub fn local(&self, name: &str) -> Option<&Visible> {
        self.locals.iter().find(|local| local.name == name)
    }
}

/// The code that a local or anonymous class stands in.
pub fn enclosing_owner(db: &dyn Db, class: ClassId) -> Option<Owner> {
    let body = class_head(db, class).as_ref()?.body.as_ref()?;
    let outer = class.outer(db)?;
    let method = MethodId::new(db, outer, body.owner.clone(), body.nth);
    Some(match method_item(db, method) {
        Some(_) => Owner::Method(method),
        None => Owner::Field(FieldId::new(db, outer, body.owner.clone())),
    })
}

/// What is around a local or anonymous class; nothing for other classes.
#[salsa::tracked(cycle_result = nothing_around)]
pub fn local_class_env(db: &dyn Db, class: ClassId) -> Arc<LocalClassEnv> {
    let found = enclosing_owner(db, class).and_then(|owner| body::local_class_env(db, owner, class));
    Arc::new(found.unwrap_or_default())
}

fn nothing_around(_db: &dyn Db, _id: salsa::Id, _class: ClassId) -> Arc<LocalClassEnv> {
    Arc::default()
}

/// The hidden field that holds a variable of the code around a class.
pub fn captured_name(variable: &str) -> SmolStr {
    format_smolstr!("${variable}")
}

/// The variable that a hidden field holds, if it is one.
pub fn captured_variable(db: &dyn Db, field: FieldId) -> Option<&str> {
    field.name(db).strip_prefix('$')
}

/// The type of a hidden field.
pub fn captured_type(db: &dyn Db, field: FieldId) -> Option<Ty> {
    let name = captured_variable(db, field)?;
    local_class_env(db, field.class(db)).local(name).map(|local| local.ty)
}

/// The variable in constraints that the class speaks of.
pub fn captured_path(db: &dyn Db, class: ClassId, variable: &str) -> Path {
    let field = captured_name(variable);
    let name = format_smolstr!("{}.{field}", qualified_name(db, class));
    Path::named(name, Named::Captured(FieldId::new(db, class, field)))
}

/// `C.this` of a class around, in constraints.
pub fn outer_path(db: &dyn Db, class: ClassId) -> Path {
    Path::named(format_smolstr!("{}.this", qualified_name(db, class)), Named::Around(class))
}

/// A type of the code around `class`, as the class sees it: terms about what it cannot name are dropped.
pub(crate) fn seen_by_class(db: &dyn Db, ty: Ty, path: &dyn Fn(&Path) -> Option<Path>) -> Ty {
    ty.map_terms(db, &mut |term| term_seen(term, path))
}

/// A term, as the class sees it.
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

/// A variable that objects of a class keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedVariable {
    /// The hidden field.
    pub field: FieldId,
    /// The code that has the variable.
    pub owner: Owner,
    /// The variable there.
    pub local: LocalId,
}

/// The variables of the code around that objects of a local or anonymous class keep: those that its code uses, and those
/// that the classes of the same code need that it extends or makes objects of.
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

/// The variables that a check of a type asks for, of those that are around `class`.
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

/// The variables that the code of `class` itself uses; adds the classes of `owner` that it extends or makes objects of.
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
