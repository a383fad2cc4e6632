//! Completion of a package declaration: the package of the file's folder, and the existing packages.

use std::path::Path;

use smol_str::SmolStr;

use super::CompletionKind;
use super::items::{Items, rank};
use crate::ide::rename::well_formed;
use crate::ids::{FileOrigin, SourceFile};
use crate::inputs::Project;
use crate::item_tree::items::package;
use crate::scope::packages::source_root;

impl Items<'_> {
    /// The packages after `package`, or after a dot in its name.
    pub(super) fn declared_package(&mut self, before: &str) {
        let prefix = if before.is_empty() { String::new() } else { format!("{before}.") };
        let own = self.packages_of_folder();
        for name in own.iter().filter_map(|name| name.strip_prefix(&prefix)).filter(|name| !name.is_empty()) {
            if !self.has(name) {
                let item = self.add(name, CompletionKind::Package, rank::LOCAL);
                item.detail = Some("the folder of this file".to_owned());
            }
        }
        let others: Vec<SmolStr> = self.other_files().map(|file| package(self.db, file).clone()).collect();
        for name in others.iter().filter_map(|name| name.strip_prefix(&prefix)).filter(|it| !it.is_empty()) {
            if !self.has(name) {
                self.add(name, CompletionKind::Package, rank::PACKAGE);
            }
        }
    }

    fn other_files(&self) -> impl Iterator<Item = SourceFile> {
        let files = Project::get(self.db).files(self.db).values().copied();
        files.filter(|file| *file != self.file && file.origin(self.db) == FileOrigin::User)
    }

    /// The packages that this file's folder stands for, relative to the root folders of other files.
    fn packages_of_folder(&self) -> Vec<String> {
        let Some(folder) = self.file.path(self.db).parent() else { return Vec::new() };
        let db = self.db;
        let roots = self.other_files().map(|file| source_root(db, file).path(db).as_path());
        let roots = roots.chain(Project::get(db).source_path(db).iter().map(|it| it.as_path()));
        let mut found: Vec<String> =
            roots.filter_map(|root| dotted(folder.strip_prefix(root).ok()?)).collect();
        // The farthest root first: a file without a package declaration makes its own folder a root.
        found.sort_by_key(|name| std::cmp::Reverse(name.len()));
        found.dedup();
        found
    }
}

/// The package of a folder below a root; `None` for the root itself, and for a path that is no package name.
fn dotted(below: &Path) -> Option<String> {
    let names: Option<Vec<&str>> = below.iter().map(|name| name.to_str()).collect();
    let names = names.filter(|names| !names.is_empty())?;
    names.iter().all(|name| well_formed(name).is_ok()).then(|| names.join("."))
}
