//! X10's own samples check clean: `APG_X10_HOME` names a checkout of X10; without it the test says that
//! it was skipped. X10's sources are no tool that could be installed, so `APG_REQUIRE` does not ask for them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::AnalysisHost;
use apg_analysis::check::file_diagnostics;

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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runtime/x10");
    let mut files = Vec::new();
    add(&root, &root, &mut files);
    files
}

/// `FILE:LINE [code] message` for all that is said about a program of one file.
fn report(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a sample");
    let mut host = AnalysisHost::new(library());
    host.set_file(path, Some(text.as_str().into()));
    host.set_roots(&[path.to_owned()]);
    let snapshot = host.snapshot();
    let file = snapshot.file(path).expect("known");
    let found = snapshot.with(|db| file_diagnostics(db, file)).expect("not cancelled");
    let line = |offset: usize| text[..offset.min(text.len())].matches('\n').count() + 1;
    // Hints are for those who read the program, not findings.
    found
        .iter()
        .filter(|d| d.severity > apg_analysis::diagnostics::Severity::Hint)
        .map(|d| format!("{}:{} [{}] {}\n", path.display(), line(d.range.start().into()), d.code, d.message))
        .collect()
}

#[test]
fn cuda_samples_check_clean() {
    let Some(home) = std::env::var_os("APG_X10_HOME") else {
        eprintln!("SKIPPED: APG_X10_HOME is not set");
        return;
    };
    let folder = Path::new(&home).join("x10.dist/samples/CUDA");
    let names = ["CUDAKernelTest", "CUDATopology", "CUDABlackScholes", "KMeansCUDA"];
    let said: String = names.iter().map(|name| report(&folder.join(name).with_extension("x10"))).collect();
    assert_eq!(said, "", "\n{said}");
}

#[test]
fn examples_check_clean() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = fs::read_dir(folder).expect("the examples").flatten().map(|entry| entry.path());
    let said: String =
        files.filter(|p| p.extension().is_some_and(|e| e == "x10")).map(|p| report(&p)).collect();
    assert_eq!(said, "", "\n{said}");
}
