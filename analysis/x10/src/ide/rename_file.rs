//! Edits that follow a move or rename of files: of the class named after the file, of the package, and of all
//! references to moved types.

use std::path::{Path, PathBuf};

use apg_syntax::{SyntaxKind, SyntaxToken, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use super::navigation_target::{Symbol, token_symbols};
use super::references::references;
use super::rename::well_formed;
use super::rename_package::{chain, first_of, rename_package};
use crate::db::Db;
use crate::diagnostics::TextEdit;
use crate::ids::{ClassId, SourceFile};
use crate::inputs::parse;
use crate::item_tree::items::{package, top_level_classes};
use crate::item_tree::source::Item;
use crate::scope::imports::import_edit;
use crate::scope::packages::source_root;

/// The edits for moving `files`, each to a new path.
pub fn move_files(db: &dyn Db, files: &[SourceFile], moves: &[(SourceFile, PathBuf)]) -> Vec<TextEdit> {
    let moved = moves.iter().filter_map(|(file, to)| Some((*file, Moved::new(db, *file, to)?)));
    let moves = Moves { db, files, moved: moved.collect() };
    let mut edits = Vec::new();
    for (file, moved) in &moves.moved {
        for class in top_level_classes(db, *file) {
            moves.rename(moved, *class, &mut edits);
        }
        if moved.package != moved.old_package {
            edits.extend(package_edit(db, *file, &moved.package));
            moves.import_neighbours(*file, moved, &mut edits);
        }
    }
    edits
}

/// The edits for renaming the folder of a package.
pub fn move_folder(db: &dyn Db, files: &[SourceFile], from: &Path, to: &Path) -> Vec<TextEdit> {
    let new = to.file_name().and_then(|name| name.to_str()).filter(|_| from.parent() == to.parent());
    let (Some(old), Some(new)) = (files.iter().find_map(|file| package_of(db, *file, from)), new) else {
        return Vec::new();
    };
    let renamed = rename_package(db, files, &old, new).unwrap_or_default();
    let edit = |(file, range)| TextEdit { file: Some(file), range, text: new.to_owned() };
    renamed.edits.into_iter().map(edit).collect()
}

/// The package of a folder that contains the file directly or indirectly.
fn package_of(db: &dyn Db, file: SourceFile, folder: &Path) -> Option<String> {
    let below = file.path(db).parent()?.strip_prefix(folder).ok()?.components().count();
    let parts: Vec<&str> = package(db, file).split('.').collect();
    let parts = &parts[..parts.len().checked_sub(below)?];
    (*parts.last()? == folder.file_name()?.to_str()?).then(|| parts.join("."))
}

/// A moved file: its old and new package and name.
struct Moved {
    old_package: SmolStr,
    package: SmolStr,
    old_name: SmolStr,
    name: SmolStr,
}

impl Moved {
    /// `None` if the new path is not one of an X10 source.
    fn new(db: &dyn Db, file: SourceFile, to: &Path) -> Option<Moved> {
        let stem = |path: &Path| path.file_stem()?.to_str().map(SmolStr::new);
        let name = stem(to).filter(|_| to.extension().is_some_and(|it| it == "x10"))?;
        let from = file.path(db);
        let old_package = package(db, file);
        Some(Moved {
            package: new_package(db, file, to).unwrap_or_else(|| old_package.clone()),
            old_package: old_package.clone(),
            name: if well_formed(&name).is_ok() { name } else { stem(from)? },
            old_name: stem(from)?,
        })
    }
}

/// The package of a moved file by its new folder, if its old folder agrees with its package and the new one
/// forms a valid package name.
fn new_package(db: &dyn Db, file: SourceFile, to: &Path) -> Option<SmolStr> {
    let root = source_root(db, file).path(db);
    let below = package(db, file).replace('.', "/");
    if file.path(db).parent()? != root.join(below).components().as_path() {
        return None;
    }
    let names = to.parent()?.strip_prefix(root).ok()?;
    let names: Option<Vec<&str>> = names.iter().map(|name| name.to_str()).collect();
    let names = names.filter(|names| names.iter().all(|name| well_formed(name).is_ok()))?;
    Some(SmolStr::new(names.join(".")))
}

struct Moves<'db> {
    db: &'db dyn Db,
    files: &'db [SourceFile],
    moved: FxHashMap<SourceFile, Moved>,
}

impl Moves<'_> {
    /// The package of a file after the move.
    fn package(&self, file: SourceFile) -> SmolStr {
        self.moved.get(&file).map_or_else(|| package(self.db, file).clone(), |moved| moved.package.clone())
    }

    /// Renames and requalifies a class of a moved file in all references.
    fn rename(&self, moved: &Moved, class: ClassId, edits: &mut Vec<TextEdit>) {
        let db = self.db;
        let old = class.name(db);
        let new = if *old == moved.old_name { &moved.name } else { old };
        let moves = moved.package != moved.old_package;
        if !moves && new == old {
            return;
        }
        let qualified = |package: &str| {
            if package.is_empty() { new.to_string() } else { format!("{package}.{new}") }
        };
        let (mut imported, mut named) = (FxHashSet::default(), FxHashSet::default());
        for found in references(db, self.files, &Symbol::Item(Item::Class(class))) {
            let root = parse(db, found.file).syntax();
            let Some(token) = root.covering_element(found.range).into_token() else { continue };
            if token.text().trim_matches('`') != old {
                continue;
            }
            let import = token.parent_ancestors().find(|node| node.kind() == SyntaxKind::IMPORT_DECL);
            let parts = chain(&token).unwrap_or_default();
            let is_qualified = parts.len() > 1 && parts[..parts.len() - 1].join(".") == *moved.old_package;
            if import.is_some() {
                imported.insert(found.file);
            } else if !is_qualified {
                named.insert(found.file);
            }
            let (range, text) = match import {
                Some(import) if moves && moved.package.is_empty() => (import.text_range(), String::new()),
                _ if moves && is_qualified => (
                    TextRange::new(first_of(&token).text_range().start(), found.range.end()),
                    qualified(&moved.package),
                ),
                _ if new != old => (found.range, new.to_string()),
                _ => continue,
            };
            edits.push(TextEdit { file: Some(found.file), range, text });
        }
        if moves && !moved.package.is_empty() {
            let mut named: Vec<SourceFile> = named.difference(&imported).copied().collect();
            named.retain(|file| self.package(*file) != moved.package);
            edits.extend(named.into_iter().map(|file| import_edit(db, file, &qualified(&moved.package))));
        }
    }

    /// Imports the types of the old package that a moved file names.
    fn import_neighbours(&self, file: SourceFile, moved: &Moved, edits: &mut Vec<TextEdit>) {
        let db = self.db;
        if moved.old_package.is_empty() {
            return;
        }
        let tokens = parse(db, file).syntax().descendants_with_tokens().filter_map(|it| it.into_token());
        let (mut imported, mut named) = (FxHashSet::default(), Vec::new());
        for token in tokens.filter(|token| token.kind() == SyntaxKind::IDENT) {
            let Some(class) = self.neighbour(file, moved, &token) else { continue };
            let is_import = token.parent_ancestors().any(|node| node.kind() == SyntaxKind::IMPORT_DECL);
            if is_import {
                imported.insert(class);
            } else if chain(&token).is_some_and(|parts| parts.len() == 1) && !named.contains(&class) {
                named.push(class);
            }
        }
        for class in named.into_iter().filter(|class| !imported.contains(class)) {
            let name = format!("{}.{}", moved.old_package, class.name(db));
            edits.push(import_edit(db, file, &name));
        }
    }

    /// The class that a token of a moved file refers to, if it stays behind in the old package.
    fn neighbour(&self, file: SourceFile, moved: &Moved, token: &SyntaxToken) -> Option<ClassId> {
        let db = self.db;
        token_symbols(db, file, token).into_iter().find_map(|symbol| {
            let class = match symbol {
                Symbol::Item(Item::Class(class)) => class,
                Symbol::Item(Item::Method(method)) if method.name(db) == "this" => method.class(db),
                _ => return None,
            };
            let home = class.file(db);
            let is_neighbour = home != file
                && *package(db, home) == moved.old_package
                && self.package(home) == moved.old_package
                && top_level_classes(db, home).contains(&class);
            is_neighbour.then_some(class)
        })
    }
}

/// The edit that changes the package declaration of a file.
fn package_edit(db: &dyn Db, file: SourceFile, new: &str) -> Option<TextEdit> {
    let root = parse(db, file).syntax();
    let edit = |range, text| Some(TextEdit { file: Some(file), range, text });
    let Some(declaration) = root.children().find(|node| node.kind() == SyntaxKind::PACKAGE_DECL) else {
        let first = root.descendants_with_tokens().filter_map(|it| it.into_token());
        let start = first.into_iter().find(|token| !token.kind().is_trivia())?.text_range().start();
        return edit(TextRange::empty(start), format!("package {new};\n\n"));
    };
    if new.is_empty() {
        return edit(declaration.text_range(), String::new());
    }
    let name = declaration.children().find(|node| node.kind() == SyntaxKind::QUALIFIED_NAME)?;
    edit(name.text_range(), new.to_owned())
}
