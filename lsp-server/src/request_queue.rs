//! Queued requests: closures that answer from a snapshot, are retried after edits, and reply exactly once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use apg_analysis::Cancelled;
use futures::channel::oneshot;
use parking_lot::Mutex;
use tower_lsp_server::jsonrpc;

use crate::cancellation::RequestHandle;
use crate::request_context;
use crate::request_policy::RequestPolicy;
use crate::snapshot::Snapshot;

/// Runs of a request that fails because another thread's query panicked.
const MAX_PANICKED_RUNS: u32 = 3;

type Run = Arc<dyn Fn(Snapshot) -> Result<(), Cancelled> + Send + Sync>;

/// A request that waits for its answer.
pub(crate) struct QueuedRequest {
    /// How it is answered.
    pub policy: RequestPolicy,
    /// Number of edits that arrived before the request.
    pub edits_before: Option<u64>,
    /// Method and document, for the log.
    pub description: String,
    /// Runs that failed because another thread's query panicked.
    panicked_runs: u32,
    run: Run,
    refuse: Arc<dyn Fn(jsonrpc::Error) + Send + Sync>,
}

impl QueuedRequest {
    /// A request, and the receiver of its answer. `query` reads the snapshot; `answer` is computed from its
    /// result after the snapshot was dropped, so that edits do not wait for it. A panic becomes an error
    /// response.
    pub(crate) fn new<T, R: Send + 'static>(
        policy: RequestPolicy,
        handle: RequestHandle,
        query: impl Fn(&Snapshot) -> Result<T, Cancelled> + Send + Sync + 'static,
        answer: impl Fn(T) -> R + Send + Sync + 'static,
    ) -> (QueuedRequest, oneshot::Receiver<jsonrpc::Result<R>>) {
        let (reply, result) = oneshot::channel();
        let reply = Arc::new(Mutex::new(Some(reply)));
        let refusal = reply.clone();
        let document = policy.document.clone();
        let description = describe(&policy);
        let span_name = description.clone();
        let run = move |mut snapshot: Snapshot| {
            // The client may have cancelled the request.
            if reply.lock().as_ref().is_none_or(oneshot::Sender::is_canceled) {
                return Ok(());
            }
            let _span = tracing::debug_span!("run", request = span_name).entered();
            handle.start(&snapshot.analysis);
            snapshot.request = handle.clone();
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let found = {
                    let _mark = document.as_deref().and_then(|path| snapshot.mark_analyzing(path));
                    query(&snapshot)
                };
                // Edits wait until the snapshot is dropped.
                drop(snapshot);
                found.map(&answer)
            }));
            let outcome = match (outcome, handle.cancelled()) {
                // The answer may be incomplete.
                (Ok(_), Some(reason)) => Err(reason.error()),
                (Ok(outcome), _) => Ok(outcome?),
                (Err(_), _) => Err(internal_error()),
            };
            tracing::debug!(is_error = outcome.is_err(), "answered");
            if let Some(reply) = reply.lock().take() {
                let _ = reply.send(outcome);
            }
            Ok(())
        };
        let refuse = move |error| {
            if let Some(reply) = refusal.lock().take() {
                let _ = reply.send(Err(error));
            }
        };
        let request = QueuedRequest {
            description,
            policy,
            edits_before: request_context::edits_before(),
            panicked_runs: 0,
            run: Arc::new(run),
            refuse: Arc::new(refuse),
        };
        (request, result)
    }

    /// Answers the request from a snapshot.
    ///
    /// # Errors
    /// The snapshot was cancelled, usually by an edit; there is no answer yet.
    pub(crate) fn run(&self, snapshot: Snapshot) -> Result<(), Cancelled> {
        (self.run)(snapshot)
    }

    /// Answers that the text that the request is about has changed.
    pub(crate) fn refuse_modified(&self) {
        (self.refuse)(content_modified());
    }

    /// Whether to retry after a cancelled run. A panic that propagated from another thread's query is retried
    /// at most [`MAX_PANICKED_RUNS`] times: a cycle of queries that panicked stays so until the next edit,
    /// and endless retries would occupy the pool. The request is then answered with an error.
    pub(crate) fn should_retry(&mut self, reason: &Cancelled) -> bool {
        self.panicked_runs += u32::from(matches!(reason, Cancelled::PropagatedPanic));
        let should_retry = self.panicked_runs < MAX_PANICKED_RUNS;
        if !should_retry {
            (self.refuse)(internal_error());
        }
        should_retry
    }
}

/// Method and document of the current request, for the log.
fn describe(policy: &RequestPolicy) -> String {
    let method = request_context::method();
    match &policy.document {
        Some(path) => format!("{method} of {}", path.display()),
        None => method,
    }
}

/// The answer to a request that panicked.
pub(crate) fn internal_error() -> jsonrpc::Error {
    let mut error = jsonrpc::Error::internal_error();
    error.message = "apg-lsp failed at this request; the server continues".into();
    error
}

fn content_modified() -> jsonrpc::Error {
    let message = "the document was edited before the answer was there".into();
    jsonrpc::Error { code: jsonrpc::ErrorCode::ContentModified, message, data: None }
}
