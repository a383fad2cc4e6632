//! The threads that ask the database.

use crate::ahead::Ahead;
use crate::kernels::{Known, Worker};

/// So many requests that take long are worked on at once.
pub const LONG_JOBS: usize = 2;

/// The stack of the threads that ask.
///
/// Expressions nest deeper in the queries than on the parser's bounded stack, and declarations that lean on each other may be
/// as many as there are. What is not used of it takes no memory. `APG_STACK` says another size, in MB.
pub fn stack() -> usize {
    let given = std::env::var("APG_STACK").ok().and_then(|size| size.parse::<usize>().ok());
    given.unwrap_or(256).clamp(1, 4096) << 20
}

/// How many threads answer requests.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 8))
}

/// The threads that ask the database.
pub struct Workers {
    /// What answers requests and finds diagnostics.
    pub pool: rayon::ThreadPool,
    /// What answers requests that take long.
    pub long_pool: rayon::ThreadPool,
    /// What compiles kernels.
    pub kernels: Worker,
    /// What looks ahead.
    pub ahead: Ahead,
}

impl Workers {
    /// Starts them; `compiled` takes what is found of kernels.
    pub fn start(compiled: impl Fn(Option<Known>) + Send + 'static) -> std::io::Result<Workers> {
        Ok(Workers {
            pool: pool("apg-lsp", threads())?,
            long_pool: pool("apg-lsp-long", LONG_JOBS)?,
            kernels: Worker::start(stack(), compiled)?,
            ahead: Ahead::start(stack())?,
        })
    }
}

fn pool(name: &'static str, threads: usize) -> std::io::Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(move |n| format!("{name}-{n}"))
        .stack_size(stack())
        .build()
        .map_err(std::io::Error::other)
}
