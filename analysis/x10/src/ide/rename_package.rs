//! Renaming of a package: in declarations, imports and qualified names, and its folders.

use std::path::PathBuf;

use apg_syntax::{SyntaxKind, SyntaxToken, T, TextRange, TextSize};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use super::navigation_target::{name_token, token_symbols};
use super::references::tokens;
use super::rename::well_formed;
use crate::db::Db;
use crate::ids::SourceFile;
use crate::inputs::{Library, parse};
use crate::item_tree::items::package;

/// A package to rename, identified by the segment of its name under the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The name up to that segment.
    pub name: SmolStr,
    /// The range of that segment.
    pub range: TextRange,
}

/// The edits of a package rename.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageRename {
    /// The ranges of the names to replace.
    pub edits: Vec<(SourceFile, TextRange)>,
    /// The old and new paths of the folders to rename.
    pub folders: Vec<(PathBuf, PathBuf)>,
}

/// The package named at an offset of a `package` or `import` declaration, if it is one of `files`.
///
/// # Errors
/// Why it cannot be renamed.
pub fn package_at(
    db: &dyn Db,
    files: &[SourceFile],
    (file, offset): (SourceFile, TextSize),
) -> Option<Result<Package, String>> {
    let token = name_token(&parse(db, file).syntax(), offset)?;
    (token.kind() == SyntaxKind::IDENT && declares(&token)).then_some(())?;
    let name = SmolStr::new(chain(&token)?.join("."));
    // The last segment of an import is a type.
    files.iter().any(|file| is_in(package(db, *file), &name)).then_some(())?;
    if Library::get(db).files(db).values().any(|file| is_in(package(db, *file), &name)) {
        return Some(Err(format!("the class library has a package `{name}` too, which cannot be changed")));
    }
    Some(Ok(Package { name, range: token.text_range() }))
}

/// Renames a package to `new` in `files`.
///
/// # Errors
/// Why it cannot have that name.
pub fn rename_package(
    db: &dyn Db,
    files: &[SourceFile],
    old: &str,
    new: &str,
) -> Result<PackageRename, String> {
    well_formed(new)?;
    let parts: Vec<&str> = old.split('.').collect();
    let Some((last, around)) = parts.split_last() else { return Err("there is no name here".to_owned()) };
    let mut renamed = PackageRename::default();
    if *last == new {
        return Ok(renamed);
    }
    let target = around.iter().copied().chain([new]).collect::<Vec<_>>().join(".");
    let library = Library::get(db).files(db).values();
    if let Some(taken) = files.iter().chain(library).find(|file| is_in(package(db, **file), &target)) {
        let path = taken.path(db).display();
        return Err(format!("there is already a package `{target}`: {path} is in it"));
    }
    let mut folders = FxHashSet::default();
    for file in files {
        for token in tokens(db, *file, last) {
            let names_it = chain(&token).is_some_and(|chain| chain == parts);
            let is_followed = next(&token).is_some_and(|next| next.kind() == T![.]);
            if names_it && (declares(&token) || is_followed && token_symbols(db, *file, &token).is_empty()) {
                renamed.edits.push((*file, token.text_range()));
            }
        }
        let own = package(db, *file);
        if is_in(own, old) {
            let below = own.split('.').count() - parts.len();
            let folder = file.path(db).parent().and_then(|folder| folder.ancestors().nth(below));
            let folder = folder.filter(|folder| folder.file_name().is_some_and(|name| name == *last));
            folders.extend(folder.map(|folder| (folder.to_owned(), folder.with_file_name(new))));
        }
    }
    renamed.folders = folders.into_iter().collect();
    renamed.folders.sort();
    Ok(renamed)
}

/// Whether `package` is `other` or a subpackage of it.
fn is_in(package: &str, other: &str) -> bool {
    package.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn declares(token: &SyntaxToken) -> bool {
    let kinds = [SyntaxKind::PACKAGE_DECL, SyntaxKind::IMPORT_DECL];
    token.parent_ancestors().any(|node| kinds.contains(&node.kind()))
}

/// The first token of the dotted name `a.b.c` that contains this token.
pub(super) fn first_of(token: &SyntaxToken) -> SyntaxToken {
    let left = |token: &SyntaxToken| before(&before(token).filter(|dot| dot.kind() == T![.])?);
    std::iter::successors(Some(token.clone()), left).last().unwrap_or_else(|| token.clone())
}

/// The names of a dotted name up to this token; `None` if its first part is not a name.
pub(super) fn chain(token: &SyntaxToken) -> Option<Vec<String>> {
    let mut names = vec![token.text().trim_matches('`').to_owned()];
    let mut first = token.clone();
    while let Some(dot) = before(&first).filter(|token| token.kind() == T![.]) {
        first = before(&dot).filter(|token| token.kind() == SyntaxKind::IDENT)?;
        names.push(first.text().trim_matches('`').to_owned());
    }
    names.reverse();
    Some(names)
}

fn before(token: &SyntaxToken) -> Option<SyntaxToken> {
    std::iter::successors(token.prev_token(), SyntaxToken::prev_token).find(|token| !token.kind().is_trivia())
}

fn next(token: &SyntaxToken) -> Option<SyntaxToken> {
    std::iter::successors(token.next_token(), SyntaxToken::next_token).find(|token| !token.kind().is_trivia())
}
