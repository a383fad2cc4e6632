//! `type/...`: types, members and overloads.

pub mod bad_override;
pub mod cyclic_inheritance;
pub mod cyclic_typedef;
pub mod duplicate_member;
pub mod mismatch;
pub mod no_body;
pub mod not_a_class;
pub mod not_an_interface;
pub mod not_extendable;
pub mod not_implemented;
pub mod void_value;
pub mod wrong_property_count;
pub mod wrong_type_arguments;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[
    &bad_override::RULE,
    &cyclic_inheritance::RULE,
    &cyclic_typedef::RULE,
    &duplicate_member::RULE,
    &mismatch::RULE,
    &no_body::RULE,
    &not_a_class::RULE,
    &not_an_interface::RULE,
    &not_extendable::RULE,
    &not_implemented::RULE,
    &void_value::RULE,
    &wrong_property_count::RULE,
    &wrong_type_arguments::RULE,
];
