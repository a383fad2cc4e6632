//! `type/...`: types, members and overloads.

// The rest is written by `cargo xtask rules` from the files of this folder.

pub mod abstract_instantiation;
pub mod ambiguous_call;
pub mod bad_constructor_result;
pub mod bad_conversion;
pub mod bad_override;
pub mod constructor_call;
pub mod cyclic_inheritance;
pub mod cyclic_typedef;
pub mod duplicate_case;
pub mod duplicate_member;
pub mod endless_property;
pub mod endless_struct;
pub mod generic_exception;
pub mod generic_property;
pub mod impossible_cast;
pub mod incomparable;
pub mod literal_range;
pub mod mismatch;
pub mod misplaced_annotation;
pub mod misplaced_class;
pub mod missing_type;
pub mod narrowed_assignment;
pub mod no_body;
pub mod no_matching_call;
pub mod no_operator;
pub mod no_outer_object;
pub mod not_a_class;
pub mod not_a_value;
pub mod not_an_interface;
pub mod not_assignable;
pub mod not_callable;
pub mod not_constant;
pub mod not_enclosing;
pub mod not_extendable;
pub mod not_implemented;
pub mod not_iterable;
pub mod recursive_result;
pub mod removed;
pub mod static_context;
pub mod static_var;
pub mod struct_var_field;
pub mod text_identity;
pub mod transient_without_zero;
pub mod void_value;
pub mod wrong_property_count;
pub mod wrong_type_arguments;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[
    &abstract_instantiation::RULE,
    &ambiguous_call::RULE,
    &bad_constructor_result::RULE,
    &bad_conversion::RULE,
    &bad_override::RULE,
    &constructor_call::RULE,
    &cyclic_inheritance::RULE,
    &cyclic_typedef::RULE,
    &duplicate_case::RULE,
    &duplicate_member::RULE,
    &endless_property::RULE,
    &endless_struct::RULE,
    &generic_exception::RULE,
    &generic_property::RULE,
    &impossible_cast::RULE,
    &incomparable::RULE,
    &literal_range::RULE,
    &mismatch::RULE,
    &misplaced_annotation::RULE,
    &misplaced_class::RULE,
    &missing_type::RULE,
    &narrowed_assignment::RULE,
    &no_body::RULE,
    &no_matching_call::RULE,
    &no_operator::RULE,
    &no_outer_object::RULE,
    &not_a_class::RULE,
    &not_a_value::RULE,
    &not_an_interface::RULE,
    &not_assignable::RULE,
    &not_callable::RULE,
    &not_constant::RULE,
    &not_enclosing::RULE,
    &not_extendable::RULE,
    &not_implemented::RULE,
    &not_iterable::RULE,
    &recursive_result::RULE,
    &removed::RULE,
    &static_context::RULE,
    &static_var::RULE,
    &struct_var_field::RULE,
    &text_identity::RULE,
    &transient_without_zero::RULE,
    &void_value::RULE,
    &wrong_property_count::RULE,
    &wrong_type_arguments::RULE,
];
