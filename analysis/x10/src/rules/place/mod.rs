//! `place/...`: where values live.

// The rest is written by `cargo xtask rules` from the files of this folder.

pub mod captured_var;
pub mod lost_write;
pub mod remote_access;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[&captured_var::RULE, &lost_write::RULE, &remote_access::RULE];
