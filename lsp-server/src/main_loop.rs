//! The one thread that owns the database. Edits, requests and results reach it through one queue, in order.
//!
//! An edit is applied at once, which cancels the jobs that read the text before it. A request becomes a job on a snapshot
//! in a small pool; if an edit cancels it, it starts again on the new text, so that every request is answered, once, from
//! a text the client had. Diagnostics are computed when the queue is empty, and published only if no edit has come since.
//! The loop never waits for a job nor for the client.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc;
use std::sync::{Arc, OnceLock};

use apg_analysis::Cancelled;
use futures::channel::oneshot;
use tower_lsp_server::Client;
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{
    Diagnostic, DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, Uri,
};

use crate::position::Encoding;
use crate::workspace;
use crate::world::{Snapshot, World};

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

/// What `initialize` settles.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The unit of columns.
    pub encoding: Encoding,
    /// Folders with further packages.
    pub source_path: Vec<PathBuf>,
    /// The folders of the workspace.
    pub folders: Vec<PathBuf>,
    /// The client takes completions with holes.
    pub snippets: bool,
    /// The client can rename files.
    pub can_rename_files: bool,
    /// The client asks for diagnostics and takes none that are sent.
    pub pulls: bool,
}

/// A job on a snapshot; an error is a cancellation, and the job runs again.
type Job = Arc<dyn Fn(&Snapshot) -> Result<(), Cancelled> + Send + Sync>;

enum Event {
    Settings(Settings),
    SourcePath(Vec<PathBuf>),
    /// Files of the workspace.
    Files(Vec<(PathBuf, Arc<str>)>),
    Edit(Edit),
    Job(Job),
    /// Diagnostics of a document, computed after this many edits.
    Diagnosed {
        edits: u64,
        uri: Uri,
        version: i32,
        diagnostics: Vec<Diagnostic>,
    },
    Stop,
}

/// The way to the main loop.
#[derive(Clone, Debug)]
pub struct Sender {
    events: mpsc::Sender<Event>,
}

impl Sender {
    /// Settles what `initialize` says, and has the workspace's files read.
    pub fn settings(&self, settings: Settings) {
        let (folders, events) = (settings.folders.clone(), self.events.clone());
        // The loop ends only with the process, so that a closed queue has nobody waiting.
        let _ = self.events.send(Event::Settings(settings));
        if !folders.is_empty() {
            std::thread::spawn(move || {
                let _ = events.send(Event::Files(workspace::read(&folders)));
            });
        }
    }

    /// Changes the folders with further packages.
    pub fn source_path(&self, folders: Vec<PathBuf>) {
        let _ = self.events.send(Event::SourcePath(folders));
    }

    /// Applies an edit behind everything sent before.
    pub fn edit(&self, edit: Edit) {
        let _ = self.events.send(Event::Edit(edit));
    }

    /// Ends the loop.
    pub fn stop(&self) {
        let _ = self.events.send(Event::Stop);
    }

    /// Answers a request from a snapshot taken behind everything sent before. A panic in `answer` becomes an error answer.
    pub async fn ask<R: Send + 'static>(
        &self,
        answer: impl Fn(&Snapshot) -> Result<R, Cancelled> + Send + Sync + 'static,
    ) -> jsonrpc::Result<R> {
        let (reply, result) = oneshot::channel();
        let reply = std::sync::Mutex::new(Some(reply));
        let job: Job = Arc::new(move |snapshot| {
            let outcome = match catch_unwind(AssertUnwindSafe(|| answer(snapshot))) {
                Ok(outcome) => Ok(outcome?),
                Err(_) => Err(internal_error()),
            };
            if let Some(reply) = reply.lock().ok().and_then(|mut reply| reply.take()) {
                // The client may have cancelled the request.
                let _ = reply.send(outcome);
            }
            Ok(())
        });
        let _ = self.events.send(Event::Job(job));
        result.await.unwrap_or_else(|_| Err(internal_error()))
    }
}

fn internal_error() -> jsonrpc::Error {
    let mut error = jsonrpc::Error::internal_error();
    error.message = "apg-lsp failed at this request; the server goes on".into();
    error
}

/// Starts the loop's thread. Diagnostics go to `client` once it is there.
pub fn start(client: Arc<OnceLock<Client>>, tasks: &tokio::runtime::Handle) -> std::io::Result<Sender> {
    let (events, queue) = mpsc::channel();
    let sender = Sender { events };
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 8));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|n| format!("apg-lsp-{n}"))
        // Expressions nest deeper in the queries than on the parser's bounded stack.
        .stack_size(16 << 20)
        .build()
        .map_err(std::io::Error::other)?;
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
        world: World::default(),
        sender: sender.clone(),
        pool,
        publications,
        edits: 0,
        stale: true,
    };
    std::thread::Builder::new()
        .name("apg-lsp-main".into())
        .stack_size(16 << 20)
        .spawn(move || main.run(&queue))?;
    Ok(sender)
}

/// Diagnostics on their way to the client.
struct Publication {
    uri: Uri,
    version: Option<i32>,
    diagnostics: Vec<Diagnostic>,
}

struct MainLoop {
    world: World,
    sender: Sender,
    pool: rayon::ThreadPool,
    publications: tokio::sync::mpsc::UnboundedSender<Publication>,
    /// How many edits there were.
    edits: u64,
    /// Diagnostics have not been asked for since the last edit.
    stale: bool,
}

impl MainLoop {
    fn run(mut self, queue: &mpsc::Receiver<Event>) {
        loop {
            // Everything that waits comes first: diagnostics of a text that is already old help nobody.
            let event = match queue.try_recv() {
                Ok(event) => event,
                Err(mpsc::TryRecvError::Disconnected) => return,
                Err(mpsc::TryRecvError::Empty) => {
                    self.diagnose();
                    let Ok(event) = queue.recv() else { return };
                    event
                }
            };
            if matches!(event, Event::Stop) {
                return;
            }
            // What a panic leaves half done is a document's text at worst, which the next full text mends.
            if catch_unwind(AssertUnwindSafe(|| self.turn(event))).is_err() {
                eprintln!("apg-lsp: internal error in the main loop; going on");
            }
        }
    }

    fn turn(&mut self, event: Event) {
        match event {
            Event::Settings(settings) => {
                self.world.settle(settings);
                self.stale = true;
            }
            Event::SourcePath(folders) => {
                self.edits += 1;
                self.world.set_source_path(folders);
                self.stale = true;
            }
            Event::Files(files) => {
                self.edits += 1;
                self.world.add_files(files);
                self.stale = true;
            }
            Event::Edit(edit) => {
                self.edits += 1;
                self.stale = true;
                if let Some(closed) = self.world.edit(edit) {
                    self.publish(closed, None, Vec::new());
                }
            }
            Event::Job(job) => self.spawn(job),
            Event::Diagnosed { edits, uri, version, diagnostics } => {
                if edits == self.edits {
                    self.publish(uri, Some(version), diagnostics);
                }
            }
            Event::Stop => {}
        }
    }

    /// Runs a job, again and again until no edit cancels it.
    fn spawn(&self, job: Job) {
        let snapshot = self.world.snapshot();
        let sender = self.sender.clone();
        self.pool.spawn(move || {
            let cancelled = job(&snapshot).is_err();
            // The edit that cancelled it waits for the snapshot to go.
            drop(snapshot);
            if cancelled {
                let _ = sender.events.send(Event::Job(job));
            }
        });
    }

    /// Starts computing the diagnostics of all open documents, if the last ones are of an older text.
    fn diagnose(&mut self) {
        if !std::mem::take(&mut self.stale) || self.world.pulls() {
            return;
        }
        let edits = self.edits;
        for document in self.world.open_documents() {
            let snapshot = self.world.snapshot();
            let sender = self.sender.clone();
            self.pool.spawn(move || {
                // A cancelled one needs no repetition: the edit asks for new ones itself.
                let found = catch_unwind(AssertUnwindSafe(|| snapshot.diagnostics(&document)));
                drop(snapshot);
                if let Ok(Ok(diagnostics)) = found {
                    let (uri, version) = (document.uri.clone(), document.version);
                    let _ = sender.events.send(Event::Diagnosed { edits, uri, version, diagnostics });
                }
            });
        }
    }

    fn publish(&self, uri: Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
        // The task ends only with the process.
        let _ = self.publications.send(Publication { uri, version, diagnostics });
    }
}
