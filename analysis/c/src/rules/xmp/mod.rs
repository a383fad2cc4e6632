//! Rules about XcalableMP, in alphabetical order of their codes. Serial compilers pass its directives over,
//! so all are warnings.

pub mod access_beyond_shadow;
pub mod aligned_twice;
pub mod dimension_count;
pub mod directive_in_compute_region;
pub mod missing_device_data;
pub mod missing_reduction;
pub mod missing_reflect;
pub mod mixed_spelling;
pub mod reflect_beyond_shadow;
pub mod size_mismatch;
pub mod syntax;
pub mod unaligned_loop;
pub mod undeclared_name;
pub mod unequal_value;

use super::Check::File;
use super::Checked;
use crate::hir::{Directive, Program, VariableId};

/// The rules of this family.
pub static RULES: &[Checked] = &[
    (&access_beyond_shadow::RULE, File(access_beyond_shadow::check)),
    (&aligned_twice::RULE, File(aligned_twice::check)),
    (&dimension_count::RULE, File(dimension_count::check)),
    (&directive_in_compute_region::RULE, File(directive_in_compute_region::check)),
    (&missing_device_data::RULE, File(missing_device_data::check)),
    (&missing_reduction::RULE, File(missing_reduction::check)),
    (&missing_reflect::RULE, File(missing_reflect::check)),
    (&mixed_spelling::RULE, File(mixed_spelling::check)),
    (&reflect_beyond_shadow::RULE, File(reflect_beyond_shadow::check)),
    (&size_mismatch::RULE, File(size_mismatch::check)),
    (&syntax::RULE, File(syntax::check)),
    (&unaligned_loop::RULE, File(unaligned_loop::check)),
    (&undeclared_name::RULE, File(undeclared_name::check)),
    (&unequal_value::RULE, File(unequal_value::check)),
];

/// Whether a directive is a reduction, or has one, that names a variable.
fn reduces(program: &Program, directive: &Directive, variable: VariableId) -> bool {
    let argument = (directive.name == "reduction").then_some(&directive.argument);
    let in_clauses = directive.clauses_named("reduction").map(|it| &it.items);
    argument.into_iter().chain(in_clauses).flatten().any(|it| program.variables_in(it).contains(&variable))
}
