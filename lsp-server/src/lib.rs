//! The language server: protocol only. Types of the protocol stop here, what they say comes from `apg-analysis`.
//!
//! `ordered` keeps edits in order, `main_loop` owns the database, `jobs` are requests on their way, `server` takes requests,
//! `requests` answers them, `world` is the database with the open documents, `workspace` reads the files that are not open,
//! `watcher` sees them change, `refresh` has clients ask again, `convert` and `position` translate.

mod capabilities;
mod convert;
mod document;
mod jobs;
mod library;
mod main_loop;
mod ordered;
mod position;
mod refresh;
mod requests;
mod server;
mod watcher;
mod workspace;
mod world;

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use tower_lsp_server::{LspService, Server};

/// How many requests may wait for their answers at once. Handlers only wait, so many cost nothing; tower-lsp-server's
/// default of 4 would hold up the input behind slow ones.
const CONCURRENT_REQUESTS: usize = 256;

/// Serves one client until it says `exit` or closes the connection: on standard input and output, or on the first connection
/// to a loopback address.
///
/// # Errors
/// When the runtime or the connection cannot be set up.
pub fn serve(listen: Option<SocketAddr>) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let handle = runtime.handle().clone();
    let outcome = runtime.block_on(async {
        let client = Arc::new(OnceLock::new());
        let sender = main_loop::start(client.clone(), &handle)?;
        let (service, socket) = LspService::build(|connected| {
            let _ = client.set(connected);
            server::Backend::new(sender.clone(), client.get().cloned())
        })
        .custom_method("apg/generatedCode", server::Backend::generated_code)
        .custom_method("apg/memory", server::Backend::memory)
        .finish();
        let service = ordered::Ordered::new(service, sender.clone());
        match listen {
            None => {
                let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
                Server::new(input, output, socket)
                    .concurrency_level(CONCURRENT_REQUESTS)
                    .serve(service)
                    .await;
            }
            Some(address) => {
                let listener = tokio::net::TcpListener::bind(address).await?;
                eprintln!("apg-lsp: waiting for a client on {}", listener.local_addr()?);
                let (stream, _) = listener.accept().await?;
                let (input, output) = tokio::io::split(stream);
                Server::new(input, output, socket)
                    .concurrency_level(CONCURRENT_REQUESTS)
                    .serve(service)
                    .await;
            }
        }
        sender.stop();
        Ok(())
    });
    // Standard input's reader is a thread that cannot be interrupted; the process ends without it.
    runtime.shutdown_background();
    outcome
}
