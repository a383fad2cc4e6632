//! `cuda/...`: what a `@CUDA` kernel may look like and do.

// The rest is written by `cargo xtask rules` from the files of this folder.

pub mod allocation;
pub mod assert_in_kernel;
pub mod async_in_kernel;
pub mod at_in_kernel;
pub mod ateach_in_kernel;
pub mod atomic_in_kernel;
pub mod auto_in_thread;
pub mod auto_twice;
pub mod bad_callee;
pub mod barrier_divergent;
pub mod barrier_outside_thread;
pub mod block_race;
pub mod boxing;
pub mod captured_object;
pub mod captured_rail_write;
pub mod captured_this;
pub mod captured_var;
pub mod checked_cast;
pub mod clock_operation;
pub mod clocked_block_async;
pub mod clocked_block_finish;
pub mod closure_call;
pub mod closure_in_kernel;
pub mod constant_rail_source;
pub mod direct_params_without_cuda;
pub mod element_type;
pub mod empty_kernel;
pub mod empty_range;
pub mod extra_statement;
pub mod finish_in_kernel;
pub mod generic_call;
pub mod global_rail_home;
pub mod here_in_kernel;
pub mod instance_call;
pub mod instanceof_in_kernel;
pub mod interface_call;
pub mod iterator_in_kernel;
pub mod long_range;
pub mod lost_update;
pub mod misplaced_annotation;
pub mod misplaced_shared_memory;
pub mod missing_annotation;
pub mod missing_barrier;
pub mod missing_block_async;
pub mod missing_block_finish;
pub mod missing_block_loop;
pub mod missing_clocked_async;
pub mod missing_clocked_finish;
pub mod missing_thread_async;
pub mod missing_thread_finish;
pub mod missing_thread_loop;
pub mod nested_kernel;
pub mod nested_loops;
pub mod not_a_range_loop;
pub mod object_field;
pub mod overlapping_blocks;
pub mod prelude_statement;
pub mod prelude_value;
pub mod print_in_kernel;
pub mod rail_literal;
pub mod range_not_literal;
pub mod range_start;
pub mod recursion;
pub mod reference_cast;
pub mod reference_comparison;
pub mod shared_initialiser;
pub mod shared_large;
pub mod shared_statement;
pub mod shared_too_large;
pub mod shared_value;
pub mod stack_size;
pub mod statement_after_blocks;
pub mod statement_after_threads;
pub mod static_field;
pub mod string_in_kernel;
pub mod thread_operation_outside_thread;
pub mod throw_in_kernel;
pub mod too_many_axes;
pub mod too_many_threads;
pub mod try_in_kernel;
pub mod unannotated_call;
pub mod var_in_prelude;
pub mod var_shared_memory;
pub mod virtual_call;
pub mod when_in_kernel;

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[
    &allocation::RULE,
    &assert_in_kernel::RULE,
    &async_in_kernel::RULE,
    &at_in_kernel::RULE,
    &ateach_in_kernel::RULE,
    &atomic_in_kernel::RULE,
    &auto_in_thread::RULE,
    &auto_twice::RULE,
    &bad_callee::RULE,
    &barrier_divergent::RULE,
    &barrier_outside_thread::RULE,
    &block_race::RULE,
    &boxing::RULE,
    &captured_object::RULE,
    &captured_rail_write::RULE,
    &captured_this::RULE,
    &captured_var::RULE,
    &checked_cast::RULE,
    &clock_operation::RULE,
    &clocked_block_async::RULE,
    &clocked_block_finish::RULE,
    &closure_call::RULE,
    &closure_in_kernel::RULE,
    &constant_rail_source::RULE,
    &direct_params_without_cuda::RULE,
    &element_type::RULE,
    &empty_kernel::RULE,
    &empty_range::RULE,
    &extra_statement::RULE,
    &finish_in_kernel::RULE,
    &generic_call::RULE,
    &global_rail_home::RULE,
    &here_in_kernel::RULE,
    &instance_call::RULE,
    &instanceof_in_kernel::RULE,
    &interface_call::RULE,
    &iterator_in_kernel::RULE,
    &long_range::RULE,
    &lost_update::RULE,
    &misplaced_annotation::RULE,
    &misplaced_shared_memory::RULE,
    &missing_annotation::RULE,
    &missing_barrier::RULE,
    &missing_block_async::RULE,
    &missing_block_finish::RULE,
    &missing_block_loop::RULE,
    &missing_clocked_async::RULE,
    &missing_clocked_finish::RULE,
    &missing_thread_async::RULE,
    &missing_thread_finish::RULE,
    &missing_thread_loop::RULE,
    &nested_kernel::RULE,
    &nested_loops::RULE,
    &not_a_range_loop::RULE,
    &object_field::RULE,
    &overlapping_blocks::RULE,
    &prelude_statement::RULE,
    &prelude_value::RULE,
    &print_in_kernel::RULE,
    &rail_literal::RULE,
    &range_not_literal::RULE,
    &range_start::RULE,
    &recursion::RULE,
    &reference_cast::RULE,
    &reference_comparison::RULE,
    &shared_initialiser::RULE,
    &shared_large::RULE,
    &shared_statement::RULE,
    &shared_too_large::RULE,
    &shared_value::RULE,
    &stack_size::RULE,
    &statement_after_blocks::RULE,
    &statement_after_threads::RULE,
    &static_field::RULE,
    &string_in_kernel::RULE,
    &thread_operation_outside_thread::RULE,
    &throw_in_kernel::RULE,
    &too_many_axes::RULE,
    &too_many_threads::RULE,
    &try_in_kernel::RULE,
    &unannotated_call::RULE,
    &var_in_prelude::RULE,
    &var_shared_memory::RULE,
    &virtual_call::RULE,
    &when_in_kernel::RULE,
];
