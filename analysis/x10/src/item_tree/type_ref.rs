//! Types and constraints as written, without positions. Every node that can be complained about has
//! an index `at` into the list of ranges that lowering the same item again yields, so that a message
//! finds its place though the data has none.

use smol_str::SmolStr;

/// A written type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeRef {
    /// Index of its range.
    pub at: u32,
    /// The form.
    pub kind: TypeRefKind,
}

/// The forms of types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeRefKind {
    /// `a.b.C[T](3).D`: value arguments belong to the last segment that has them.
    Named {
        /// The dotted name.
        segments: Vec<NameSegment>,
        /// `(3)`: the values of the properties, or a type definition's arguments.
        args: Vec<PathRef>,
    },
    /// `(x:A, B){c} => R`
    Function {
        /// Formals.
        params: Vec<ParamRef>,
        /// The condition.
        guard: Option<ConstraintRef>,
        /// Result, `void` included.
        result: Box<TypeRef>,
    },
    /// `T{c}`
    Constrained {
        /// The constrained type.
        base: Box<TypeRef>,
        /// The constraint.
        constraint: ConstraintRef,
    },
    /// `void`
    Void,
    /// Did not parse; already reported.
    Error,
}

/// A component of a dotted name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameSegment {
    /// The identifier.
    pub name: SmolStr,
    /// Type arguments.
    pub args: Vec<TypeRef>,
    /// Index of the range of the identifier.
    pub at: u32,
}

/// A formal of a function type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamRef {
    /// Its name, if it has one.
    pub name: Option<SmolStr>,
    /// Its type.
    pub ty: TypeRef,
}

/// A constraint as written: the conjunction of its terms.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ConstraintRef {
    /// All must hold.
    pub terms: Vec<TermRef>,
}

/// A conjunct as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermRef {
    /// `a == b`
    Equal(PathRef, PathRef),
    /// `a != b`
    NotEqual(PathRef, PathRef),
    /// `T <: U` (and `U :> T`)
    Subtype(TypeRef, TypeRef),
    /// `T == U` between types, when both sides can only be types (they have type arguments).
    SameType(TypeRef, TypeRef),
    /// `T haszero`
    HasZero(TypeRef),
    /// `T isref`
    IsRef(TypeRef),
    /// A boolean property or property method standing alone.
    Holds(PathRef),
    /// An operator that constraints do not have: its text, and the index of its range.
    Forbidden(SmolStr, u32),
    /// Anything else, as its text with white space normalised.
    Opaque(SmolStr),
}

impl TermRef {
    /// The index of the range of a type in it, if it is about types.
    pub fn type_at(&self) -> Option<u32> {
        match self {
            TermRef::Subtype(a, _) | TermRef::SameType(a, _) => Some(a.at),
            TermRef::HasZero(ty) | TermRef::IsRef(ty) => Some(ty.at),
            TermRef::Equal(a, _) => Some(a.at),
            _ => None,
        }
    }
}

/// A written path or literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathRef {
    /// The root.
    pub root: PathRefRoot,
    /// Fields, properties and nullary (property) methods.
    pub fields: Vec<SmolStr>,
    /// Index of its range.
    pub at: u32,
}

/// The start of a path as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathRefRoot {
    /// `self`
    SelfValue,
    /// `this`
    This,
    /// `here`
    Here,
    /// A name, to be resolved: a local or formal, a property, a class.
    Name(SmolStr),
    /// A literal, normalised: suffixes in lower case, no underscores.
    Literal(SmolStr),
    /// A call of a property method with arguments.
    Call(std::sync::Arc<PropertyCallRef>),
    /// An operator or `new`, as its text: constraints have none.
    Operator(SmolStr),
    /// Anything else, as its text.
    Other(SmolStr),
}

/// `receiver.name(args)` in a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyCallRef {
    /// The object or class, if it is written.
    pub receiver: Option<PathRef>,
    /// The property method.
    pub name: SmolStr,
    /// Its arguments.
    pub args: Vec<PathRef>,
    /// The whole call as text.
    pub text: SmolStr,
}
