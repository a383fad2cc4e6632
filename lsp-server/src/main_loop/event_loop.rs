//! The loop itself: state, event handling and timers.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use tower_lsp_server::Client;
use tower_lsp_server::ls_types::{Diagnostic, MessageType};

use super::event::{DatabaseId, DiagnosisTask, Event, Publication};
use super::handle::MainLoopHandle;
use crate::document::document_path;
use crate::global_state::{Edit, GlobalState};
use crate::kernels::usage::KernelUsages;
use crate::kernels::worker::COMPILE_DELAY;
use crate::lsp::progress::Progress;
use crate::lsp::refresh::{self, RefreshKinds};
use crate::prime_caches;
use crate::process_memory;
use crate::quarantine::Quarantine;
use crate::request_queue::QueuedRequest;
use crate::task_pool::{MAX_LONG_REQUESTS, TaskPool, stack_bytes, thread_count};
use crate::workspace::{self, watcher};

/// Interval at which the memory limit is checked.
const MEMORY_CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Starts the thread of the loop. It sends to `client` when that has connected.
pub(crate) fn start(
    client: Arc<OnceLock<Client>>,
    tasks: &tokio::runtime::Handle,
    quarantine: Quarantine,
) -> std::io::Result<MainLoopHandle> {
    let (events, queue) = mpsc::channel();
    let progress = Arc::new(Progress::new(client.clone(), tasks.clone()));
    let handle = MainLoopHandle::new(events, progress);
    let refreshes = refresh::start(client.clone(), tasks);
    let publications = start_publishing(client.clone(), tasks);
    let main_loop = MainLoop {
        state: GlobalState::new(quarantine),
        tasks: tasks.clone(),
        has_warned_of_memory: false,
        memory_checked_at: Instant::now(),
        client,
        handle: handle.clone(),
        pool: start_pool(&handle)?,
        database: 0,
        running_long_requests: 0,
        waiting: VecDeque::new(),
        pending_reads: 0,
        publications,
        published: FxHashMap::default(),
        edits: 0,
        diagnostics_outdated: true,
        needs_trim: false,
        types_in_parallel: true,
        undiagnosed: VecDeque::new(),
        // One thread is left to requests.
        free_diagnosis_slots: thread_count() - 1,
        refreshes,
        refresh_at: None,
        compile_at: None,
        is_compiling: false,
        prime_at: None,
        needs_new_threads: false,
    };
    std::thread::Builder::new()
        .name("apg-lsp-main".into())
        .stack_size(stack_bytes())
        .spawn(move || main_loop.run(&queue))?;
    Ok(handle)
}

/// Starts the task that sends diagnostics: a single one, so that they reach the client in the order of the
/// loop.
fn start_publishing(
    client: Arc<OnceLock<Client>>,
    tasks: &tokio::runtime::Handle,
) -> tokio::sync::mpsc::UnboundedSender<Publication> {
    let (publications, mut received) = tokio::sync::mpsc::unbounded_channel::<Publication>();
    tasks.spawn(async move {
        while let Some(Publication { uri, version, diagnostics }) = received.recv().await {
            if let Some(client) = client.get() {
                client.publish_diagnostics(uri, diagnostics, version).await;
            }
        }
    });
    publications
}

fn start_pool(handle: &MainLoopHandle) -> std::io::Result<TaskPool> {
    let handle = handle.clone();
    TaskPool::start(move |kernels| handle.send(Event::KernelsCompiled(kernels)))
}

/// The main loop and its state.
pub(super) struct MainLoop {
    pub(super) state: GlobalState,
    pub(super) handle: MainLoopHandle,
    pub(super) pool: TaskPool,
    pub(super) database: DatabaseId,
    /// Requests in the long-running pool: never more than it has threads, because a request that waited there
    /// with its snapshot would hold up edits.
    running_long_requests: usize,
    /// Requests that wait for the long-running pool or for the files of the workspace.
    waiting: VecDeque<QueuedRequest>,
    /// Number of threads that read folders of the workspace.
    pending_reads: usize,
    pub(super) publications: tokio::sync::mpsc::UnboundedSender<Publication>,
    /// The last published diagnostics of each document, with its version.
    pub(super) published: FxHashMap<PathBuf, (i32, Vec<Diagnostic>)>,
    /// Number of edits and other changes of the database.
    pub(super) edits: u64,
    /// The database has changed since the open documents were diagnosed.
    pub(super) diagnostics_outdated: bool,
    /// There was an edit since the database was trimmed.
    pub(super) needs_trim: bool,
    /// More than code inside bodies has changed: a diagnosis types many members, on all threads.
    pub(super) types_in_parallel: bool,
    /// Documents whose diagnostics are to be computed.
    pub(super) undiagnosed: VecDeque<DiagnosisTask>,
    /// Number of diagnoses that may be started.
    pub(super) free_diagnosis_slots: usize,
    pub(super) tasks: tokio::runtime::Handle,
    client: Arc<OnceLock<Client>>,
    memory_checked_at: Instant,
    /// The user knows that the open documents need more memory than the limit.
    has_warned_of_memory: bool,
    refreshes: tokio::sync::mpsc::UnboundedSender<RefreshKinds>,
    /// When the client is to be asked to refresh.
    refresh_at: Option<Instant>,
    /// When the kernels of open documents are to be compiled.
    compile_at: Option<Instant>,
    /// Kernels are being compiled.
    is_compiling: bool,
    /// When caches are to be primed.
    prime_at: Option<Instant>,
    /// Threads of the pool may be blocked, and new ones could not be started.
    needs_new_threads: bool,
}

impl MainLoop {
    fn run(mut self, queue: &mpsc::Receiver<Event>) {
        loop {
            // A panic between events, too, must not end the loop.
            match catch_unwind(AssertUnwindSafe(|| self.step(queue))) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => return,
                Err(_) => tracing::error!("internal error in the main loop, which continues"),
            }
            if self.state.take_replaced() {
                self.reset_database();
            }
        }
    }

    /// Handles an event, or does deferred work when there is none.
    fn step(&mut self, queue: &mpsc::Receiver<Event>) -> ControlFlow<()> {
        // All queued events come first: diagnostics of an outdated text are useless.
        let event = match queue.try_recv() {
            Ok(event) => Some(event),
            Err(mpsc::TryRecvError::Disconnected) => return ControlFlow::Break(()),
            Err(mpsc::TryRecvError::Empty) => {
                self.enforce_memory_limit();
                self.diagnose();
                self.trim();
                self.wait_for_event(queue)
            }
        };
        match event {
            Some(Event::Stop) => return ControlFlow::Break(()),
            Some(event) => self.handle_event(event),
            None => {}
        }
        ControlFlow::Continue(())
    }

    /// Waits for an event; `None` if timers ran instead.
    fn wait_for_event(&mut self, queue: &mpsc::Receiver<Event>) -> Option<Event> {
        let timers = [self.refresh_at, self.compile_at, self.prime_at];
        let Some(next) = timers.into_iter().flatten().min() else {
            return Some(queue.recv().unwrap_or(Event::Stop));
        };
        match queue.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Ok(event) => Some(event),
            Err(mpsc::RecvTimeoutError::Disconnected) => Some(Event::Stop),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                self.run_timers();
                None
            }
        }
    }

    /// Does the work whose time has come.
    fn run_timers(&mut self) {
        let now = Instant::now();
        if self.refresh_at.take_if(|at| *at <= now).is_some() {
            let _ = self.refreshes.send(self.state.config().refreshes);
        }
        // The end of a running compilation sets the timer again.
        if self.compile_at.take_if(|at| *at <= now).is_some() && !self.is_compiling {
            let documents = self.state.open_documents().into_iter().map(|document| document.path).collect();
            let snapshot = self.state.snapshot("kernels");
            self.is_compiling = self.pool.kernels.order(snapshot, documents, self.edits);
        }
        if self.prime_at.take_if(|at| *at <= now).is_some()
            && !self.pool.primer.prime(self.state.snapshot("cache priming"))
        {
            self.schedule_priming(false);
        }
    }

    /// Sets the timer that compiles the kernels of open documents.
    fn schedule_compilation(&mut self) {
        if self.state.config().compiles_kernels && self.state.has_documents() {
            self.compile_at = Some(Instant::now() + COMPILE_DELAY);
        }
    }

    /// Sets the timer that primes caches. Typing defers it; opening one document after another does not.
    fn schedule_priming(&mut self, is_typing: bool) {
        if self.state.has_documents() {
            let delay =
                if is_typing { prime_caches::DELAY_AFTER_EDIT } else { prime_caches::DELAY_AFTER_OPEN };
            self.prime_at = self.prime_at.filter(|_| !is_typing).or(Some(Instant::now() + delay));
        }
    }

    /// Takes the resource usage of kernels.
    fn finish_compilation(&mut self, kernels: Option<KernelUsages>) {
        self.is_compiling = false;
        // The worker refuses the order if there was no edit since.
        self.schedule_compilation();
        if let Some(kernels) = kernels
            && self.state.set_kernels(kernels)
        {
            let _ = self.refreshes.send(self.state.config().refreshes.hints_only());
        }
    }

    /// Continues with a new database: threads that query the abandoned one are left to themselves, and the
    /// files that are not open are read again.
    fn reset_database(&mut self) {
        self.database += 1;
        self.renew_pool();
        self.running_long_requests = 0;
        self.free_diagnosis_slots = thread_count() - 1;
        self.is_compiling = false;
        self.invalidate(Duration::ZERO);
        self.read_folders(self.state.config().folders.clone());
        self.unblock();
    }

    /// Replaces the threads, of which some may be blocked for ever. If the system has none, the old ones stay
    /// and the next event tries again.
    fn renew_pool(&mut self) {
        match start_pool(&self.handle) {
            Ok(pool) => {
                self.pool = pool;
                self.needs_new_threads = false;
            }
            Err(error) => {
                if !std::mem::replace(&mut self.needs_new_threads, true) {
                    tracing::warn!("no new threads: {error}");
                }
            }
        }
    }

    fn handle_event(&mut self, event: Event) {
        if self.needs_new_threads {
            self.renew_pool();
        }
        match event {
            Event::Config(config) => {
                let folders = config.folders.clone();
                self.state.set_config(config);
                self.diagnostics_outdated = true;
                self.types_in_parallel = true;
                self.read_folders(folders);
            }
            Event::SourcePath(folders) => {
                self.state.set_source_path(folders);
                self.invalidate(Duration::ZERO);
            }
            Event::Folders(added, removed) => {
                self.state.change_folders(&added, &removed);
                self.invalidate(Duration::ZERO);
                self.read_folders(added);
            }
            Event::WorkspaceRead(found) => {
                self.pending_reads = self.pending_reads.saturating_sub(1);
                self.state.add_files(found.files);
                self.invalidate(Duration::ZERO);
                if !self.state.config().client_watches_files {
                    let handle = self.handle.clone();
                    watcher::start(found.folders, move |path| handle.send(Event::DiskChange(path)));
                }
                self.unblock();
            }
            Event::DiskChange(path) => {
                if self.state.reload_path(&path) {
                    self.invalidate(refresh::REFRESH_DELAY);
                }
            }
            Event::Edit(number, edit) => self.edit(number, edit),
            Event::Request(request) => {
                let document = request.policy.document.as_deref();
                let revision = document.and_then(|path| self.state.revision(path));
                match revision > request.edits_before && request.edits_before.is_some() {
                    true => request.refuse_modified(),
                    false => self.dispatch(request),
                }
            }
            Event::LongRequestDone(database) if database == self.database => {
                self.running_long_requests -= 1;
                self.unblock();
            }
            Event::Diagnosed(diagnosis) if diagnosis.database == self.database => {
                self.finish_diagnosis(diagnosis);
            }
            Event::DatabaseBlocked(database) if database == self.database => {
                tracing::error!(
                    "starting over without queries that do not end: {}",
                    self.state.describe_queries()
                );
                self.state.replace_database();
            }
            // Of an abandoned database.
            Event::LongRequestDone(_) | Event::Diagnosed(_) | Event::DatabaseBlocked(_) => {}
            Event::AnalysisTimedOut(path) => {
                tracing::warn!("quarantined, because its analysis takes too long: {}", path.display());
                self.state.quarantine(&path);
                self.diagnostics_outdated = true;
            }
            Event::KernelsCompiled(kernels) => self.finish_compilation(kernels),
            Event::Stop => {}
        }
    }

    /// Drops computed results if the process needs more memory than its limit.
    fn enforce_memory_limit(&mut self) {
        if self.memory_checked_at.elapsed() < MEMORY_CHECK_INTERVAL {
            return;
        }
        self.memory_checked_at = Instant::now();
        let limit = self.state.config().memory_limit_bytes;
        let is_within_limit = || process_memory::resident_bytes().is_none_or(|bytes| bytes <= limit);
        if self.has_warned_of_memory || limit == 0 || is_within_limit() {
            return;
        }
        tracing::info!("more than {} MB of memory: dropping computed results", limit >> 20);
        self.state.drop_results();
        process_memory::release_free_memory();
        self.invalidate(Duration::ZERO);
        // The rest are sources, which cannot be dropped: doing this again and again would only be slow.
        if process_memory::resident_bytes().is_some_and(|bytes| bytes > limit / 4 * 3) {
            self.has_warned_of_memory = true;
            let message = format!(
                "apg-lsp: the sources of this workspace need more than {} MB of memory (`memoryLimit`): \
                 the limit is ignored from now on",
                limit >> 20
            );
            if let Some(client) = self.client.get().cloned() {
                self.tasks.spawn(async move { client.log_message(MessageType::WARNING, message).await });
            }
        }
    }

    fn edit(&mut self, number: u64, edit: Edit) {
        self.edits += 1;
        self.pool.kernels.cancel_before(self.edits);
        self.diagnostics_outdated = true;
        self.needs_trim = true;
        let is_typing = matches!(edit, Edit::Change(_));
        let outcome = self.state.apply(number, edit);
        if let Some(uri) = outcome.closed {
            self.published.remove(&document_path(&uri));
            let _ = self.publications.send(Publication { uri, version: None, diagnostics: Vec::new() });
        }
        if outcome.declarations_changed {
            self.types_in_parallel = true;
            self.schedule_refresh(refresh::REFRESH_DELAY);
        }
        if outcome.declarations_changed || self.prime_at.is_some() || self.pool.primer.is_incomplete() {
            self.schedule_priming(is_typing);
        }
        self.schedule_compilation();
    }

    /// Invalidates what clients have and what is being computed, after a change of more than one document's
    /// text.
    fn invalidate(&mut self, refresh_delay: Duration) {
        self.edits += 1;
        self.pool.kernels.cancel_before(self.edits);
        self.diagnostics_outdated = true;
        self.types_in_parallel = true;
        self.schedule_refresh(refresh_delay);
        self.schedule_compilation();
        self.schedule_priming(false);
    }

    /// Sets the timer that asks the client to refresh what it has of open documents.
    fn schedule_refresh(&mut self, delay: Duration) {
        if self.state.config().refreshes.any() && self.state.has_documents() {
            self.refresh_at = Some(Instant::now() + delay);
        }
    }

    /// Reads the files of folders on a thread of its own.
    fn read_folders(&mut self, folders: Vec<PathBuf>) {
        if folders.is_empty() {
            return;
        }
        self.pending_reads += 1;
        let handle = self.handle.clone();
        let read = Arc::new(move || {
            let found = catch_unwind(AssertUnwindSafe(|| workspace::read_folders(&folders)));
            handle.send(Event::WorkspaceRead(found.unwrap_or_default()));
        });
        let fallback = read.clone();
        if std::thread::Builder::new().name("apg-lsp-files".into()).spawn(move || read()).is_err() {
            // Requests wait for the files, so a thread of the pool reads them.
            self.pool.long_requests.spawn(move || fallback());
        }
    }

    /// Runs a request now, or queues it until what it waits for is there.
    fn dispatch(&mut self, mut request: QueuedRequest) {
        let policy = &request.policy;
        let is_missing = |path: &PathBuf| !self.state.has_file(path);
        let needs_files = || policy.needs_workspace || policy.file.as_ref().is_some_and(is_missing);
        let must_wait = self.pending_reads > 0 && needs_files()
            || policy.is_long && self.running_long_requests == MAX_LONG_REQUESTS;
        if must_wait {
            self.waiting.push_back(request);
            return;
        }
        let is_long = policy.is_long;
        let snapshot = self.state.snapshot(request.description.clone());
        let (handle, database) = (self.handle.clone(), self.database);
        let run = move || {
            // The request answers its own panics; one outside of them would leave the count of the pool
            // wrong.
            let outcome = catch_unwind(AssertUnwindSafe(|| request.run(snapshot)));
            if is_long {
                handle.send(Event::LongRequestDone(database));
            }
            if let Ok(Err(reason)) = outcome
                && request.should_retry(&reason)
            {
                handle.send(Event::Request(request));
            }
        };
        if is_long {
            self.running_long_requests += 1;
            self.pool.long_requests.spawn_fifo(run);
        } else {
            self.pool.requests.spawn_fifo(run);
        }
    }

    /// Dispatches the waiting requests again.
    fn unblock(&mut self) {
        for request in std::mem::take(&mut self.waiting) {
            self.handle.send(Event::Request(request));
        }
    }
}
