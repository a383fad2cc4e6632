//! Handle of the main loop: sends it events and requests.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use apg_analysis::Cancelled;
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::ProgressToken;

use super::event::Event;
use crate::cancellation::{CancelReason, RequestHandle};
use crate::config::Config;
use crate::global_state::Edit;
use crate::lsp::progress::Progress;
use crate::request_policy::RequestPolicy;
use crate::request_queue::{QueuedRequest, internal_error};
use crate::snapshot::Snapshot;

/// Sender of events to the main loop. Events are handled in the order in which they are sent.
#[derive(Clone, Debug)]
pub(crate) struct MainLoopHandle {
    events: mpsc::Sender<Event>,
    /// Number of edits sent.
    edits_sent: Arc<AtomicU64>,
    progress: Arc<Progress>,
}

impl MainLoopHandle {
    /// A handle that sends to `events`.
    pub(crate) fn new(events: mpsc::Sender<Event>, progress: Arc<Progress>) -> Self {
        Self { events, edits_sent: Arc::default(), progress }
    }

    /// Sends an event.
    pub(crate) fn send(&self, event: Event) {
        // The loop ends only with the session: nobody waits for what a closed queue refuses.
        let _ = self.events.send(event);
    }

    /// Sets the configuration and reads the files of the workspace.
    pub(crate) fn set_config(&self, config: Config) {
        self.progress.set_client_support(config.shows_progress);
        self.send(Event::Config(config));
    }

    /// Applies an edit after everything sent before.
    pub(crate) fn edit(&self, edit: Edit) {
        let number = self.edits_sent.fetch_add(1, Ordering::SeqCst) + 1;
        self.send(Event::Edit(number, edit));
    }

    /// Number of edits sent.
    pub(crate) fn edits_sent(&self) -> u64 {
        self.edits_sent.load(Ordering::SeqCst)
    }

    /// Cancels the request whose progress the client knows by this token.
    pub(crate) fn cancel_progress(&self, token: &ProgressToken) {
        self.progress.cancel(token);
    }

    /// The analysis of a document takes too long.
    pub(crate) fn analysis_timed_out(&self, path: PathBuf) {
        self.send(Event::AnalysisTimedOut(path));
    }

    /// Ends the loop.
    pub(crate) fn stop(&self) {
        self.send(Event::Stop);
    }

    /// Answers a request from a snapshot that is taken after everything sent before.
    pub(crate) async fn request<R: Send + 'static>(
        &self,
        policy: RequestPolicy,
        answer: impl Fn(&Snapshot) -> Result<R, Cancelled> + Send + Sync + 'static,
    ) -> jsonrpc::Result<R> {
        self.request_then(policy, answer, |answer| answer).await
    }

    /// As [`Self::request`], in two steps: `answer` is computed from the result of `query` after the snapshot
    /// was dropped, so that edits do not wait for it.
    pub(crate) async fn request_then<T: 'static, R: Send + 'static>(
        &self,
        policy: RequestPolicy,
        query: impl Fn(&Snapshot) -> Result<T, Cancelled> + Send + Sync + 'static,
        answer: impl Fn(T) -> R + Send + Sync + 'static,
    ) -> jsonrpc::Result<R> {
        let handle = RequestHandle::default();
        let (timeout, progress) = (policy.timeout(), policy.progress.clone());
        let (request, result) = QueuedRequest::new(policy, handle.clone(), query, answer);
        self.send(Event::Request(request));
        // The framework drops this future when the client cancels the request.
        let _guard = CancelOnDrop(&handle);
        let answered = self.progress.wait_with_progress(&handle, timeout, progress, result).await;
        answered.unwrap_or_else(|_| Err(internal_error()))
    }
}

/// Cancels a request when nobody waits for its answer any more.
struct CancelOnDrop<'a>(&'a RequestHandle);

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.0.cancel(CancelReason::Client);
    }
}
