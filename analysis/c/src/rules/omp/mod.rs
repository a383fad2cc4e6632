//! Rules about OpenMP, in alphabetical order of their codes.

pub mod atomic_form;
pub mod clause_not_allowed;
pub mod conflicting_sharing;
pub mod data_race;
pub mod default_none;
pub mod loop_form;
pub mod missing_for;
pub mod missing_private;
pub mod missing_reduction;
pub mod nesting;
pub mod repeated_clause;
pub mod shared_counter;
pub mod syntax;
pub mod unknown_directive;
pub mod unprotected_update;

use super::Checked;

/// The rules of this family.
pub static RULES: &[Checked] = &[
    (&atomic_form::RULE, Some(atomic_form::check)),
    (&clause_not_allowed::RULE, Some(clause_not_allowed::check)),
    (&conflicting_sharing::RULE, Some(conflicting_sharing::check)),
    (&data_race::RULE, Some(data_race::check)),
    (&default_none::RULE, Some(default_none::check)),
    (&loop_form::RULE, Some(loop_form::check)),
    (&missing_for::RULE, Some(missing_for::check)),
    (&missing_private::RULE, None),
    (&missing_reduction::RULE, None),
    (&nesting::RULE, Some(nesting::check)),
    (&repeated_clause::RULE, Some(repeated_clause::check)),
    (&shared_counter::RULE, None),
    (&syntax::RULE, Some(syntax::check)),
    (&unknown_directive::RULE, None),
    (&unprotected_update::RULE, None),
];
