//! Document notifications in the order of their arrival.
//!
//! tower-lsp-server runs several handlers at once, so that two `didChange` may overtake each other. This service takes
//! the document notifications out of the stream and hands them to the main loop inside `call`, which is called message
//! by message; all others go on to the handlers, whose requests to the main loop queue behind the edits before them. They may
//! queue behind later ones too: how many edits there were when a request arrived is kept with it.

use std::pin::Pin;
use std::task::{Context, Poll};

use serde::de::DeserializeOwned;
use tower_lsp_server::jsonrpc::{Request, Response};
use tower_lsp_server::ls_types::{ClientCapabilities, LSPAny, WorkDoneProgressCancelParams};
use tower_service::Service;

use crate::capabilities::needs_static_types;
use crate::main_loop::{Edit, Sender};

tokio::task_local! {
    /// How many edits had been sent to the main loop when the request arrived that is being handled, and its method.
    static ARRIVED: (u64, String);
}

/// How many edits there were when the request arrived that is being handled; none outside of one.
pub fn arrived() -> Option<u64> {
    ARRIVED.try_with(|(edits, _)| *edits).ok()
}

/// The method of the request that is being handled, for the log.
pub fn method() -> String {
    ARRIVED.try_with(|(_, method)| method.clone()).unwrap_or_default()
}

/// The service around the language server.
#[derive(Debug)]
pub struct Ordered<S> {
    inner: S,
    edits: Sender,
}

impl<S> Ordered<S> {
    /// Takes document notifications out of what goes to `inner`.
    pub fn new(inner: S, edits: Sender) -> Self {
        Self { inner, edits }
    }
}

impl<S> Service<Request> for Ordered<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Option<Response>, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if request.method() == "window/workDoneProgress/cancel" {
            let params =
                request.params().cloned().map(serde_json::from_value::<WorkDoneProgressCancelParams>);
            if let Some(Ok(params)) = params {
                self.edits.cancel_progress(&params.token);
            }
            return Box::pin(std::future::ready(Ok(None)));
        }
        let Some(read) = reader(request.method()) else {
            let types = request.method() == "initialize" && wants_types(request.params());
            let arrived = (self.edits.sent(), request.method().to_owned());
            let answer = ARRIVED.scope(arrived, self.inner.call(request));
            return match types {
                true => Box::pin(async move { Ok(answer.await?.map(with_types)) }),
                false => Box::pin(answer),
            };
        };
        // A notification that does not parse has nobody to tell; the client's next full text mends it.
        if let Some(edit) = request.params().and_then(read) {
            self.edits.edit(edit);
        }
        Box::pin(std::future::ready(Ok(None)))
    }
}

/// Whether a client must be told of type hierarchies in the answer to `initialize`.
fn wants_types(params: Option<&LSPAny>) -> bool {
    let capabilities = params.and_then(|params| params.get("capabilities")).cloned().unwrap_or_default();
    serde_json::from_value::<ClientCapabilities>(capabilities).is_ok_and(|c| needs_static_types(&c))
}

/// The answer to `initialize` with type hierarchies, for which the protocol's types have no field.
fn with_types(response: Response) -> Response {
    let (id, result) = response.into_parts();
    let result = result.map(|mut result| {
        if let Some(capabilities) = result.get_mut("capabilities").and_then(LSPAny::as_object_mut) {
            capabilities.insert("typeHierarchyProvider".into(), LSPAny::Bool(true));
        }
        result
    });
    Response::from_parts(id, result)
}

/// What reads the parameters of a document notification; none for other methods.
fn reader(method: &str) -> Option<fn(&LSPAny) -> Option<Edit>> {
    fn parse<T: DeserializeOwned>(params: &LSPAny, wrap: fn(T) -> Edit) -> Option<Edit> {
        serde_json::from_value(params.clone()).ok().map(wrap)
    }
    Some(match method {
        "textDocument/didOpen" => |params| parse(params, Edit::Open),
        "textDocument/didChange" => |params| parse(params, Edit::Change),
        "textDocument/didClose" => |params| parse(params, Edit::Close),
        "textDocument/didSave" => |params| parse(params, Edit::Save),
        "workspace/didChangeWatchedFiles" => |params| parse(params, Edit::Watched),
        _ => return None,
    })
}
