//! `async/...`: activities, `finish`, clocks and what an `async` may capture.

// The rest is written by `cargo xtask rules` from the files of this folder.

pub mod blocked_atomic;
pub mod captured_var;
pub mod idle_barrier;
pub mod not_awaited;
pub mod offer_outside;
pub mod unclocked;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[
    &blocked_atomic::RULE,
    &captured_var::RULE,
    &idle_barrier::RULE,
    &not_awaited::RULE,
    &offer_outside::RULE,
    &unclocked::RULE,
];
