//! `syntax/...`: text that is not X10.

pub mod error;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[&error::RULE];
