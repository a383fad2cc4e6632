//! Rules about OpenMP, in alphabetical order of their codes.

pub mod atomic_form;
pub mod clause_not_allowed;
pub mod conflicting_sharing;
pub mod counter_changed;
pub mod critical_for_atomic;
pub mod data_race;
pub mod default_none;
pub mod divergent_barrier;
pub mod false_sharing;
pub mod flush_without_effect;
pub mod forbidden_call;
pub mod jump_out;
pub mod lastprivate_without_value;
pub mod lock_of_another_thread;
pub mod loop_form;
pub mod missing_copyin;
pub mod missing_copyprivate;
pub mod missing_firstprivate;
pub mod missing_flush;
pub mod missing_for;
pub mod missing_lastprivate;
pub mod missing_private;
pub mod missing_reduction;
pub mod needless_critical;
pub mod nesting;
pub mod ordered_without_region;
pub mod orphaned_in_main;
pub mod repeated_clause;
pub mod shared_counter;
pub mod syntax;
pub mod thread_count_in_region;
pub mod threadprivate_misuse;
pub mod uncoalesced_access;
pub mod unknown_directive;
pub mod unmapped_pointer;
pub mod unprotected_update;
pub mod unsafe_call;

use super::Checked;

/// The rules of this family.
pub static RULES: &[Checked] = &[
    (&atomic_form::RULE, Some(atomic_form::check)),
    (&clause_not_allowed::RULE, Some(clause_not_allowed::check)),
    (&conflicting_sharing::RULE, Some(conflicting_sharing::check)),
    (&counter_changed::RULE, Some(counter_changed::check)),
    (&critical_for_atomic::RULE, Some(critical_for_atomic::check)),
    (&data_race::RULE, Some(data_race::check)),
    (&default_none::RULE, Some(default_none::check)),
    (&divergent_barrier::RULE, Some(divergent_barrier::check)),
    (&false_sharing::RULE, Some(false_sharing::check)),
    (&flush_without_effect::RULE, Some(flush_without_effect::check)),
    (&forbidden_call::RULE, Some(forbidden_call::check)),
    (&jump_out::RULE, Some(jump_out::check)),
    (&lastprivate_without_value::RULE, Some(lastprivate_without_value::check)),
    (&lock_of_another_thread::RULE, Some(lock_of_another_thread::check)),
    (&loop_form::RULE, Some(loop_form::check)),
    (&missing_copyin::RULE, Some(missing_copyin::check)),
    (&missing_copyprivate::RULE, Some(missing_copyprivate::check)),
    (&missing_firstprivate::RULE, Some(missing_firstprivate::check)),
    (&missing_flush::RULE, Some(missing_flush::check)),
    (&missing_for::RULE, Some(missing_for::check)),
    (&missing_lastprivate::RULE, Some(missing_lastprivate::check)),
    (&missing_private::RULE, None),
    (&missing_reduction::RULE, None),
    (&needless_critical::RULE, Some(needless_critical::check)),
    (&nesting::RULE, Some(nesting::check)),
    (&ordered_without_region::RULE, Some(ordered_without_region::check)),
    (&orphaned_in_main::RULE, Some(orphaned_in_main::check)),
    (&repeated_clause::RULE, Some(repeated_clause::check)),
    (&shared_counter::RULE, None),
    (&syntax::RULE, Some(syntax::check)),
    (&thread_count_in_region::RULE, Some(thread_count_in_region::check)),
    (&threadprivate_misuse::RULE, Some(threadprivate_misuse::check)),
    (&uncoalesced_access::RULE, Some(uncoalesced_access::check)),
    (&unknown_directive::RULE, None),
    (&unmapped_pointer::RULE, Some(unmapped_pointer::check)),
    (&unprotected_update::RULE, None),
    (&unsafe_call::RULE, Some(unsafe_call::check)),
];
