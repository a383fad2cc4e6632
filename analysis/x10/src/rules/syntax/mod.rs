//! `syntax/...`: text that is not X10.

// The rest is written by `cargo xtask rules` from the files of this folder.

pub mod error;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[&error::RULE];
