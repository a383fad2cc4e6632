//! Messages between a client and the service: read by one thread, written by another, so that neither a client that sends
//! nonsense nor one that does not read takes the server down.
//!
//! The framework's own transport ends the session at the first message that does not parse; here it is answered with
//! the error that the protocol names, and the next one is served. What waits is bounded: a client that does not read its
//! answers is not read from either, and one that is gone ends the session.

mod frames;
mod spelling;

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
use spelling::{NoUri, Spellings};

/// How many requests may wait for their answers at once. Handlers only wait, so many cost nothing.
const CONCURRENT_REQUESTS: usize = 256;
/// How many messages may lie between the threads in each direction.
const QUEUED_MESSAGES: usize = 256;
/// How long answers that are still to come are waited for when the client ends the session.
const FAREWELL: Duration = Duration::from_secs(1);

/// Serves one client until it says `exit`, closes the connection or stops to be. True if it said `shutdown` before.
pub async fn serve<S>(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    socket: ClientSocket,
    mut service: S,
) -> std::io::Result<bool>
where
    S: Service<Request, Response = Option<Response>>,
{
    let (mut questions, mut answers) = socket.split();
    let mut incoming = read_on_a_thread(input)?;
    let (outgoing, written) = write_on_a_thread(output)?;
    let mut running = FuturesUnordered::new();
    let mut shut_down = false;
    let mut spellings = Spellings::default();
    loop {
        tokio::select! {
            Some(answer) = running.next() => {
                if send(&outgoing, &spellings, answer).await.is_err() { break }
            }
            Some(question) = questions.next() => {
                if outgoing.send(spellings.outgoing(&question)).await.is_err() { break }
            }
            () = outgoing.closed() => break,
            message = incoming.recv(), if running.len() < CONCURRENT_REQUESTS => match message {
                None => break,
                Some(Incoming::Bad(id, error)) => {
                    if send(&outgoing, &spellings, Some(Response::from_error(id, error))).await.is_err() { break }
                }
                Some(Incoming::Answer(answer)) => {
                    // One that nobody waits for is nobody's.
                    let _ = answers.send(answer).await;
                }
                Some(Incoming::Request(request)) => {
                    shut_down |= request.method() == "shutdown";
                    let ends = request.method() == "exit";
                    if request.method() == "initialize" {
                        watch_client(&request);
                    }
                    let id = request.id().cloned();
                    let method = request.method().to_owned();
                    let request = match spellings.incoming(request) {
                        Ok(request) => request,
                        Err(why) => {
                            let Some(told) = refusal(id, &method, &why) else { continue };
                            if outgoing.send(told).await.is_err() { break }
                            continue;
                        }
                    };
                    if std::future::poll_fn(|context| service.poll_ready(context)).await.is_err() { break }
                    running.push(service.call(request).unwrap_or_else(|_| None));
                    if ends { break }
                }
            },
        }
    }
    let farewell = async {
        while let Some(answer) = running.next().await {
            if send(&outgoing, &spellings, answer).await.is_err() {
                break;
            }
        }
        drop(outgoing);
        let _ = written.await;
    };
    let _ = tokio::time::timeout(FAREWELL, farewell).await;
    Ok(shut_down)
}

/// The client is gone.
struct Gone;

async fn send(
    outgoing: &mpsc::Sender<Vec<u8>>,
    spellings: &Spellings,
    answer: Option<Response>,
) -> Result<(), Gone> {
    let Some(answer) = answer else { return Ok(()) };
    outgoing.send(spellings.outgoing(&answer)).await.map_err(|_| Gone)
}

/// The reply to a message about a document without a URI: an error to a request, a warning to `didOpen`, and nothing to later edits of the
/// same document.
fn refusal(id: Option<Id>, method: &str, NoUri { text, why }: &NoUri) -> Option<Vec<u8>> {
    let message = format!("`{text}` names no document: {why}");
    if let Some(id) = id {
        return Some(frames::bytes(&Response::from_error(id, Error::invalid_params(message))));
    }
    let params = ShowMessageParams { typ: MessageType::WARNING, message: format!("apg: {message}") };
    let params = serde_json::to_value(params).unwrap_or_default();
    (method == "textDocument/didOpen")
        .then(|| frames::bytes(&Request::build("window/showMessage").params(params).finish()))
}

fn read_on_a_thread(input: impl Read + Send + 'static) -> std::io::Result<mpsc::Receiver<Incoming>> {
    let (sender, incoming) = mpsc::channel(QUEUED_MESSAGES);
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

fn write_on_a_thread(mut output: impl Write + Send + 'static) -> std::io::Result<Outgoing> {
    let (sender, mut outgoing) = mpsc::channel::<Vec<u8>>(QUEUED_MESSAGES);
    let (done, written) = oneshot::channel();
    std::thread::Builder::new().name("apg-lsp-output".into()).spawn(move || {
        while let Some(message) = outgoing.blocking_recv() {
            if output.write_all(&message).and_then(|()| output.flush()).is_err() {
                break;
            }
        }
        // Nobody waits if the session has ended without a farewell.
        let _ = done.send(());
    })?;
    Ok((sender, written))
}

/// Ends this process when the client's is gone, as the protocol asks: a closed pipe does not tell when another process has
/// inherited it. A number that names no process from here (a client in another container) says nothing.
#[cfg(unix)]
fn watch_client(request: &Request) {
    let number = request.params().and_then(|params| params.get("processId")?.as_i64());
    let Some(client) = number.and_then(|number| libc::pid_t::try_from(number).ok()).filter(|pid| *pid > 1)
    else {
        return;
    };
    let lives = move || {
        // SAFETY: signal 0 is sent to nobody; it only asks whether the process is there.
        let sent = unsafe { libc::kill(client, 0) };
        sent == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
    };
    if lives() {
        let watch = move || {
            while lives() {
                std::thread::sleep(Duration::from_secs(2));
            }
            crate::end_process(1);
        };
        if let Err(error) = std::thread::Builder::new().name("apg-lsp-client".into()).spawn(watch) {
            eprintln!("apg-lsp: the end of the client's process is not seen: {error}");
        }
    }
}

#[cfg(not(unix))]
fn watch_client(_: &Request) {}
