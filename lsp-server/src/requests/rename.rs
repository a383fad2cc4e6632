//! Renaming over the whole workspace.

use std::collections::HashMap;

use apg_analysis::{Cancelled, ide};
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{
    DocumentChangeOperation, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, Position,
    PrepareRenameResponse, RenameFile, ResourceOp, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use crate::convert;
use crate::world::Snapshot;

/// What a refusal looks like to the client, which shows its message.
fn refused(why: String) -> jsonrpc::Error {
    jsonrpc::Error { code: jsonrpc::ErrorCode::ServerError(-32803), message: why.into(), data: None }
}

impl Snapshot {
    /// The name to be changed, or why it cannot be.
    pub fn prepare_rename(
        &self,
        uri: &Uri,
        position: Position,
    ) -> Result<jsonrpc::Result<Option<PrepareRenameResponse>>, Cancelled> {
        let Some((document, file, offset)) = self.at(uri, position) else { return Ok(Ok(None)) };
        let prepared = self.analysis.with(|db| {
            let (symbol, range) = ide::prepare_rename(db, file, offset)?;
            Ok((ide::name_of(db, &symbol), range))
        })?;
        Ok(prepared.map_err(refused).map(|(name, range)| {
            Some(PrepareRenameResponse::RangeWithPlaceholder {
                range: self.range(document, range),
                placeholder: name.to_string(),
            })
        }))
    }

    /// The edits that give the name at a position a new name.
    pub fn rename(
        &self,
        uri: &Uri,
        position: Position,
        new: &str,
    ) -> Result<jsonrpc::Result<Option<WorkspaceEdit>>, Cancelled> {
        let Some((_, file, offset)) = self.at(uri, position) else { return Ok(Ok(None)) };
        let files = self.analysis.user_files();
        let renamed = self.analysis.with(|db| ide::rename(db, &files, (file, offset), new))?;
        Ok(renamed.map_err(refused).map(|rename| Some(self.edit_of(&rename, new))))
    }

    fn edit_of(&self, rename: &ide::Rename, new: &str) -> WorkspaceEdit {
        let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
        for (file, range) in &rename.edits {
            if let Some(location) = convert::location(self, *file, *range) {
                let edit = TextEdit { range: location.range, new_text: new.to_owned() };
                changes.entry(location.uri).or_default().push(edit);
            }
        }
        let old = rename.file.and_then(|file| convert::uri(self, file));
        let old = old.filter(|_| self.settings.can_rename_files);
        let Some((old, target)) = old.and_then(|old| Some((old.clone(), sibling(&old, new)?))) else {
            return WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
        };
        // The file is renamed last: the edits before it name it as it is.
        let mut operations: Vec<DocumentChangeOperation> = changes
            .into_iter()
            .map(|(uri, edits)| {
                DocumentChangeOperation::Edit(TextDocumentEdit {
                    text_document: OptionalVersionedTextDocumentIdentifier { uri, version: None },
                    edits: edits.into_iter().map(OneOf::Left).collect(),
                })
            })
            .collect();
        operations.push(DocumentChangeOperation::Op(ResourceOp::Rename(RenameFile {
            old_uri: old,
            new_uri: target,
            options: None,
            annotation_id: None,
        })));
        WorkspaceEdit {
            document_changes: Some(DocumentChanges::Operations(operations)),
            ..WorkspaceEdit::default()
        }
    }
}

/// The file `NAME.x10` beside another.
fn sibling(uri: &Uri, name: &str) -> Option<Uri> {
    Uri::from_file_path(convert::path(uri)?.with_file_name(format!("{name}.x10")))
}
