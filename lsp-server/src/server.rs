//! The requests: each becomes a question to a snapshot. No handler waits for the client.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tower_lsp_server::LanguageServer;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    CodeActionKind, CodeActionOptions, CodeActionParams, CodeActionProviderCapability, CodeActionResponse,
    CodeLens, CodeLensOptions, CodeLensParams, DocumentFormattingParams, GotoDefinitionParams,
    GotoDefinitionResponse, Hover, HoverParams, HoverProviderCapability, InitializeParams, InitializeResult,
    OneOf, ServerCapabilities, ServerInfo, TextDocumentIdentifier, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, TextEdit,
};

use crate::main_loop::{Sender, Settings};
use crate::position::Encoding;

/// The handlers.
#[derive(Debug)]
pub struct Backend {
    main: Sender,
}

/// What `initializationOptions` may say.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct InitializationOptions {
    source_path: Vec<PathBuf>,
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
    pub fn new(main: Sender) -> Self {
        Self { main }
    }

    /// `apg/generatedCode`
    pub async fn generated_code(&self, params: GeneratedCodeParams) -> Result<GeneratedCode> {
        let answer = move |snapshot: &crate::world::Snapshot| {
            snapshot
                .generated_code(&params.text_document.uri, &params.kind)
                .map(|text| GeneratedCode { text })
        };
        self.main.ask(answer).await
    }
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let general = params.capabilities.general.as_ref();
        let encoding = Encoding::choose(general.and_then(|general| general.position_encodings.as_deref()));
        // Options that do not parse are as if absent: the server works without any.
        let options: InitializationOptions = params
            .initialization_options
            .and_then(|options| serde_json::from_value(options).ok())
            .unwrap_or_default();
        self.main.settings(Settings { encoding, source_path: options.source_path });
        Ok(InitializeResult {
            capabilities: capabilities(encoding),
            server_info: Some(ServerInfo {
                name: "apg-lsp".into(),
                version: Some(env!("CARGO_PKG_VERSION").into()),
            }),
            ..InitializeResult::default()
        })
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let at = params.text_document_position_params;
        self.main.ask(move |snapshot| snapshot.hover(&at.text_document.uri, at.position)).await
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let at = params.text_document_position_params;
        let definition = move |snapshot: &crate::world::Snapshot| {
            let found = snapshot.definition(&at.text_document.uri, at.position)?;
            Ok(found.map(GotoDefinitionResponse::Scalar))
        };
        self.main.ask(definition).await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        self.main
            .ask(move |snapshot| snapshot.code_actions(&params.text_document.uri, params.range).map(Some))
            .await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        self.main.ask(move |snapshot| snapshot.code_lenses(&params.text_document.uri).map(Some)).await
    }

    async fn formatting(&self, params: DocumentFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        self.main.ask(move |snapshot| snapshot.format(&params.text_document.uri)).await
    }
}

fn capabilities(encoding: Encoding) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..TextDocumentSyncOptions::default()
    };
    let actions = CodeActionOptions {
        code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
        ..CodeActionOptions::default()
    };
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(actions)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        document_formatting_provider: Some(OneOf::Left(true)),
        ..ServerCapabilities::default()
    }
}
