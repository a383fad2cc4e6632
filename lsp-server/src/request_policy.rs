//! Request policies: what a request waits for, which edits invalidate it, and how long it may run.

use std::path::PathBuf;
use std::time::Duration;

use tower_lsp_server::ls_types::{ProgressToken, Uri};

use crate::document::document_path;
use crate::lsp::progress::ProgressTitle;

/// Limit for requests that are sent while the user types.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Limit for long-running requests.
const LONG_REQUEST_TIMEOUT: Duration = Duration::from_secs(600);

/// How a request is answered.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestPolicy {
    /// The document that positions of the request refer to. An edit of it before the answer ends the request,
    /// because the positions would mean something else. Other requests are retried on the new text.
    pub document: Option<PathBuf>,
    /// The file that the request is about. If the database lacks it, the request waits for the files of the
    /// workspace.
    pub file: Option<PathBuf>,
    /// The request waits for the files of the workspace.
    pub needs_workspace: bool,
    /// The request may take long: it runs in a pool of its own, so that no other waits for it.
    pub is_long: bool,
    /// Progress to show while the request runs.
    pub progress: Option<ProgressTitle>,
    /// The time limit, if not the default.
    pub timeout: Option<Duration>,
}

impl RequestPolicy {
    /// About no position in a text: edits do not invalidate the request.
    pub(crate) fn any_revision() -> Self {
        Self::default()
    }

    /// About a document as a whole.
    pub(crate) fn for_document(uri: &Uri) -> Self {
        Self { file: Some(document_path(uri)), ..Self::default() }
    }

    /// About positions in the current text of a document.
    pub(crate) fn for_positions(uri: &Uri) -> Self {
        Self { document: Some(document_path(uri)), ..Self::for_document(uri) }
    }

    /// About all files of the workspace.
    pub(crate) fn over_workspace(self) -> Self {
        Self { needs_workspace: true, is_long: true, ..self }
    }

    /// A request that may take long.
    pub(crate) fn long(self) -> Self {
        Self { is_long: true, ..self }
    }

    /// Shows progress while the request runs, under the client's token if it gave one.
    pub(crate) fn with_progress(self, title: &'static str, token: Option<ProgressToken>) -> Self {
        Self { progress: Some(ProgressTitle { title, token }), ..self }
    }

    /// Sets the time limit.
    pub(crate) fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    /// The time limit.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout.unwrap_or(if self.is_long { LONG_REQUEST_TIMEOUT } else { REQUEST_TIMEOUT })
    }
}
