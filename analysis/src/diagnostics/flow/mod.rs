//! `flow/...`: definite assignment, reachability, `return`, `break` and `continue`.

pub mod captured_var;
pub mod field_not_assigned;
pub mod jump_target;
pub mod missing_return;
pub mod unreachable;
pub mod use_before_assignment;
pub mod val_reassigned;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[
    &captured_var::RULE,
    &field_not_assigned::RULE,
    &jump_target::RULE,
    &missing_return::RULE,
    &unreachable::RULE,
    &use_before_assignment::RULE,
    &val_reassigned::RULE,
];
