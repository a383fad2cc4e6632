//! Environments of local and anonymous classes: the variables of the enclosing code that they may capture.
//!
//! A captured variable becomes a hidden field of the class, named [`captured_name`] and set by the
//! constructor.

use smol_str::{SmolStr, format_smolstr};

use super::LocalId;
use crate::db::Db;
use crate::ids::{ClassId, FieldId, MethodId};
use crate::item_tree::items::qualified_name;
use crate::ty::{ConstraintTerm, Named, Path, Ty};

/// A variable of the code around a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visible {
    /// Its name.
    pub name: SmolStr,
    /// Its number in the enclosing body.
    pub local: LocalId,
    /// Its type, as the class sees it.
    pub ty: Ty,
    /// Whether it is a `var`, which the class cannot capture.
    pub mutable: bool,
}

/// The superclass constructor to which an anonymous class passes its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuperCall {
    /// The constructor.
    pub constructor: MethodId,
    /// The superclass's type arguments.
    pub class_args: Vec<Ty>,
    /// The type of the written enclosing object, if the superclass is an inner class.
    pub outer: Option<Ty>,
    /// The types of the arguments.
    pub params: Vec<Ty>,
}

/// The environment of a local or anonymous class.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LocalClassEnv {
    /// The variables in scope.
    pub locals: Vec<Visible>,
    /// The facts about them.
    pub known: Vec<ConstraintTerm>,
    /// The superclass constructor of an anonymous class that extends a class.
    pub superclass: Option<SuperCall>,
}

impl LocalClassEnv {
    /// The variable `name`.
    pub fn local(&self, name: &str) -> Option<&Visible> {
        self.locals.iter().find(|local| local.name == name)
    }
}

/// The name of the hidden field that holds a captured variable.
pub(crate) fn captured_name(variable: &str) -> SmolStr {
    format_smolstr!("${variable}")
}

/// The name of the captured variable that a hidden field holds; `None` for other fields.
pub(crate) fn captured_variable(db: &dyn Db, field: FieldId) -> Option<&str> {
    field.name(db).strip_prefix('$')
}

/// The path of a captured variable in the constraints of the class.
pub(crate) fn captured_path(db: &dyn Db, class: ClassId, variable: &str) -> Path {
    let field = captured_name(variable);
    let name = format_smolstr!("{}.{field}", qualified_name(db, class));
    Path::named(name, Named::Captured(FieldId::new(db, class, field)))
}

/// The path of `C.this` of an enclosing class in constraints.
pub(crate) fn outer_path(db: &dyn Db, class: ClassId) -> Path {
    Path::named(format_smolstr!("{}.this", qualified_name(db, class)), Named::Around(class))
}
