//! Environments of local and anonymous classes: the variables of the code around that they may use.
//!
//! A variable that a class uses is a hidden field of the class, named [`captured_name`], set when an object
//! is made.

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

/// The hidden field that holds a variable of the code around a class.
pub fn captured_name(variable: &str) -> SmolStr {
    format_smolstr!("${variable}")
}

/// The variable that a hidden field holds, if it is one.
pub fn captured_variable(db: &dyn Db, field: FieldId) -> Option<&str> {
    field.name(db).strip_prefix('$')
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
