//! Renaming over the whole workspace.

use std::path::PathBuf;

use apg_analysis::db::Db;
use apg_analysis::ids::SourceFile;
use apg_analysis::{Cancelled, ide};
use apg_syntax::{TextRange, TextSize};
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{Position, PrepareRenameResponse, RenameFile, TextEdit, Uri, WorkspaceEdit};

use crate::convert::{self, Changes};
use crate::task::Task;
use crate::uri;
use crate::world::Snapshot;

/// What a refusal looks like to the client, which shows its message.
fn refused(why: String) -> jsonrpc::Error {
    jsonrpc::Error { code: jsonrpc::ErrorCode::ServerError(-32803), message: why.into(), data: None }
}

/// A rename that is still to be checked, for which the database is not needed.
pub struct Renamed {
    edit: WorkspaceEdit,
    check: Option<ide::RenameCheck>,
    task: Task,
}

/// The answer: the edit, or why there is none.
pub fn checked(renamed: Result<Option<Renamed>, String>) -> jsonrpc::Result<Option<WorkspaceEdit>> {
    let Some(Renamed { edit, check, task }) = renamed.map_err(refused)? else { return Ok(None) };
    match check.and_then(|check| check.refusal(&|program| task.runs(program))) {
        Some(why) => Err(refused(why)),
        None => Ok(Some(edit)),
    }
}

impl Snapshot {
    /// The name to be changed, or why it cannot be.
    pub fn prepare_rename(
        &self,
        uri: &Uri,
        position: Position,
    ) -> Result<jsonrpc::Result<Option<PrepareRenameResponse>>, Cancelled> {
        let Some((document, file, offset)) = self.at(uri, position) else { return Ok(Ok(None)) };
        let files = self.analysis.user_files();
        let prepared = self.analysis.with(|db| {
            if let Some(package) = self.package(db, &files, (file, offset)) {
                return package.map(|package| (document.text.text()[package.range].into(), package.range));
            }
            if let Some(uses) = ide::label_uses(db, file, offset) {
                let here = uses.into_iter().find(|range| range.contains_inclusive(offset));
                let range = here.ok_or("there is no name here")?;
                return Ok((document.text.text()[range].into(), range));
            }
            let (symbol, range) = ide::prepare_rename(db, file, offset)?;
            Ok((ide::name_of(db, &symbol), range))
        })?;
        Ok(prepared.map_err(refused).map(|(name, range)| {
            Some(PrepareRenameResponse::RangeWithPlaceholder {
                range: self.range(&document, range),
                placeholder: name.to_string(),
            })
        }))
    }

    /// The edits that give the name at a position a new name, and what is needed to see whether the program still means the
    /// same then.
    pub fn rename(
        &self,
        uri: &Uri,
        position: Position,
        new: &str,
    ) -> Result<Result<Option<Renamed>, String>, Cancelled> {
        let Some((_, file, offset)) = self.at(uri, position) else { return Ok(Ok(None)) };
        let files = self.analysis.user_files();
        let package = self.analysis.with(|db| {
            let package = self.package(db, &files, (file, offset))?;
            Some(package.and_then(|package| ide::rename_package(db, &files, &package.name, new)))
        })?;
        if let Some(renamed) = package {
            let task = self.task.clone();
            let edit = renamed.map(|renamed| self.package_edit(&renamed, new));
            return Ok(edit.map(|edit| Some(Renamed { edit, check: None, task })));
        }
        let renamed = self.analysis.with(|db| {
            let rename = ide::rename(db, &files, (file, offset), new)?;
            let check = ide::RenameCheck::new(db, &rename, new);
            Ok((rename, check))
        })?;
        let task = self.task.clone();
        Ok(renamed.map(|(rename, check)| Some(Renamed { edit: self.edit_of(&rename, new), check, task })))
    }

    /// The package named at an offset. It is called as its folder is: only who can move that can rename it.
    fn package(
        &self,
        db: &dyn Db,
        files: &[SourceFile],
        at: (SourceFile, TextSize),
    ) -> Option<Result<ide::Package, String>> {
        self.settings.can_rename_files.then(|| ide::package_at(db, files, at)).flatten()
    }

    /// What changes in texts when files or folders get these paths: names of classes and packages, and imports.
    pub fn moved(&self, paths: &[(PathBuf, PathBuf)]) -> Result<Option<WorkspaceEdit>, Cancelled> {
        let files = self.analysis.user_files();
        let mut changes = Changes::default();
        let mut moves = Vec::new();
        for (from, to) in paths {
            match self.analysis.file(from) {
                Some(file) => moves.push((file, to.clone())),
                None => {
                    self.add(&mut changes, self.analysis.with(|db| ide::move_folder(db, &files, from, to))?)
                }
            }
        }
        self.add(&mut changes, self.analysis.with(|db| ide::move_files(db, &files, &moves))?);
        Ok((!changes.is_empty()).then(|| changes.edit(self, Vec::new())))
    }

    fn add(&self, changes: &mut Changes, edits: Vec<ide::TextEdit>) {
        for edit in edits {
            let edited = edit.file.and_then(|file| convert::edit(self, file, edit.range, &edit.text));
            if let Some((uri, edit)) = edited {
                changes.add(uri, edit);
            }
        }
    }

    fn package_edit(&self, rename: &ide::PackageRename, new: &str) -> WorkspaceEdit {
        let moved = |(from, to): &(PathBuf, PathBuf)| {
            let (old_uri, new_uri) = (uri::from_path(from)?, uri::from_path(to)?);
            Some(RenameFile { old_uri, new_uri, options: None, annotation_id: None })
        };
        let folders = rename.folders.iter().filter_map(moved).collect();
        self.changes(&rename.edits, new).edit(self, folders)
    }

    fn changes(&self, edits: &[(SourceFile, TextRange)], new: &str) -> Changes {
        let mut changes = Changes::default();
        for location in convert::locations(self, edits.iter().copied()) {
            changes.add(location.uri, TextEdit { range: location.range, new_text: new.to_owned() });
        }
        changes
    }

    fn edit_of(&self, rename: &ide::Rename, new: &str) -> WorkspaceEdit {
        let old_uri = rename.file.and_then(|file| convert::uri(self, file));
        let old_uri = old_uri.filter(|_| self.settings.can_rename_files);
        let renamed = old_uri.and_then(|old_uri| {
            Some(RenameFile { new_uri: sibling(&old_uri, new)?, old_uri, options: None, annotation_id: None })
        });
        self.changes(&rename.edits, new).edit(self, renamed.into_iter().collect())
    }
}

/// The file `NAME.x10` beside another.
fn sibling(uri: &Uri, name: &str) -> Option<Uri> {
    uri::from_path(&uri::to_path(uri)?.with_file_name(format!("{name}.x10")))
}
