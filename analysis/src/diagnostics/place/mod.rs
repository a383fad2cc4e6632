//! `place/...`: where values live.

pub mod captured_var;
pub mod remote_access;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[&captured_var::RULE, &remote_access::RULE];
