//! Cancellation of requests by the client or by a timeout, and the progress of running ones.

use std::sync::Arc;
use std::time::{Duration, Instant};

use apg_analysis::{Analysis, Canceller};
use parking_lot::Mutex;
use tower_lsp_server::jsonrpc;

/// `RequestFailed` of the protocol, for which the framework has no name.
pub(crate) const REQUEST_FAILED: jsonrpc::ErrorCode = jsonrpc::ErrorCode::ServerError(-32803);

/// Why a request was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CancelReason {
    /// The client sent `$/cancelRequest` or cancelled the progress that it shows.
    Client,
    /// The request ran longer than its policy allows.
    Timeout,
}

impl CancelReason {
    /// The error that answers a cancelled request.
    pub(crate) fn error(self) -> jsonrpc::Error {
        match self {
            Self::Client => jsonrpc::Error::request_cancelled(),
            Self::Timeout => jsonrpc::Error {
                code: REQUEST_FAILED,
                message: "this took too long and was given up; the server continues".into(),
                data: None,
            },
        }
    }
}

/// Handle of a request: cancels it and knows how far it is. All clones belong to the same request.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestHandle(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    cancelled: Option<CancelReason>,
    /// Start of the current run and the canceller of its snapshot; `None` while the request is queued.
    running: Option<(Instant, Canceller)>,
    /// Finished and total steps.
    progress: Option<(usize, usize)>,
}

impl RequestHandle {
    /// The request starts to run on a snapshot of the database.
    pub(crate) fn start(&self, analysis: &Analysis) {
        let mut state = self.0.lock();
        let canceller = analysis.canceller();
        if state.cancelled.is_some() {
            canceller.cancel();
        }
        state.running = Some((Instant::now(), canceller));
    }

    /// Cancels the request: queries of its snapshot end with `Cancelled::Local`.
    pub(crate) fn cancel(&self, reason: CancelReason) {
        let mut state = self.0.lock();
        state.cancelled.get_or_insert(reason);
        if let Some((_, canceller)) = &state.running {
            canceller.cancel();
        }
    }

    /// Why the request was cancelled; `None` if it was not.
    pub(crate) fn cancelled(&self) -> Option<CancelReason> {
        self.0.lock().cancelled
    }

    /// Time since the current run started.
    pub(crate) fn elapsed(&self) -> Duration {
        self.0.lock().running.as_ref().map_or(Duration::ZERO, |(since, _)| since.elapsed())
    }

    /// Records that `done` of `total` steps are finished.
    pub(crate) fn set_progress(&self, done: usize, total: usize) {
        self.0.lock().progress = Some((done, total));
    }

    /// Finished share in percent; `None` for requests that do not report progress.
    pub(crate) fn percentage(&self) -> Option<u32> {
        let (done, total) = self.0.lock().progress?;
        u32::try_from(done * 100 / total.max(1)).ok().map(|percentage| percentage.min(100))
    }
}
