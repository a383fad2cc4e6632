//! Runtime entries of teams: what the threads of a kernel that execute one parallel region do together
//! (OpenMP 2.5, section 2.3). A thread names itself by the address of its state, an `I64`, as do all entries.

use crate::Ty;

/// Entries that kernels call: name, types of the operands, type of the result.
const ENTRIES: &[(&str, &[Ty], Ty)] = &[
    // Makes the state of a thread: the state, the team, its number.
    ("team_enter", &[Ty::I64, Ty::I64, Ty::I32], Ty::Void),
    // Makes the state of the only thread of a nested region: the state, the thread around.
    ("team_nest", &[Ty::I64, Ty::I64], Ty::Void),
    ("team_thread", &[Ty::I64], Ty::I32),
    ("team_threads", &[Ty::I64], Ty::I32),
    // Whether an active parallel region encloses the call.
    ("team_in_parallel", &[Ty::I64], Ty::I32),
    // How many parallel regions enclose the call.
    ("team_level", &[Ty::I64], Ty::I32),
    // Of the region at a level, the number of the thread and how many it has; -1 if there is none.
    ("team_ancestor", &[Ty::I64, Ty::I32], Ty::I32),
    ("team_size", &[Ty::I64, Ty::I32], Ty::I32),
    ("team_synchronize", &[Ty::I64], Ty::Void),
    ("team_flush", &[], Ty::Void),
    // Entry of the table of addresses: the thread, the index.
    ("team_object", &[Ty::I64, Ty::I32], Ty::I64),
    // The thread's copy of a threadprivate object: the thread, the address of its descriptor.
    ("team_private", &[Ty::I64, Ty::I64], Ty::I64),
    // The master's copy.
    ("team_master_copy", &[Ty::I64, Ty::I64], Ty::I64),
    // Calls a function of the host: the thread, the function, its operands in memory, their number.
    ("team_host_call", &[Ty::I64, Ty::I64, Ty::I64, Ty::I32], Ty::Void),
    // Copies bytes: to, from, how many.
    ("team_copy", &[Ty::I64, Ty::I64, Ty::I64], Ty::Void),
    // Whether the thread is the first that arrives at a `single`.
    ("team_single", &[Ty::I64], Ty::I32),
    // Memory by which `copyprivate` hands over values: the thread.
    ("team_copyprivate", &[Ty::I64], Ty::I64),
    // Worksharing loops: the thread, the schedule, the iterations, the chunk, whether it is ordered.
    ("team_loop_begin", &[Ty::I64, Ty::I32, Ty::I64, Ty::I64, Ty::I32], Ty::Void),
    // Takes the next chunk; whether there is one.
    ("team_loop_next", &[Ty::I64], Ty::I32),
    ("team_loop_first", &[Ty::I64], Ty::I64),
    ("team_loop_end", &[Ty::I64], Ty::I64),
    ("team_loop_step", &[Ty::I64], Ty::I64),
    ("team_loop_leave", &[Ty::I64], Ty::Void),
    // Reductions: the thread, the operation, its value; then whether the thread has the result.
    ("team_reduce_i32", &[Ty::I64, Ty::I32, Ty::I32], Ty::I32),
    ("team_reduce_u32", &[Ty::I64, Ty::I32, Ty::U32], Ty::U32),
    ("team_reduce_i64", &[Ty::I64, Ty::I32, Ty::I64], Ty::I64),
    ("team_reduce_u64", &[Ty::I64, Ty::I32, Ty::U64], Ty::U64),
    ("team_reduce_f32", &[Ty::I64, Ty::I32, Ty::F32], Ty::F32),
    ("team_reduce_f64", &[Ty::I64, Ty::I32, Ty::F64], Ty::F64),
    ("team_is_owner", &[Ty::I64], Ty::I32),
    // `ordered`: an iteration begins, its ordered part begins, that ends, the iteration ends.
    ("team_iteration_begin", &[Ty::I64, Ty::I64], Ty::Void),
    ("team_ordered_enter", &[Ty::I64], Ty::Void),
    ("team_ordered_leave", &[Ty::I64], Ty::Void),
    ("team_iteration_end", &[Ty::I64], Ty::Void),
    // Ends the thread that calls it.
    (THREAD_END, &[], Ty::Void),
    // Whether the stack of the thread has little room left.
    (STACK_IS_FULL, &[], Ty::Bool),
    // The seconds since a moment that does not change.
    (WALL_TIME, &[], Ty::F64),
    // Locks: the address of a word.
    ("team_lock", &[Ty::I64], Ty::Void),
    ("team_unlock", &[Ty::I64], Ty::Void),
    ("team_test_lock", &[Ty::I64], Ty::I32),
    // `critical`: takes the lock for all threads that arrive together, whose set is the result.
    ("team_critical_enter", &[Ty::I64], Ty::U32),
    // Whether the thread is the first one of a set.
    ("team_is_first", &[Ty::U32], Ty::Bool),
    // Waits until the first one has executed the region: all that arrived together, those left. The result is
    // those left then.
    ("team_critical_next", &[Ty::U32, Ty::U32], Ty::U32),
    ("team_critical_leave", &[Ty::I64, Ty::U32], Ty::Void),
    // Nestable locks: the thread, the address.
    ("team_nest_lock", &[Ty::I64, Ty::I64], Ty::I32),
    ("team_nest_unlock", &[Ty::I64, Ty::I64], Ty::Void),
    ("team_nest_try_lock", &[Ty::I64, Ty::I64], Ty::I32),
];

/// The entry by which code of any kernel ends its thread.
pub const THREAD_END: &str = "thread_end";

/// The entry by which functions that call themselves ask whether the stack of their thread is nearly full.
pub const STACK_IS_FULL: &str = "stack_is_full";

/// The entry by which code of any kernel reads the clock.
pub const WALL_TIME: &str = "wall_time";

/// Functions of the C library that code of kernels may call: CUDA has them, too (CUDA C++ Programming Guide,
/// "Formatted Output", "Dynamic Global Memory Allocation and Operations", "Mathematical Functions").
pub const LIBRARY_FUNCTIONS: [&str; 5] = ["printf", "malloc", "free", "memcpy", "memset"];

/// Mathematical functions on `double` that code of kernels may call, whose names with an `f` are those on
/// `float`; beside those that are operations.
pub const MATHEMATICAL_FUNCTIONS: [&str; 23] = [
    "acosh",
    "asinh",
    "atanh",
    "copysign",
    "exp2",
    "fdim",
    "frexp",
    "ilogb",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "log2",
    "logb",
    "lrint",
    "lround",
    "modf",
    "nearbyint",
    "nextafter",
    "remainder",
    "rint",
    "scalbn",
    "tgamma",
];

/// Whether code of kernels may call a function of the C library.
pub fn has_library_function(name: &str) -> bool {
    let is_mathematical = |name: &str| MATHEMATICAL_FUNCTIONS.contains(&name);
    LIBRARY_FUNCTIONS.contains(&name)
        || is_mathematical(name)
        || name.strip_suffix('f').is_some_and(is_mathematical)
}

/// Words of 64 bits of the state of a thread.
pub const STATE_WORDS: u64 = 24;

/// Words of the operands and the result of a function that a region calls on the host
/// (`APG_TEAM_CALL_WORDS`).
pub const CALL_WORDS: u64 = 32;

/// Bytes of the memory by which `copyprivate` hands over values.
pub const EXCHANGE_BYTES: u64 = 65536;

/// The types of the operands and of the result of an entry; `None` if kernels have no such entry.
pub fn entry(name: &str) -> Option<(&'static [Ty], Ty)> {
    ENTRIES.iter().find(|it| it.0 == name).map(|it| (it.1, it.2))
}

/// The names of all entries.
pub fn names() -> impl Iterator<Item = &'static str> {
    ENTRIES.iter().map(|it| it.0)
}
