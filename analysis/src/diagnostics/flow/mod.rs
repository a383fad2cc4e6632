//! `flow/...`: definite assignment, reachability, `return`, `break` and `continue`.

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[];
