//! Constant elements of rails.

use crate::{ClassId, Expr, Ty};

/// Constant elements of a rail or of nested rails.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The classes of the rails, the outermost first.
    pub classes: Vec<ClassId>,
    /// For each class the lengths of its rails, in order.
    pub lengths: Vec<Vec<i64>>,
    /// The type of an element of the innermost rails: a scalar, or a string.
    pub element: Ty,
    /// The elements of all innermost rails, in order: numbers, strings, nulls and zeros.
    pub elements: Vec<Expr>,
}
