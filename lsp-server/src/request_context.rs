//! Context of the request that a handler answers: its method and the state of the text when it arrived.

tokio::task_local! {
    static CONTEXT: RequestContext;
}

/// What is known of a request when it arrives.
#[derive(Clone, Debug)]
pub(crate) struct RequestContext {
    /// Number of edits that arrived before the request.
    pub edits: u64,
    /// The method.
    pub method: String,
}

impl RequestContext {
    /// Runs a handler in this context.
    pub(crate) fn scope<F: Future>(self, handler: F) -> impl Future<Output = F::Output> {
        CONTEXT.scope(self, handler)
    }
}

/// Number of edits that arrived before the current request; `None` outside of a handler.
pub(crate) fn edits_before() -> Option<u64> {
    CONTEXT.try_with(|context| context.edits).ok()
}

/// The method of the current request, for the log.
pub(crate) fn method() -> String {
    CONTEXT.try_with(|context| context.method.clone()).unwrap_or_default()
}
