//! A rayon thread pool with large stacks, as large as the machine allows.

use std::sync::OnceLock;

use apg_runtime::base::limits;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Stack sizes in the order of preference. Declarations may depend on each other to any depth. Unused stack
/// takes no memory, but counts where address space is limited.
const STACK_SIZES: [usize; 3] = [256 << 20, 64 << 20, 16 << 20];

/// Stacks take at most one part in N of a limited address space.
const ADDRESS_SPACE_DIVISOR: usize = 4;

/// Runs `work` in a thread of the pool, so that rayon's parallel iterators use the pool. Where no thread can
/// be started, everything runs in the caller's thread.
pub fn install<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    match POOL.get_or_init(start) {
        Some(pool) => pool.install(work),
        None => match ThreadPoolBuilder::new().num_threads(1).use_current_thread().build() {
            Ok(pool) => pool.install(work),
            // The caller is a thread of such a pool already.
            Err(_) => work(),
        },
    }
}

fn start() -> Option<ThreadPool> {
    let build = |threads, stack| ThreadPoolBuilder::new().num_threads(threads).stack_size(stack).build().ok();
    let max_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let address_space = limits::address_space() / ADDRESS_SPACE_DIVISOR;
    let choices = [max_threads, 1].into_iter().flat_map(|threads| STACK_SIZES.map(|stack| (threads, stack)));
    let mut fitting = choices.filter(|(threads, stack)| threads * stack <= address_space);
    fitting.find_map(|(threads, stack)| build(threads, stack))
}
