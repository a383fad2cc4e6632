//! Requests on their way to an answer: what they wait for, and what becomes of them when an edit comes first.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use apg_analysis::Cancelled;
use futures::channel::oneshot;
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{ProgressToken, Uri};

use crate::ordered;
use crate::progress::Shown;
use crate::task::Task;
use crate::world::{Snapshot, key};

/// Nobody waits longer for what is asked while someone types.
const PATIENCE: Duration = Duration::from_secs(30);
/// Nobody waits longer for what may take long.
const LONG_PATIENCE: Duration = Duration::from_secs(600);

/// On what terms a request is answered.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// The document whose text the request's positions are of. An answer from a later text would be of other places: an edit
    /// of the document that comes before the answer ends the request. Without one, the request is asked again.
    pub document: Option<PathBuf>,
    /// The file that it is about: where nothing is known of it, the files of the workspace are to be read before.
    pub file: Option<PathBuf>,
    /// The files of the workspace are to be read before.
    pub needs_workspace: bool,
    /// It may take long: it runs beside the others, so that none waits for it.
    pub is_long: bool,
    /// How it is shown while it runs.
    pub shown: Option<Shown>,
    /// When it is given up, if not at the usual time.
    pub limit: Option<Duration>,
}

impl Terms {
    /// About no position in a text: an edit meanwhile means that it is asked again.
    pub fn anytime() -> Self {
        Self::default()
    }

    /// About a document as a whole.
    pub fn about(uri: &Uri) -> Self {
        Self { file: Some(key(uri)), ..Self::default() }
    }

    /// About positions in the text that a document has now.
    pub fn now(uri: &Uri) -> Self {
        Self { document: Some(key(uri)), ..Self::about(uri) }
    }

    /// About all files of the workspace.
    pub fn over_workspace(self) -> Self {
        Self { needs_workspace: true, is_long: true, ..self }
    }

    /// Work that may take long.
    pub fn long(self) -> Self {
        Self { is_long: true, ..self }
    }

    /// Shown to the user while it runs, under the token that the client gave.
    pub fn shown(self, title: &'static str, token: Option<ProgressToken>) -> Self {
        Self { shown: Some(Shown { title, token }), ..self }
    }

    /// Given up after this time.
    pub fn within(self, limit: Duration) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// When it is given up.
    pub fn limit(&self) -> Duration {
        self.limit.unwrap_or(if self.is_long { LONG_PATIENCE } else { PATIENCE })
    }
}

type Run = Arc<dyn Fn(Snapshot) -> Result<(), Cancelled> + Send + Sync>;

/// So often a request is asked again that failed with another thread's failure.
const MOST_TRIES: u32 = 3;

/// A request.
pub struct Job {
    /// How it is answered.
    pub terms: Terms,
    /// How many edits there were when the request arrived.
    pub arrived: Option<u64>,
    /// What it is, for the log.
    pub what: String,
    /// How often it failed because another thread did.
    failures: u32,
    run: Run,
    refuse: Arc<dyn Fn(jsonrpc::Error) + Send + Sync>,
}

impl Job {
    /// A job that asks a question of a snapshot and makes an answer of what it hears, and where the answer will be. The
    /// snapshot is gone before the answer is made, so that no edit waits for that. A panic becomes an error answer.
    pub fn new<T, R: Send + 'static>(
        terms: Terms,
        task: Task,
        question: impl Fn(&Snapshot) -> Result<T, Cancelled> + Send + Sync + 'static,
        answer: impl Fn(T) -> R + Send + Sync + 'static,
    ) -> (Job, oneshot::Receiver<jsonrpc::Result<R>>) {
        let (reply, result) = oneshot::channel();
        let reply = Arc::new(Mutex::new(Some(reply)));
        let refused = reply.clone();
        let terms_document = terms.document.clone();
        let run = move |mut snapshot: Snapshot| {
            // The client may have cancelled it.
            if locked(&reply).as_ref().is_none_or(oneshot::Sender::is_canceled) {
                return Ok(());
            }
            task.runs(&snapshot.analysis);
            snapshot.task = task.clone();
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let heard = {
                    let _working = terms_document.as_deref().and_then(|path| snapshot.working(path));
                    question(&snapshot)
                };
                // An edit waits for the snapshot to go.
                drop(snapshot);
                heard.map(&answer)
            }));
            let outcome = match (outcome, task.ended()) {
                // An answer that was made meanwhile may be one of half the work.
                (Ok(_), Some(ended)) => Err(ended.error()),
                (Ok(outcome), _) => Ok(outcome?),
                (Err(_), _) => Err(internal_error()),
            };
            if let Some(reply) = locked(&reply).take() {
                let _ = reply.send(outcome);
            }
            Ok(())
        };
        let refuse = move |error| {
            if let Some(reply) = locked(&refused).take() {
                let _ = reply.send(Err(error));
            }
        };
        let job = Job {
            what: what(&terms),
            terms,
            arrived: ordered::arrived(),
            failures: 0,
            run: Arc::new(run),
            refuse: Arc::new(refuse),
        };
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
        (self.refuse)(content_modified());
    }

    /// Whether it is to be asked again, which it is after an edit. What another thread failed at fails here too, sooner or later: a cycle
    /// of questions that failed stays so until the next edit, and to ask for ever would leave nobody else a thread. Then the answer
    /// is that it failed.
    pub fn goes_on(&mut self, why: &Cancelled) -> bool {
        self.failures += u32::from(matches!(why, Cancelled::PropagatedPanic));
        let goes_on = self.failures < MOST_TRIES;
        if !goes_on {
            (self.refuse)(internal_error());
        }
        goes_on
    }
}

/// The request that is being handled, for the log.
fn what(terms: &Terms) -> String {
    let method = ordered::method();
    match &terms.document {
        Some(path) => format!("{method} of {}", path.display()),
        None => method,
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
