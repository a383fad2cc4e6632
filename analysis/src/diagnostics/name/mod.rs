//! `name/...`: packages, imports and names.

pub mod unresolved;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[&unresolved::RULE];
