//! `async/...`: activities, `finish`, clocks and what an `async` may capture.

pub mod captured_var;
pub mod offer_outside;
pub mod unclocked;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[&captured_var::RULE, &offer_outside::RULE, &unclocked::RULE];
