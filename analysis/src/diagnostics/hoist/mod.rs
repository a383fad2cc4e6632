//! `hoist/...`: expressions of a kernel that the host evaluates before the launch.

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[];
