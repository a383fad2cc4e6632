//! Rules about XcalableMP, in alphabetical order of their codes. Serial compilers pass its directives over,
//! so all are warnings.

pub mod access_beyond_shadow;
pub mod aligned_twice;
pub mod dimension_count;
pub mod missing_reduction;
pub mod mixed_spelling;
pub mod reflect_beyond_shadow;
pub mod size_mismatch;
pub mod syntax;
pub mod undeclared_name;

use super::Checked;

/// The rules of this family.
pub static RULES: &[Checked] = &[
    (&access_beyond_shadow::RULE, Some(access_beyond_shadow::check)),
    (&aligned_twice::RULE, Some(aligned_twice::check)),
    (&dimension_count::RULE, Some(dimension_count::check)),
    (&missing_reduction::RULE, Some(missing_reduction::check)),
    (&mixed_spelling::RULE, Some(mixed_spelling::check)),
    (&reflect_beyond_shadow::RULE, Some(reflect_beyond_shadow::check)),
    (&size_mismatch::RULE, Some(size_mismatch::check)),
    (&syntax::RULE, Some(syntax::check)),
    (&undeclared_name::RULE, Some(undeclared_name::check)),
];
