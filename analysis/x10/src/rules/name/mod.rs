//! `name/...`: packages, imports and names.

// The rest is written by `cargo xtask rules` from the files of this folder.

pub mod ambiguous_type;
pub mod duplicate_local;
pub mod not_visible;
pub mod unknown_import;
pub mod unknown_type;
pub mod unresolved;
pub mod unresolved_member;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[
    &ambiguous_type::RULE,
    &duplicate_local::RULE,
    &not_visible::RULE,
    &unknown_import::RULE,
    &unknown_type::RULE,
    &unresolved::RULE,
    &unresolved_member::RULE,
];
