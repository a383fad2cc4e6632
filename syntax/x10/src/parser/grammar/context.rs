//! Context of a construct that decides how its parts are parsed.

use crate::parser::token_set::TokenSet;

/// The meaning of braces after a type.
#[derive(Clone, Copy)]
pub(super) enum BraceMeaning<'a> {
    /// Its constraint.
    Constraint,
    /// Its constraint if one of these tokens or a body follows them, else the body.
    Before(&'a TokenSet),
    /// Something else.
    Other,
}

/// Whether a block may end in an expression without `;`, its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tail {
    /// No: the `;` is missing then.
    No,
    /// Yes.
    Value,
}
