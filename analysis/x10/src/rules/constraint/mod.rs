//! `constraint/...`: constrained types and guards.

// The rest is written by `cargo xtask rules` from the files of this folder.

pub mod forbidden_term;
pub mod guard_not_entailed;
pub mod inconsistent;
pub mod not_entailed;
pub mod not_established;
pub mod run_time_check;
pub mod type_argument;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[
    &forbidden_term::RULE,
    &guard_not_entailed::RULE,
    &inconsistent::RULE,
    &not_entailed::RULE,
    &not_established::RULE,
    &run_time_check::RULE,
    &type_argument::RULE,
];
