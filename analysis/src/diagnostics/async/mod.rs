//! `async/...`: activities, `finish`, clocks and what an `async` may capture.

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[];
