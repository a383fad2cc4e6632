//! `name/...`: packages, imports and names.

pub mod ambiguous_type;
pub mod unknown_import;
pub mod unknown_type;
pub mod unresolved;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] =
    &[&ambiguous_type::RULE, &unknown_import::RULE, &unknown_type::RULE, &unresolved::RULE];
