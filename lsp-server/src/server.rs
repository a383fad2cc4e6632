//! The requests: each becomes a question to a snapshot. No handler waits for the client.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use serde::Deserialize;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::request::{
    GotoDeclarationParams, GotoDeclarationResponse, GotoImplementationParams, GotoImplementationResponse,
    GotoTypeDefinitionParams, GotoTypeDefinitionResponse,
};
use tower_lsp_server::ls_types::*;
use tower_lsp_server::{Client, LanguageServer};

use crate::capabilities;
use crate::jobs::Terms;
use crate::main_loop::{Sender, Settings};
use crate::position::Encoding;
use crate::refresh::Refreshes;
use crate::requests::diagnostics;
use crate::requests::format::{Formatting, Unformatted};
use crate::requests::generated::{self, GeneratedCode, GeneratedCodeParams};
use crate::requests::memory::MemoryReport;
use crate::requests::rename;
use crate::requests::tokens::TokenCache;
use crate::task::Ended;
use crate::uri;
use crate::world::{Snapshot, key};

/// The handlers.
#[derive(Debug)]
pub struct Backend {
    main: Sender,
    client: Option<Client>,
    /// What is to be registered once the client is ready.
    registrations: OnceLock<Vec<Registration>>,
    /// The client can be asked for its settings.
    has_configuration: OnceLock<bool>,
    /// How often settings changed since the client was last asked for them and answered.
    changes: Arc<AtomicU64>,
    /// How long the analysis of a file may take.
    patience: OnceLock<Duration>,
    /// The tokens that the client has of each document.
    tokens: Mutex<TokenCache>,
}

/// What `initializationOptions` may say.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct InitializationOptions {
    source_path: Vec<PathBuf>,
    /// Commands of lenses that the client carries out, beside `apg.run` and `apg.showCuda`.
    commands: Vec<String>,
    /// So many megabytes the server may have in memory before it forgets what it computed; 0 is no limit.
    memory_limit: Option<u64>,
    /// So many seconds the analysis of a file may take.
    patience: Option<f64>,
    /// Whether kernels are compiled in the background, to say what they need of a GPU.
    kernel_resources: Option<bool>,
}

/// What a server takes at most, unless it is told otherwise.
const MEMORY_LIMIT: u64 = 2048;
/// So many seconds the analysis of a file may take, unless the server is told otherwise.
const PATIENCE: f64 = 20.0;

/// A client that is asked for its settings answers sooner, if it does.
const CLIENT_PATIENCE: Duration = Duration::from_secs(30);

/// What `workspace/didChangeConfiguration` may say: the settings below `apg`. What is not there stays as it is: some clients
/// send nothing at all.
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

impl Backend {
    /// Handlers that ask the main loop.
    pub fn new(main: Sender, client: Option<Client>) -> Self {
        Self {
            main,
            client,
            registrations: OnceLock::new(),
            has_configuration: OnceLock::new(),
            changes: Arc::default(),
            patience: OnceLock::new(),
            tokens: Mutex::default(),
        }
    }

    /// How long the analysis of a file may take.
    fn patience(&self) -> Duration {
        self.patience.get().copied().unwrap_or(Duration::from_secs_f64(PATIENCE))
    }

    async fn format(&self, uri: Uri, range: Range, what: Formatting) -> Result<Option<Vec<TextEdit>>> {
        let terms = Terms::now(&uri).long();
        // The edits are computed and put in the client's form when nothing of the database is held any more.
        self.main
            .ask_and(terms, move |snapshot| snapshot.unformatted(&uri, range, what), Unformatted::edits)
            .await
    }

    fn token_cache(&self) -> std::sync::MutexGuard<'_, TokenCache> {
        self.tokens.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Takes the settings that can change while the server runs.
    fn configure(&self, settings: ChangedSettings) {
        if let Some(folders) = settings.source_path {
            self.main.source_path(folders);
        }
    }

    /// `apg/generatedCode`
    pub async fn generated_code(&self, params: GeneratedCodeParams) -> Result<GeneratedCode> {
        let uri = params.text_document.uri;
        let kind = params.kind;
        let terms = Terms::about(&uri).long().shown("Generated code", None);
        let ask = move |snapshot: &Snapshot| snapshot.lowered(&uri);
        self.main.ask_and(terms, ask, move |lowered| generated::code(lowered, &kind)).await
    }

    /// `apg/memory`
    pub async fn memory(&self, _: LSPAny) -> Result<MemoryReport> {
        self.main.ask(Terms::anytime(), |snapshot| Ok(snapshot.memory())).await
    }
}

/// Asks the client for the settings that can change; not for ever, since it is asked for those of later only then.
async fn settings_of(client: &Client, patience: Duration) -> Option<ChangedSettings> {
    let item = ConfigurationItem { scope_uri: None, section: Some("apg".into()) };
    let answer = tokio::time::timeout(patience, client.configuration(vec![item])).await;
    let answer = answer.ok()?.ok()?.into_iter().next()?;
    serde_json::from_value(answer).ok()
}

/// What the client can do, as far as it matters.
fn settings(params: &InitializeParams) -> Settings {
    let client = &params.capabilities;
    let text = client.text_document.as_ref();
    let general = client.general.as_ref();
    let completion = text.and_then(|t| t.completion.as_ref()).and_then(|c| c.completion_item.as_ref());
    let edits = client.workspace.as_ref().and_then(|w| w.workspace_edit.as_ref());
    let operations = edits.and_then(|e| e.resource_operations.as_ref());
    // Options that do not parse are as if absent: the server works without any.
    let options: InitializationOptions = params
        .initialization_options
        .clone()
        .and_then(|options| serde_json::from_value(options).ok())
        .unwrap_or_default();
    let pulls = text.is_some_and(|t| t.diagnostic.is_some() && t.publish_diagnostics.is_none());
    Settings {
        encoding: Encoding::choose(general.and_then(|general| general.position_encodings.as_deref())),
        source_path: options.source_path,
        folders: folders(params).filter_map(uri::to_path).collect(),
        snippets: completion.is_some_and(|c| c.snippet_support == Some(true)),
        versioned_edits: edits.is_some_and(|e| e.document_changes == Some(true)),
        can_rename_files: operations.is_some_and(|o| o.contains(&ResourceOperationKind::Rename)),
        pulls,
        client_watches: capabilities::watches(client),
        refreshes: Refreshes::of(client, pulls),
        commands: options.commands,
        augments_syntax: text
            .and_then(|t| t.semantic_tokens.as_ref())
            .is_some_and(|tokens| tokens.augments_syntax_tokens == Some(true)),
        progress: client.window.as_ref().is_some_and(|w| w.work_done_progress == Some(true)),
        patience: Duration::try_from_secs_f64(options.patience.unwrap_or(PATIENCE))
            .unwrap_or(Duration::from_secs(1)),
        memory: options.memory_limit.unwrap_or(MEMORY_LIMIT).saturating_mul(1 << 20),
        compiles_kernels: options.kernel_resources.unwrap_or(false),
    }
}

/// The folders of the workspace.
fn folders(params: &InitializeParams) -> impl Iterator<Item = &Uri> {
    let named = params.workspace_folders.iter().flatten().map(|folder| &folder.uri);
    #[allow(deprecated)] // what older clients send instead
    let root = params.root_uri.iter().filter(|_| params.workspace_folders.is_none());
    named.chain(root)
}

/// Tells the user of folders that only the client can read.
fn tell_unreadable<'a>(client: Option<&Client>, folders: impl Iterator<Item = &'a Uri>) {
    let unreadable: Vec<&str> =
        folders.filter(|folder| uri::to_path(folder).is_none()).map(|folder| folder.as_str()).collect();
    let Some(client) = client.cloned().filter(|_| !unreadable.is_empty()) else { return };
    let message = format!(
        "apg-lsp reads files of this machine only, and none of {}: of what lies there it knows the documents that are open",
        unreadable.join(", ")
    );
    tokio::spawn(async move { client.log_message(MessageType::WARNING, message).await });
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let settings = settings(&params);
        tell_unreadable(self.client.as_ref(), folders(&params));
        let _ = self.registrations.set(capabilities::registrations(&params.capabilities));
        let workspace = params.capabilities.workspace.as_ref();
        let _ = self.has_configuration.set(workspace.is_some_and(|w| w.configuration == Some(true)));
        let _ = self.patience.set(settings.patience);
        let capabilities = capabilities::server(&settings);
        self.main.settings(settings);
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
            // A client that refuses does without.
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
            self.configure(settings);
            return;
        }
        // Newer clients only say that something changed, and want to be asked.
        let Some(client) = self.client.clone().filter(|_| self.has_configuration.get() == Some(&true)) else {
            return;
        };
        // It is asked once more for all that comes while it has not answered.
        if self.changes.fetch_add(1, Ordering::SeqCst) > 0 {
            return;
        }
        let (main, changes) = (self.main.clone(), self.changes.clone());
        let patience = self.patience().min(CLIENT_PATIENCE);
        tokio::spawn(async move {
            loop {
                let seen = changes.load(Ordering::SeqCst);
                let settings = settings_of(&client, patience).await;
                if let Some(folders) = settings.and_then(|settings| settings.source_path) {
                    main.source_path(folders);
                }
                if changes.compare_exchange(seen, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                    return;
                }
            }
        });
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        tell_unreadable(self.client.as_ref(), params.event.added.iter().map(|folder| &folder.uri));
        let paths = |folders: Vec<WorkspaceFolder>| {
            folders.iter().filter_map(|folder| uri::to_path(&folder.uri)).collect()
        };
        self.main.folders(paths(params.event.added), paths(params.event.removed));
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let at = params.text_document_position_params;
        let terms = Terms::now(&at.text_document.uri);
        self.main.ask(terms, move |snapshot| snapshot.hover(&at.text_document.uri, at.position)).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let at = params.text_document_position;
        let terms = Terms::now(&at.text_document.uri);
        let complete = move |snapshot: &Snapshot| snapshot.completion(&at.text_document.uri, at.position);
        Ok(self.main.ask(terms, complete).await?.map(CompletionResponse::Array))
    }

    async fn completion_resolve(&self, item: CompletionItem) -> Result<CompletionItem> {
        self.main.ask(Terms::anytime(), move |snapshot| snapshot.resolve_completion(item.clone())).await
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        let at = params.text_document_position_params;
        let terms = Terms::now(&at.text_document.uri);
        self.main
            .ask(terms, move |snapshot| snapshot.signature_help(&at.text_document.uri, at.position))
            .await
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let at = params.text_document_position_params;
        let terms = Terms::now(&at.text_document.uri);
        let definition = move |snapshot: &Snapshot| snapshot.definition(&at.text_document.uri, at.position);
        Ok(self.main.ask(terms, definition).await?.map(GotoDefinitionResponse::Scalar))
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
        let terms = Terms::now(&at.text_document.uri);
        let definition =
            move |snapshot: &Snapshot| snapshot.type_definition(&at.text_document.uri, at.position);
        Ok(self.main.ask(terms, definition).await?.map(GotoDefinitionResponse::Scalar))
    }

    async fn goto_implementation(
        &self,
        params: GotoImplementationParams,
    ) -> Result<Option<GotoImplementationResponse>> {
        let at = params.text_document_position_params;
        let token = params.work_done_progress_params.work_done_token;
        let terms = Terms::now(&at.text_document.uri).over_workspace().shown("Implementations", token);
        let all = move |snapshot: &Snapshot| snapshot.implementations(&at.text_document.uri, at.position);
        Ok(self.main.ask(terms, all).await?.map(GotoDefinitionResponse::Array))
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        let at = params.text_document_position;
        let declaration = params.context.include_declaration;
        let token = params.work_done_progress_params.work_done_token;
        let terms = Terms::now(&at.text_document.uri).over_workspace().shown("References", token);
        self.main
            .ask(terms, move |snapshot| snapshot.references(&at.text_document.uri, at.position, declaration))
            .await
    }

    async fn document_highlight(
        &self,
        params: DocumentHighlightParams,
    ) -> Result<Option<Vec<DocumentHighlight>>> {
        let at = params.text_document_position_params;
        let terms = Terms::now(&at.text_document.uri);
        self.main.ask(terms, move |snapshot| snapshot.highlights(&at.text_document.uri, at.position)).await
    }

    async fn document_symbol(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        let terms = Terms::about(&params.text_document.uri);
        let symbols = move |snapshot: &Snapshot| snapshot.document_symbols(&params.text_document.uri);
        Ok(self.main.ask(terms, symbols).await?.map(DocumentSymbolResponse::Nested))
    }

    async fn symbol(&self, params: WorkspaceSymbolParams) -> Result<Option<WorkspaceSymbolResponse>> {
        let symbols = move |snapshot: &Snapshot| snapshot.workspace_symbols(&params.query);
        Ok(Some(WorkspaceSymbolResponse::Flat(
            self.main.ask(Terms::anytime().over_workspace(), symbols).await?,
        )))
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        self.main
            .ask(Terms::now(&params.text_document.uri), move |snapshot| {
                let uri = &params.text_document.uri;
                snapshot.code_actions(uri, params.range, &params.context).map(Some)
            })
            .await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        let terms = Terms::about(&params.text_document.uri);
        self.main.ask(terms, move |snapshot| snapshot.code_lenses(&params.text_document.uri).map(Some)).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        let terms = Terms::now(&params.text_document.uri);
        self.main
            .ask(terms, move |snapshot| snapshot.inlay_hints(&params.text_document.uri, params.range))
            .await
    }

    async fn semantic_tokens_full(
        &self,
        params: SemanticTokensParams,
    ) -> Result<Option<SemanticTokensResult>> {
        let uri = params.text_document.uri;
        let (of, terms) = (uri.clone(), Terms::about(&uri));
        let tokens = move |snapshot: &Snapshot| snapshot.semantic_tokens(&of, None);
        let Some(data) = self.main.ask(terms, tokens).await? else { return Ok(None) };
        Ok(Some(SemanticTokensResult::Tokens(self.token_cache().keep(uri, data))))
    }

    async fn semantic_tokens_full_delta(
        &self,
        params: SemanticTokensDeltaParams,
    ) -> Result<Option<SemanticTokensFullDeltaResult>> {
        let uri = params.text_document.uri;
        let (of, terms) = (uri.clone(), Terms::about(&uri));
        let tokens = move |snapshot: &Snapshot| snapshot.semantic_tokens(&of, None);
        let Some(data) = self.main.ask(terms, tokens).await? else { return Ok(None) };
        Ok(Some(self.token_cache().delta(uri, &params.previous_result_id, data)))
    }

    async fn semantic_tokens_range(
        &self,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        let terms = Terms::now(&params.text_document.uri);
        let tokens = move |snapshot: &Snapshot| {
            snapshot.semantic_tokens(&params.text_document.uri, Some(params.range))
        };
        let data = self.main.ask(terms, tokens).await?;
        Ok(data.map(|data| SemanticTokensRangeResult::Tokens(SemanticTokens { result_id: None, data })))
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        let terms = Terms::about(&params.text_document.uri);
        self.main.ask(terms, move |snapshot| snapshot.folding_ranges(&params.text_document.uri)).await
    }

    async fn selection_range(&self, params: SelectionRangeParams) -> Result<Option<Vec<SelectionRange>>> {
        self.main
            .ask(Terms::now(&params.text_document.uri), move |snapshot| {
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
        self.main
            .ask(Terms::now(&params.text_document.uri), move |snapshot| {
                snapshot.prepare_rename(&params.text_document.uri, params.position)
            })
            .await?
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        let at = params.text_document_position;
        let token = params.work_done_progress_params.work_done_token;
        let terms = Terms::now(&at.text_document.uri).over_workspace().shown("Rename", token);
        let ask =
            move |snapshot: &Snapshot| snapshot.rename(&at.text_document.uri, at.position, &params.new_name);
        self.main.ask_and(terms, ask, rename::checked).await?
    }

    async fn will_rename_files(&self, params: RenameFilesParams) -> Result<Option<WorkspaceEdit>> {
        let path = |uri: &str| uri::to_path(&uri.parse().ok()?);
        let moved = params.files.iter().filter_map(|file| Some((path(&file.old_uri)?, path(&file.new_uri)?)));
        let moved: Vec<_> = moved.collect();
        self.main.ask(Terms::anytime().over_workspace(), move |snapshot| snapshot.moved(&moved)).await
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        let at = params.text_document_position_params;
        let terms = Terms::now(&at.text_document.uri);
        self.main.ask(terms, move |snapshot| snapshot.prepare_calls(&at.text_document.uri, at.position)).await
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        let token = params.work_done_progress_params.work_done_token.clone();
        let terms = Terms::now(&params.item.uri).over_workspace().shown("Calls", token);
        self.main.ask(terms, move |snapshot| snapshot.incoming_calls(&params.item)).await
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        let terms = Terms::now(&params.item.uri);
        self.main.ask(terms, move |snapshot| snapshot.outgoing_calls(&params.item)).await
    }

    async fn prepare_type_hierarchy(
        &self,
        params: TypeHierarchyPrepareParams,
    ) -> Result<Option<Vec<TypeHierarchyItem>>> {
        let at = params.text_document_position_params;
        let terms = Terms::now(&at.text_document.uri);
        self.main.ask(terms, move |snapshot| snapshot.prepare_types(&at.text_document.uri, at.position)).await
    }

    async fn supertypes(
        &self,
        params: TypeHierarchySupertypesParams,
    ) -> Result<Option<Vec<TypeHierarchyItem>>> {
        let terms = Terms::now(&params.item.uri);
        self.main.ask(terms, move |snapshot| snapshot.supertypes(&params.item)).await
    }

    async fn subtypes(&self, params: TypeHierarchySubtypesParams) -> Result<Option<Vec<TypeHierarchyItem>>> {
        let token = params.work_done_progress_params.work_done_token.clone();
        let terms = Terms::now(&params.item.uri).over_workspace().shown("Subtypes", token);
        self.main.ask(terms, move |snapshot| snapshot.subtypes(&params.item)).await
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        let uri = params.text_document.uri;
        let (of, terms) = (uri.clone(), Terms::about(&uri).within(self.patience()));
        let found = move |snapshot: &Snapshot| match snapshot.document(&uri) {
            Some((document, _)) => snapshot.diagnostics(&document),
            None => Ok(Vec::new()),
        };
        let mut items = self.main.ask(terms.clone(), found.clone()).await;
        if items.as_ref().is_err_and(|error| error.code == Ended::ByTime.error().code) {
            self.main.slow(key(&of));
            items = self.main.ask(terms, found).await;
        }
        let items = items?;
        let report = diagnostics::report(items, params.previous_result_id.as_deref());
        Ok(DocumentDiagnosticReportResult::Report(report))
    }

    async fn workspace_diagnostic(
        &self,
        params: WorkspaceDiagnosticParams,
    ) -> Result<WorkspaceDiagnosticReportResult> {
        let ask = |snapshot: &Snapshot| snapshot.workspace_diagnostics();
        let token = params.work_done_progress_params.work_done_token;
        let terms = Terms::anytime().over_workspace().shown("Diagnostics of the workspace", token);
        let report = self
            .main
            .ask_and(terms, ask, move |found| {
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
        let terms = Terms::now(&at.text_document.uri);
        self.main.ask(terms, move |snapshot| snapshot.linked_ranges(&at.text_document.uri, at.position)).await
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        let terms = Terms::about(&params.text_document.uri);
        self.main.ask(terms, move |snapshot| snapshot.links(&params.text_document.uri)).await
    }

    async fn code_lens_resolve(&self, lens: CodeLens) -> Result<CodeLens> {
        let terms = Terms::anytime().over_workspace();
        self.main.ask(terms, move |snapshot| snapshot.resolve_lens(lens.clone())).await
    }
}
