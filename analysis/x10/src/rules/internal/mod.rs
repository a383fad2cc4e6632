//! `internal/...`: defects of this tool itself.

// The rest is written by `cargo xtask rules` from the files of this folder.

pub mod panic;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[&panic::RULE];
