//! Remote machines that a document's `apg.toml` names: *Run on NAME* and `apg/remotes`. Nothing connects with
//! them: the editor runs `apg run --on NAME` when the user asks for it.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tower_lsp_server::ls_types::TextDocumentIdentifier;

use crate::lsp::uri;

/// Parameters of `apg/remotes`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RemotesParams {
    /// The document whose folder counts.
    pub text_document: TextDocumentIdentifier,
}

/// A remote machine.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct NamedRemote {
    /// Its name.
    pub name: String,
    /// `[user@]host[:port]`.
    pub host: String,
}

/// The answer to `apg/remotes`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Remotes {
    /// The machines, by their names.
    pub remotes: Vec<NamedRemote>,
    /// What is wrong with `apg.toml`, if so.
    pub error: Option<String>,
}

/// The remote machines of a document.
pub(crate) fn of_document(document: &tower_lsp_server::ls_types::Uri) -> Remotes {
    match uri::to_path(document).as_deref().and_then(Path::parent) {
        Some(folder) => of_folder(folder),
        None => Remotes::default(),
    }
}

fn of_folder(folder: &Path) -> Remotes {
    match apg_remote::config::named(folder) {
        Ok(remotes) => {
            let remotes = remotes.into_values().map(|it| NamedRemote { name: it.name, host: it.host });
            Remotes { remotes: remotes.collect(), error: None }
        }
        Err(error) => Remotes { remotes: Vec::new(), error: Some(error.to_string()) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_of_the_nearest_file_are_listed_and_errors_are_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(apg_remote::config::FILE_NAME);
        std::fs::write(&file, "[remote.near]\nhost = \"me@near\"\n").expect("written");
        let near = NamedRemote { name: "near".to_owned(), host: "me@near".to_owned() };
        assert!(of_folder(folder.path()).remotes.contains(&near));
        std::fs::write(&file, "[remote.near]\n").expect("written");
        assert!(of_folder(folder.path()).error.is_some_and(|error| error.contains("host")));
    }
}
