//! The protocol's methods: each becomes a request to the main loop. No handler waits for the client.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Deserialize;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::request::{
    GotoDeclarationParams, GotoDeclarationResponse, GotoImplementationParams, GotoImplementationResponse,
    GotoTypeDefinitionParams, GotoTypeDefinitionResponse,
};
use tower_lsp_server::ls_types::*;
use tower_lsp_server::{Client, LanguageServer};

use crate::cancellation::CancelReason;
use crate::config::{Config, DEFAULT_ANALYSIS_TIMEOUT, workspace_folders};
use crate::document::document_path;
use crate::handlers::diagnostics;
use crate::handlers::formatting::{Formatting, Unformatted};
use crate::handlers::generated_code::{self, GeneratedCodeParams};
use crate::handlers::memory_report::MemoryReport;
use crate::handlers::remotes::{self, AddRemoteParams, AddedRemote, Remotes, RemotesParams};
use crate::handlers::rename;
use crate::handlers::semantic_tokens::TokenCache;
use crate::lsp::generated_code::GeneratedCode;
use crate::lsp::{capabilities, uri};
use crate::main_loop::event::Event;
use crate::main_loop::handle::MainLoopHandle;
use crate::request_policy::RequestPolicy;
use crate::snapshot::Snapshot;

/// The language server.
#[derive(Debug)]
pub(crate) struct Server {
    main_loop: MainLoopHandle,
    client: Option<Client>,
    log_file: Option<PathBuf>,
    /// Capabilities to register after `initialized`.
    registrations: OnceLock<Vec<Registration>>,
    /// The client supports `workspace/configuration`.
    can_request_configuration: OnceLock<bool>,
    /// Changes of settings since the client last answered a request for them.
    pending_changes: Arc<AtomicU64>,
    /// Limit for the analysis of a file.
    analysis_timeout: OnceLock<Duration>,
    /// The semantic tokens that the client has of each document.
    tokens: Mutex<TokenCache>,
}

/// Limit for the client's answer to `workspace/configuration`, unless the limit for analyses is shorter.
const MAX_CONFIGURATION_TIMEOUT: Duration = Duration::from_secs(30);

/// Parameters of `workspace/didChangeConfiguration`: the settings below `apg`. Absent settings keep their
/// values; some clients send none at all.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Configuration {
    apg: Option<ChangedSettings>,
}

/// The settings that can change while the server runs.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ChangedSettings {
    source_path: Option<Vec<PathBuf>>,
}

impl ChangedSettings {
    fn apply(self, main_loop: &MainLoopHandle) {
        if let Some(folders) = self.source_path {
            main_loop.send(Event::SourcePath(folders));
        }
    }
}

impl Server {
    /// A server that sends requests to the main loop.
    pub(crate) fn new(main_loop: MainLoopHandle, client: Option<Client>, log_file: Option<PathBuf>) -> Self {
        Self {
            main_loop,
            client,
            log_file,
            registrations: OnceLock::new(),
            can_request_configuration: OnceLock::new(),
            pending_changes: Arc::default(),
            analysis_timeout: OnceLock::new(),
            tokens: Mutex::default(),
        }
    }

    /// Limit for the analysis of a file.
    fn analysis_timeout(&self) -> Duration {
        self.analysis_timeout.get().copied().unwrap_or(DEFAULT_ANALYSIS_TIMEOUT)
    }

    async fn format(&self, uri: Uri, range: Range, formatting: Formatting) -> Result<Option<Vec<TextEdit>>> {
        let policy = RequestPolicy::for_positions(&uri).long();
        // The edits are computed after the snapshot was dropped.
        self.main_loop
            .request_then(
                policy,
                move |snapshot| snapshot.unformatted(&uri, range, formatting),
                Unformatted::edits,
            )
            .await
    }

    /// `apg/generatedCode`
    pub(crate) async fn generated_code(&self, params: GeneratedCodeParams) -> Result<GeneratedCode> {
        let uri = params.text_document.uri;
        let kind = params.kind;
        let policy = RequestPolicy::for_document(&uri).long().with_progress("Generated code", None);
        let of_kind = kind.clone();
        let lower = move |snapshot: &Snapshot| snapshot.lowered(&uri, &of_kind);
        self.main_loop
            .request_then(policy, lower, move |lowered| generated_code::generate(lowered, &kind))
            .await
    }

    /// `apg/logFile`: the path of the log file; `null` if there is none.
    pub(crate) async fn log_file(&self, _: LSPAny) -> Result<Option<PathBuf>> {
        Ok(self.log_file.clone())
    }

    /// `apg/addRemote`: adds a remote machine to the `apg.toml` of a document.
    pub(crate) async fn add_remote(&self, params: AddRemoteParams) -> Result<AddedRemote> {
        Ok(remotes::add(&params))
    }

    /// `apg/remotes`: the remote machines that `apg.toml` names for a document.
    pub(crate) async fn remotes(&self, params: RemotesParams) -> Result<Remotes> {
        Ok(remotes::of_document(&params.text_document.uri))
    }

    /// `apg/memory`
    pub(crate) async fn memory(&self, _: LSPAny) -> Result<MemoryReport> {
        self.main_loop.request(RequestPolicy::any_revision(), |snapshot| Ok(snapshot.memory_report())).await
    }
}

/// Requests the settings that can change. The timeout matters: later changes wait for the answer.
async fn request_settings(client: &Client, timeout: Duration) -> Option<ChangedSettings> {
    let item = ConfigurationItem { scope_uri: None, section: Some("apg".into()) };
    let answer = tokio::time::timeout(timeout, client.configuration(vec![item])).await;
    let answer = answer.ok()?.ok()?.into_iter().next()?;
    serde_json::from_value(answer).ok()
}

/// Warns the user of folders that only the client can read.
fn warn_of_remote_folders<'a>(client: Option<&Client>, folders: impl Iterator<Item = &'a Uri>) {
    let unreadable: Vec<&str> =
        folders.filter(|folder| uri::to_path(folder).is_none()).map(|folder| folder.as_str()).collect();
    let Some(client) = client.cloned().filter(|_| !unreadable.is_empty()) else { return };
    let message = format!(
        "apg-lsp reads files of this machine only, and none of {}: there it knows only the documents that are open",
        unreadable.join(", ")
    );
    tokio::spawn(async move { client.log_message(MessageType::WARNING, message).await });
}

impl LanguageServer for Server {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let config = Config::new(&params);
        warn_of_remote_folders(self.client.as_ref(), workspace_folders(&params));
        let _ = self.registrations.set(capabilities::registrations(&params.capabilities));
        let workspace = params.capabilities.workspace.as_ref();
        let _ = self.can_request_configuration.set(workspace.is_some_and(|w| w.configuration == Some(true)));
        let _ = self.analysis_timeout.set(config.analysis_timeout);
        let capabilities = capabilities::server_capabilities(&config);
        self.main_loop.set_config(config);
        Ok(InitializeResult {
            capabilities,
            server_info: Some(ServerInfo {
                name: "apg-lsp".into(),
                version: Some(env!("CARGO_PKG_VERSION").into()),
            }),
            ..InitializeResult::default()
        })
    }

    async fn initialized(&self, _: InitializedParams) {
        let Some(registrations) = self.registrations.get().filter(|all| !all.is_empty()) else { return };
        if let Some(client) = self.client.clone() {
            let registrations = registrations.clone();
            // Refusals are ignored: the server works without.
            tokio::spawn(async move {
                let _ = client.register_capability(registrations).await;
            });
        }
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        let configuration = serde_json::from_value::<Configuration>(params.settings).unwrap_or_default();
        if let Some(settings) = configuration.apg {
            settings.apply(&self.main_loop);
            return;
        }
        // Newer clients only announce that something changed.
        let Some(client) =
            self.client.clone().filter(|_| self.can_request_configuration.get() == Some(&true))
        else {
            return;
        };
        // Changes before its answer cause one more request.
        if self.pending_changes.fetch_add(1, Ordering::SeqCst) > 0 {
            return;
        }
        let (main_loop, pending_changes) = (self.main_loop.clone(), self.pending_changes.clone());
        let timeout = self.analysis_timeout().min(MAX_CONFIGURATION_TIMEOUT);
        tokio::spawn(async move {
            loop {
                let seen = pending_changes.load(Ordering::SeqCst);
                if let Some(settings) = request_settings(&client, timeout).await {
                    settings.apply(&main_loop);
                }
                if pending_changes.compare_exchange(seen, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                    return;
                }
            }
        });
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        warn_of_remote_folders(self.client.as_ref(), params.event.added.iter().map(|folder| &folder.uri));
        let paths = |folders: Vec<WorkspaceFolder>| {
            folders.iter().filter_map(|folder| uri::to_path(&folder.uri)).collect()
        };
        self.main_loop.send(Event::Folders(paths(params.event.added), paths(params.event.removed)));
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let at = params.text_document_position_params;
        let policy = RequestPolicy::for_positions(&at.text_document.uri);
        self.main_loop
            .request(policy, move |snapshot| snapshot.hover(&at.text_document.uri, at.position))
            .await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let at = params.text_document_position;
        let policy = RequestPolicy::for_positions(&at.text_document.uri);
        let complete = move |snapshot: &Snapshot| snapshot.completion(&at.text_document.uri, at.position);
        Ok(self.main_loop.request(policy, complete).await?.map(CompletionResponse::Array))
    }

    async fn completion_resolve(&self, item: CompletionItem) -> Result<CompletionItem> {
        self.main_loop
            .request(RequestPolicy::any_revision(), move |snapshot| snapshot.resolve_completion(item.clone()))
            .await
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        let at = params.text_document_position_params;
        let policy = RequestPolicy::for_positions(&at.text_document.uri);
        self.main_loop
            .request(policy, move |snapshot| snapshot.signature_help(&at.text_document.uri, at.position))
            .await
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let at = params.text_document_position_params;
        let policy = RequestPolicy::for_positions(&at.text_document.uri);
        let definition = move |snapshot: &Snapshot| snapshot.definition(&at.text_document.uri, at.position);
        Ok(self.main_loop.request(policy, definition).await?.map(GotoDefinitionResponse::Scalar))
    }

    async fn goto_declaration(
        &self,
        params: GotoDeclarationParams,
    ) -> Result<Option<GotoDeclarationResponse>> {
        self.goto_definition(params).await
    }

    async fn goto_type_definition(
        &self,
        params: GotoTypeDefinitionParams,
    ) -> Result<Option<GotoTypeDefinitionResponse>> {
        let at = params.text_document_position_params;
        let policy = RequestPolicy::for_positions(&at.text_document.uri);
        let definition =
            move |snapshot: &Snapshot| snapshot.type_definition(&at.text_document.uri, at.position);
        Ok(self.main_loop.request(policy, definition).await?.map(GotoDefinitionResponse::Scalar))
    }

    async fn goto_implementation(
        &self,
        params: GotoImplementationParams,
    ) -> Result<Option<GotoImplementationResponse>> {
        let at = params.text_document_position_params;
        let token = params.work_done_progress_params.work_done_token;
        let policy = RequestPolicy::for_positions(&at.text_document.uri)
            .over_workspace()
            .with_progress("Implementations", token);
        let all = move |snapshot: &Snapshot| snapshot.implementations(&at.text_document.uri, at.position);
        Ok(self.main_loop.request(policy, all).await?.map(GotoDefinitionResponse::Array))
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        let at = params.text_document_position;
        let declaration = params.context.include_declaration;
        let token = params.work_done_progress_params.work_done_token;
        let policy = RequestPolicy::for_positions(&at.text_document.uri)
            .over_workspace()
            .with_progress("References", token);
        self.main_loop
            .request(policy, move |snapshot| {
                snapshot.references(&at.text_document.uri, at.position, declaration)
            })
            .await
    }

    async fn document_highlight(
        &self,
        params: DocumentHighlightParams,
    ) -> Result<Option<Vec<DocumentHighlight>>> {
        let at = params.text_document_position_params;
        let policy = RequestPolicy::for_positions(&at.text_document.uri);
        self.main_loop
            .request(policy, move |snapshot| snapshot.document_highlights(&at.text_document.uri, at.position))
            .await
    }

    async fn document_symbol(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        let policy = RequestPolicy::for_document(&params.text_document.uri);
        let symbols = move |snapshot: &Snapshot| snapshot.document_symbols(&params.text_document.uri);
        Ok(self.main_loop.request(policy, symbols).await?.map(DocumentSymbolResponse::Nested))
    }

    async fn symbol(&self, params: WorkspaceSymbolParams) -> Result<Option<WorkspaceSymbolResponse>> {
        let symbols = move |snapshot: &Snapshot| snapshot.workspace_symbols(&params.query);
        Ok(Some(WorkspaceSymbolResponse::Flat(
            self.main_loop.request(RequestPolicy::any_revision().over_workspace(), symbols).await?,
        )))
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        self.main_loop
            .request(RequestPolicy::for_positions(&params.text_document.uri), move |snapshot| {
                let uri = &params.text_document.uri;
                snapshot.code_actions(uri, params.range, &params.context).map(Some)
            })
            .await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        let policy = RequestPolicy::for_document(&params.text_document.uri);
        self.main_loop
            .request(policy, move |snapshot| snapshot.code_lenses(&params.text_document.uri).map(Some))
            .await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        let policy = RequestPolicy::for_positions(&params.text_document.uri);
        self.main_loop
            .request(policy, move |snapshot| snapshot.inlay_hints(&params.text_document.uri, params.range))
            .await
    }

    async fn semantic_tokens_full(
        &self,
        params: SemanticTokensParams,
    ) -> Result<Option<SemanticTokensResult>> {
        let uri = params.text_document.uri;
        let (of, policy) = (uri.clone(), RequestPolicy::for_document(&uri));
        let tokens = move |snapshot: &Snapshot| snapshot.semantic_tokens(&of, None);
        let Some(data) = self.main_loop.request(policy, tokens).await? else { return Ok(None) };
        Ok(Some(SemanticTokensResult::Tokens(self.tokens.lock().full(uri, data))))
    }

    async fn semantic_tokens_full_delta(
        &self,
        params: SemanticTokensDeltaParams,
    ) -> Result<Option<SemanticTokensFullDeltaResult>> {
        let uri = params.text_document.uri;
        let (of, policy) = (uri.clone(), RequestPolicy::for_document(&uri));
        let tokens = move |snapshot: &Snapshot| snapshot.semantic_tokens(&of, None);
        let Some(data) = self.main_loop.request(policy, tokens).await? else { return Ok(None) };
        Ok(Some(self.tokens.lock().delta(uri, &params.previous_result_id, data)))
    }

    async fn semantic_tokens_range(
        &self,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        let policy = RequestPolicy::for_positions(&params.text_document.uri);
        let tokens = move |snapshot: &Snapshot| {
            snapshot.semantic_tokens(&params.text_document.uri, Some(params.range))
        };
        let data = self.main_loop.request(policy, tokens).await?;
        Ok(data.map(|data| SemanticTokensRangeResult::Tokens(SemanticTokens { result_id: None, data })))
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        let policy = RequestPolicy::for_document(&params.text_document.uri);
        self.main_loop
            .request(policy, move |snapshot| snapshot.folding_ranges(&params.text_document.uri))
            .await
    }

    async fn selection_range(&self, params: SelectionRangeParams) -> Result<Option<Vec<SelectionRange>>> {
        self.main_loop
            .request(RequestPolicy::for_positions(&params.text_document.uri), move |snapshot| {
                snapshot.selection_ranges(&params.text_document.uri, &params.positions)
            })
            .await
    }

    async fn formatting(&self, params: DocumentFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        self.format(params.text_document.uri, Range::default(), Formatting::Document).await
    }

    async fn range_formatting(&self, params: DocumentRangeFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        self.format(params.text_document.uri, params.range, Formatting::Range).await
    }

    async fn on_type_formatting(
        &self,
        params: DocumentOnTypeFormattingParams,
    ) -> Result<Option<Vec<TextEdit>>> {
        let at = params.text_document_position;
        let Some(typed) = params.ch.chars().next() else { return Ok(None) };
        let cursor = Range::new(at.position, at.position);
        self.format(at.text_document.uri, cursor, Formatting::Typed(typed)).await
    }

    async fn prepare_rename(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<PrepareRenameResponse>> {
        self.main_loop
            .request(RequestPolicy::for_positions(&params.text_document.uri), move |snapshot| {
                snapshot.prepare_rename(&params.text_document.uri, params.position)
            })
            .await?
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        let at = params.text_document_position;
        let token = params.work_done_progress_params.work_done_token;
        let policy = RequestPolicy::for_positions(&at.text_document.uri)
            .over_workspace()
            .with_progress("Rename", token);
        let rename =
            move |snapshot: &Snapshot| snapshot.rename(&at.text_document.uri, at.position, &params.new_name);
        self.main_loop.request_then(policy, rename, rename::check).await?
    }

    async fn will_rename_files(&self, params: RenameFilesParams) -> Result<Option<WorkspaceEdit>> {
        let path = |uri: &str| uri::to_path(&uri.parse().ok()?);
        let moved = params.files.iter().filter_map(|file| Some((path(&file.old_uri)?, path(&file.new_uri)?)));
        let moved: Vec<_> = moved.collect();
        self.main_loop
            .request(RequestPolicy::any_revision().over_workspace(), move |snapshot| {
                snapshot.edits_for_moves(&moved)
            })
            .await
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        let at = params.text_document_position_params;
        let policy = RequestPolicy::for_positions(&at.text_document.uri);
        self.main_loop
            .request(policy, move |snapshot| {
                snapshot.prepare_call_hierarchy(&at.text_document.uri, at.position)
            })
            .await
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        let token = params.work_done_progress_params.work_done_token.clone();
        let policy =
            RequestPolicy::for_positions(&params.item.uri).over_workspace().with_progress("Calls", token);
        self.main_loop.request(policy, move |snapshot| snapshot.incoming_calls(&params.item)).await
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        let policy = RequestPolicy::for_positions(&params.item.uri);
        self.main_loop.request(policy, move |snapshot| snapshot.outgoing_calls(&params.item)).await
    }

    async fn prepare_type_hierarchy(
        &self,
        params: TypeHierarchyPrepareParams,
    ) -> Result<Option<Vec<TypeHierarchyItem>>> {
        let at = params.text_document_position_params;
        let policy = RequestPolicy::for_positions(&at.text_document.uri);
        self.main_loop
            .request(policy, move |snapshot| {
                snapshot.prepare_type_hierarchy(&at.text_document.uri, at.position)
            })
            .await
    }

    async fn supertypes(
        &self,
        params: TypeHierarchySupertypesParams,
    ) -> Result<Option<Vec<TypeHierarchyItem>>> {
        let policy = RequestPolicy::for_positions(&params.item.uri);
        self.main_loop.request(policy, move |snapshot| snapshot.supertypes(&params.item)).await
    }

    async fn subtypes(&self, params: TypeHierarchySubtypesParams) -> Result<Option<Vec<TypeHierarchyItem>>> {
        let token = params.work_done_progress_params.work_done_token.clone();
        let policy =
            RequestPolicy::for_positions(&params.item.uri).over_workspace().with_progress("Subtypes", token);
        self.main_loop.request(policy, move |snapshot| snapshot.subtypes(&params.item)).await
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        let uri = params.text_document.uri;
        let (path, policy) =
            (document_path(&uri), RequestPolicy::for_document(&uri).with_timeout(self.analysis_timeout()));
        let found = move |snapshot: &Snapshot| match snapshot.document(&uri) {
            Some((document, _)) => snapshot.diagnostics(&document),
            None => Ok(Vec::new()),
        };
        let mut items = self.main_loop.request(policy.clone(), found.clone()).await;
        if items.as_ref().is_err_and(|error| error.code == CancelReason::Timeout.error().code) {
            self.main_loop.analysis_timed_out(path);
            items = self.main_loop.request(policy, found).await;
        }
        let items = items?;
        let report = diagnostics::report(items, params.previous_result_id.as_deref());
        Ok(DocumentDiagnosticReportResult::Report(report))
    }

    async fn workspace_diagnostic(
        &self,
        params: WorkspaceDiagnosticParams,
    ) -> Result<WorkspaceDiagnosticReportResult> {
        let diagnose = |snapshot: &Snapshot| snapshot.workspace_diagnostics();
        let token = params.work_done_progress_params.work_done_token;
        let policy = RequestPolicy::any_revision()
            .over_workspace()
            .with_progress("Diagnostics of the workspace", token);
        let report = self
            .main_loop
            .request_then(policy, diagnose, move |found| {
                diagnostics::workspace_report(found, &params.previous_result_ids)
            })
            .await?;
        Ok(WorkspaceDiagnosticReportResult::Report(report))
    }

    async fn linked_editing_range(
        &self,
        params: LinkedEditingRangeParams,
    ) -> Result<Option<LinkedEditingRanges>> {
        let at = params.text_document_position_params;
        let policy = RequestPolicy::for_positions(&at.text_document.uri);
        self.main_loop
            .request(policy, move |snapshot| {
                snapshot.linked_editing_ranges(&at.text_document.uri, at.position)
            })
            .await
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        let policy = RequestPolicy::for_document(&params.text_document.uri);
        self.main_loop
            .request(policy, move |snapshot| snapshot.document_links(&params.text_document.uri))
            .await
    }

    async fn code_lens_resolve(&self, lens: CodeLens) -> Result<CodeLens> {
        let policy = RequestPolicy::any_revision().over_workspace();
        self.main_loop.request(policy, move |snapshot| snapshot.resolve_code_lens(lens.clone())).await
    }
}
