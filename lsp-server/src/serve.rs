//! One session of the server, from its first message to its last.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use tower_lsp_server::LspService;

use crate::dispatch::Dispatcher;
use crate::quarantine::{Quarantine, open_crash_log};
use crate::server::Server;
use crate::{main_loop, transport};

/// Serves one client until it sends `exit` or closes the connection: on standard input and output, or on the
/// first connection to a loopback address. True if the client sent `shutdown` before, as the protocol
/// demands. `log_file` is the file that clients show as the log.
///
/// # Errors
/// The threads or the connection cannot be set up.
pub fn serve(listen: Option<SocketAddr>, log_file: Option<PathBuf>) -> std::io::Result<bool> {
    // Tasks only wait; work has threads of its own. A multi-threaded runtime panics where the system has no
    // threads.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    let outcome = runtime.block_on(async {
        let client = Arc::new(OnceLock::new());
        // A crash log in a folder that others can write is not read.
        let cache = apg_runtime::cache::Cache::default();
        let crashes = cache.prepare().map(|()| open_crash_log(cache.root())).unwrap_or_default();
        let main_loop = main_loop::start(client.clone(), &handle, Quarantine::from_crashes(crashes))
            .map_err(|error| {
                std::io::Error::new(
                    error.kind(),
                    format!("the threads of the server cannot be started: {error}"),
                )
            })?;
        let (service, socket) = LspService::build(|connected| {
            let _ = client.set(connected);
            Server::new(main_loop.clone(), client.get().cloned(), log_file)
        })
        .custom_method("apg/generatedCode", Server::generated_code)
        .custom_method("apg/memory", Server::memory)
        .custom_method("apg/remotes", Server::remotes)
        .custom_method("apg/addRemote", Server::add_remote)
        .custom_method("apg/logFile", Server::log_file)
        .finish();
        let service = Dispatcher::new(service, main_loop.clone());
        let shut_down = match listen {
            None => transport::serve(std::io::stdin(), std::io::stdout(), socket, service).await?,
            Some(address) => {
                let listener = std::net::TcpListener::bind(address)?;
                eprintln!("apg-lsp: waiting for a client on {}", listener.local_addr()?);
                let (stream, _) = listener.accept()?;
                transport::serve(stream.try_clone()?, stream, socket, service).await?
            }
        };
        main_loop.stop();
        Ok(shut_down)
    });
    // The reader of the input cannot be interrupted; the process ends without it.
    runtime.shutdown_background();
    outcome
}
