//! What the client and its user want.

use std::path::PathBuf;
use std::time::Duration;

use crate::position::Encoding;
use crate::refresh::Refreshes;

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
    /// The client takes edits that name the version of the text they are of.
    pub versioned_edits: bool,
    /// The client can rename files.
    pub can_rename_files: bool,
    /// The client asks for diagnostics and takes none that are sent.
    pub pulls: bool,
    /// The client says which files change on the disk.
    pub client_watches: bool,
    /// The client asks again for these when it is told to.
    pub refreshes: Refreshes,
    /// Commands that the client carries out beside *Run* and *Show CUDA*.
    pub commands: Vec<String>,
    /// The client colours words, literals and comments itself.
    pub augments_syntax: bool,
    /// The client shows progress that the server begins.
    pub progress: bool,
    /// How long the analysis of a file may take.
    pub patience: Duration,
    /// So many bytes the server may have in memory before it forgets what it computed.
    pub memory: u64,
    /// Kernels are compiled in the background, to say what they need of a GPU.
    pub compiles_kernels: bool,
}
