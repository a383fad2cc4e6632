//! What a client can do, where more than one part of the server needs to know.

use tower_lsp_server::ls_types::ClientCapabilities;

/// Whether the client watches files on the disk when the server registers for them.
pub(crate) fn watches_files(client: &ClientCapabilities) -> bool {
    let watches = client.workspace.as_ref().and_then(|w| w.did_change_watched_files.as_ref());
    watches.is_some_and(|w| w.dynamic_registration == Some(true))
}

/// Whether type hierarchies must be announced in the answer to `initialize`, because the client cannot
/// register them later.
pub(crate) fn needs_static_type_hierarchy(client: &ClientCapabilities) -> bool {
    let types = client.text_document.as_ref().and_then(|t| t.type_hierarchy.as_ref());
    types.is_some_and(|t| t.dynamic_registration != Some(true))
}
