//! X10's own CUDA samples, from the X10 distribution that `APG_X10_HOME` names: every kernel is recognised,
//! and nothing is said about it. Skipped with a line when the variable is not set.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::RootDatabase;
use apg_analysis::check::file_diagnostics;
use apg_analysis::diagnostics::Severity;
use apg_analysis::program::body::Owner;
use apg_analysis::program::items::{all_classes, methods};
use apg_analysis::program::kernel::kernels;
use apg_analysis::{FileOrigin, SourceFile};
use apg_analysis::{Library, Project};
use salsa::Setter;

/// The samples with their numbers of kernels.
const SAMPLES: [(&str, usize); 5] = [
    ("CUDAKernelTest.x10", 6),
    ("CUDABlackScholes.x10", 1),
    ("CUDA3DFD.x10", 1),
    ("CUDAMatMul.x10", 1),
    ("KMeansCUDA.x10", 1),
];

fn x10_files(root: &Path, folder: &Path, found: &mut Vec<(PathBuf, Arc<str>)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            x10_files(root, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "x10") {
            let text = fs::read_to_string(&path).expect("a readable file");
            found.push((path.strip_prefix(root).expect("below the root").to_owned(), text.into()));
        }
    }
}

fn database(text: &str) -> (RootDatabase, SourceFile) {
    let mut db = RootDatabase::default();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runtime/x10");
    let mut library = Vec::new();
    x10_files(&root, &root, &mut library);
    let library = library
        .into_iter()
        .map(|(path, text)| (path.clone(), SourceFile::new(&db, path, FileOrigin::Library, text)))
        .collect();
    Library::get(&db).set_files(&mut db).to(Arc::new(library));
    let path = PathBuf::from("/test/Sample.x10");
    let file = SourceFile::new(&db, path.clone(), FileOrigin::User, text.into());
    let project = Project::get(&db);
    project.set_files(&mut db).to(Arc::new([(path, file)].into_iter().collect()));
    project.set_roots(&mut db).to(Arc::new(vec![file]));
    (db, file)
}

#[test]
fn kernels_of_the_samples() {
    let Some(home) = std::env::var_os("APG_X10_HOME") else {
        eprintln!("SKIPPED: APG_X10_HOME is not set");
        return;
    };
    let mut wrong = Vec::new();
    for (name, count) in SAMPLES {
        let path = Path::new(&home).join("x10.dist/samples/CUDA").join(name);
        let text = fs::read_to_string(&path).expect("the sample");
        let (db, file) = database(&text);
        // What is checked when the program runs is said, and no fault.
        let found = file_diagnostics(&db, file).into_iter().filter(|it| it.severity != Severity::Hint);
        for diagnostic in found {
            let before = &text[..usize::from(diagnostic.range.start())];
            let line = before.matches('\n').count() + 1;
            wrong.push(format!("{name}:{line}: [{}] {}", diagnostic.code, diagnostic.message));
        }
        let recognised: usize = all_classes(&db, file)
            .iter()
            .flat_map(|class| methods(&db, *class))
            .flat_map(|method| {
                kernels(&db, Owner::Method(*method)).iter().map(|it| it.kernel.is_some()).collect::<Vec<_>>()
            })
            .filter(|recognised| *recognised)
            .count();
        if recognised != count {
            wrong.push(format!("{name}: {recognised} kernels, expected {count}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
