//! The requests: each becomes a question to a snapshot. No handler waits for the client.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::request::{
    GotoDeclarationParams, GotoDeclarationResponse, GotoImplementationParams, GotoImplementationResponse,
    GotoTypeDefinitionParams, GotoTypeDefinitionResponse,
};
use tower_lsp_server::ls_types::*;
use tower_lsp_server::{Client, LanguageServer};

use crate::capabilities;
use crate::main_loop::{Sender, Settings};
use crate::position::Encoding;
use crate::world::Snapshot;

/// The handlers.
#[derive(Debug)]
pub struct Backend {
    main: Sender,
    client: Option<Client>,
    /// What is to be registered once the client is ready.
    registrations: OnceLock<Vec<Registration>>,
}

/// What `initializationOptions` may say.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct InitializationOptions {
    source_path: Vec<PathBuf>,
}

/// What `workspace/didChangeConfiguration` may say: the settings below `apg`. What is not there stays as it is: some clients
/// send nothing at all.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Configuration {
    apg: ChangedSettings,
}

/// The settings that can change while the server runs.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ChangedSettings {
    source_path: Option<Vec<PathBuf>>,
}

/// `apg/generatedCode`: what a document is compiled to.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GeneratedCodeParams {
    /// The document with `main`.
    pub text_document: TextDocumentIdentifier,
    /// `cuda`, `cpp` or `mir`.
    pub kind: String,
}

/// The answer to `apg/generatedCode`.
#[derive(Clone, Debug, Serialize)]
pub struct GeneratedCode {
    /// The text; a comment that says why if there is none.
    pub text: String,
}

impl Backend {
    /// Handlers that ask the main loop.
    pub fn new(main: Sender, client: Option<Client>) -> Self {
        Self { main, client, registrations: OnceLock::new() }
    }

    /// `apg/generatedCode`
    pub async fn generated_code(&self, params: GeneratedCodeParams) -> Result<GeneratedCode> {
        let answer = move |snapshot: &Snapshot| {
            snapshot
                .generated_code(&params.text_document.uri, &params.kind)
                .map(|text| GeneratedCode { text })
        };
        self.main.ask(answer).await
    }
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
    Settings {
        encoding: Encoding::choose(general.and_then(|general| general.position_encodings.as_deref())),
        source_path: options.source_path,
        folders: folders(params),
        snippets: completion.is_some_and(|c| c.snippet_support == Some(true)),
        can_rename_files: operations.is_some_and(|o| o.contains(&ResourceOperationKind::Rename)),
        pulls: text.is_some_and(|t| t.diagnostic.is_some() && t.publish_diagnostics.is_none()),
    }
}

fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    let named = params.workspace_folders.iter().flatten().map(|folder| &folder.uri);
    #[allow(deprecated)] // what older clients send instead
    let root = params.root_uri.iter().filter(|_| params.workspace_folders.is_none());
    named.chain(root).filter_map(crate::convert::path).collect()
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let settings = settings(&params);
        let _ = self.registrations.set(capabilities::registrations(&params.capabilities));
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
        if let Some(folders) = configuration.apg.source_path {
            self.main.source_path(folders);
        }
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let at = params.text_document_position_params;
        self.main.ask(move |snapshot| snapshot.hover(&at.text_document.uri, at.position)).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let at = params.text_document_position;
        let complete = move |snapshot: &Snapshot| snapshot.completion(&at.text_document.uri, at.position);
        Ok(self.main.ask(complete).await?.map(CompletionResponse::Array))
    }

    async fn completion_resolve(&self, item: CompletionItem) -> Result<CompletionItem> {
        self.main.ask(move |snapshot| snapshot.resolve_completion(item.clone())).await
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        let at = params.text_document_position_params;
        self.main.ask(move |snapshot| snapshot.signature_help(&at.text_document.uri, at.position)).await
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let at = params.text_document_position_params;
        let definition = move |snapshot: &Snapshot| snapshot.definition(&at.text_document.uri, at.position);
        Ok(self.main.ask(definition).await?.map(GotoDefinitionResponse::Scalar))
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
        let definition =
            move |snapshot: &Snapshot| snapshot.type_definition(&at.text_document.uri, at.position);
        Ok(self.main.ask(definition).await?.map(GotoDefinitionResponse::Scalar))
    }

    async fn goto_implementation(
        &self,
        params: GotoImplementationParams,
    ) -> Result<Option<GotoImplementationResponse>> {
        let at = params.text_document_position_params;
        let all = move |snapshot: &Snapshot| snapshot.implementations(&at.text_document.uri, at.position);
        Ok(self.main.ask(all).await?.map(GotoDefinitionResponse::Array))
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        let at = params.text_document_position;
        let declaration = params.context.include_declaration;
        self.main
            .ask(move |snapshot| snapshot.references(&at.text_document.uri, at.position, declaration))
            .await
    }

    async fn document_highlight(
        &self,
        params: DocumentHighlightParams,
    ) -> Result<Option<Vec<DocumentHighlight>>> {
        let at = params.text_document_position_params;
        self.main.ask(move |snapshot| snapshot.highlights(&at.text_document.uri, at.position)).await
    }

    async fn document_symbol(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        let symbols = move |snapshot: &Snapshot| snapshot.document_symbols(&params.text_document.uri);
        Ok(self.main.ask(symbols).await?.map(DocumentSymbolResponse::Nested))
    }

    async fn symbol(&self, params: WorkspaceSymbolParams) -> Result<Option<WorkspaceSymbolResponse>> {
        let symbols = move |snapshot: &Snapshot| snapshot.workspace_symbols(&params.query);
        Ok(Some(WorkspaceSymbolResponse::Flat(self.main.ask(symbols).await?)))
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        self.main
            .ask(move |snapshot| {
                let uri = &params.text_document.uri;
                snapshot.code_actions(uri, params.range, &params.context).map(Some)
            })
            .await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        self.main.ask(move |snapshot| snapshot.code_lenses(&params.text_document.uri).map(Some)).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        self.main.ask(move |snapshot| snapshot.inlay_hints(&params.text_document.uri, params.range)).await
    }

    async fn semantic_tokens_full(
        &self,
        params: SemanticTokensParams,
    ) -> Result<Option<SemanticTokensResult>> {
        let tokens = move |snapshot: &Snapshot| snapshot.semantic_tokens(&params.text_document.uri, None);
        let data = self.main.ask(tokens).await?;
        Ok(data.map(|data| SemanticTokensResult::Tokens(SemanticTokens { result_id: None, data })))
    }

    async fn semantic_tokens_range(
        &self,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        let tokens = move |snapshot: &Snapshot| {
            snapshot.semantic_tokens(&params.text_document.uri, Some(params.range))
        };
        let data = self.main.ask(tokens).await?;
        Ok(data.map(|data| SemanticTokensRangeResult::Tokens(SemanticTokens { result_id: None, data })))
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        self.main.ask(move |snapshot| snapshot.folding_ranges(&params.text_document.uri)).await
    }

    async fn selection_range(&self, params: SelectionRangeParams) -> Result<Option<Vec<SelectionRange>>> {
        self.main
            .ask(move |snapshot| snapshot.selection_ranges(&params.text_document.uri, &params.positions))
            .await
    }

    async fn formatting(&self, params: DocumentFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        self.main.ask(move |snapshot| snapshot.format(&params.text_document.uri, None)).await
    }

    async fn range_formatting(&self, params: DocumentRangeFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        self.main.ask(move |snapshot| snapshot.format(&params.text_document.uri, Some(params.range))).await
    }

    async fn on_type_formatting(
        &self,
        params: DocumentOnTypeFormattingParams,
    ) -> Result<Option<Vec<TextEdit>>> {
        let at = params.text_document_position;
        self.main
            .ask(move |snapshot| snapshot.format_on_type(&at.text_document.uri, at.position, &params.ch))
            .await
    }

    async fn prepare_rename(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<PrepareRenameResponse>> {
        self.main
            .ask(move |snapshot| snapshot.prepare_rename(&params.text_document.uri, params.position))
            .await?
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        let at = params.text_document_position;
        self.main
            .ask(move |snapshot| snapshot.rename(&at.text_document.uri, at.position, &params.new_name))
            .await?
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        let at = params.text_document_position_params;
        self.main.ask(move |snapshot| snapshot.prepare_calls(&at.text_document.uri, at.position)).await
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        self.main.ask(move |snapshot| snapshot.incoming_calls(&params.item)).await
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        self.main.ask(move |snapshot| snapshot.outgoing_calls(&params.item)).await
    }

    async fn prepare_type_hierarchy(
        &self,
        params: TypeHierarchyPrepareParams,
    ) -> Result<Option<Vec<TypeHierarchyItem>>> {
        let at = params.text_document_position_params;
        self.main.ask(move |snapshot| snapshot.prepare_types(&at.text_document.uri, at.position)).await
    }

    async fn supertypes(
        &self,
        params: TypeHierarchySupertypesParams,
    ) -> Result<Option<Vec<TypeHierarchyItem>>> {
        self.main.ask(move |snapshot| snapshot.supertypes(&params.item)).await
    }

    async fn subtypes(&self, params: TypeHierarchySubtypesParams) -> Result<Option<Vec<TypeHierarchyItem>>> {
        self.main.ask(move |snapshot| snapshot.subtypes(&params.item)).await
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        let uri = params.text_document.uri;
        let found = move |snapshot: &Snapshot| match snapshot.document(&uri) {
            Some((document, _)) => snapshot.diagnostics(document),
            None => Ok(Vec::new()),
        };
        let items = self.main.ask(found).await?;
        let mut hasher = DefaultHasher::new();
        serde_json::to_string(&items).unwrap_or_default().hash(&mut hasher);
        let result_id = format!("{:x}", hasher.finish());
        let report = if params.previous_result_id.as_ref() == Some(&result_id) {
            let unchanged = UnchangedDocumentDiagnosticReport { result_id };
            DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
                related_documents: None,
                unchanged_document_diagnostic_report: unchanged,
            })
        } else {
            let full = FullDocumentDiagnosticReport { result_id: Some(result_id), items };
            DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
                related_documents: None,
                full_document_diagnostic_report: full,
            })
        };
        Ok(DocumentDiagnosticReportResult::Report(report))
    }
}
