//! Renames of symbols, packages, files and folders.

use std::path::PathBuf;

use apg_analysis::Db;
use apg_analysis::SourceFile;
use apg_analysis::{Cancelled, ide};
use apg_source::{TextRange, TextSize};
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{Position, PrepareRenameResponse, RenameFile, TextEdit, Uri, WorkspaceEdit};

use crate::cancellation::{REQUEST_FAILED, RequestHandle};
use crate::lsp::to_proto::{self, WorkspaceEditBuilder};
use crate::lsp::uri;
use crate::snapshot::Snapshot;

/// The error of a refused rename, whose message the client shows.
fn refusal(reason: String) -> jsonrpc::Error {
    jsonrpc::Error { code: REQUEST_FAILED, message: reason.into(), data: None }
}

/// A rename that is to be checked, without the database.
pub(crate) struct UncheckedRename {
    edit: WorkspaceEdit,
    check: Option<ide::RenameCheck>,
    request: RequestHandle,
}

/// Checks that the renamed program still means the same. The answer is the edit, or the reason for a refusal.
pub(crate) fn check(
    rename: Result<Option<UncheckedRename>, String>,
) -> jsonrpc::Result<Option<WorkspaceEdit>> {
    let Some(UncheckedRename { edit, check, request }) = rename.map_err(refusal)? else { return Ok(None) };
    match check.and_then(|check| check.refusal(&|program| request.start(program))) {
        Some(reason) => Err(refusal(reason)),
        None => Ok(Some(edit)),
    }
}

impl Snapshot {
    /// The name under the cursor, or the reason why it cannot be renamed.
    pub(crate) fn prepare_rename(
        &self,
        uri: &Uri,
        position: Position,
    ) -> Result<jsonrpc::Result<Option<PrepareRenameResponse>>, Cancelled> {
        let Some((document, file, offset)) = self.resolve(uri, position) else { return Ok(Ok(None)) };
        let files = self.analysis.user_files();
        let prepared = self.analysis.with(|db| {
            if let Some(package) = self.package_at(db, &files, (file, offset)) {
                return package.map(|package| (document.text.text()[package.range].into(), package.range));
            }
            if let Some(uses) = ide::label_uses(db, file, offset) {
                let use_here = uses.into_iter().find(|range| range.contains_inclusive(offset));
                let range = use_here.ok_or("there is no name here")?;
                return Ok((document.text.text()[range].into(), range));
            }
            let (symbol, range) = ide::prepare_rename(db, file, offset)?;
            Ok((ide::name_of(db, &symbol), range))
        })?;
        Ok(prepared.map_err(refusal).map(|(name, range)| {
            Some(PrepareRenameResponse::RangeWithPlaceholder {
                range: self.range(&document, range),
                placeholder: name.to_string(),
            })
        }))
    }

    /// Renames the symbol at a position, without the check whether the program still means the same.
    pub(crate) fn rename(
        &self,
        uri: &Uri,
        position: Position,
        new_name: &str,
    ) -> Result<Result<Option<UncheckedRename>, String>, Cancelled> {
        let Some((_, file, offset)) = self.resolve(uri, position) else { return Ok(Ok(None)) };
        let files = self.analysis.user_files();
        let package = self.analysis.with(|db| {
            let package = self.package_at(db, &files, (file, offset))?;
            Some(package.and_then(|package| ide::rename_package(db, &files, &package.name, new_name)))
        })?;
        if let Some(renamed) = package {
            let request = self.request.clone();
            let edit = renamed.map(|renamed| self.package_edit(&renamed, new_name));
            return Ok(edit.map(|edit| Some(UncheckedRename { edit, check: None, request })));
        }
        let renamed = self.analysis.with(|db| {
            let rename = ide::rename(db, &files, (file, offset), new_name)?;
            let check = ide::RenameCheck::new(db, &rename, new_name);
            Ok((rename, check))
        })?;
        let request = self.request.clone();
        Ok(renamed.map(|(rename, check)| {
            Some(UncheckedRename { edit: self.symbol_edit(&rename, new_name), check, request })
        }))
    }

    /// The package that is named at an offset. Its name is that of its folder, so that the client must be
    /// able to rename folders.
    fn package_at(
        &self,
        db: &dyn Db,
        files: &[SourceFile],
        at: (SourceFile, TextSize),
    ) -> Option<Result<ide::Package, String>> {
        self.config.can_rename_files.then(|| ide::package_at(db, files, at)).flatten()
    }

    /// The edits that moves of files and folders make necessary: names of classes and packages, and imports.
    pub(crate) fn edits_for_moves(
        &self,
        paths: &[(PathBuf, PathBuf)],
    ) -> Result<Option<WorkspaceEdit>, Cancelled> {
        let files = self.analysis.user_files();
        let mut changes = WorkspaceEditBuilder::default();
        let mut moves = Vec::new();
        for (from, to) in paths {
            match self.analysis.file(from) {
                Some(file) => moves.push((file, to.clone())),
                None => self.add_edits(
                    &mut changes,
                    self.analysis.with(|db| ide::move_folder(db, &files, from, to))?,
                ),
            }
        }
        self.add_edits(&mut changes, self.analysis.with(|db| ide::move_files(db, &files, &moves))?);
        Ok((!changes.is_empty()).then(|| changes.finish(self, Vec::new())))
    }

    fn add_edits(&self, changes: &mut WorkspaceEditBuilder, edits: Vec<ide::TextEdit>) {
        for edit in edits {
            let converted =
                edit.file.and_then(|file| to_proto::text_edit(self, file, edit.range, &edit.text));
            if let Some((uri, edit)) = converted {
                changes.add(uri, edit);
            }
        }
    }

    fn package_edit(&self, rename: &ide::PackageRename, new_name: &str) -> WorkspaceEdit {
        let rename_folder = |(from, to): &(PathBuf, PathBuf)| {
            let (old_uri, new_uri) = (uri::from_path(from)?, uri::from_path(to)?);
            Some(RenameFile { old_uri, new_uri, options: None, annotation_id: None })
        };
        let folders = rename.folders.iter().filter_map(rename_folder).collect();
        self.replace_all(&rename.edits, new_name).finish(self, folders)
    }

    fn replace_all(&self, ranges: &[(SourceFile, TextRange)], new_name: &str) -> WorkspaceEditBuilder {
        let mut changes = WorkspaceEditBuilder::default();
        for location in to_proto::locations(self, ranges.iter().copied()) {
            changes.add(location.uri, TextEdit { range: location.range, new_text: new_name.to_owned() });
        }
        changes
    }

    fn symbol_edit(&self, rename: &ide::Rename, new_name: &str) -> WorkspaceEdit {
        let old_uri = rename.file.and_then(|file| to_proto::uri(self, file));
        let old_uri = old_uri.filter(|_| self.config.can_rename_files);
        let renamed = old_uri.and_then(|old_uri| {
            Some(RenameFile {
                new_uri: sibling(&old_uri, new_name)?,
                old_uri,
                options: None,
                annotation_id: None,
            })
        });
        self.replace_all(&rename.edits, new_name).finish(self, renamed.into_iter().collect())
    }
}

/// The URI of `NAME.x10` in the folder of another file.
fn sibling(uri: &Uri, name: &str) -> Option<Uri> {
    uri::from_path(&uri::to_path(uri)?.with_file_name(format!("{name}.x10")))
}
