//! Threads that query the database.

use crate::kernels::usage::KernelUsages;
use crate::kernels::worker::KernelWorker;
use crate::prime_caches::CachePrimer;

/// Long-running requests that are answered at once.
pub(crate) const MAX_LONG_REQUESTS: usize = 2;

const DEFAULT_STACK_MB: usize = 256;
const MAX_STACK_MB: usize = 4096;

/// Stack size of the threads that query the database; `APG_STACK` overrides it, in MB.
///
/// Queries nest expressions deeper than the parser's bounded stack, and recursive declarations as deep as
/// there are declarations. Unused stack takes no memory.
pub(crate) fn stack_bytes() -> usize {
    let given = std::env::var("APG_STACK").ok().and_then(|size| size.parse::<usize>().ok());
    given.unwrap_or(DEFAULT_STACK_MB).clamp(1, MAX_STACK_MB) << 20
}

/// The number of threads that answer requests.
pub(crate) fn thread_count() -> usize {
    std::thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 8))
}

/// The threads that query the database.
pub(crate) struct TaskPool {
    /// Answers requests and computes diagnostics.
    pub requests: rayon::ThreadPool,
    /// Answers long-running requests.
    pub long_requests: rayon::ThreadPool,
    /// Compiles kernels.
    pub kernels: KernelWorker,
    /// Primes caches.
    pub primer: CachePrimer,
}

impl TaskPool {
    /// Starts the threads. `on_kernels` takes the resource usage of compiled kernels.
    pub(crate) fn start(
        on_kernels: impl Fn(Option<KernelUsages>) + Send + 'static,
    ) -> std::io::Result<TaskPool> {
        Ok(TaskPool {
            requests: rayon_pool("apg-lsp", thread_count())?,
            long_requests: rayon_pool("apg-lsp-long", MAX_LONG_REQUESTS)?,
            kernels: KernelWorker::start(stack_bytes(), on_kernels)?,
            primer: CachePrimer::start(stack_bytes())?,
        })
    }
}

fn rayon_pool(name: &'static str, threads: usize) -> std::io::Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(move |n| format!("{name}-{n}"))
        .stack_size(stack_bytes())
        .build()
        .map_err(std::io::Error::other)
}
