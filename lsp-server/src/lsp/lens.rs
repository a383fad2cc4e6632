//! Code lenses with their commands, as the protocol has them.

use serde_json::{Value, json};
use tower_lsp_server::ls_types::{CodeLens, Command, Range, Uri};

/// A command about a document.
pub(crate) fn command_on(document: &Uri, title: &str, command: &str, also: &[Value]) -> Command {
    let arguments = [json!(document)].into_iter().chain(also.iter().cloned()).collect();
    Command { title: title.into(), command: command.into(), arguments: Some(arguments) }
}

/// A lens with its command.
pub(crate) fn lens_of(range: Range, command: Command) -> CodeLens {
    CodeLens { range, command: Some(command), data: None }
}
