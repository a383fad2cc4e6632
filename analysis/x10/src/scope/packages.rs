//! Lookup of top-level types. The class `a.b.C` is declared in the file `a/b/C.x10` below the root folder of
//! the requesting file, else below a folder of the source path, else in the library; or in any explicitly
//! named file (on the command line, or open in the editor) that declares `package a.b;`.
#![allow(missing_docs, reason = "salsa generates undocumented items; everything written here is documented")]

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::db::Db;
use crate::ids::{ClassId, FileOrigin, SourceFile, TypedefId};
use crate::inputs::split_inputs;
use crate::inputs::{Library, Project};
use crate::item_tree::items::{file_typedefs, package, top_level_classes, top_level_typedefs};
use crate::item_tree::token_index::skim;

/// A top-level type: a class, or the overloaded type definitions of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeItem {
    /// A class, struct or interface.
    Class(ClassId),
    /// Type definitions of one name.
    Typedefs(Vec<TypedefId>),
}

/// A folder, interned.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX, debug)]
pub struct Folder {
    /// Its path.
    #[returns(ref)]
    pub path: PathBuf,
}

/// A dotted name, interned.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX, debug)]
pub struct DottedName {
    /// Its text.
    #[returns(ref)]
    pub text: SmolStr,
}

/// The root folder of the packages of a user file: its folder without the segments of its package. The root
/// of a library file is the empty path, from which no user file is visible.
#[salsa::tracked(returns(copy))]
pub fn source_root(db: &dyn Db, file: SourceFile) -> Folder {
    let folder = file.path(db).parent();
    let Some(folder) = folder.filter(|_| file.origin(db) == FileOrigin::User) else {
        return Folder::new(db, PathBuf::new());
    };
    let below = PathBuf::from(package(db, file).replace('.', "/"));
    let root = match folder.ends_with(&below) {
        true => folder.ancestors().nth(below.components().count()).unwrap_or(folder),
        false => folder,
    };
    Folder::new(db, root.to_path_buf())
}

/// The type `name` of `package`, as seen from files below `root`.
pub(crate) fn type_in_package(db: &dyn Db, root: Folder, package: &str, name: &str) -> Option<TypeItem> {
    let package = DottedName::new(db, SmolStr::new(package));
    find_type(db, root, package, DottedName::new(db, SmolStr::new(name))).clone()
}

#[salsa::tracked]
fn find_type(db: &dyn Db, root: Folder, package: DottedName, name: DottedName) -> Option<TypeItem> {
    let (package, name) = (package.text(db), name.text(db));
    let relative = PathBuf::from(format!("{}/{name}.x10", package.replace('.', "/")));
    let relative = relative.strip_prefix("/").unwrap_or(&relative);
    let in_library = Library::get(db).files(db).get(relative).copied();
    if root.path(db).as_os_str().is_empty() {
        // A lookup in the library reads no input of the user, so its result survives all edits.
        return in_library.and_then(|f| type_in_file(db, f, name));
    }
    let project = Project::get(db);
    let files = project.files(db);
    let folders =
        [root.path(db).as_path()].into_iter().chain(project.source_path(db).iter().map(PathBuf::as_path));
    let mut candidates: Vec<SourceFile> =
        folders.filter_map(|f| files.get(&f.join(relative)).copied()).collect();
    candidates.extend(in_library);
    // A file may declare types besides the one it is named after; they are visible if the file was named
    // explicitly.
    let named = project.roots(db).iter().copied().filter(|f| source_root(db, *f) == root);
    let named: Vec<SourceFile> = named.filter(|f| !candidates.contains(f)).collect();
    candidates.extend(named);
    candidates
        .into_iter()
        .filter(|f| crate::item_tree::items::package(db, *f) == package)
        .find_map(|f| type_in_file(db, f, name))
}

/// The top-level type `name` of `file`.
pub(crate) fn type_in_file(db: &dyn Db, file: SourceFile, name: &str) -> Option<TypeItem> {
    if let Some(class) = top_level_classes(db, file).iter().find(|c| c.name(db) == name) {
        return Some(TypeItem::Class(*class));
    }
    let typedefs = top_level_typedefs(db, file, name);
    (!typedefs.is_empty()).then_some(TypeItem::Typedefs(typedefs))
}

/// A type of a named package declared in a file that is named after another type. The X10 compiler finds such
/// a type once it has read that file for another reason; this lookup finds it if no other type has that name.
pub(crate) fn type_beside(db: &dyn Db, root: Folder, package: &str, name: &str) -> Option<TypeItem> {
    if package.is_empty() || package_exists(db, root, name) {
        return None;
    }
    type_in_file(db, file_beside(db, root, package, name)?, name)
}

/// The explicitly named files of a package, as seen from files below `root`. Their types are visible whatever
/// the files are called.
pub(crate) fn named_files(db: &dyn Db, root: Folder, package: &str) -> impl Iterator<Item = SourceFile> {
    // A lookup in the library reads no input of the user.
    let of_user = !root.path(db).as_os_str().is_empty();
    let named = of_user.then(|| Project::get(db).roots(db).iter().copied()).into_iter().flatten();
    named.filter(move |file| {
        source_root(db, *file) == root && *crate::item_tree::items::package(db, *file) == package
    })
}

/// The file of a package that declares the type `name`, for a type that no file is named after.
pub(crate) fn file_beside(db: &dyn Db, root: Folder, package: &str, name: &str) -> Option<SourceFile> {
    let package = DottedName::new(db, SmolStr::new(package));
    *find_file_beside(db, root, package, DottedName::new(db, SmolStr::new(name)))
}

#[salsa::tracked]
fn find_file_beside(db: &dyn Db, root: Folder, package: DottedName, name: DottedName) -> Option<SourceFile> {
    let name = name.text(db);
    let mut files = files_by_name(db, root, package).get(name)?.iter().copied();
    files.find(|file| type_in_file(db, *file, name).is_some())
}

/// The files of a package by the names that they may declare. A call `f()` asks whether `f` is a type, so
/// this must not parse all files: an unedited file is only tokenised; an edited file gives its items, which
/// are updated incrementally.
#[salsa::tracked]
fn files_by_name(db: &dyn Db, root: Folder, package: DottedName) -> FxHashMap<SmolStr, Vec<SourceFile>> {
    let mut all: FxHashMap<SmolStr, Vec<SourceFile>> = FxHashMap::default();
    for file in files_of_package(db, root, package) {
        let names: Vec<SmolStr> = match split_inputs(db, *file) {
            None => skim(db, *file).declared.iter().cloned().collect(),
            Some(_) => {
                let classes = top_level_classes(db, *file).iter().map(|class| class.name(db).clone());
                classes.chain(file_typedefs(db, *file).iter().map(|typedef| typedef.name.clone())).collect()
            }
        };
        for name in names {
            let files = all.entry(name).or_default();
            if files.last() != Some(file) {
                files.push(*file);
            }
        }
    }
    all
}

/// The files of a package, sorted by path.
#[salsa::tracked]
fn files_of_package(db: &dyn Db, root: Folder, package: DottedName) -> Vec<SourceFile> {
    let name = package.text(db);
    // The folder of a library file always agrees with its package.
    let is_of_package = |file: &SourceFile| {
        file.origin(db) == FileOrigin::Library || crate::item_tree::items::package(db, *file) == name
    };
    let below = files_by_folder(db, root).get(name).into_iter().flatten();
    below.copied().filter(is_of_package).collect()
}

/// The files visible from below `root`, grouped by the package that their folder stands for and sorted by
/// path.
#[salsa::tracked]
fn files_by_folder(db: &dyn Db, root: Folder) -> FxHashMap<SmolStr, Vec<SourceFile>> {
    let mut paths = all_paths(db, root);
    paths.sort_by_key(|(path, _)| *path);
    let mut all: FxHashMap<SmolStr, Vec<SourceFile>> = FxHashMap::default();
    for (path, file) in paths {
        if let Some(folder) = path.parent() {
            all.entry(dotted(folder)).or_default().push(file);
        }
    }
    all
}

/// Whether a file exists in the package or in a package below it.
pub(crate) fn package_exists(db: &dyn Db, root: Folder, package: &str) -> bool {
    packages(db, root)
        .iter()
        .any(|p| p == package || p.strip_prefix(package).is_some_and(|rest| rest.starts_with('.')))
}

/// All packages visible from files below `root`, sorted.
#[salsa::tracked]
pub fn packages(db: &dyn Db, root: Folder) -> Vec<SmolStr> {
    let mut all: Vec<SmolStr> =
        all_paths(db, root).iter().filter_map(|(p, _)| Some(dotted(p.parent()?))).collect();
    all.extend(Project::get(db).roots(db).iter().map(|f| package(db, *f).clone()));
    // A package also exists if its files cannot be read.
    let unread = Project::get(db).unread(db).keys();
    let folders = package_roots(db, root);
    let below = |path: &Path| {
        folders
            .iter()
            .filter_map(|folder| Some(dotted(path.strip_prefix(folder).ok()?.parent()?)))
            .collect::<Vec<_>>()
    };
    all.extend(unread.flat_map(|path| below(path)));
    all.sort();
    all.dedup();
    all
}

fn dotted(path: &Path) -> SmolStr {
    SmolStr::from(path.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("."))
}

/// The root folders of the user's packages, as seen from files below `root`.
fn package_roots(db: &dyn Db, root: Folder) -> Vec<&Path> {
    let root = Some(root.path(db).as_path()).filter(|r| !r.as_os_str().is_empty());
    root.into_iter().chain(Project::get(db).source_path(db).iter().map(PathBuf::as_path)).collect()
}

/// The files visible from below `root`, each with its path relative to its root folder.
fn all_paths(db: &dyn Db, root: Folder) -> Vec<(&Path, SourceFile)> {
    let project = Project::get(db);
    let mut all: Vec<(&Path, SourceFile)> =
        Library::get(db).files(db).iter().map(|(p, f)| (p.as_path(), *f)).collect();
    let folders = package_roots(db, root);
    for (path, file) in project.files(db).iter() {
        // Root folders may be nested: a file may be listed once for each.
        all.extend(folders.iter().filter_map(|folder| Some((path.strip_prefix(folder).ok()?, *file))));
    }
    all
}

/// The qualified names of the types `name` that are declared in a file named `NAME.x10`, for messages and
/// completion.
pub(crate) fn types_named(db: &dyn Db, root: Folder, name: &str) -> Vec<SmolStr> {
    let is_declared = |qualified: &&SmolStr| {
        let (package, simple) = qualified.rsplit_once('.').unwrap_or(("", qualified));
        simple == name && type_in_package(db, root, package, simple).is_some()
    };
    all_type_names(db, root).iter().filter(is_declared).cloned().collect()
}

/// Why no type is found in a file that is named after it: the file declares another package, or no such type.
/// Of several files of that name, the one in the folder of `package` is explained, else a file with the type.
pub(crate) fn misplaced_type(db: &dyn Db, root: Folder, (package, name): (&str, &str)) -> Option<String> {
    let folder = |path: &Path| path.parent().map(dotted);
    let is_named = |path: &Path| path.file_stem().is_some_and(|stem| stem == name);
    let named = all_paths(db, root).into_iter().filter(|(path, _)| is_named(path));
    let (path, file) = named.min_by_key(|(path, file)| {
        let is_here = folder(path).is_some_and(|it| it == package);
        (!is_here, type_in_file(db, *file, name).is_none(), *path)
    })?;
    let folder = folder(path)?;
    let said = crate::item_tree::items::package(db, file);
    let path = path.display();
    if *said != folder {
        return Some(match said.is_empty() {
            true => format!("`{path}` says no package: write `package {folder};` in it"),
            false => format!("`{path}` says `package {said};`, but is in the folder of `{folder}`"),
        });
    }
    let declared = top_level_classes(db, file).first().map(|class| class.name(db));
    declared.map(|other| format!("`{path}` declares no `{name}`, but `{other}`"))
}

/// The package that the folder of a file stands for, if the file declares another one. The root folder is
/// that of a neighbour: another file in the folder or in one above it, or a file at one of the relative paths
/// `wanted`.
pub(crate) fn package_of_folder(db: &dyn Db, file: SourceFile, wanted: &[PathBuf]) -> Option<SmolStr> {
    let folder = file.path(db).parent().filter(|_| file.origin(db) == FileOrigin::User)?;
    let is_near = |path: &Path| {
        path.parent().is_some_and(|other| folder.starts_with(other))
            || wanted.iter().any(|it| path.ends_with(it))
    };
    let files = Project::get(db).files(db);
    let mut neighbours = files.iter().filter(|(path, other)| **other != file && is_near(path));
    neighbours.find_map(|(path, other)| {
        let root = source_root(db, *other).path(db);
        let is_placed = path.parent() != Some(root.as_path());
        let package = dotted(folder.strip_prefix(root).ok().filter(|_| is_placed)?);
        (package != *crate::item_tree::items::package(db, file)).then_some(package)
    })
}

/// The qualified names that the paths of all visible files stand for, sorted.
#[salsa::tracked]
pub fn all_type_names(db: &dyn Db, root: Folder) -> Vec<SmolStr> {
    let mut all: Vec<SmolStr> =
        all_paths(db, root).iter().map(|(p, _)| dotted(&p.with_extension(""))).collect();
    all.sort();
    all.dedup();
    all
}
