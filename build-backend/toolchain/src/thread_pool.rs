//! A pool of threads with deep stacks, as large as the machine allows.

use std::sync::OnceLock;

use apg_runtime::base::limits;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Declarations may depend on each other as deeply as there are any. What is not used of a stack takes no memory, but
/// counts where address space is limited.
const STACK_SIZES: [usize; 3] = [256 << 20, 64 << 20, 16 << 20];

/// Of a limited address space, one part of so many may be for these stacks.
const PARTS_OF_ADDRESS_SPACE: usize = 4;

/// Runs `work` in a thread of the pool, in which rayon's parallel iterators use the pool's threads. Where not even one
/// thread can be started, everything runs in the caller's.
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
    let most = std::thread::available_parallelism().map_or(1, usize::from);
    let room = limits::address_space() / PARTS_OF_ADDRESS_SPACE;
    let choices = [most, 1].into_iter().flat_map(|threads| STACK_SIZES.map(|stack| (threads, stack)));
    let mut fitting = choices.filter(|(threads, stack)| threads * stack <= room);
    fitting.find_map(|(threads, stack)| build(threads, stack))
}
