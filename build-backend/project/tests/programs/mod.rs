//! The programs of the tests and the examples, and their MIR.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::AnalysisHost;
use apg_lower_x10::{MainTarget, lower};
use apg_mir as mir;

/// Programs of the tests and the examples, and those in `$APG_TEST_PROGRAMS`.
pub(crate) fn all() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace");
    let mut folders = vec![root.join("tests/programs"), root.join("examples")];
    if let Some(more) = std::env::var_os("APG_TEST_PROGRAMS") {
        folders = std::env::split_paths(&more).collect();
    }
    let mut found = Vec::new();
    for folder in folders {
        if folder.is_file() {
            found.push(folder);
            continue;
        }
        for entry in std::fs::read_dir(folder).expect("a folder of programs").flatten() {
            if entry.path().extension().is_some_and(|it| it == "x10") {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// Lowers programs, one after the other: the class library is analysed once.
pub(crate) struct Lowering {
    host: AnalysisHost,
}

impl Lowering {
    pub(crate) fn new() -> Lowering {
        let files = apg_runtime::class_library::files().into_iter();
        Lowering { host: AnalysisHost::new(files.map(|(path, text)| (PathBuf::from(path), Arc::from(text)))) }
    }

    /// The MIR of a program, or its errors.
    pub(crate) fn mir(&mut self, path: &Path) -> Result<mir::Program, String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        self.host.set_file(path, Some(Arc::from(text)));
        self.host.set_roots(&[path.to_owned()]);
        let lowered = {
            let analysis = self.host.snapshot();
            let file = analysis.file(path).expect("the file was set");
            let target = MainTarget { file, class: None };
            analysis.with(|db| lower(db, &target)).expect("nothing changes meanwhile")
        };
        self.host.set_file(path, None);
        lowered.map_err(|errors| format!("{errors:#?}"))
    }
}
