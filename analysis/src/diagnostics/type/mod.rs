//! `type/...`: types, members and overloads.

pub mod mismatch;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[&mismatch::RULE];
