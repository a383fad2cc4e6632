//! `hoist/...`: expressions of a kernel that the host evaluates before the launch.

// The rest is written by `cargo xtask rules` from the files of this folder.

pub mod assignment;
pub mod call;
pub mod expression;
pub mod field_access;
pub mod here;
pub mod inner_variable;
pub mod mutable_variable;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[
    &assignment::RULE,
    &call::RULE,
    &expression::RULE,
    &field_access::RULE,
    &here::RULE,
    &inner_variable::RULE,
    &mutable_variable::RULE,
];
