//! Types. A [`Ty`] is interned: equal types are the same value, copying is free.
#![allow(missing_docs, reason = "salsa generates undocumented items; everything written here is documented")]

mod build;
mod display;
pub(crate) mod function;
pub(crate) mod guard;
pub(crate) mod known;
pub(crate) mod subst;
mod term;
pub use term::characters;
pub(crate) mod type_test;

use smol_str::SmolStr;

use crate::ids::{ClassId, FieldId, TypeParamId};

/// A type, with its constraint if it has one. `void` and the error type are types too.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX, debug)]
pub struct Ty {
    /// Its structure.
    #[returns(ref)]
    pub kind: TyKind,
}

/// The structure of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum TyKind {
    /// A class, struct or interface with its type arguments; built-in structs (`x10.lang.Int`) too.
    Class { class: ClassId, args: Vec<Ty> },
    /// `(A, B){c} => R`; what its constraints say of the formals: see [`function`].
    Function { params: Vec<Ty>, result: Ty, guard: Constraint },
    /// A type parameter.
    Param(TypeParamId),
    /// `T{c}`: `base` is never constrained itself.
    Constrained { base: Ty, constraint: Constraint },
    /// The type of `null`.
    Null,
    /// `void`.
    Void,
    /// Unknown, already reported; compatible with everything.
    Error,
}

/// The conjunction of a type's constraint, over `self`. The terms that the solver does not decide
/// are carried as text, so that they are shown and compared, never lost.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Constraint {
    /// All must hold.
    pub terms: Vec<ConstraintTerm>,
}

/// One conjunct.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ConstraintTerm {
    /// `a == b`
    Equal(Path, Path),
    /// `a != b`
    NotEqual(Path, Path),
    /// `a`: a boolean path that holds.
    Holds(Path),
    /// Carried, not decided.
    Opaque(SmolStr),
}

/// A path or literal in a constraint: `self.home`, `gpu`, `here`, `3`, `null`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    /// The root.
    pub root: PathRoot,
    /// Fields, properties and property methods, outermost last.
    pub fields: Vec<SmolStr>,
}

/// The meaning of a qualified name in a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    /// A static field.
    Field(FieldId),
    /// `C.this`, of the enclosing class or a class around it.
    Around(ClassId),
    /// A hidden field of a local or anonymous class: a variable of the code around it.
    Captured(FieldId),
    /// An unresolved name.
    Nothing,
}

/// The start of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum PathRoot {
    /// The value of the constrained type.
    SelfValue,
    /// `this`.
    This,
    /// `here`, at the place of the declaration.
    Here,
    /// A local or formal: its name, and the offset of its declaration in the owning item; for the
    /// formals of a method, constructor or type definition, and for properties named in a class
    /// header, their index in the list instead (signatures have no positions).
    Local { name: SmolStr, offset: u32 },
    /// A static field or an object around, by qualified name.
    Static { name: SmolStr, what: Named },
    /// A literal as written, normalised.
    Literal(SmolStr),
}
