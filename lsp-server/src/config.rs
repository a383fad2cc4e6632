//! Configuration: the client's capabilities and initialization options.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use tower_lsp_server::ls_types::{InitializeParams, ResourceOperationKind, Uri};

use crate::lsp::client::watches_files;
use crate::lsp::position::Encoding;
use crate::lsp::refresh::RefreshKinds;
use crate::lsp::uri;

/// Memory limit where the client sets none.
const DEFAULT_MEMORY_LIMIT_MB: u64 = 2048;
/// Limit for the analysis of a file where the client sets none.
pub(crate) const DEFAULT_ANALYSIS_TIMEOUT: Duration = Duration::from_secs(20);
/// Limit where the given one is not a duration.
const MIN_ANALYSIS_TIMEOUT: Duration = Duration::from_secs(1);

/// The configuration that `initialize` fixes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    /// The unit of columns.
    pub encoding: Encoding,
    /// Folders with further packages.
    pub source_path: Vec<PathBuf>,
    /// The folders of the workspace.
    pub folders: Vec<PathBuf>,
    /// The client supports snippets as completions.
    pub snippets: bool,
    /// The client supports edits that name the version of their document.
    pub versioned_edits: bool,
    /// The client can rename files.
    pub can_rename_files: bool,
    /// The client pulls diagnostics and does not handle pushed ones.
    pub pulls_diagnostics: bool,
    /// The client reports changes of files on the disk.
    pub client_watches_files: bool,
    /// What the client can be asked to refresh.
    pub refreshes: RefreshKinds,
    /// Commands that the client implements in addition to *Run* and *Show CUDA*.
    pub commands: Vec<String>,
    /// The client colours words, literals and comments itself.
    pub augments_syntax: bool,
    /// The client shows progress that the server begins.
    pub shows_progress: bool,
    /// Limit for the analysis of a file.
    pub analysis_timeout: Duration,
    /// Resident memory above which computed results are dropped; 0 is no limit.
    pub memory_limit_bytes: u64,
    /// Kernels are compiled in the background to report their resource usage.
    pub compiles_kernels: bool,
}

/// The fields of `initializationOptions`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct InitializationOptions {
    source_path: Vec<PathBuf>,
    /// Commands of lenses that the client implements, in addition to `apg.run` and `apg.showCuda`.
    commands: Vec<String>,
    /// Megabytes of resident memory above which computed results are dropped; 0 is no limit.
    memory_limit: Option<u64>,
    /// Limit for the analysis of a file, in seconds.
    #[serde(alias = "patience")]
    analysis_timeout: Option<f64>,
    /// Whether kernels are compiled in the background to report their resource usage.
    kernel_resources: Option<bool>,
}

impl Config {
    /// The configuration that a client asks for. Options that do not parse count as absent: none is required.
    pub(crate) fn new(params: &InitializeParams) -> Config {
        let client = &params.capabilities;
        let text = client.text_document.as_ref();
        let general = client.general.as_ref();
        let completion = text.and_then(|t| t.completion.as_ref()).and_then(|c| c.completion_item.as_ref());
        let edits = client.workspace.as_ref().and_then(|w| w.workspace_edit.as_ref());
        let operations = edits.and_then(|e| e.resource_operations.as_ref());
        let options: InitializationOptions = params
            .initialization_options
            .clone()
            .and_then(|options| serde_json::from_value(options).ok())
            .unwrap_or_default();
        let pulls_diagnostics =
            text.is_some_and(|t| t.diagnostic.is_some() && t.publish_diagnostics.is_none());
        Config {
            encoding: Encoding::choose(general.and_then(|general| general.position_encodings.as_deref())),
            source_path: options.source_path,
            folders: workspace_folders(params).filter_map(uri::to_path).collect(),
            snippets: completion.is_some_and(|c| c.snippet_support == Some(true)),
            versioned_edits: edits.is_some_and(|e| e.document_changes == Some(true)),
            can_rename_files: operations.is_some_and(|o| o.contains(&ResourceOperationKind::Rename)),
            pulls_diagnostics,
            client_watches_files: watches_files(client),
            refreshes: RefreshKinds::supported_by(client, pulls_diagnostics),
            commands: options.commands,
            augments_syntax: text
                .and_then(|t| t.semantic_tokens.as_ref())
                .is_some_and(|tokens| tokens.augments_syntax_tokens == Some(true)),
            shows_progress: client.window.as_ref().is_some_and(|w| w.work_done_progress == Some(true)),
            analysis_timeout: options.analysis_timeout.map_or(DEFAULT_ANALYSIS_TIMEOUT, |seconds| {
                Duration::try_from_secs_f64(seconds).unwrap_or(MIN_ANALYSIS_TIMEOUT)
            }),
            memory_limit_bytes: options
                .memory_limit
                .unwrap_or(DEFAULT_MEMORY_LIMIT_MB)
                .saturating_mul(1 << 20),
            compiles_kernels: options.kernel_resources.unwrap_or(false),
        }
    }
}

/// The folders of the workspace.
pub(crate) fn workspace_folders(params: &InitializeParams) -> impl Iterator<Item = &Uri> {
    let folders = params.workspace_folders.iter().flatten().map(|folder| &folder.uri);
    #[expect(deprecated, reason = "older clients send a root instead of folders")]
    let root = params.root_uri.iter().filter(|_| params.workspace_folders.is_none());
    folders.chain(root)
}
