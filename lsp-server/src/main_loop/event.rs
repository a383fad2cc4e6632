//! Events of the main loop.

use std::path::PathBuf;

use tower_lsp_server::ls_types::{Diagnostic, Uri};

use crate::config::Config;
use crate::document::Document;
use crate::global_state::Edit;
use crate::kernels::usage::KernelUsages;
use crate::request_queue::QueuedRequest;
use crate::workspace::WorkspaceFiles;

/// The number of a database. An abandoned database is followed by the next number.
pub(crate) type DatabaseId = u32;

/// An event of the main loop.
pub(crate) enum Event {
    /// The configuration of `initialize`.
    Config(Config),
    /// Folders with further packages.
    SourcePath(Vec<PathBuf>),
    /// Added and removed folders of the workspace.
    Folders(Vec<PathBuf>, Vec<PathBuf>),
    /// The files of workspace folders were read.
    WorkspaceRead(WorkspaceFiles),
    /// A file or folder on the disk was added, changed or removed.
    DiskChange(PathBuf),
    /// An edit and its number.
    Edit(u64, Edit),
    /// A request.
    Request(QueuedRequest),
    /// A long-running request on this database has ended.
    LongRequestDone(DatabaseId),
    /// Diagnostics of a document.
    Diagnosed(Diagnosis),
    /// A diagnosis does not even end when it is cancelled: it blocks this database.
    DatabaseBlocked(DatabaseId),
    /// The analysis of this file takes too long.
    AnalysisTimedOut(PathBuf),
    /// Resource usage of compiled kernels; `None` if the compilation was cancelled or failed.
    KernelsCompiled(Option<KernelUsages>),
    /// The session ends.
    Stop,
}

/// The outcome of a diagnosis.
pub(crate) struct Diagnosis {
    /// The database that it was computed with.
    pub database: DatabaseId,
    /// Number of edits before the diagnosed text.
    pub edits: u64,
    /// What was diagnosed.
    pub task: DiagnosisTask,
    /// `None` if it was cancelled or failed.
    pub diagnostics: Option<Vec<Diagnostic>>,
}

/// A document whose diagnostics are to be computed.
pub(crate) struct DiagnosisTask {
    /// The document.
    pub document: Document,
    /// Number of attempts so far.
    pub attempts: u32,
}

/// Diagnostics on their way to the client.
pub(crate) struct Publication {
    /// The document.
    pub uri: Uri,
    /// The version that the diagnostics refer to; `None` for a closed document.
    pub version: Option<i32>,
    /// The diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}
