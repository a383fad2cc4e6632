//! Calls in device code through bounds of type parameters.

use crate::ids::MethodId;
use crate::ty::Ty;

/// A call in device code through the bound of a type parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BoundCall {
    /// The receiver's type.
    pub of: Ty,
    /// The callee.
    pub what: BoundCallee,
    /// Type arguments of the interface; for a function, its type.
    pub class_args: Vec<Ty>,
    /// Type arguments of the method.
    pub type_args: Vec<Ty>,
    /// Indices of formals that are passed rails whose elements must not be written.
    pub protected: Vec<usize>,
}

/// The callee of a bound call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoundCallee {
    /// An interface method.
    Method(MethodId),
    /// The operator of a function type.
    Function,
}
