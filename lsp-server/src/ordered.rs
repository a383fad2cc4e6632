//! Document notifications in the order of their arrival.
//!
//! tower-lsp-server runs several handlers at once, so that two `didChange` may overtake each other. This service takes
//! the document notifications out of the stream and hands them to the main loop inside `call`, which is called message
//! by message; all others go on to the handlers, whose requests to the main loop queue behind the edits before them.

use std::task::{Context, Poll};

use serde::de::DeserializeOwned;
use tower_lsp_server::jsonrpc::{Request, Response};
use tower_lsp_server::ls_types::LSPAny;
use tower_service::Service;

use crate::main_loop::{Edit, Sender};

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
    type Future = futures::future::Either<S::Future, std::future::Ready<Result<Option<Response>, S::Error>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        use futures::future::Either;
        let Some(read) = reader(request.method()) else { return Either::Left(self.inner.call(request)) };
        // A notification that does not parse has nobody to tell; the client's next full text mends it.
        if let Some(edit) = request.params().and_then(read) {
            self.edits.edit(edit);
        }
        Either::Right(std::future::ready(Ok(None)))
    }
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
