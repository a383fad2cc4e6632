//! Every page's examples are run: the failing one yields its own code and no other, the mended one nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::AnalysisHost;
use apg_analysis::check::file_diagnostics;
use apg_analysis::diagnostics::{self, example_files};

/// The class library of this repository, by package path.
fn library() -> Vec<(PathBuf, Arc<str>)> {
    fn add(root: &Path, folder: &Path, files: &mut Vec<(PathBuf, Arc<str>)>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                add(root, &path, files);
            } else if path.extension().is_some_and(|e| e == "x10") {
                let text = fs::read_to_string(&path).expect("library file");
                files.push((path.strip_prefix(root).expect("below the root").to_owned(), Arc::from(text)));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/x10");
    let mut files = Vec::new();
    add(&root, &root, &mut files);
    files
}

/// Code and message of everything that is said about an example.
fn said(library: &[(PathBuf, Arc<str>)], example: &str) -> Vec<(&'static str, String)> {
    let mut host = AnalysisHost::new(library.to_vec());
    let path = |name: &str| Path::new("/example").join(name);
    let files = example_files(example);
    host.set_files(files.iter().map(|(name, text)| (path(name), Arc::from(text.as_str()))));
    host.set_roots(&files.iter().map(|(name, _)| path(name)).collect::<Vec<_>>());
    let snapshot = host.snapshot();
    let mut said = Vec::new();
    for (name, _) in &files {
        let file = snapshot.file(&path(name)).expect("known");
        let found = snapshot.with(|db| file_diagnostics(db, file)).expect("not cancelled");
        said.extend(found.into_iter().map(|d| (d.code, d.message)));
    }
    said
}

#[test]
fn examples_say_what_their_pages_claim() {
    let library = library();
    let mut wrong = String::new();
    for rule in diagnostics::rules().filter(|rule| !rule.failing.trim().is_empty()) {
        let found = said(&library, rule.failing);
        if found.is_empty() || found.iter().any(|(code, _)| *code != rule.code) {
            wrong.push_str(&format!("{}: the failing example yields {found:?}\n", rule.code));
        }
        let found = said(&library, rule.mended);
        if !found.is_empty() {
            wrong.push_str(&format!("{}: the mended example yields {found:?}\n", rule.code));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
