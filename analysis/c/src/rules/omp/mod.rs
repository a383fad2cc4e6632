//! Rules about OpenMP, in alphabetical order of their codes.

pub mod acquire_without_release;
pub mod array_section;
pub mod atomic_form;
pub mod clause_argument;
pub mod clause_not_allowed;
pub mod clause_value;
pub mod conflicting_sharing;
pub mod contradicting_clauses;
pub mod counter_changed;
pub mod critical_for_atomic;
pub mod data_race;
pub mod default_none;
pub mod device_construct_in_target;
pub mod directive_as_statement;
pub mod divergent_barrier;
pub mod false_sharing;
pub mod flush_without_effect;
pub mod forbidden_call;
pub mod jump_in;
pub mod jump_out;
pub mod lastprivate_without_value;
pub mod list_item;
pub mod lock_not_initialized;
pub mod lock_of_another_thread;
pub mod loop_form;
pub mod lost_task_result;
pub mod mergeable_task;
pub mod missing_clause;
pub mod missing_copyin;
pub mod missing_copyprivate;
pub mod missing_firstprivate;
pub mod missing_flush;
pub mod missing_for;
pub mod missing_lastprivate;
pub mod missing_omp;
pub mod missing_private;
pub mod missing_reduction;
pub mod needless_critical;
pub mod nesting;
pub mod nesting_by_call;
pub mod nesting_limit;
pub mod ordered_without_region;
pub mod orphaned_in_main;
pub mod private_around;
pub mod private_lock;
pub mod reduction_operator;
pub mod repeated_clause;
pub mod shared_counter;
pub mod syntax;
pub mod test_lock_ignored;
pub mod thread_count_in_region;
pub mod thread_count_outside;
pub mod threadprivate_misuse;
pub mod uncoalesced_access;
pub mod unknown_directive;
pub mod unmapped_pointer;
pub mod unmatched_directive;
pub mod unprotected_update;
pub mod unsafe_call;

use super::Check::{ByOther, File, Function};
use super::Checked;

/// The rules of this family.
pub static RULES: &[Checked] = &[
    (&acquire_without_release::RULE, File(acquire_without_release::check)),
    (&array_section::RULE, Function(array_section::check)),
    (&atomic_form::RULE, Function(atomic_form::check)),
    (&clause_argument::RULE, Function(clause_argument::check)),
    (&clause_not_allowed::RULE, Function(clause_not_allowed::check)),
    (&clause_value::RULE, Function(clause_value::check)),
    (&conflicting_sharing::RULE, Function(conflicting_sharing::check)),
    (&contradicting_clauses::RULE, Function(contradicting_clauses::check)),
    (&counter_changed::RULE, Function(counter_changed::check)),
    (&critical_for_atomic::RULE, File(critical_for_atomic::check)),
    (&data_race::RULE, File(data_race::check)),
    (&default_none::RULE, Function(default_none::check)),
    (&device_construct_in_target::RULE, Function(device_construct_in_target::check)),
    (&directive_as_statement::RULE, File(directive_as_statement::check)),
    (&divergent_barrier::RULE, File(divergent_barrier::check)),
    (&false_sharing::RULE, File(false_sharing::check)),
    (&flush_without_effect::RULE, Function(flush_without_effect::check)),
    (&forbidden_call::RULE, Function(forbidden_call::check)),
    (&jump_in::RULE, Function(jump_in::check)),
    (&jump_out::RULE, Function(jump_out::check)),
    (&lastprivate_without_value::RULE, Function(lastprivate_without_value::check)),
    (&list_item::RULE, File(list_item::check)),
    (&lock_not_initialized::RULE, File(lock_not_initialized::check)),
    (&lock_of_another_thread::RULE, Function(lock_of_another_thread::check)),
    (&loop_form::RULE, Function(loop_form::check)),
    (&lost_task_result::RULE, Function(lost_task_result::check)),
    (&mergeable_task::RULE, Function(mergeable_task::check)),
    (&missing_clause::RULE, Function(missing_clause::check)),
    (&missing_copyin::RULE, File(missing_copyin::check)),
    (&missing_copyprivate::RULE, Function(missing_copyprivate::check)),
    (&missing_firstprivate::RULE, Function(missing_firstprivate::check)),
    (&missing_flush::RULE, Function(missing_flush::check)),
    (&missing_for::RULE, Function(missing_for::check)),
    (&missing_lastprivate::RULE, Function(missing_lastprivate::check)),
    (&missing_omp::RULE, File(missing_omp::check)),
    (&missing_private::RULE, ByOther),
    (&missing_reduction::RULE, ByOther),
    (&needless_critical::RULE, Function(needless_critical::check)),
    (&nesting::RULE, Function(nesting::check)),
    (&nesting_by_call::RULE, File(nesting_by_call::check)),
    (&nesting_limit::RULE, File(nesting_limit::check)),
    (&ordered_without_region::RULE, Function(ordered_without_region::check)),
    (&orphaned_in_main::RULE, Function(orphaned_in_main::check)),
    (&private_around::RULE, Function(private_around::check)),
    (&private_lock::RULE, Function(private_lock::check)),
    (&reduction_operator::RULE, Function(reduction_operator::check)),
    (&repeated_clause::RULE, Function(repeated_clause::check)),
    (&shared_counter::RULE, ByOther),
    (&syntax::RULE, File(syntax::check)),
    (&test_lock_ignored::RULE, File(test_lock_ignored::check)),
    (&thread_count_in_region::RULE, Function(thread_count_in_region::check)),
    (&thread_count_outside::RULE, File(thread_count_outside::check)),
    (&threadprivate_misuse::RULE, File(threadprivate_misuse::check)),
    (&uncoalesced_access::RULE, Function(uncoalesced_access::check)),
    (&unknown_directive::RULE, ByOther),
    (&unmapped_pointer::RULE, File(unmapped_pointer::check)),
    (&unmatched_directive::RULE, File(unmatched_directive::check)),
    (&unprotected_update::RULE, ByOther),
    (&unsafe_call::RULE, Function(unsafe_call::check)),
];
