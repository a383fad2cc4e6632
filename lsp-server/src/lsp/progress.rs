//! Progress and time limits of running requests. Requests are cancelled by `$/cancelRequest`, from the
//! progress that the client shows, and by their time limit.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::channel::oneshot;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use tower_lsp_server::Client;
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::notification::Progress as ProgressNotification;
use tower_lsp_server::ls_types::{
    ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressEnd, WorkDoneProgressReport,
};

use crate::cancellation::{CancelReason, RequestHandle};
use crate::request_context;

/// Requests that are answered sooner show no progress.
const PROGRESS_DELAY: Duration = Duration::from_millis(500);
/// Interval between reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);
/// Time that a request has to end after it was cancelled by its time limit.
const CANCELLATION_GRACE: Duration = Duration::from_secs(2);

/// The progress of a request.
#[derive(Clone, Debug)]
pub(crate) struct ProgressTitle {
    /// The title that users see.
    pub title: &'static str,
    /// The client's token, if it gave one.
    pub token: Option<ProgressToken>,
}

/// The running requests that show progress.
#[derive(Debug)]
pub(crate) struct Progress {
    client: Arc<OnceLock<Client>>,
    tasks: tokio::runtime::Handle,
    /// The client shows progress that the server begins.
    is_supported: AtomicBool,
    next_token: AtomicU64,
    running: Mutex<FxHashMap<ProgressToken, RequestHandle>>,
}

impl Progress {
    /// No request runs.
    pub(crate) fn new(client: Arc<OnceLock<Client>>, tasks: tokio::runtime::Handle) -> Self {
        Self {
            client,
            tasks,
            is_supported: false.into(),
            next_token: AtomicU64::default(),
            running: Mutex::default(),
        }
    }

    /// Sets whether the client shows progress that the server begins.
    pub(crate) fn set_client_support(&self, is_supported: bool) {
        self.is_supported.store(is_supported, Ordering::Relaxed);
    }

    /// Cancels the request that the client knows by this token.
    pub(crate) fn cancel(&self, token: &ProgressToken) {
        if let Some(request) = self.running.lock().get(token) {
            request.cancel(CancelReason::Client);
        }
    }

    /// Waits for the answer to a request, shows progress meanwhile, and cancels the request after `timeout`.
    /// A request that ignores the cancellation is answered with an error.
    pub(crate) async fn wait_with_progress<R>(
        self: &Arc<Self>,
        request: &RequestHandle,
        timeout: Duration,
        title: Option<ProgressTitle>,
        mut answer: oneshot::Receiver<jsonrpc::Result<R>>,
    ) -> Result<jsonrpc::Result<R>, oneshot::Canceled> {
        if let Ok(answer) = tokio::time::timeout(PROGRESS_DELAY, &mut answer).await {
            return answer;
        }
        let mut reporter = None;
        if let Some(title) = title {
            // The client may never answer.
            tokio::select! {
                answer = &mut answer => return answer,
                begun = self.begin(request, title) => reporter = begun,
            }
        }
        loop {
            if let Ok(answer) = tokio::time::timeout(REPORT_INTERVAL, &mut answer).await {
                return answer;
            }
            let elapsed = request.elapsed();
            if elapsed > timeout {
                request.cancel(CancelReason::Timeout);
            }
            if elapsed > timeout + CANCELLATION_GRACE {
                tracing::error!("{} did not end within {timeout:?}", request_context::method());
                return Ok(Err(CancelReason::Timeout.error()));
            }
            if let Some(reporter) = &mut reporter {
                reporter.report(request.percentage()).await;
            }
        }
    }

    async fn begin(self: &Arc<Self>, request: &RequestHandle, title: ProgressTitle) -> Option<Reporter> {
        let client = self.client.get()?.clone();
        let token = match title.token {
            Some(token) => token,
            None if self.is_supported.load(Ordering::Relaxed) => {
                let number = self.next_token.fetch_add(1, Ordering::Relaxed);
                let token = ProgressToken::String(format!("apg-{number}"));
                client.create_work_done_progress(token.clone()).await.ok()?;
                token
            }
            None => return None,
        };
        let begin = WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title: title.title.to_owned(),
            cancellable: Some(true),
            message: None,
            percentage: request.percentage(),
        });
        self.running.lock().insert(token.clone(), request.clone());
        let reporter = Reporter { progress: self.clone(), client, token, last: None };
        reporter.send(begin).await;
        Some(reporter)
    }
}

/// Reports the progress of a request. Dropping it ends the client's display, however the request ends.
struct Reporter {
    progress: Arc<Progress>,
    client: Client,
    token: ProgressToken,
    last: Option<u32>,
}

impl Reporter {
    async fn send(&self, value: WorkDoneProgress) {
        send(&self.client, self.token.clone(), value).await;
    }

    async fn report(&mut self, percentage: Option<u32>) {
        if percentage != self.last {
            self.last = percentage;
            let report = WorkDoneProgressReport { percentage, ..WorkDoneProgressReport::default() };
            self.send(WorkDoneProgress::Report(report)).await;
        }
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        self.progress.running.lock().remove(&self.token);
        let (client, token) = (self.client.clone(), self.token.clone());
        self.progress.tasks.spawn(async move {
            send(&client, token, WorkDoneProgress::End(WorkDoneProgressEnd::default())).await;
        });
    }
}

async fn send(client: &Client, token: ProgressToken, value: WorkDoneProgress) {
    let params = ProgressParams { token, value: ProgressParamsValue::WorkDone(value) };
    client.send_notification::<ProgressNotification>(params).await;
}
