//! Refresh requests: when a file changes, clients are asked to request again what they have of other
//! documents.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tower_lsp_server::Client;
use tower_lsp_server::ls_types::ClientCapabilities;

/// Time without edits before the client is asked to refresh.
pub(crate) const REFRESH_DELAY: Duration = Duration::from_millis(300);

/// Time that a client has for its answers before it is asked again.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// Kinds of results that a client refreshes on request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RefreshKinds {
    tokens: bool,
    hints: bool,
    lenses: bool,
    diagnostics: bool,
}

impl RefreshKinds {
    /// The kinds that the client supports.
    pub(crate) fn supported_by(client: &ClientCapabilities, pulls_diagnostics: bool) -> Self {
        let Some(workspace) = &client.workspace else { return Self::default() };
        let tokens = workspace.semantic_tokens.as_ref().and_then(|c| c.refresh_support);
        let hints = workspace.inlay_hint.as_ref().and_then(|c| c.refresh_support);
        let lenses = workspace.code_lens.as_ref().and_then(|c| c.refresh_support);
        let diagnostics = workspace.diagnostics.as_ref().and_then(|c| c.refresh_support);
        Self {
            tokens: tokens == Some(true),
            hints: hints == Some(true),
            lenses: lenses == Some(true),
            diagnostics: pulls_diagnostics && diagnostics == Some(true),
        }
    }

    /// Inlay hints alone, if the client refreshes them.
    pub(crate) fn hints_only(self) -> Self {
        Self { hints: self.hints, ..Self::default() }
    }

    /// The union of both.
    fn union(self, other: Self) -> Self {
        Self {
            tokens: self.tokens || other.tokens,
            hints: self.hints || other.hints,
            lenses: self.lenses || other.lenses,
            diagnostics: self.diagnostics || other.diagnostics,
        }
    }

    /// Whether there is a kind to refresh.
    pub(crate) fn any(self) -> bool {
        self.tokens || self.hints || self.lenses || self.diagnostics
    }

    async fn request(self, client: &Client) {
        // Refusals are ignored: the client keeps what it has.
        let tokens = async {
            if self.tokens {
                drop(client.semantic_tokens_refresh().await)
            }
        };
        let hints = async {
            if self.hints {
                drop(client.inlay_hint_refresh().await)
            }
        };
        let lenses = async {
            if self.lenses {
                drop(client.code_lens_refresh().await)
            }
        };
        let diagnostics = async {
            if self.diagnostics {
                drop(client.workspace_diagnostic_refresh().await)
            }
        };
        let _ =
            tokio::time::timeout(ANSWER_TIMEOUT, futures::future::join4(tokens, hints, lenses, diagnostics))
                .await;
    }
}

/// Starts the task that sends refresh requests for the kinds that it receives.
pub(crate) fn start(
    client: Arc<OnceLock<Client>>,
    tasks: &tokio::runtime::Handle,
) -> tokio::sync::mpsc::UnboundedSender<RefreshKinds> {
    let (refreshes, mut received) = tokio::sync::mpsc::unbounded_channel::<RefreshKinds>();
    tasks.spawn(async move {
        while let Some(mut kinds) = received.recv().await {
            while let Ok(later) = received.try_recv() {
                kinds = kinds.union(later);
            }
            if let Some(client) = client.get() {
                kinds.request(client).await;
            }
        }
    });
    refreshes
}
