//! The language server: protocol only. Types of the protocol stop here, what they say comes from `apg-analysis`.
//!
//! `transport` reads and writes messages, `ordered` keeps edits in order, `main_loop` owns the database, `workers` are the threads that ask it, `jobs` requests on
//! their way, `task` what ends them and `progress` what shows them, `server` takes requests, `requests` answers them, `world` is the database with the open documents, `workspace` reads the files that are not open,
//! `watcher` sees them change, `aside` knows the texts that are better left alone, `asked` what is being asked, `kernels` has them compiled for GPUs, `refresh` has clients ask again, `convert` and `position` translate.

mod ahead;
mod aside;
mod asked;
mod capabilities;
mod convert;
mod document;
mod ender;
mod jobs;
mod kernel_compiler;
mod kernels;
mod library;
mod main_loop;
mod memory;
mod ordered;
mod position;
mod progress;
mod refresh;
mod requests;
mod server;
mod task;
mod transport;
mod uri;
mod watcher;
mod workers;
mod workspace;
mod world;

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use tower_lsp_server::LspService;

use crate::aside::Aside;

pub use crate::kernel_compiler::{CHILD_ARGUMENT, serve_orders};

/// Serves one client until it says `exit` or closes the connection: on standard input and output, or on the first connection
/// to a loopback address. True if the client said `shutdown` before it went, as the protocol asks.
///
/// # Errors
/// When the runtime or the connection cannot be set up.
pub fn serve(listen: Option<SocketAddr>) -> std::io::Result<bool> {
    // Tasks only wait; what takes time has threads of its own. A runtime with threads panics where the system has none.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    let outcome = runtime.block_on(async {
        let client = Arc::new(OnceLock::new());
        // What others may write to the record is not believed.
        let cache = apg_runtime::cache::Cache::default();
        let crashes = cache.prepare().map(|()| aside::prepare(cache.root())).unwrap_or_default();
        let sender =
            main_loop::start(client.clone(), &handle, Aside::of_crashes(crashes)).map_err(|error| {
                std::io::Error::new(
                    error.kind(),
                    format!("the threads of the server cannot be started: {error}"),
                )
            })?;
        let (service, socket) = LspService::build(|connected| {
            let _ = client.set(connected);
            server::Backend::new(sender.clone(), client.get().cloned())
        })
        .custom_method("apg/generatedCode", server::Backend::generated_code)
        .custom_method("apg/memory", server::Backend::memory)
        .finish();
        let service = ordered::Ordered::new(service, sender.clone());
        let shut_down = match listen {
            None => transport::serve(std::io::stdin(), std::io::stdout(), socket, service).await?,
            Some(address) => {
                let listener = std::net::TcpListener::bind(address)?;
                eprintln!("apg-lsp: waiting for a client on {}", listener.local_addr()?);
                let (stream, _) = listener.accept()?;
                transport::serve(stream.try_clone()?, stream, socket, service).await?
            }
        };
        sender.stop();
        Ok(shut_down)
    });
    // The input's reader is a thread that cannot be interrupted; the process ends without it.
    runtime.shutdown_background();
    outcome
}

/// Ends the process without the handlers of an ordinary exit: in the child that compiles kernels a thread may be loading or running a library
/// (NVRTC), which these would take down under it. Whatever was to be written has been.
pub fn end_process(status: i32) -> ! {
    #[cfg(unix)]
    // SAFETY: it does not return.
    unsafe {
        libc::_exit(status)
    }
    #[cfg(not(unix))]
    std::process::exit(status)
}
