//! Remote machines that a document's `apg.toml` names: *Run on NAME*, *Debug on NAME*, `apg/remotes` and
//! `apg/addRemote`. Nothing connects with them: the editor runs `apg run --on NAME` when the user asks.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tower_lsp_server::ls_types::{TextDocumentIdentifier, Uri};

use crate::lsp::uri;

/// Parameters of `apg/remotes`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RemotesParams {
    /// The document whose folder counts.
    pub text_document: TextDocumentIdentifier,
}

/// Parameters of `apg/addRemote`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AddRemoteParams {
    /// The document or folder whose `apg.toml` gets the machine.
    pub text_document: TextDocumentIdentifier,
    /// Its name.
    pub name: String,
    /// `[user@]host[:port]`.
    pub host: String,
}

/// The answer to `apg/addRemote`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct AddedRemote {
    /// The `apg.toml` that has the machine now.
    pub file: Option<String>,
    /// Why it was not added.
    pub error: Option<String>,
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

/// The remote machines of a document, or of a folder.
pub(crate) fn of_document(document: &Uri) -> Remotes {
    folder_of(document).map_or_else(Remotes::default, |folder| of_folder(&folder))
}

/// Adds a remote machine.
pub(crate) fn add(params: &AddRemoteParams) -> AddedRemote {
    let Some(folder) = folder_of(&params.text_document.uri) else {
        let error = "a document that is no file has no apg.toml: save it first".to_owned();
        return AddedRemote { file: None, error: Some(error) };
    };
    match apg_remote::config::add(&folder, &params.name, &params.host) {
        Ok(file) => AddedRemote { file: Some(file.display().to_string()), error: None },
        Err(error) => {
            let hint = error.hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default();
            AddedRemote { file: None, error: Some(format!("{error}{hint}")) }
        }
    }
}

fn folder_of(document: &Uri) -> Option<PathBuf> {
    let path = uri::to_path(document)?;
    if path.is_dir() { Some(path) } else { path.parent().map(Path::to_owned) }
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
