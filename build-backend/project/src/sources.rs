//! Source discovery: reads the named files and the packages that they may use. Analysis itself does no I/O.
//!
//! X10 looks a class `a.b.C` up as `a/b/C.x10` below a source root. The roots are the named file's own (its
//! folder, less the folders of its package) and those of `--source-path`. Only folders that a `package` or
//! `import` names are read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use apg_source::{ColumnUnit, LineIndex, TextSize};
use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, T};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};

use apg_toolchain::regular_file::{self, ReadError};

/// Source files by absolute path.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// All files.
    pub files: BTreeMap<PathBuf, Arc<str>>,
    /// The files that the user named, in order.
    pub roots: Vec<PathBuf>,
    /// Folders of `--source-path`, absolute.
    pub source_path: Vec<PathBuf>,
    /// Files of the same folders and packages that could not be read, and why.
    pub unread: BTreeMap<PathBuf, String>,
}

/// Size of the largest source file. Analysis needs a hundred bytes for each byte.
pub const MAX_SOURCE_BYTES: u64 = 64 << 20;

/// Why a file could not be read.
#[derive(Debug)]
pub struct LoadError {
    /// The file as it was named.
    pub path: PathBuf,
    /// The reason.
    pub reason: Reason,
}

/// The reason why a file could not be read.
#[derive(Debug)]
pub enum Reason {
    /// A folder where a file is needed.
    Folder,
    /// A folder without any `.x10` file.
    NoSources,
    /// Bytes that are not UTF-8.
    NotText {
        /// Its line, from 1.
        line: usize,
        /// Its column, from 1, in characters.
        column: usize,
    },
    /// The file is missing or cannot be read.
    Unreadable(ReadError),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.reason {
            Reason::Unreadable(ReadError::Missing) => write!(f, "there is no file `{path}`"),
            Reason::Folder => write!(f, "`{path}` is a folder; name the .x10 file that holds `main`"),
            Reason::NoSources => write!(f, "there is no .x10 file in the folder `{path}`"),
            Reason::NotText { line, column } => write!(
                f,
                "`{path}` is not UTF-8 text: line {line}, column {column} is no character; of older text, `iconv -f LATIN1 -t UTF-8 {path}` makes UTF-8"
            ),
            Reason::Unreadable(why @ ReadError::TooLarge { .. }) => {
                write!(f, "`{path}` {why}; divide its classes among several files")
            }
            Reason::Unreadable(why) => write!(f, "`{path}` {why}"),
        }
    }
}

impl std::error::Error for LoadError {}

impl LoadError {
    fn unreadable(path: &Path, why: ReadError) -> LoadError {
        let reason = if matches!(why, ReadError::Folder) { Reason::Folder } else { Reason::Unreadable(why) };
        LoadError { path: path.to_owned(), reason }
    }
}

/// Reads the named files (in folders: all `.x10` files in and below them) and the packages that they may use.
pub fn load(paths: &[PathBuf], source_path: &[PathBuf]) -> Result<Sources, LoadError> {
    load_cached(paths, source_path, &Cache::default())
}

/// As [`load`], for many programs that share files: files in `cache` are not read again.
pub fn load_cached(paths: &[PathBuf], source_path: &[PathBuf], cache: &Cache) -> Result<Sources, LoadError> {
    let mut loader = Loader::new(cache, MAX_SOURCE_BYTES);
    for folder in source_path {
        if !folder.is_dir() {
            return Err(no_folder(folder));
        }
        loader.sources.source_path.push(absolute(folder)?);
    }
    for file in files(paths)? {
        loader.add_root(&file)?;
    }
    loader.load_packages();
    Ok(loader.sources)
}

/// The error of a path that is no folder.
fn no_folder(path: &Path) -> LoadError {
    let not_a_folder = || ReadError::System(io::ErrorKind::NotADirectory.into());
    let why = if path.exists() { not_a_folder() } else { ReadError::Missing };
    LoadError { path: path.to_owned(), reason: Reason::Unreadable(why) }
}

/// Files of the packages that others may use.
#[derive(Debug, Default)]
pub struct Neighbours {
    /// Their contents.
    pub files: BTreeMap<PathBuf, Arc<str>>,
    /// Files that could not be read, and why.
    pub unread: BTreeMap<PathBuf, String>,
}

/// Reads the files that open documents may use. The documents themselves are not read from the disk. Missing
/// folders of the source path are ignored, and files of more than `max_bytes` bytes are not read.
pub fn neighbours(
    documents: impl IntoIterator<Item = (PathBuf, Arc<str>)>,
    source_path: &[PathBuf],
    max_bytes: u64,
) -> Neighbours {
    let cache = Cache::default();
    let mut loader = Loader::new(&cache, max_bytes);
    let there = source_path.iter().filter(|folder| folder.is_dir());
    loader.sources.source_path = there.filter_map(|folder| absolute(folder).ok()).collect();
    let mut own = Vec::new();
    for (path, text) in documents {
        own.push(path.clone());
        loader.add(path, text);
    }
    loader.load_packages();
    let Sources { mut files, mut unread, .. } = loader.sources;
    for path in &own {
        files.remove(path);
        unread.remove(path);
    }
    Neighbours { files, unread }
}

/// Whether the header of `text` names an existing package that `before` does not name. Packages are in
/// folders of the source path and in the source root of `path`.
pub fn names_new_package(path: &Path, text: &str, before: &str, source_path: &[PathBuf]) -> bool {
    let (names, before) = (PackageNames::of_header(text), PackageNames::of_header(before));
    let own = path.parent().map(|folder| root_of(folder, &names.package));
    let mut new = names
        .packages
        .iter()
        .chain([&names.package])
        .filter(|it| !before.packages.contains(it) && **it != before.package);
    new.any(|package| own.iter().chain(source_path).any(|root| root.join(package.join("/")).is_dir()))
}

/// The named files; in folders, all `.x10` files in and below them.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, LoadError> {
    let mut files = Vec::new();
    for path in paths {
        let before = files.len();
        if path.is_dir() {
            find_sources(path, &mut files)?;
        } else {
            files.push(path.clone());
        }
        if files.len() == before {
            return Err(LoadError { path: path.clone(), reason: Reason::NoSources });
        }
    }
    Ok(files)
}

/// Reads one text file, of at most `max_bytes` bytes.
pub fn read(path: &Path, max_bytes: u64) -> Result<Arc<str>, LoadError> {
    let bytes = regular_file::read(path, max_bytes).map_err(|why| LoadError::unreadable(path, why))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| LoadError { path: path.to_owned(), reason: not_text(&error) })?;
    Ok(text.into())
}

/// Where a file is not UTF-8.
fn not_text(error: &std::string::FromUtf8Error) -> Reason {
    let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
    let at = LineIndex::new(&good).line_column(&good, TextSize::of(&*good), ColumnUnit::Utf32);
    Reason::NotText { line: at.line as usize + 1, column: at.column as usize + 1 }
}

/// Files read from the disk, shared by the loading of several programs.
#[derive(Debug, Default)]
pub struct Cache {
    files: Mutex<FxHashMap<PathBuf, CachedFile>>,
    /// The `.x10` files of a folder.
    folders: Mutex<FxHashMap<PathBuf, Arc<[PathBuf]>>>,
}

#[derive(Clone, Debug)]
struct CachedFile {
    text: Arc<str>,
    /// Computed on first use.
    names: Option<Arc<PackageNames>>,
}

impl Cache {
    fn text(&self, path: &Path, max_bytes: u64) -> Result<Arc<str>, LoadError> {
        if let Some(file) = self.files.lock().get(path) {
            return Ok(file.text.clone());
        }
        let text = read(path, max_bytes)?;
        self.files.lock().insert(path.to_owned(), CachedFile { text: text.clone(), names: None });
        Ok(text)
    }

    fn names(&self, path: &Path, text: &str) -> Arc<PackageNames> {
        if let Some(CachedFile { names: Some(names), .. }) = self.files.lock().get(path) {
            return names.clone();
        }
        let names = Arc::new(PackageNames::of(text));
        if let Some(file) = self.files.lock().get_mut(path) {
            file.names = Some(names.clone());
        }
        names
    }

    fn sources_in(&self, folder: &Path) -> Arc<[PathBuf]> {
        if let Some(paths) = self.folders.lock().get(folder) {
            return paths.clone();
        }
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        let paths = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| is_source(path) && !is_hidden(path));
        let paths: Arc<[PathBuf]> = paths.collect();
        self.folders.lock().insert(folder.to_owned(), paths.clone());
        paths
    }
}

struct Loader<'a> {
    cache: &'a Cache,
    sources: Sources,
    /// Paths in [`Sources::roots`].
    root_paths: FxHashSet<PathBuf>,
    /// Files whose packages are not loaded yet.
    pending: Vec<PathBuf>,
    folders: FxHashSet<PathBuf>,
    /// Existence of folders.
    folder_exists: FxHashMap<PathBuf, bool>,
    /// Larger files are not read.
    max_bytes: u64,
}

impl Loader<'_> {
    fn new(cache: &Cache, max_bytes: u64) -> Loader<'_> {
        Loader {
            cache,
            sources: Sources::default(),
            root_paths: FxHashSet::default(),
            pending: Vec::new(),
            folders: FxHashSet::default(),
            folder_exists: FxHashMap::default(),
            max_bytes,
        }
    }

    fn add_root(&mut self, path: &Path) -> Result<(), LoadError> {
        let text = self.cache.text(path, self.max_bytes)?;
        let path = absolute(path)?;
        if self.root_paths.insert(path.clone()) {
            self.sources.roots.push(path.clone());
        }
        self.add(path, text);
        Ok(())
    }

    fn add(&mut self, path: PathBuf, text: Arc<str>) {
        if self.sources.files.insert(path.clone(), text).is_none() {
            self.pending.push(path);
        }
    }

    fn load_packages(&mut self) {
        while let Some(path) = self.pending.pop() {
            let Some(text) = self.sources.files.get(&path).cloned() else { continue };
            let Some(folder) = path.parent().map(Path::to_owned) else { continue };
            let names = self.cache.names(&path, &text);
            self.load_folder(&folder);
            let mut roots = vec![root_of(&folder, &names.package)];
            roots.extend(self.sources.source_path.iter().cloned());
            // Includes the file's own package, whose other folders are on the source path.
            for package in names.packages.iter().chain([&names.package]) {
                for root in &roots {
                    self.load_folder(&root.join(package.join("/")));
                }
            }
            for name in &names.qualified {
                for root in &roots {
                    self.load_qualified_name(root, name);
                }
            }
        }
    }

    /// Reads the existing folders that `a.b.c` in code may name.
    fn load_qualified_name(&mut self, root: &Path, name: &[String]) {
        let mut folder = root.to_owned();
        for component in name {
            folder.push(component);
            let is_folder = *self.folder_exists.entry(folder.clone()).or_insert_with(|| folder.is_dir());
            if !is_folder {
                return;
            }
            self.load_folder(&folder);
        }
    }

    /// Reads the `.x10` files of one folder. Unreadable files are recorded for the error at a use of them.
    fn load_folder(&mut self, folder: &Path) {
        if !self.folders.insert(folder.to_owned()) {
            return;
        }
        for path in self.cache.sources_in(folder).iter() {
            if self.sources.files.contains_key(path) {
                continue;
            }
            match self.cache.text(path, self.max_bytes) {
                Ok(text) => self.add(path.clone(), text),
                // A folder whose name ends in `.x10`.
                Err(LoadError { reason: Reason::Folder, .. }) => {}
                Err(error) => {
                    let error = LoadError { path: display_path(path).into(), ..error };
                    self.sources.unread.insert(path.clone(), error.to_string());
                }
            }
        }
    }
}

/// The package of a file, and the packages that it names.
#[derive(Debug, Default, PartialEq, Eq)]
struct PackageNames {
    package: Vec<String>,
    packages: Vec<Vec<String>>,
    /// Prefixes of qualified names in code, which may be packages.
    qualified: BTreeSet<Vec<String>>,
}

impl PackageNames {
    fn of(text: &str) -> Self {
        Self { qualified: qualified_prefixes(text), ..Self::of_header(text) }
    }

    /// The package declaration and imports alone.
    fn of_header(text: &str) -> Self {
        let file = apg_syntax::parse_header(text).tree();
        let components = |name: Option<ast::QualifiedName>| -> Vec<String> {
            let text = name.map(|name| name.syntax().text().to_string()).unwrap_or_default();
            text.split('.').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
        };
        let package =
            file.package_decl().map(|package| components(package.qualified_name())).unwrap_or_default();
        let mut names = Self { package, ..Self::default() };
        for import in file.import_decls() {
            let imported = components(import.qualified_name());
            // `a.b.C` is in package `a.b`; in `a.b.C.*` and `a.b.*` every prefix may be the package.
            for end in 1..=imported.len() {
                names.packages.push(imported[..end].to_vec());
            }
        }
        names
    }
}

/// The prefixes `a.b` of all qualified names `a.b.c` in a file that begin with a lower-case letter.
fn qualified_prefixes(text: &str) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    let mut name: Vec<String> = Vec::new();
    let mut after_dot = false;
    for (kind, token) in apg_syntax::tokens(text).filter(|(kind, _)| !kind.is_trivia()) {
        match kind {
            SyntaxKind::IDENT if after_dot || name.is_empty() => {
                name.push(token.to_owned());
                after_dot = false;
                continue;
            }
            T![.] if !name.is_empty() && !after_dot => {
                after_dot = true;
                continue;
            }
            _ => {}
        }
        name.pop();
        if name.first().is_some_and(|it| it.starts_with(char::is_lowercase)) {
            found.insert(std::mem::take(&mut name));
        }
        name.clear();
        after_dot = false;
        if kind == SyntaxKind::IDENT {
            name.push(token.to_owned());
        }
    }
    found
}

/// The source root of a file: its folder without the folders of its package.
fn root_of(folder: &Path, package: &[String]) -> PathBuf {
    let mut root = folder;
    for component in package.iter().rev() {
        match root.parent() {
            Some(parent) if root.file_name().is_some_and(|name| name == component.as_str()) => root = parent,
            _ => return folder.to_owned(),
        }
    }
    root.to_owned()
}

fn find_sources(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), LoadError> {
    let fail =
        |error| LoadError { path: folder.to_owned(), reason: Reason::Unreadable(ReadError::System(error)) };
    let mut entries: Vec<_> = std::fs::read_dir(folder).map_err(fail)?.filter_map(Result::ok).collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let hidden = is_hidden(&path);
        // Links to folders are not followed: they may form cycles.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !hidden {
            find_sources(&path, found)?;
        } else if is_source(&path) && !hidden && !path.is_dir() && path.exists() {
            // Includes irregular files, whose reading reports an error.
            found.push(path);
        }
    }
    Ok(())
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "x10")
}

/// Files of editors and systems.
fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// The absolute path without `..`, the only one by which a file is known.
pub fn absolute(path: &Path) -> Result<PathBuf, LoadError> {
    let whole = std::path::absolute(path).map_err(|error| LoadError {
        path: path.to_owned(),
        reason: Reason::Unreadable(ReadError::System(error)),
    })?;
    let is_parent = |it: &Component<'_>| matches!(it, Component::ParentDir);
    if !whole.components().any(|it| is_parent(&it)) {
        return Ok(whole);
    }
    let mut plain = PathBuf::new();
    for component in whole.components() {
        // The parent of a link's target is not the folder of the link.
        if is_parent(&component) && !plain.is_symlink() {
            plain.pop();
        } else {
            plain.push(component);
        }
    }
    Ok(plain)
}

/// Environment variable of a build on another machine: the root of the program's files as it is seen from the
/// working folder, such as `../../`.
pub const ROOT_VARIABLE: &str = "APG_SOURCE_ROOT";

/// A path for messages: relative to the current folder if it is below it, or in the files of a program that
/// another machine has sent.
pub fn display_path(path: &Path) -> String {
    let Ok(here) = std::env::current_dir() else { return path.display().to_string() };
    let up = std::env::var_os(ROOT_VARIABLE).map(PathBuf::from);
    relative_path(path, &here, up.as_deref()).display().to_string()
}

/// A path below a folder, or below the folder that `up` (`../../`) names from there, seen from the first; any
/// other as it is.
fn relative_path(path: &Path, here: &Path, up: Option<&Path>) -> PathBuf {
    if let Ok(below) = path.strip_prefix(here) {
        return below.to_owned();
    }
    let depth = up.map_or(0, |up| up.components().count());
    let above = (1..=depth).zip(here.ancestors().skip(1)).find_map(|(levels, root)| {
        Some(Path::new(&"../".repeat(levels)).join(path.strip_prefix(root).ok()?))
    });
    above.unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_tree_are_named_as_where_it_comes_from() {
        let relative = |path: &str, up: Option<&str>| {
            relative_path(Path::new(path), Path::new("/tree/project/app"), up.map(Path::new))
        };
        assert_eq!(relative("/tree/project/app/A.x10", Some("../../")), Path::new("A.x10"));
        assert_eq!(relative("/tree/project/library/b.h", Some("../../")), Path::new("../library/b.h"));
        assert_eq!(relative("/usr/include/c.h", Some("../../")), Path::new("/usr/include/c.h"));
        assert_eq!(relative("/tree/project/library/b.h", None), Path::new("/tree/project/library/b.h"));
    }

    #[test]
    fn source_root_is_above_the_package() {
        let package = ["a".to_owned(), "b".to_owned()];
        assert_eq!(root_of(Path::new("/src/a/b"), &package), Path::new("/src"));
        assert_eq!(root_of(Path::new("/src/x/b"), &package), Path::new("/src/x/b"));
        assert_eq!(root_of(Path::new("/src"), &[]), Path::new("/src"));
    }

    #[test]
    fn imports_name_packages() {
        let names = PackageNames::of("package a.b;\nimport c.D;\nimport e.*;\nclass X {}");
        assert_eq!(names.package, ["a", "b"]);
        assert_eq!(names.packages, [vec!["c".to_owned()], vec!["c".into(), "D".into()], vec!["e".into()]]);
    }

    #[test]
    fn invalid_utf8_is_located() {
        let error = String::from_utf8(b"class A {}\n// \xc3\xa9t\xe9\n".to_vec()).unwrap_err();
        assert!(matches!(not_text(&error), Reason::NotText { line: 2, column: 6 }));
    }

    fn folder_above(file: &Path) -> PathBuf {
        file.parent().and_then(Path::parent).unwrap().to_owned()
    }

    #[test]
    fn imported_packages_are_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &[u8]| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            path
        };
        let main = write("Main.x10", b"import p.q.*;\nclass Main { val y = new y.w.Y(); }");
        let imported = write("p/q/C.x10", b"package p.q;\nimport p.r.D;\npublic class C {}");
        let further = write("p/r/D.x10", b"package p.r;\npublic class D {}");
        let qualified = write("y/w/Y.x10", b"package y.w;\npublic class Y {}");
        let unused = write("z/Z.x10", b"package z;\npublic class Z {}");
        let sources = load(std::slice::from_ref(&main), &[]).unwrap();
        assert_eq!(sources.roots, [main]);
        assert!(sources.files.contains_key(&imported) && sources.files.contains_key(&further));
        assert!(sources.files.contains_key(&qualified));
        assert!(!sources.files.contains_key(&unused));

        // A folder of the source path inside the program's folder, and an indirect path to it.
        let beside = write("src/t/E.x10", b"package t;\npublic class E {}");
        let user = write("app/User.x10", b"import t.*;\nclass User {}");
        for folder in ["src", "app/../src", "./src"] {
            let sources = load(std::slice::from_ref(&user), &[folder_above(&user).join(folder)]).unwrap();
            assert!(sources.files.contains_key(&beside), "{folder}");
        }

        // A document that is not on the disk.
        let unsaved = folder.path().join("new/Unsaved.x10");
        let text = |text: &str| [(unsaved.clone(), Arc::from(text))];
        let source_path = [folder.path().to_owned(), folder.path().join("none")];
        let found = |it, max_bytes| neighbours(text(it), &source_path, max_bytes).files;
        let files = found("import p.q.*;", 1000);
        assert!(files.contains_key(&imported) && files.contains_key(&further));
        assert!(!files.contains_key(&unsaved) && !files.contains_key(&unused));
        let small = found("import p.q.*; import p.r.*;", 30);
        assert!(small.contains_key(&further) && !small.contains_key(&imported));
        assert!(found("package none;", 1000).is_empty());
        let more = |text, before| names_new_package(&unsaved, text, before, &source_path);
        assert!(more("import p.q.C;", "import p.C;") && more("package z;", "package zz;"));
        assert!(!more("import p.q.C;", "import p.q.D;") && !more("import none.C;", ""));

        let bad = write("bad.x10", b"class \xff {}");
        assert!(load(&[bad], &[]).unwrap_err().to_string().contains("line 1, column 7"));
        assert!(load(&[folder.path().join("none.x10")], &[]).unwrap_err().to_string().contains("no file"));
        std::fs::create_dir(folder.path().join("empty")).unwrap();
        assert!(load(&[folder.path().join("empty")], &[]).unwrap_err().to_string().contains("no .x10 file"));
    }
}
