//! `constraint/...`: constrained types and guards.

pub mod guard_not_entailed;
pub mod not_entailed;
pub mod run_time_check;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[&guard_not_entailed::RULE, &not_entailed::RULE, &run_time_check::RULE];
