//! Files from the disk: the programs that were named, and the packages that they may use. Analysis itself reads nothing.
//!
//! X10 looks a class `a.b.C` up as `a/b/C.x10` below a source root. The roots are the named file's own (its folder, less the
//! folders of its package) and those of `--source-path`. Only folders that a `package` or `import` names are read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, T};
use rustc_hash::{FxHashMap, FxHashSet};

use apg_toolchain::regular_file::{self, ReadError};

/// Texts by absolute path, and which of them were named.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// All files.
    pub files: BTreeMap<PathBuf, Arc<str>>,
    /// Those that were named, in order.
    pub roots: Vec<PathBuf>,
    /// Folders of `--source-path`, absolute.
    pub source_path: Vec<PathBuf>,
    /// Files beside them and of their packages that could not be read, and why.
    pub unread: BTreeMap<PathBuf, String>,
}

/// The most bytes of a source file: analysis takes a hundred for each of them.
pub const MAX_SOURCE_BYTES: u64 = 64 << 20;

/// Why a file could not be read.
#[derive(Debug)]
pub struct LoadError {
    /// The file as it was named.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: Reason,
}

/// What is wrong with a file.
#[derive(Debug)]
pub enum Reason {
    /// A folder where a file is needed.
    Folder,
    /// A folder without any `.x10` file.
    NoSources,
    /// What stands there is not part of UTF-8 text.
    NotText {
        /// Its line, from 1.
        line: usize,
        /// How many characters stand before it in the line, and it.
        column: usize,
    },
    /// What is there cannot be read, or is not.
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

/// Reads the named files (of named folders all `.x10` files in and below them) and what they may use.
pub fn load(named: &[PathBuf], source_path: &[PathBuf]) -> Result<Sources, LoadError> {
    load_cached(named, source_path, &Cache::default())
}

/// As [`load`], for many programs that share files: what `cache` has is not read again.
pub fn load_cached(named: &[PathBuf], source_path: &[PathBuf], cache: &Cache) -> Result<Sources, LoadError> {
    let mut loader = Loader::new(cache, MAX_SOURCE_BYTES);
    for folder in source_path {
        if !folder.is_dir() {
            return Err(no_folder(folder));
        }
        loader.sources.source_path.push(absolute(folder)?);
    }
    for file in files(named)? {
        loader.root(&file)?;
    }
    loader.follow();
    Ok(loader.sources)
}

/// What is wrong with a folder that is none.
fn no_folder(path: &Path) -> LoadError {
    let not_a_folder = || ReadError::System(io::ErrorKind::NotADirectory.into());
    let why = if path.exists() { not_a_folder() } else { ReadError::Missing };
    LoadError { path: path.to_owned(), reason: Reason::Unreadable(why) }
}

/// Files that others may use.
#[derive(Debug, Default)]
pub struct Neighbours {
    /// Their texts.
    pub files: BTreeMap<PathBuf, Arc<str>>,
    /// Those that could not be read, and why.
    pub unread: BTreeMap<PathBuf, String>,
}

/// Reads what texts may use that are at these paths, or will be: the disk is not asked for them. Folders of the source path that are not
/// there are left out; files of more than `largest` bytes are not read.
pub fn neighbours(
    texts: impl IntoIterator<Item = (PathBuf, Arc<str>)>,
    source_path: &[PathBuf],
    largest: u64,
) -> Neighbours {
    let cache = Cache::default();
    let mut loader = Loader::new(&cache, largest);
    let there = source_path.iter().filter(|folder| folder.is_dir());
    loader.sources.source_path = there.filter_map(|folder| absolute(folder).ok()).collect();
    let mut own = Vec::new();
    for (path, text) in texts {
        own.push(path.clone());
        loader.add(path, text);
    }
    loader.follow();
    let Sources { mut files, mut unread, .. } = loader.sources;
    for path in &own {
        files.remove(path);
        unread.remove(path);
    }
    Neighbours { files, unread }
}

/// Whether a text names a package that another one does not, and that there is: in a folder of the source path, or beside what is
/// at `path`.
pub fn names_more(path: &Path, text: &str, before: &str, source_path: &[PathBuf]) -> bool {
    let (names, before) = (Names::of_header(text), Names::of_header(before));
    let own = path.parent().map(|folder| root_of(folder, &names.package));
    let mut new = names
        .packages
        .iter()
        .chain([&names.package])
        .filter(|it| !before.packages.contains(it) && **it != before.package);
    new.any(|package| own.iter().chain(source_path).any(|root| root.join(package.join("/")).is_dir()))
}

/// The named files, and of named folders all `.x10` files in and below them.
pub fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, LoadError> {
    let mut files = Vec::new();
    for path in named {
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

/// Reads one text file, of at most `largest` bytes.
pub fn read(path: &Path, largest: u64) -> Result<Arc<str>, LoadError> {
    let bytes = regular_file::read(path, largest).map_err(|why| LoadError::unreadable(path, why))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| LoadError { path: path.to_owned(), reason: not_text(&error) })?;
    Ok(text.into())
}

/// Where a file is not UTF-8.
fn not_text(error: &std::string::FromUtf8Error) -> Reason {
    let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
    let last_line = good.rsplit('\n').next().unwrap_or_default();
    Reason::NotText { line: good.matches('\n').count() + 1, column: last_line.chars().count() + 1 }
}

/// What was read from the disk, for the loading of further programs.
#[derive(Debug, Default)]
pub struct Cache {
    files: Mutex<FxHashMap<PathBuf, CachedFile>>,
    /// The `.x10` files of a folder.
    folders: Mutex<FxHashMap<PathBuf, Arc<[PathBuf]>>>,
}

#[derive(Clone, Debug)]
struct CachedFile {
    text: Arc<str>,
    /// Known once they were asked for.
    names: Option<Arc<Names>>,
}

impl Cache {
    fn text(&self, path: &Path, largest: u64) -> Result<Arc<str>, LoadError> {
        if let Some(file) = locked(&self.files).get(path) {
            return Ok(file.text.clone());
        }
        let text = read(path, largest)?;
        locked(&self.files).insert(path.to_owned(), CachedFile { text: text.clone(), names: None });
        Ok(text)
    }

    fn names(&self, path: &Path, text: &str) -> Arc<Names> {
        if let Some(CachedFile { names: Some(names), .. }) = locked(&self.files).get(path) {
            return names.clone();
        }
        let names = Arc::new(Names::of(text));
        if let Some(file) = locked(&self.files).get_mut(path) {
            file.names = Some(names.clone());
        }
        names
    }

    fn sources_in(&self, folder: &Path) -> Arc<[PathBuf]> {
        if let Some(paths) = locked(&self.folders).get(folder) {
            return paths.clone();
        }
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        let paths = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| is_source(path) && !is_hidden(path));
        let paths: Arc<[PathBuf]> = paths.collect();
        locked(&self.folders).insert(folder.to_owned(), paths.clone());
        paths
    }
}

/// What a panicking thread left behind is whole: each entry is written at once.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

struct Loader<'a> {
    cache: &'a Cache,
    sources: Sources,
    /// The roots so far.
    named: FxHashSet<PathBuf>,
    /// Files whose package and imports are not yet followed.
    pending: Vec<PathBuf>,
    folders: FxHashSet<PathBuf>,
    /// Whether there is a folder of that path.
    known: FxHashMap<PathBuf, bool>,
    /// Files of more bytes are not read.
    largest: u64,
}

impl Loader<'_> {
    fn new(cache: &Cache, largest: u64) -> Loader<'_> {
        Loader {
            cache,
            sources: Sources::default(),
            named: FxHashSet::default(),
            pending: Vec::new(),
            folders: FxHashSet::default(),
            known: FxHashMap::default(),
            largest,
        }
    }

    fn root(&mut self, path: &Path) -> Result<(), LoadError> {
        let text = self.cache.text(path, self.largest)?;
        let path = absolute(path)?;
        if self.named.insert(path.clone()) {
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

    fn follow(&mut self) {
        while let Some(path) = self.pending.pop() {
            let Some(text) = self.sources.files.get(&path).cloned() else { continue };
            let Some(folder) = path.parent().map(Path::to_owned) else { continue };
            let names = self.cache.names(&path, &text);
            self.folder(&folder);
            let mut roots = vec![root_of(&folder, &names.package)];
            roots.extend(self.sources.source_path.iter().cloned());
            // The file's own package too: its other folders are on the source path.
            for package in names.packages.iter().chain([&names.package]) {
                for root in &roots {
                    self.folder(&root.join(package.join("/")));
                }
            }
            for chain in &names.chains {
                for root in &roots {
                    self.chain(root, chain);
                }
            }
        }
    }

    /// Reads the folders that `a.b.c` in code may name: those that there are.
    fn chain(&mut self, root: &Path, chain: &[String]) {
        let mut folder = root.to_owned();
        for component in chain {
            folder.push(component);
            let is_folder = *self.known.entry(folder.clone()).or_insert_with(|| folder.is_dir());
            if !is_folder {
                return;
            }
            self.folder(&folder);
        }
    }

    /// Reads the `.x10` files of one folder. One that cannot be read is noted: an error at a use of it tells why.
    fn folder(&mut self, folder: &Path) {
        if !self.folders.insert(folder.to_owned()) {
            return;
        }
        for path in self.cache.sources_in(folder).iter() {
            if self.sources.files.contains_key(path) {
                continue;
            }
            match self.cache.text(path, self.largest) {
                Ok(text) => self.add(path.clone(), text),
                // A package may have such a name.
                Err(LoadError { reason: Reason::Folder, .. }) => {}
                Err(error) => {
                    let error = LoadError { path: shown(path).into(), ..error };
                    self.sources.unread.insert(path.clone(), error.to_string());
                }
            }
        }
    }
}

/// The package of a file, and the packages that it names.
#[derive(Debug, Default, PartialEq, Eq)]
struct Names {
    package: Vec<String>,
    packages: Vec<Vec<String>>,
    /// What may be packages in front of names in code.
    chains: BTreeSet<Vec<String>>,
}

impl Names {
    fn of(text: &str) -> Self {
        Self { chains: chains(text), ..Self::of_header(text) }
    }

    /// Those of its package and imports.
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
            // Of `a.b.C` the package is `a.b`; of `a.b.C.*` or `a.b.*` it may be all that is written.
            for end in 1..=imported.len() {
                names.packages.push(imported[..end].to_vec());
            }
        }
        names
    }
}

/// All `a.b` of `a.b.c` in a file; what begins with a capital letter is a type, and no package.
fn chains(text: &str) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    let mut chain: Vec<String> = Vec::new();
    let mut after_dot = false;
    for (kind, token) in apg_syntax::tokens(text).filter(|(kind, _)| !kind.is_trivia()) {
        match kind {
            SyntaxKind::IDENT if after_dot || chain.is_empty() => {
                chain.push(token.to_owned());
                after_dot = false;
                continue;
            }
            T![.] if !chain.is_empty() && !after_dot => {
                after_dot = true;
                continue;
            }
            _ => {}
        }
        chain.pop();
        if chain.first().is_some_and(|it| it.starts_with(char::is_lowercase)) {
            found.insert(std::mem::take(&mut chain));
        }
        chain.clear();
        after_dot = false;
        if kind == SyntaxKind::IDENT {
            chain.push(token.to_owned());
        }
    }
    found
}

/// The source root of a file: its folder, less the folders of its package.
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
        // Links to folders are not followed: they may lead in circles.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !hidden {
            find_sources(&path, found)?;
        } else if is_source(&path) && !hidden && !path.is_dir() && path.exists() {
            // Also what is no regular file, for its error.
            found.push(path);
        }
    }
    Ok(())
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "x10")
}

/// Editors and systems lay such files beside the user's.
fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// The path from the root on, without `..`: a file is known by one path only.
pub fn absolute(path: &Path) -> Result<PathBuf, LoadError> {
    let whole = std::path::absolute(path).map_err(|error| LoadError {
        path: path.to_owned(),
        reason: Reason::Unreadable(ReadError::System(error)),
    })?;
    let up = |it: &Component<'_>| matches!(it, Component::ParentDir);
    if !whole.components().any(|it| up(&it)) {
        return Ok(whole);
    }
    let mut plain = PathBuf::new();
    for component in whole.components() {
        // The folder above a link's target is not the one that the link lies in.
        if up(&component) && !plain.is_symlink() {
            plain.pop();
        } else {
            plain.push(component);
        }
    }
    Ok(plain)
}

/// A path as people write it: relative to the current folder where it lies below it.
pub fn shown(path: &Path) -> String {
    let relative =
        std::env::current_dir().ok().and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    relative.unwrap_or_else(|| path.to_owned()).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_lies_above_the_package() {
        let package = ["a".to_owned(), "b".to_owned()];
        assert_eq!(root_of(Path::new("/src/a/b"), &package), Path::new("/src"));
        assert_eq!(root_of(Path::new("/src/x/b"), &package), Path::new("/src/x/b"));
        assert_eq!(root_of(Path::new("/src"), &[]), Path::new("/src"));
    }

    #[test]
    fn imports_name_packages() {
        let names = Names::of("package a.b;\nimport c.D;\nimport e.*;\nclass X {}");
        assert_eq!(names.package, ["a", "b"]);
        assert_eq!(names.packages, [vec!["c".to_owned()], vec!["c".into(), "D".into()], vec!["e".into()]]);
    }

    #[test]
    fn what_is_not_text_says_where() {
        let error = String::from_utf8(b"class A {}\n// \xc3\xa9t\xe9\n".to_vec()).unwrap_err();
        assert!(matches!(not_text(&error), Reason::NotText { line: 2, column: 6 }));
    }

    fn folder_above(file: &Path) -> PathBuf {
        file.parent().and_then(Path::parent).unwrap().to_owned()
    }

    #[test]
    fn what_is_imported_is_read_and_errors_say_why() {
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

        // A folder of the source path that lies in the program's own, and one that is named by a way around.
        let beside = write("src/t/E.x10", b"package t;\npublic class E {}");
        let user = write("app/User.x10", b"import t.*;\nclass User {}");
        for folder in ["src", "app/../src", "./src"] {
            let sources = load(std::slice::from_ref(&user), &[folder_above(&user).join(folder)]).unwrap();
            assert!(sources.files.contains_key(&beside), "{folder}");
        }

        // A text that is not on the disk.
        let unsaved = folder.path().join("new/Unsaved.x10");
        let text = |text: &str| [(unsaved.clone(), Arc::from(text))];
        let source_path = [folder.path().to_owned(), folder.path().join("none")];
        let found = |it, largest| neighbours(text(it), &source_path, largest).files;
        let files = found("import p.q.*;", 1000);
        assert!(files.contains_key(&imported) && files.contains_key(&further));
        assert!(!files.contains_key(&unsaved) && !files.contains_key(&unused));
        let small = found("import p.q.*; import p.r.*;", 30);
        assert!(small.contains_key(&further) && !small.contains_key(&imported));
        assert!(found("package none;", 1000).is_empty());
        let more = |text, before| names_more(&unsaved, text, before, &source_path);
        assert!(more("import p.q.C;", "import p.C;") && more("package z;", "package zz;"));
        assert!(!more("import p.q.C;", "import p.q.D;") && !more("import none.C;", ""));

        let bad = write("bad.x10", b"class \xff {}");
        assert!(load(&[bad], &[]).unwrap_err().to_string().contains("line 1, column 7"));
        assert!(load(&[folder.path().join("none.x10")], &[]).unwrap_err().to_string().contains("no file"));
        std::fs::create_dir(folder.path().join("empty")).unwrap();
        assert!(load(&[folder.path().join("empty")], &[]).unwrap_err().to_string().contains("no .x10 file"));
    }
}
