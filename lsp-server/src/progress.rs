//! Requests that take long show that they are under way, and can be ended: by `$/cancelRequest`, from the progress that the
//! client shows, and by a limit of time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use futures::channel::oneshot;
use rustc_hash::FxHashMap;
use tower_lsp_server::Client;
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::notification::Progress as ProgressNotification;
use tower_lsp_server::ls_types::{
    ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressEnd, WorkDoneProgressReport,
};

use crate::ordered;
use crate::task::{Ended, Task};

/// What is answered sooner is not worth a sign.
const SOON: Duration = Duration::from_millis(500);
/// How often the client is told how far it is.
const STEP: Duration = Duration::from_millis(200);
/// So long a request that was ended may take to notice it.
const GRACE: Duration = Duration::from_secs(2);

/// How a request is shown while it runs.
#[derive(Clone, Debug)]
pub struct Shown {
    /// What is done, for people.
    pub title: &'static str,
    /// What the client wants it to be known by.
    pub token: Option<ProgressToken>,
}

/// All that is under way.
#[derive(Debug)]
pub struct Progress {
    client: Arc<OnceLock<Client>>,
    tasks: tokio::runtime::Handle,
    /// The client shows what the server begins by itself.
    shows: AtomicBool,
    next: AtomicU64,
    running: Mutex<FxHashMap<ProgressToken, Task>>,
}

impl Progress {
    /// Nothing is under way.
    pub fn new(client: Arc<OnceLock<Client>>, tasks: tokio::runtime::Handle) -> Self {
        Self { client, tasks, shows: false.into(), next: AtomicU64::default(), running: Mutex::default() }
    }

    /// Whether the client shows what the server begins by itself.
    pub fn set_shown(&self, shows: bool) {
        self.shows.store(shows, Ordering::Relaxed);
    }

    fn running(&self) -> MutexGuard<'_, FxHashMap<ProgressToken, Task>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client ends what it knows by this token.
    pub fn cancel(&self, token: &ProgressToken) {
        if let Some(task) = self.running().get(token) {
            task.end(Ended::ByClient);
        }
    }

    /// Waits for an answer, ends the task when it takes longer than `limit`, and shows it if it is to be. A task that does not
    /// notice that it was ended is not waited for.
    pub async fn follow<R>(
        self: &Arc<Self>,
        task: &Task,
        limit: Duration,
        shown: Option<Shown>,
        mut answer: oneshot::Receiver<jsonrpc::Result<R>>,
    ) -> Result<jsonrpc::Result<R>, oneshot::Canceled> {
        if let Ok(answer) = tokio::time::timeout(SOON, &mut answer).await {
            return answer;
        }
        let mut sign = None;
        if let Some(shown) = shown {
            // The client may never answer.
            tokio::select! {
                answer = &mut answer => return answer,
                began = self.begin(task, shown) => sign = began,
            }
        }
        loop {
            if let Ok(answer) = tokio::time::timeout(STEP, &mut answer).await {
                return answer;
            }
            let time = task.time();
            if time > limit {
                task.end(Ended::ByTime);
            }
            if time > limit + GRACE {
                eprintln!(
                    "apg-lsp: {} did not end within {limit:?}; it is answered without",
                    ordered::method()
                );
                return Ok(Err(Ended::ByTime.error()));
            }
            if let Some(sign) = &mut sign {
                sign.report(task.percentage()).await;
            }
        }
    }

    async fn begin(self: &Arc<Self>, task: &Task, shown: Shown) -> Option<Sign> {
        let client = self.client.get()?.clone();
        let token = match shown.token {
            Some(token) => token,
            None if self.shows.load(Ordering::Relaxed) => {
                let nth = self.next.fetch_add(1, Ordering::Relaxed);
                let token = ProgressToken::String(format!("apg-{nth}"));
                client.create_work_done_progress(token.clone()).await.ok()?;
                token
            }
            None => return None,
        };
        let begin = WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title: shown.title.to_owned(),
            cancellable: Some(true),
            message: None,
            percentage: task.percentage(),
        });
        self.running().insert(token.clone(), task.clone());
        let sign = Sign { progress: self.clone(), client, token, last: None };
        sign.say(begin).await;
        Some(sign)
    }
}

/// What the client shows. It goes when this does, whatever ends the request.
struct Sign {
    progress: Arc<Progress>,
    client: Client,
    token: ProgressToken,
    last: Option<u32>,
}

impl Sign {
    async fn say(&self, what: WorkDoneProgress) {
        send(&self.client, self.token.clone(), what).await;
    }

    async fn report(&mut self, percentage: Option<u32>) {
        if percentage != self.last {
            self.last = percentage;
            let report = WorkDoneProgressReport { percentage, ..WorkDoneProgressReport::default() };
            self.say(WorkDoneProgress::Report(report)).await;
        }
    }
}

impl Drop for Sign {
    fn drop(&mut self) {
        self.progress.running().remove(&self.token);
        let (client, token) = (self.client.clone(), self.token.clone());
        self.progress.tasks.spawn(async move {
            send(&client, token, WorkDoneProgress::End(WorkDoneProgressEnd::default())).await;
        });
    }
}

async fn send(client: &Client, token: ProgressToken, what: WorkDoneProgress) {
    let params = ProgressParams { token, value: ProgressParamsValue::WorkDone(what) };
    client.send_notification::<ProgressNotification>(params).await;
}
