//! Requests on their way to an answer: what they wait for, and what becomes of them when an edit comes first.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use apg_analysis::Cancelled;
use futures::channel::oneshot;
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::Uri;

use crate::ordered;
use crate::world::{Snapshot, key};

/// On what terms a request is answered.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// The document whose text the request's positions are of. An answer from a later text would be of other places: an edit
    /// of the document that comes before the answer ends the request. Without one, the request is asked again.
    pub document: Option<PathBuf>,
    /// The files of the workspace are to be read before.
    pub needs_workspace: bool,
    /// It may take long: it runs beside the others, so that none waits for it.
    pub is_long: bool,
}

impl Terms {
    /// About a document as a whole, or none: an edit meanwhile means that it is asked again.
    pub fn anytime() -> Self {
        Self::default()
    }

    /// About positions in the text that a document has now.
    pub fn now(uri: &Uri) -> Self {
        Self { document: key(uri), ..Self::default() }
    }

    /// About all files of the workspace.
    pub fn over_workspace(self) -> Self {
        Self { needs_workspace: true, is_long: true, ..self }
    }

    /// Work that may take long.
    pub fn long(self) -> Self {
        Self { is_long: true, ..self }
    }
}

type Run = Arc<dyn Fn(Snapshot) -> Result<(), Cancelled> + Send + Sync>;

/// A request.
pub struct Job {
    /// How it is answered.
    pub terms: Terms,
    /// How many edits there were when the request arrived.
    pub arrived: Option<u64>,
    run: Run,
    refuse: Arc<dyn Fn() + Send + Sync>,
}

impl Job {
    /// A job that asks a question of a snapshot and makes an answer of what it hears, and where the answer will be. The
    /// snapshot is gone before the answer is made, so that no edit waits for that. A panic becomes an error answer.
    pub fn new<T, R: Send + 'static>(
        terms: Terms,
        question: impl Fn(&Snapshot) -> Result<T, Cancelled> + Send + Sync + 'static,
        answer: impl Fn(T) -> R + Send + Sync + 'static,
    ) -> (Job, oneshot::Receiver<jsonrpc::Result<R>>) {
        let (reply, result) = oneshot::channel();
        let reply = Arc::new(Mutex::new(Some(reply)));
        let refused = reply.clone();
        let run = move |snapshot: Snapshot| {
            // The client may have cancelled it.
            if locked(&reply).as_ref().is_none_or(oneshot::Sender::is_canceled) {
                return Ok(());
            }
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let heard = question(&snapshot);
                // An edit waits for the snapshot to go.
                drop(snapshot);
                heard.map(&answer)
            }));
            let outcome = match outcome {
                Ok(outcome) => Ok(outcome?),
                Err(_) => Err(internal_error()),
            };
            if let Some(reply) = locked(&reply).take() {
                let _ = reply.send(outcome);
            }
            Ok(())
        };
        let refuse = move || {
            if let Some(reply) = locked(&refused).take() {
                let _ = reply.send(Err(content_modified()));
            }
        };
        let job = Job { terms, arrived: ordered::arrived(), run: Arc::new(run), refuse: Arc::new(refuse) };
        (job, result)
    }

    /// Answers it; not if an edit comes first.
    ///
    /// # Errors
    /// The edit came first.
    pub fn run(&self, snapshot: Snapshot) -> Result<(), Cancelled> {
        (self.run)(snapshot)
    }

    /// Answers that the text it is about is no more.
    pub fn refuse(&self) {
        (self.refuse)();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The answer to a request that failed.
pub fn internal_error() -> jsonrpc::Error {
    let mut error = jsonrpc::Error::internal_error();
    error.message = "apg-lsp failed at this request; the server goes on".into();
    error
}

fn content_modified() -> jsonrpc::Error {
    let message = "the document was edited before the answer was there".into();
    jsonrpc::Error { code: jsonrpc::ErrorCode::ContentModified, message, data: None }
}
