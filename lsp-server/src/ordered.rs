//! Document notifications in the order of their arrival.
//!
//! tower-lsp-server runs several handlers at once, so that two `didChange` may overtake each other. This service takes
//! the document notifications out of the stream and hands them to the main loop inside `call`, which is called message
//! by message; all others go on to the handlers, whose requests to the main loop queue behind the edits before them. They may
//! queue behind later ones too: how many edits there were when a request arrived is kept with it.

use std::pin::Pin;
use std::task::{Context, Poll};

use serde::de::DeserializeOwned;
use tower_lsp_server::jsonrpc::{Error, Request, Response};
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
    /// Between `initialize` and `shutdown`: what is told outside of that is nobody's.
    is_open: bool,
}

impl<S> Ordered<S> {
    /// Takes document notifications out of what goes to `inner`.
    pub fn new(inner: S, edits: Sender) -> Self {
        Self { inner, edits, is_open: false }
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
    type Future = Answer<S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        match request.method() {
            "initialize" => self.is_open = true,
            "shutdown" => self.is_open = false,
            _ => {}
        }
        let id = request.id().cloned();
        let answer = self.answer(request, id.is_some());
        // What has an id wants an answer, also where the protocol has none.
        let refused = move || id.map(|id| Response::from_error(id, Error::method_not_found()));
        Box::pin(async move { Ok(answer.await?.or_else(refused)) })
    }
}

type Answer<E> = Pin<Box<dyn Future<Output = Result<Option<Response>, E>> + Send>>;

impl<S> Ordered<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    /// Answers a message; none if it is a notification, which `has_id` says that it is not.
    fn answer(&mut self, request: Request, has_id: bool) -> Answer<S::Error> {
        if request.method() == "window/workDoneProgress/cancel" && !has_id {
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
        if self.is_open
            && !has_id
            && let Some(params) = request.params()
            && let Some(edit) = read(params).or_else(|| read(&mended(params.clone())))
        {
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

/// The parameters with the numbers that the protocol has: an edit whose version is missing or too large is one nevertheless, a place
/// before the start is the start and one behind the end the end. What was left out would be missing in all texts to come.
fn mended(mut params: LSPAny) -> LSPAny {
    if let Some(document) = params.get_mut("textDocument").and_then(LSPAny::as_object_mut) {
        let version = document.entry("version").or_insert(LSPAny::Null);
        *version = whole(version).clamp(i32::MIN.into(), i32::MAX.into()).into();
    }
    for change in params.get_mut("contentChanges").and_then(LSPAny::as_array_mut).into_iter().flatten() {
        if let Some(change) = change.as_object_mut() {
            // What it says is in the range too.
            change.remove("rangeLength");
        }
        for end in ["start", "end"] {
            let place = change.get_mut("range").and_then(|range| range.get_mut(end));
            if let Some(place) = place.and_then(LSPAny::as_object_mut) {
                mend_place(place);
            }
        }
    }
    params
}

/// Moves a place into the text: all columns of a line before the first are the start.
fn mend_place(place: &mut serde_json::Map<String, LSPAny>) {
    let number = |name: &str| place.get(name).map_or(0, whole);
    let (line, column) = (number("line"), number("character"));
    let column = if line < 0 { 0 } else { column };
    for (name, number) in [("line", line), ("character", column)] {
        place.insert(name.into(), number.clamp(0, u32::MAX.into()).into());
    }
}

fn whole(number: &LSPAny) -> i64 {
    number.as_i64().or_else(|| number.as_f64().map(|it| it as i64)).unwrap_or(0)
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_outside_of_the_text_are_moved_to_its_ends() {
        let place = |line: LSPAny, character: LSPAny| {
            let place = json!({ "line": line, "character": character });
            let change = json!({ "range": { "start": place, "end": place }, "text": "", "rangeLength": -7 });
            let params =
                mended(json!({ "textDocument": { "uri": "file:///a.x10" }, "contentChanges": [change] }));
            let Some(Edit::Change(params)) = reader("textDocument/didChange").and_then(|read| read(&params))
            else {
                panic!("{params} is no change");
            };
            let range = params.content_changes[0].range.expect("one");
            assert_eq!(range.start, range.end);
            (range.start.line, range.start.character)
        };
        assert_eq!(place(json!(3), json!(-1)), (3, 0));
        // No column of a line that is before the text is one of its first line.
        assert_eq!(place(json!(-1), json!(5)), (0, 0));
        assert_eq!(place(json!(2.0), json!(1e30)), (2, u32::MAX));
        assert_eq!(place(json!(1_u64 << 40), json!(5)), (u32::MAX, 5));
        assert_eq!(place(json!(null), json!("x")), (0, 0));
    }
}
