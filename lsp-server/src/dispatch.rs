//! Dispatch of messages: document notifications go to the main loop in the order of their arrival, all others
//! to the handlers.
//!
//! tower-lsp-server runs several handlers at once, so that two `didChange` may overtake each other. This
//! service sends document notifications to the main loop inside of `call`, which is called message by
//! message. Requests of handlers reach the main loop after the edits before them, and possibly after later
//! ones: the number of edits before a request is kept in its [`RequestContext`].

use std::pin::Pin;
use std::task::{Context, Poll};

use serde::de::DeserializeOwned;
use tower_lsp_server::jsonrpc::{Error, Request, Response};
use tower_lsp_server::ls_types::{ClientCapabilities, LSPAny, WorkDoneProgressCancelParams};
use tower_service::Service;
use tracing::Instrument as _;

use crate::global_state::Edit;
use crate::lsp::client::needs_static_type_hierarchy;
use crate::main_loop::handle::MainLoopHandle;
use crate::request_context::RequestContext;

/// The service around the handlers.
#[derive(Debug)]
pub(crate) struct Dispatcher<S> {
    handlers: S,
    main_loop: MainLoopHandle,
    /// Between `initialize` and `shutdown`; notifications at other times are ignored.
    is_open: bool,
}

impl<S> Dispatcher<S> {
    /// Sends document notifications to the main loop and other messages to `handlers`.
    pub(crate) fn new(handlers: S, main_loop: MainLoopHandle) -> Self {
        Self { handlers, main_loop, is_open: false }
    }
}

impl<S> Service<Request> for Dispatcher<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = Reply<S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.handlers.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        match request.method() {
            "initialize" => self.is_open = true,
            "shutdown" => self.is_open = false,
            _ => {}
        }
        let id = request.id().cloned();
        let span = tracing::debug_span!("message", method = request.method(), id = ?id);
        let reply = self.dispatch(request, id.is_some());
        // A message with an id is answered, even if the protocol has it as a notification.
        let refusal = move || id.map(|id| Response::from_error(id, Error::method_not_found()));
        Box::pin(async move { Ok(reply.await?.or_else(refusal)) }.instrument(span))
    }
}

type Reply<E> = Pin<Box<dyn Future<Output = Result<Option<Response>, E>> + Send>>;

impl<S> Dispatcher<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    /// Dispatches a message; `has_id` says that it is a request.
    fn dispatch(&mut self, request: Request, has_id: bool) -> Reply<S::Error> {
        if request.method() == "window/workDoneProgress/cancel" && !has_id {
            let params =
                request.params().cloned().map(serde_json::from_value::<WorkDoneProgressCancelParams>);
            if let Some(Ok(params)) = params {
                self.main_loop.cancel_progress(&params.token);
            }
            return Box::pin(std::future::ready(Ok(None)));
        }
        let Some(read) = reader(request.method()) else {
            let adds_types = request.method() == "initialize" && needs_type_hierarchy(request.params());
            let context =
                RequestContext { edits: self.main_loop.edits_sent(), method: request.method().to_owned() };
            let reply = context.scope(self.handlers.call(request));
            return match adds_types {
                true => Box::pin(async move { Ok(reply.await?.map(with_type_hierarchy)) }),
                false => Box::pin(reply),
            };
        };
        // A notification that does not parse is dropped; the client's next full text makes up for it.
        if self.is_open
            && !has_id
            && let Some(params) = request.params()
            && let Some(edit) = read(params).or_else(|| read(&repaired(params.clone())))
        {
            self.main_loop.edit(edit);
        }
        Box::pin(std::future::ready(Ok(None)))
    }
}

/// Whether the answer to these parameters of `initialize` must announce type hierarchies.
fn needs_type_hierarchy(params: Option<&LSPAny>) -> bool {
    let capabilities = params.and_then(|params| params.get("capabilities")).cloned().unwrap_or_default();
    serde_json::from_value::<ClientCapabilities>(capabilities).is_ok_and(|c| needs_static_type_hierarchy(&c))
}

/// Adds type hierarchies to the answer to `initialize`: `ServerCapabilities` has no field for them.
fn with_type_hierarchy(response: Response) -> Response {
    let (id, result) = response.into_parts();
    let result = result.map(|mut result| {
        if let Some(capabilities) = result.get_mut("capabilities").and_then(LSPAny::as_object_mut) {
            capabilities.insert("typeHierarchyProvider".into(), LSPAny::Bool(true));
        }
        result
    });
    Response::from_parts(id, result)
}

/// Repairs numbers of a document notification that are missing or out of range: an edit that was dropped
/// would be missing in all later states of the document. Positions are clamped to the range of the protocol.
fn repaired(mut params: LSPAny) -> LSPAny {
    if let Some(document) = params.get_mut("textDocument").and_then(LSPAny::as_object_mut) {
        let version = document.entry("version").or_insert(LSPAny::Null);
        *version = integer(version).clamp(i32::MIN.into(), i32::MAX.into()).into();
    }
    for change in params.get_mut("contentChanges").and_then(LSPAny::as_array_mut).into_iter().flatten() {
        if let Some(change) = change.as_object_mut() {
            // Redundant, and often wrong.
            change.remove("rangeLength");
        }
        for end in ["start", "end"] {
            let position = change.get_mut("range").and_then(|range| range.get_mut(end));
            if let Some(position) = position.and_then(LSPAny::as_object_mut) {
                repair_position(position);
            }
        }
    }
    params
}

/// Clamps a position: all columns of a line before the first are the start of the text.
fn repair_position(position: &mut serde_json::Map<String, LSPAny>) {
    let number = |name: &str| position.get(name).map_or(0, integer);
    let (line, column) = (number("line"), number("character"));
    let column = if line < 0 { 0 } else { column };
    for (name, number) in [("line", line), ("character", column)] {
        position.insert(name.into(), number.clamp(0, u32::MAX.into()).into());
    }
}

fn integer(number: &LSPAny) -> i64 {
    number.as_i64().or_else(|| number.as_f64().map(|it| it as i64)).unwrap_or(0)
}

/// Parser of the parameters of a document notification; `None` for other methods.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn positions_out_of_range_are_clamped() {
        let clamped = |line: LSPAny, character: LSPAny| {
            let position = json!({ "line": line, "character": character });
            let change =
                json!({ "range": { "start": position, "end": position }, "text": "", "rangeLength": -7 });
            let params =
                repaired(json!({ "textDocument": { "uri": "file:///a.x10" }, "contentChanges": [change] }));
            let Some(Edit::Change(params)) = reader("textDocument/didChange").and_then(|read| read(&params))
            else {
                panic!("{params} is no change");
            };
            let range = params.content_changes[0].range.expect("one");
            assert_eq!(range.start, range.end);
            (range.start.line, range.start.character)
        };
        assert_eq!(clamped(json!(3), json!(-1)), (3, 0));
        // The column does not move to the first line.
        assert_eq!(clamped(json!(-1), json!(5)), (0, 0));
        assert_eq!(clamped(json!(2.0), json!(1e30)), (2, u32::MAX));
        assert_eq!(clamped(json!(1_u64 << 40), json!(5)), (u32::MAX, 5));
        assert_eq!(clamped(json!(null), json!("x")), (0, 0));
    }
}
