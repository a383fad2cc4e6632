//! Databases for tests: the class library of this repository, and files given inline.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::check::file_diagnostics;
use crate::diagnostics::Diagnostic;
use crate::host::AnalysisHost;
use crate::ids::SourceFile;

/// The library's files by package path.
pub(crate) fn library_files() -> Vec<(PathBuf, String)> {
    fn add(root: &Path, folder: &Path, files: &mut Vec<(PathBuf, String)>) {
        let mut entries: Vec<_> =
            fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                add(root, &path, files);
            } else if path.extension().is_some_and(|e| e == "x10") {
                let text = fs::read_to_string(&path).expect("library file");
                files.push((path.strip_prefix(root).expect("below the root").to_owned(), text));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runtime/x10");
    let mut files = Vec::new();
    add(&root, &root, &mut files);
    files
}

/// A host with the library and these files, all of them roots, below `/test`. A text may hold several
/// files, each after the first starting with a line `// file: PATH`.
pub(crate) fn host(text: &str) -> AnalysisHost {
    let mut host = AnalysisHost::new(library_files().into_iter().map(|(path, text)| (path, Arc::from(text))));
    let files = crate::diagnostics::example_files(text);
    let path = |name: &str| Path::new("/test").join(name);
    host.set_files(files.iter().map(|(name, text)| (path(name), Arc::from(text.as_str()))));
    host.set_roots(&files.iter().map(|(name, _)| path(name)).collect::<Vec<_>>());
    host
}

/// The user's file of that name.
pub(crate) fn file(host: &AnalysisHost, name: &str) -> SourceFile {
    host.snapshot().file(&Path::new("/test").join(name)).expect("the file is known")
}

/// `line:column code message` for each diagnostic of all files of the fixture.
pub(crate) fn report(text: &str) -> String {
    let host = host(text);
    let mut lines = String::new();
    for (name, text) in crate::diagnostics::example_files(text) {
        let file = file(&host, &name);
        let found = host.snapshot().with(|db| file_diagnostics(db, file)).expect("not cancelled");
        for diagnostic in found {
            lines.push_str(&format!("{}\n", line(&text, &diagnostic)));
        }
    }
    lines
}

/// One diagnostic on one line.
pub(crate) fn line(text: &str, diagnostic: &Diagnostic) -> String {
    let before = &text[..usize::from(diagnostic.range.start()).min(text.len())];
    let (line, column) =
        (before.matches('\n').count() + 1, before.len() - before.rfind('\n').map_or(0, |i| i + 1) + 1);
    let notes: String = diagnostic.notes.iter().map(|n| format!("\n    {n}")).collect();
    format!("{line}:{column} [{}] {}{notes}", diagnostic.code, diagnostic.message)
}

#[test]
fn the_class_library_has_no_errors() {
    let host = host("class Example {}");
    let mut lines = String::new();
    let report = |db: &dyn crate::db::Db| {
        let mut files: Vec<_> = crate::inputs::Library::get(db).files(db).iter().collect();
        files.sort_by(|a, b| a.0.cmp(b.0));
        for (path, file) in files {
            // Hints, such as of checks at run time, are for editors.
            let found = file_diagnostics(db, *file).into_iter();
            for diagnostic in found.filter(|it| it.severity > crate::diagnostics::Severity::Hint) {
                lines.push_str(&format!("{}:{}\n", path.display(), line(file.text(db), &diagnostic)));
            }
        }
    };
    host.snapshot().with(report).expect("not cancelled");
    assert_eq!(lines, "", "{lines}");
}
