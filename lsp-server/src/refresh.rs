//! What clients hold of documents and what becomes stale when another file changes: they are asked to ask again.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tower_lsp_server::Client;
use tower_lsp_server::ls_types::ClientCapabilities;

/// Edits are gathered for so long before clients are asked to ask again.
pub const PAUSE: Duration = Duration::from_millis(300);

/// So long a client has for its answers before it is asked again.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the client refreshes when it is told to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Refreshes {
    tokens: bool,
    hints: bool,
    lenses: bool,
    diagnostics: bool,
}

impl Refreshes {
    /// What the client can do.
    pub fn of(client: &ClientCapabilities, pulls_diagnostics: bool) -> Self {
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
    pub fn of_hints(self) -> Self {
        Self { hints: self.hints, ..Self::default() }
    }

    /// All that either names.
    fn and(self, other: Self) -> Self {
        Self {
            tokens: self.tokens || other.tokens,
            hints: self.hints || other.hints,
            lenses: self.lenses || other.lenses,
            diagnostics: self.diagnostics || other.diagnostics,
        }
    }

    /// Whether there is anything to ask.
    pub fn any(self) -> bool {
        self.tokens || self.hints || self.lenses || self.diagnostics
    }

    async fn ask(self, client: &Client) {
        // A client that refuses keeps what it has.
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
            tokio::time::timeout(PATIENCE, futures::future::join4(tokens, hints, lenses, diagnostics)).await;
    }
}

/// Starts the task that asks; what is sent to it are the things to refresh.
pub fn start(
    client: Arc<OnceLock<Client>>,
    tasks: &tokio::runtime::Handle,
) -> tokio::sync::mpsc::UnboundedSender<Refreshes> {
    let (due, mut asked) = tokio::sync::mpsc::unbounded_channel::<Refreshes>();
    tasks.spawn(async move {
        while let Some(mut what) = asked.recv().await {
            while let Ok(later) = asked.try_recv() {
                what = what.and(later);
            }
            if let Some(client) = client.get() {
                what.ask(client).await;
            }
        }
    });
    due
}
