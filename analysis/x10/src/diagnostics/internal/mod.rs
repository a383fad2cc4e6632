//! `internal/...`: defects of this tool itself.

pub mod panic;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[&panic::RULE];
