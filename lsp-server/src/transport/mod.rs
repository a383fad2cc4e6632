//! Transport of messages between a client and the service. One thread reads and another writes, so that
//! neither malformed messages nor a client that does not read ends the server.
//!
//! The framework's own transport ends the session at the first message that does not parse; this one answers
//! it with the error of the protocol and continues. Queues are bounded: the server does not read from a
//! client that does not read its answers. The session ends when the client has gone.

mod frames;
mod uri_spelling;

use std::io::{BufReader, Read, Write};
use std::time::Duration;

use futures::stream::{FuturesUnordered, StreamExt};
use futures::{SinkExt, TryFutureExt};
use tokio::sync::{mpsc, oneshot};
use tower_lsp_server::ClientSocket;
use tower_lsp_server::jsonrpc::{Error, Id, Request, Response};
use tower_lsp_server::ls_types::{MessageType, ShowMessageParams};
use tower_service::Service;

use frames::Incoming;
use uri_spelling::{MalformedUri, UriSpellings};

use crate::exit;

/// Requests that wait for their answers at once. Handlers only wait, so that many of them cost little.
const MAX_CONCURRENT_REQUESTS: usize = 256;
/// Messages between the threads in each direction.
const MAX_QUEUED_MESSAGES: usize = 256;
/// Time for the remaining answers when the client ends the session.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Interval at which the client's process is polled.
#[cfg(unix)]
const CLIENT_POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Serves one client until it sends `exit`, closes the connection or its process ends. True if it sent
/// `shutdown` before.
pub(crate) async fn serve<S>(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    socket: ClientSocket,
    mut service: S,
) -> std::io::Result<bool>
where
    S: Service<Request, Response = Option<Response>>,
{
    let (mut server_requests, mut client_responses) = socket.split();
    let mut incoming = start_reader(input)?;
    let (outgoing, written) = start_writer(output)?;
    let mut running = FuturesUnordered::new();
    let mut shut_down = false;
    let mut spellings = UriSpellings::default();
    loop {
        tokio::select! {
            Some(answer) = running.next() => {
                if send(&outgoing, &spellings, answer).await.is_err() { break }
            }
            Some(request) = server_requests.next() => {
                if outgoing.send(spellings.outgoing(&request)).await.is_err() { break }
            }
            () = outgoing.closed() => break,
            message = incoming.recv(), if running.len() < MAX_CONCURRENT_REQUESTS => match message {
                None => break,
                Some(Incoming::Malformed(id, error)) => {
                    if send(&outgoing, &spellings, Some(Response::from_error(id, error))).await.is_err() { break }
                }
                Some(Incoming::Response(response)) => {
                    // A response that no request waits for is ignored.
                    let _ = client_responses.send(response).await;
                }
                Some(Incoming::Request(request)) => {
                    shut_down |= request.method() == "shutdown";
                    let is_exit = request.method() == "exit";
                    if request.method() == "initialize" {
                        watch_client_process(&request);
                    }
                    let id = request.id().cloned();
                    let method = request.method().to_owned();
                    let request = match spellings.incoming(request) {
                        Ok(request) => request,
                        Err(malformed) => {
                            let Some(reply) = refusal(id, &method, &malformed) else { continue };
                            if outgoing.send(reply).await.is_err() { break }
                            continue;
                        }
                    };
                    if std::future::poll_fn(|context| service.poll_ready(context)).await.is_err() { break }
                    running.push(service.call(request).unwrap_or_else(|_| None));
                    if is_exit { break }
                }
            },
        }
    }
    let shutdown = async {
        while let Some(answer) = running.next().await {
            if send(&outgoing, &spellings, answer).await.is_err() {
                break;
            }
        }
        drop(outgoing);
        let _ = written.await;
    };
    let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, shutdown).await;
    Ok(shut_down)
}

/// The client has closed the connection.
struct Disconnected;

async fn send(
    outgoing: &mpsc::Sender<Vec<u8>>,
    spellings: &UriSpellings,
    answer: Option<Response>,
) -> Result<(), Disconnected> {
    let Some(answer) = answer else { return Ok(()) };
    outgoing.send(spellings.outgoing(&answer)).await.map_err(|_| Disconnected)
}

/// The reply to a message with a malformed URI: an error to a request, a warning to `didOpen`, and nothing to
/// later edits of the same document.
fn refusal(id: Option<Id>, method: &str, MalformedUri { uri, reason }: &MalformedUri) -> Option<Vec<u8>> {
    let message = format!("`{uri}` names no document: {reason}");
    if let Some(id) = id {
        return Some(frames::encode(&Response::from_error(id, Error::invalid_params(message))));
    }
    let params = ShowMessageParams { typ: MessageType::WARNING, message: format!("apg: {message}") };
    let params = serde_json::to_value(params).unwrap_or_default();
    (method == "textDocument/didOpen")
        .then(|| frames::encode(&Request::build("window/showMessage").params(params).finish()))
}

fn start_reader(input: impl Read + Send + 'static) -> std::io::Result<mpsc::Receiver<Incoming>> {
    let (sender, incoming) = mpsc::channel(MAX_QUEUED_MESSAGES);
    std::thread::Builder::new().name("apg-lsp-input".into()).spawn(move || {
        let mut input = BufReader::with_capacity(1 << 16, input);
        while let Ok(Some(message)) = frames::read(&mut input) {
            if sender.blocking_send(message).is_err() {
                return;
            }
        }
    })?;
    Ok(incoming)
}

type Outgoing = (mpsc::Sender<Vec<u8>>, oneshot::Receiver<()>);

fn start_writer(mut output: impl Write + Send + 'static) -> std::io::Result<Outgoing> {
    let (sender, mut outgoing) = mpsc::channel::<Vec<u8>>(MAX_QUEUED_MESSAGES);
    let (done, written) = oneshot::channel();
    std::thread::Builder::new().name("apg-lsp-output".into()).spawn(move || {
        while let Some(message) = outgoing.blocking_recv() {
            if output.write_all(&message).and_then(|()| output.flush()).is_err() {
                break;
            }
        }
        // Nobody waits if the shutdown timed out.
        let _ = done.send(());
    })?;
    Ok((sender, written))
}

/// Ends this process when the client's ends, as the protocol demands: the pipe stays open if another process
/// has inherited it. An id that names no process here (of a client in another container) is ignored.
#[cfg(unix)]
fn watch_client_process(request: &Request) {
    let id = request.params().and_then(|params| params.get("processId")?.as_i64());
    let Some(client) = id.and_then(|id| libc::pid_t::try_from(id).ok()).filter(|pid| *pid > 1) else {
        return;
    };
    let is_alive = move || {
        // SAFETY: signal 0 is not delivered; `kill` only checks whether the process exists.
        let sent = unsafe { libc::kill(client, 0) };
        sent == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
    };
    if is_alive() {
        let watch = move || {
            while is_alive() {
                std::thread::sleep(CLIENT_POLL_INTERVAL);
            }
            exit::end_process(1);
        };
        if let Err(error) = std::thread::Builder::new().name("apg-lsp-client".into()).spawn(watch) {
            tracing::warn!("the end of the client's process is not seen: {error}");
        }
    }
}

#[cfg(not(unix))]
fn watch_client_process(_: &Request) {}
