//! Capabilities of the server, which partly depend on those of the client.

use serde_json::json;
use tower_lsp_server::ls_types::{
    CallHierarchyServerCapability, ClientCapabilities, CodeActionKind, CodeActionOptions,
    CodeActionProviderCapability, CodeLensOptions, CompletionOptions, CompletionOptionsCompletionItem,
    DiagnosticOptions, DiagnosticServerCapabilities, DocumentLinkOptions, DocumentOnTypeFormattingOptions,
    FileOperationFilter, FileOperationPattern, FileOperationPatternKind, FileOperationRegistrationOptions,
    FoldingRangeProviderCapability, HoverProviderCapability, ImplementationProviderCapability,
    LinkedEditingRangeServerCapabilities, OneOf, Registration, RenameOptions,
    SelectionRangeProviderCapability, SemanticTokensFullOptions, SemanticTokensOptions,
    SemanticTokensServerCapabilities, ServerCapabilities, SignatureHelpOptions, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    TypeDefinitionProviderCapability, WorkDoneProgressOptions, WorkspaceFileOperationsServerCapabilities,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

use crate::config::Config;
use crate::handlers::semantic_tokens;
use crate::lsp::client::watches_files;

/// The capabilities that answer `initialize`.
pub(crate) fn server_capabilities(config: &Config) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..TextDocumentSyncOptions::default()
    };
    let actions = CodeActionOptions {
        code_action_kinds: Some(vec![
            CodeActionKind::QUICKFIX,
            CodeActionKind::REFACTOR_EXTRACT,
            CodeActionKind::REFACTOR_REWRITE,
            CodeActionKind::SOURCE_ORGANIZE_IMPORTS,
        ]),
        ..CodeActionOptions::default()
    };
    let completion = CompletionOptions {
        resolve_provider: Some(true),
        trigger_characters: Some(vec![".".into(), "@".into()]),
        completion_item: Some(CompletionOptionsCompletionItem { label_details_support: Some(true) }),
        ..CompletionOptions::default()
    };
    let signatures = SignatureHelpOptions {
        trigger_characters: Some(vec!["(".into(), ",".into()]),
        ..SignatureHelpOptions::default()
    };
    let tokens = SemanticTokensOptions {
        legend: semantic_tokens::legend(),
        range: Some(true),
        full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
        ..SemanticTokensOptions::default()
    };
    let on_type = DocumentOnTypeFormattingOptions {
        first_trigger_character: "}".into(),
        more_trigger_character: Some(vec![";".into(), "\n".into()]),
    };
    let links = DocumentLinkOptions {
        resolve_provider: Some(false),
        work_done_progress_options: WorkDoneProgressOptions::default(),
    };
    let rename = RenameOptions {
        prepare_provider: Some(true),
        work_done_progress_options: WorkDoneProgressOptions::default(),
    };
    let folders = WorkspaceFoldersServerCapabilities {
        supported: Some(true),
        change_notifications: Some(OneOf::Left(true)),
    };
    let pulled = DiagnosticOptions {
        identifier: Some("apg".into()),
        inter_file_dependencies: true,
        workspace_diagnostics: true,
        work_done_progress_options: WorkDoneProgressOptions::default(),
    };
    ServerCapabilities {
        position_encoding: Some(config.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(completion),
        signature_help_provider: Some(signatures),
        definition_provider: Some(OneOf::Left(true)),
        declaration_provider: Some(tower_lsp_server::ls_types::DeclarationCapability::Simple(true)),
        type_definition_provider: Some(TypeDefinitionProviderCapability::Simple(true)),
        implementation_provider: Some(ImplementationProviderCapability::Simple(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(actions)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(true) }),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        document_on_type_formatting_provider: Some(on_type),
        rename_provider: Some(OneOf::Right(rename)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        semantic_tokens_provider: Some(SemanticTokensServerCapabilities::SemanticTokensOptions(tokens)),
        linked_editing_range_provider: Some(LinkedEditingRangeServerCapabilities::Simple(true)),
        document_link_provider: Some(links),
        inlay_hint_provider: Some(OneOf::Left(true)),
        call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(folders),
            file_operations: Some(WorkspaceFileOperationsServerCapabilities {
                will_rename: Some(rename_filters()),
                ..WorkspaceFileOperationsServerCapabilities::default()
            }),
        }),
        // A client that handles pushed and pulled diagnostics would show each of them twice.
        diagnostic_provider: config
            .pulls_diagnostics
            .then_some(DiagnosticServerCapabilities::Options(pulled)),
        ..ServerCapabilities::default()
    }
}

/// Files whose renames the client announces: sources, and folders, which may be packages.
fn rename_filters() -> FileOperationRegistrationOptions {
    let filter = |glob: &str, matches| FileOperationFilter {
        scheme: Some("file".into()),
        pattern: FileOperationPattern { glob: glob.into(), matches: Some(matches), options: None },
    };
    FileOperationRegistrationOptions {
        filters: vec![
            filter("**/*.x10", FileOperationPatternKind::File),
            filter("**", FileOperationPatternKind::Folder),
        ],
    }
}

/// Capabilities that are registered after `initialized`, because `ServerCapabilities` has no field for them.
pub(crate) fn registrations(client: &ClientCapabilities) -> Vec<Registration> {
    let mut all = Vec::new();
    if watches_files(client) {
        all.push(Registration {
            id: "apg-watch".into(),
            method: "workspace/didChangeWatchedFiles".into(),
            register_options: Some(json!({ "watchers": [{ "globPattern": "**/*.x10" }] })),
        });
    }
    let settings = client.workspace.as_ref().and_then(|w| w.did_change_configuration.as_ref());
    if settings.is_some_and(|s| s.dynamic_registration == Some(true)) {
        all.push(Registration {
            id: "apg-settings".into(),
            method: "workspace/didChangeConfiguration".into(),
            register_options: Some(json!({ "section": "apg" })),
        });
    }
    let types = client.text_document.as_ref().and_then(|t| t.type_hierarchy.as_ref());
    if types.is_some_and(|t| t.dynamic_registration == Some(true)) {
        all.push(Registration {
            id: "apg-types".into(),
            method: "textDocument/prepareTypeHierarchy".into(),
            register_options: Some(json!({ "documentSelector": [{ "language": "x10" }] })),
        });
    }
    all
}
