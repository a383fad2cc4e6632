//! `flow/...`: definite assignment, reachability, `return`, `break` and `continue`.

// The rest is written by `cargo xtask rules` from the files of this folder.

pub mod call_in_construction;
pub mod captured_var;
pub mod division_by_zero;
pub mod escaping_this;
pub mod field_not_assigned;
pub mod index_out_of_bounds;
pub mod jump_target;
pub mod missing_return;
pub mod negative_size;
pub mod no_this_access;
pub mod non_escaping_method;
pub mod null_dereference;
pub mod property_call;
pub mod this_too_early;
pub mod uncaught_exception;
pub mod unreachable;
pub mod unreachable_catch;
pub mod unused_value;
pub mod use_before_assignment;
pub mod val_reassigned;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[
    &call_in_construction::RULE,
    &captured_var::RULE,
    &division_by_zero::RULE,
    &escaping_this::RULE,
    &field_not_assigned::RULE,
    &index_out_of_bounds::RULE,
    &jump_target::RULE,
    &missing_return::RULE,
    &negative_size::RULE,
    &no_this_access::RULE,
    &non_escaping_method::RULE,
    &null_dereference::RULE,
    &property_call::RULE,
    &this_too_early::RULE,
    &uncaught_exception::RULE,
    &unreachable::RULE,
    &unreachable_catch::RULE,
    &unused_value::RULE,
    &use_before_assignment::RULE,
    &val_reassigned::RULE,
];
