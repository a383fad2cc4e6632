//! The one thread that owns the database. Edits, requests and results reach it through one queue, in order.
//!
//! An edit is applied at once, which cancels the jobs that read the text before it. A request becomes a job on a snapshot
//! in a small pool; if an edit cancels it, it starts again on the new text or, if its positions are of the old one, ends with
//! `ContentModified`. Every request is answered, once, from a text the client had. Diagnostics are computed when the queue is
//! empty, and published only if no edit has come since. The loop never waits for a job nor for the client.

mod diagnose;
mod settings;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use apg_analysis::Cancelled;
use rustc_hash::FxHashMap;
use tower_lsp_server::Client;
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{
    Diagnostic, DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, MessageType, ProgressToken,
};

use crate::ahead;
use crate::aside::Aside;
use crate::jobs::{Job, Terms, internal_error};
use crate::kernels::{self, Known};
use crate::progress::Progress;
use crate::refresh::{self, Refreshes};
use crate::task::{Ended, Task};
use crate::workers::{LONG_JOBS, Workers, stack, threads};
use crate::workspace::{self, Found};
use crate::world::{Snapshot, World, key};
use crate::{memory, watcher};

use self::diagnose::{Diagnosed, Publication, Undiagnosed};
pub use self::settings::Settings;

/// How often memory is measured.
const MEASURED_EVERY: Duration = Duration::from_secs(2);

/// A document notification.
#[derive(Debug)]
pub enum Edit {
    /// `textDocument/didOpen`
    Open(DidOpenTextDocumentParams),
    /// `textDocument/didChange`
    Change(DidChangeTextDocumentParams),
    /// `textDocument/didClose`
    Close(DidCloseTextDocumentParams),
    /// `textDocument/didSave`
    Save(DidSaveTextDocumentParams),
    /// `workspace/didChangeWatchedFiles`
    Watched(DidChangeWatchedFilesParams),
}

enum Event {
    Settings(Settings),
    SourcePath(Vec<PathBuf>),
    /// Folders that the workspace has now, and those that it has no longer.
    Folders(Vec<PathBuf>, Vec<PathBuf>),
    /// Files of the workspace.
    Files(Found),
    /// A file or folder that is new, another or gone.
    Disk(PathBuf),
    /// An edit and its number.
    Edit(u64, Edit),
    Job(Job),
    /// A long job of this database is over.
    LongDone(u32),
    /// Diagnostics of a document.
    Diagnosed(Diagnosed),
    /// The analysis of a document does not even end when it is told to: it blocks this database.
    Stuck(u32),
    /// The analysis of this file takes too long.
    Slow(PathBuf),
    /// What kernels need of a GPU; none if an edit came first, or nothing can be found.
    Kernels(Option<Known>),
    Stop,
}

/// The way to the main loop.
#[derive(Clone, Debug)]
pub struct Sender {
    events: mpsc::Sender<Event>,
    /// How many edits were sent.
    sent: Arc<AtomicU64>,
    progress: Arc<Progress>,
}

impl Sender {
    fn send(&self, event: Event) {
        // The loop ends only with the process, so that a closed queue has nobody waiting.
        let _ = self.events.send(event);
    }

    /// Settles what `initialize` says, and has the workspace's files read.
    pub fn settings(&self, settings: Settings) {
        self.progress.set_shown(settings.progress);
        self.send(Event::Settings(settings));
    }

    /// Changes the folders with further packages.
    pub fn source_path(&self, folders: Vec<PathBuf>) {
        self.send(Event::SourcePath(folders));
    }

    /// Changes the folders of the workspace.
    pub fn folders(&self, added: Vec<PathBuf>, removed: Vec<PathBuf>) {
        self.send(Event::Folders(added, removed));
    }

    /// A file or folder is new, another or gone.
    pub fn changed_on_disk(&self, path: PathBuf) {
        self.send(Event::Disk(path));
    }

    /// Files appeared.
    pub fn found(&self, found: Found) {
        for (path, _) in found.files {
            self.send(Event::Disk(path));
        }
    }

    /// Applies an edit behind everything sent before.
    pub fn edit(&self, edit: Edit) {
        let nth = self.sent.fetch_add(1, Ordering::SeqCst) + 1;
        self.send(Event::Edit(nth, edit));
    }

    /// How many edits were sent.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::SeqCst)
    }

    /// The client ends what it knows by this token.
    pub fn cancel_progress(&self, token: &ProgressToken) {
        self.progress.cancel(token);
    }

    /// The analysis of a document takes too long.
    pub fn slow(&self, path: PathBuf) {
        self.send(Event::Slow(path));
    }

    /// Ends the loop.
    pub fn stop(&self) {
        self.send(Event::Stop);
    }

    /// Answers a request from a snapshot taken behind everything sent before.
    pub async fn ask<R: Send + 'static>(
        &self,
        terms: Terms,
        answer: impl Fn(&Snapshot) -> Result<R, Cancelled> + Send + Sync + 'static,
    ) -> jsonrpc::Result<R> {
        self.ask_and(terms, answer, |answer| answer).await
    }

    /// As [`Self::ask`]; the answer is made of what the snapshot said when that is gone, so that edits need not wait for it.
    pub async fn ask_and<T: 'static, R: Send + 'static>(
        &self,
        terms: Terms,
        question: impl Fn(&Snapshot) -> Result<T, Cancelled> + Send + Sync + 'static,
        answer: impl Fn(T) -> R + Send + Sync + 'static,
    ) -> jsonrpc::Result<R> {
        let task = Task::default();
        let (limit, shown) = (terms.limit(), terms.shown.clone());
        let (job, result) = Job::new(terms, task.clone(), question, answer);
        self.send(Event::Job(job));
        // A request that the client cancels is dropped here; what works on it ends then too.
        let _wanted = Wanted(&task);
        self.progress.follow(&task, limit, shown, result).await.unwrap_or_else(|_| Err(internal_error()))
    }
}

/// Somebody waits for the answer while this lives.
struct Wanted<'a>(&'a Task);

impl Drop for Wanted<'_> {
    fn drop(&mut self) {
        self.0.end(Ended::ByClient);
    }
}

/// Starts the loop's thread. Diagnostics go to `client` once it is there.
pub fn start(
    client: Arc<OnceLock<Client>>,
    tasks: &tokio::runtime::Handle,
    aside: Aside,
) -> std::io::Result<Sender> {
    let (events, queue) = mpsc::channel();
    let said_to = client.clone();
    let progress = Arc::new(Progress::new(client.clone(), tasks.clone()));
    let sender = Sender { events, sent: Arc::default(), progress };
    let refreshes = refresh::start(client.clone(), tasks);
    // One task sends all diagnostics, so that they reach the client in the order of the loop.
    let (publications, mut published) = tokio::sync::mpsc::unbounded_channel::<Publication>();
    tasks.spawn(async move {
        while let Some(Publication { uri, version, diagnostics }) = published.recv().await {
            if let Some(client) = client.get() {
                client.publish_diagnostics(uri, diagnostics, version).await;
            }
        }
    });
    let main = MainLoop {
        world: World::without(aside),
        tasks: tasks.clone(),
        told_memory: false,
        measured: Instant::now(),
        client: said_to,
        sender: sender.clone(),
        workers: workers(&sender)?,
        database: 0,
        long_jobs: 0,
        waiting: VecDeque::new(),
        reading: 0,
        publications,
        published: FxHashMap::default(),
        edits: 0,
        stale: true,
        is_untidy: false,
        is_wide: true,
        undiagnosed: VecDeque::new(),
        // One thread is left to requests.
        diagnosers: threads() - 1,
        refreshes,
        refresh_at: None,
        kernels_at: None,
        kernels_asked: false,
        ahead_at: None,
        lacks_workers: false,
    };
    std::thread::Builder::new()
        .name("apg-lsp-main".into())
        .stack_size(stack())
        .spawn(move || main.run(&queue))?;
    Ok(sender)
}

/// New threads; what they find of kernels is sent to the loop.
fn workers(sender: &Sender) -> std::io::Result<Workers> {
    let sender = sender.clone();
    Workers::start(move |known| sender.send(Event::Kernels(known)))
}

struct MainLoop {
    world: World,
    sender: Sender,
    workers: Workers,
    /// The number of the database: each one that is given up makes way for the next.
    database: u32,
    /// How many jobs are in the long pool: never more than it has threads, since one that waited there with a snapshot would
    /// hold up edits.
    long_jobs: usize,
    /// Jobs that wait for the long pool or for the workspace's files.
    waiting: VecDeque<Job>,
    /// How often the workspace's files are being read.
    reading: usize,
    publications: tokio::sync::mpsc::UnboundedSender<Publication>,
    /// What was last published of each document, and of which version.
    published: FxHashMap<PathBuf, (i32, Vec<Diagnostic>)>,
    /// How many edits there were.
    edits: u64,
    /// Diagnostics have not been asked for since the last edit.
    stale: bool,
    /// There was an edit since the database was tidied.
    is_untidy: bool,
    /// What happened since was more than edits in code: much may have to be typed.
    is_wide: bool,
    /// Documents whose diagnostics are still to be computed.
    undiagnosed: VecDeque<Undiagnosed>,
    /// How many more may be computed at once.
    diagnosers: usize,
    tasks: tokio::runtime::Handle,
    client: Arc<OnceLock<Client>>,
    /// When memory was last measured.
    measured: Instant,
    /// The user was told that what is open needs more memory than the server is to have.
    told_memory: bool,
    refreshes: tokio::sync::mpsc::UnboundedSender<Refreshes>,
    /// When the client is to be told to ask again.
    refresh_at: Option<Instant>,
    /// When the kernels of open documents are to be compiled again.
    kernels_at: Option<Instant>,
    /// That is being done.
    kernels_asked: bool,
    /// When what all files need is to be found again.
    ahead_at: Option<Instant>,
    /// Some of the threads may be stuck: new ones could not be started.
    lacks_workers: bool,
}

impl MainLoop {
    fn run(mut self, queue: &mpsc::Receiver<Event>) {
        loop {
            // Also what is done between events reads files and starts threads: nothing of it ends the loop.
            match catch_unwind(AssertUnwindSafe(|| self.step(queue))) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => return,
                Err(_) => eprintln!("apg-lsp: internal error in the main loop; going on"),
            }
            if self.world.take_new() {
                self.start_over();
            }
        }
    }

    /// Handles an event, or does what was put off.
    fn step(&mut self, queue: &mpsc::Receiver<Event>) -> ControlFlow<()> {
        // Everything that waits comes first: diagnostics of a text that is already old help nobody.
        let event = match queue.try_recv() {
            Ok(event) => Some(event),
            Err(mpsc::TryRecvError::Disconnected) => return ControlFlow::Break(()),
            Err(mpsc::TryRecvError::Empty) => {
                self.bound_memory();
                self.diagnose();
                self.tidy();
                self.next(queue)
            }
        };
        match event {
            Some(Event::Stop) => return ControlFlow::Break(()),
            Some(event) => self.turn(event),
            None => {}
        }
        ControlFlow::Continue(())
    }

    /// Waits for an event; none if the time has come for something that was put off.
    fn next(&mut self, queue: &mpsc::Receiver<Event>) -> Option<Event> {
        let Some(due) = [self.refresh_at, self.kernels_at, self.ahead_at].into_iter().flatten().min() else {
            return Some(queue.recv().unwrap_or(Event::Stop));
        };
        match queue.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(event) => Some(event),
            Err(mpsc::RecvTimeoutError::Disconnected) => Some(Event::Stop),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                self.due();
                None
            }
        }
    }

    /// Does what was put off until now.
    fn due(&mut self) {
        let now = Instant::now();
        if self.refresh_at.take_if(|at| *at <= now).is_some() {
            let _ = self.refreshes.send(self.world.settings().refreshes);
        }
        // While an older text is compiled, nothing: its end asks for this again.
        if self.kernels_at.take_if(|at| *at <= now).is_some() && !self.kernels_asked {
            let documents = self.world.open_documents().into_iter().map(|document| document.path).collect();
            let snapshot = self.world.snapshot("kernels");
            self.kernels_asked = self.workers.kernels.ask(snapshot, documents, self.edits);
        }
        if self.ahead_at.take_if(|at| *at <= now).is_some()
            && !self.workers.ahead.ask(self.world.snapshot("looking ahead"))
        {
            self.look_ahead(false);
        }
    }

    /// Has the kernels of open documents compiled when there is nothing else to do.
    fn compile_kernels(&mut self) {
        if self.world.settings().compiles_kernels && self.world.has_documents() {
            self.kernels_at = Some(Instant::now() + kernels::QUIET);
        }
    }

    /// Has what all files need found in a while. Who types puts that off; who looks at one file after the other does not.
    fn look_ahead(&mut self, is_typed: bool) {
        if self.world.has_documents() {
            let soon = Instant::now() + if is_typed { ahead::QUIET } else { ahead::OPENED };
            self.ahead_at = self.ahead_at.filter(|_| !is_typed).or(Some(soon));
        }
    }

    /// Takes what kernels need.
    fn compiled(&mut self, known: Option<Known>) {
        self.kernels_asked = false;
        // Unless there were edits meanwhile, nothing more is asked.
        self.compile_kernels();
        if let Some(known) = known
            && self.world.set_kernels(known)
        {
            let _ = self.refreshes.send(self.world.settings().refreshes.of_hints());
        }
    }

    /// Goes on with a new database: the threads that ask the one before are left to themselves, and the files that are not open are
    /// read again.
    fn start_over(&mut self) {
        self.database += 1;
        self.renew_workers();
        self.long_jobs = 0;
        self.diagnosers = threads() - 1;
        self.kernels_asked = false;
        self.changed(Duration::ZERO);
        self.read(self.world.settings().folders.clone());
        self.resume();
    }

    /// Replaces the threads, some of which may never end what they do. Without new ones the others go on, and it is tried again.
    fn renew_workers(&mut self) {
        match workers(&self.sender) {
            Ok(workers) => {
                self.workers = workers;
                self.lacks_workers = false;
            }
            Err(error) => {
                if !std::mem::replace(&mut self.lacks_workers, true) {
                    eprintln!("apg-lsp: no new threads: {error}");
                }
            }
        }
    }

    fn turn(&mut self, event: Event) {
        if self.lacks_workers {
            self.renew_workers();
        }
        match event {
            Event::Settings(settings) => {
                let folders = settings.folders.clone();
                self.world.settle(settings);
                self.stale = true;
                self.is_wide = true;
                self.read(folders);
            }
            Event::SourcePath(folders) => {
                self.world.set_source_path(folders);
                self.changed(Duration::ZERO);
            }
            Event::Folders(added, removed) => {
                self.world.change_folders(&added, &removed);
                self.changed(Duration::ZERO);
                self.read(added);
            }
            Event::Files(found) => {
                self.reading = self.reading.saturating_sub(1);
                self.world.add_files(found.files);
                self.changed(Duration::ZERO);
                if !self.world.settings().client_watches {
                    watcher::start(found.folders, self.sender.clone());
                }
                self.resume();
            }
            Event::Disk(path) => {
                if self.world.changed_on_disk(&path) {
                    self.changed(refresh::PAUSE);
                }
            }
            Event::Edit(nth, edit) => self.edit(nth, edit),
            Event::Job(job) => {
                let text = job.terms.document.as_deref().and_then(|path| self.world.stamp(path));
                match text > job.arrived && job.arrived.is_some() {
                    true => job.refuse(),
                    false => self.take(job),
                }
            }
            Event::LongDone(database) if database == self.database => {
                self.long_jobs -= 1;
                self.resume();
            }
            Event::Diagnosed(diagnosed) if diagnosed.database == self.database => self.diagnosed(diagnosed),
            Event::Stuck(database) if database == self.database => {
                eprintln!("apg-lsp: does not end; starting over without: {}", self.world.asked());
                self.world.start_over();
            }
            // Of a database that was given up.
            Event::LongDone(_) | Event::Diagnosed(_) | Event::Stuck(_) => {}
            Event::Slow(path) => {
                self.world.set_aside(&path);
                self.stale = true;
            }
            Event::Kernels(known) => self.compiled(known),
            Event::Stop => {}
        }
    }

    /// Forgets what was computed if the server has more memory than it is to have.
    fn bound_memory(&mut self) {
        if self.measured.elapsed() < MEASURED_EVERY {
            return;
        }
        self.measured = Instant::now();
        let limit = self.world.settings().memory;
        if self.told_memory || limit == 0 || memory::resident().is_none_or(|bytes| bytes <= limit) {
            return;
        }
        self.world.renew();
        memory::give_back();
        self.changed(Duration::ZERO);
        // What is left is what cannot be forgotten; to forget again and again would only be slow.
        if memory::resident().is_some_and(|bytes| bytes > limit / 4 * 3) {
            self.told_memory = true;
            let message = format!(
                "apg-lsp: the texts of this workspace need more than {} MB of memory (`memoryLimit`); no more is forgotten",
                limit >> 20
            );
            if let Some(client) = self.client.get().cloned() {
                self.tasks.spawn(async move { client.log_message(MessageType::WARNING, message).await });
            }
        }
    }

    fn edit(&mut self, nth: u64, edit: Edit) {
        self.edits += 1;
        self.workers.kernels.supersede(self.edits);
        self.stale = true;
        self.is_untidy = true;
        let is_typed = matches!(edit, Edit::Change(_));
        let outcome = self.world.edit(nth, edit);
        if let Some(uri) = outcome.closed {
            self.published.remove(&key(&uri));
            let _ = self.publications.send(Publication { uri, version: None, diagnostics: Vec::new() });
        }
        if outcome.declarations {
            self.is_wide = true;
            self.refresh(refresh::PAUSE);
        }
        if outcome.declarations || self.ahead_at.is_some() || self.workers.ahead.is_interrupted() {
            self.look_ahead(is_typed);
        }
        self.compile_kernels();
    }

    /// Something else than one document's text is another.
    fn changed(&mut self, pause: Duration) {
        self.edits += 1;
        self.workers.kernels.supersede(self.edits);
        self.stale = true;
        self.is_wide = true;
        self.refresh(pause);
        self.compile_kernels();
        self.look_ahead(false);
    }

    /// Tells the client in a while to ask again for what it has of open documents.
    fn refresh(&mut self, pause: Duration) {
        if self.world.settings().refreshes.any() && self.world.has_documents() {
            self.refresh_at = Some(Instant::now() + pause);
        }
    }

    /// Has the files of folders read.
    fn read(&mut self, folders: Vec<PathBuf>) {
        if folders.is_empty() {
            return;
        }
        self.reading += 1;
        let sender = self.sender.clone();
        let read = Arc::new(move || {
            let found = catch_unwind(AssertUnwindSafe(|| workspace::read(&folders)));
            sender.send(Event::Files(found.unwrap_or_default()));
        });
        let here = read.clone();
        if std::thread::Builder::new().name("apg-lsp-files".into()).spawn(move || read()).is_err() {
            // Requests wait for the files: one of the threads that are there reads them.
            self.workers.long_pool.spawn(move || here());
        }
    }

    /// Runs a job, now or when it can be.
    fn take(&mut self, mut job: Job) {
        let is_unread = |path: &PathBuf| !self.world.knows(path);
        let needs_files = || job.terms.needs_workspace || job.terms.file.as_ref().is_some_and(is_unread);
        let must_wait = self.reading > 0 && needs_files() || job.terms.is_long && self.long_jobs == LONG_JOBS;
        if must_wait {
            self.waiting.push_back(job);
            return;
        }
        let is_long = job.terms.is_long;
        let snapshot = self.world.snapshot(job.what.clone());
        let (sender, database) = (self.sender.clone(), self.database);
        let run = move || {
            // A panic is an answer already; one here would leave the pool's count wrong.
            let outcome = catch_unwind(AssertUnwindSafe(|| job.run(snapshot)));
            if is_long {
                sender.send(Event::LongDone(database));
            }
            if let Ok(Err(why)) = outcome
                && job.goes_on(&why)
            {
                sender.send(Event::Job(job));
            }
        };
        if is_long {
            self.long_jobs += 1;
            self.workers.long_pool.spawn_fifo(run);
        } else {
            self.workers.pool.spawn_fifo(run);
        }
    }

    /// Runs the jobs that waited.
    fn resume(&mut self) {
        for job in std::mem::take(&mut self.waiting) {
            self.sender.send(Event::Job(job));
        }
    }
}
