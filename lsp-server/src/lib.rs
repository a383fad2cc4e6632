//! The language server of X10 and of C with directives: the protocol only. Types of the protocol stop here;
//! what they say comes from `apg-analysis` and `apg-c-analysis`.
//!
//! A message passes `transport`, `dispatch` and `server`, which makes it a request to the `main_loop`. The
//! main loop owns the `global_state` and applies edits in order; requests wait in the `request_queue`, run on
//! a `snapshot` in the `task_pool`, where `handlers` answer them, and end early by `cancellation`. `lsp`
//! converts types. Sources that crash the server are in `quarantine`.

mod c_files;
mod cancellation;
mod config;
mod dispatch;
mod document;
mod exit;
mod global_state;
mod handlers;
mod in_flight;
mod kernels;
mod language;
mod logging;
mod lsp;
mod main_loop;
mod prime_caches;
mod process_memory;
mod quarantine;
mod query_canceller;
mod request_context;
mod request_policy;
mod request_queue;
mod serve;
mod server;
mod snapshot;
mod task_pool;
mod thread_priority;
mod transport;
mod workspace;

pub use crate::exit::end_process;
pub use crate::kernels::compiler::{CHILD_ARGUMENT, serve_compiler};
pub use crate::logging::{default_log_file, start_logging};
pub use crate::serve::serve;
