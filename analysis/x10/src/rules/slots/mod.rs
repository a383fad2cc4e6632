//! `slots/...`: messages between slots, of activities and of blocks of kernels.

// The rest is written by `cargo xtask rules` from the files of this folder.

pub mod blocking_launch;
pub mod buffer_in_use;
pub mod divergent_argument;
pub mod divergent_call;
pub mod foreign_slot;
pub mod short_receive;
pub mod unequal_roots;
pub mod unreached_collective;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[
    &blocking_launch::RULE,
    &buffer_in_use::RULE,
    &divergent_argument::RULE,
    &divergent_call::RULE,
    &foreign_slot::RULE,
    &short_receive::RULE,
    &unequal_roots::RULE,
    &unreached_collective::RULE,
];
