//! The class library is X10 like any other: it checks without an error or a warning.

use std::path::PathBuf;
use std::sync::Arc;

use apg_analysis::AnalysisHost;
use apg_analysis::diagnostics::Severity;

#[test]
fn the_class_library_checks_clean() {
    let files = apg_runtime::class_library::files();
    let host = AnalysisHost::new(files.iter().map(|(path, text)| (path.to_path_buf(), Arc::from(*text))));
    let analysis = host.snapshot();
    let mut found = Vec::new();
    for (path, text) in files {
        let file = analysis.file(&PathBuf::from(path)).expect("a file of the library");
        let diagnostics =
            analysis.with(|db| apg_analysis::file_diagnostics(db, file).to_vec()).expect("nothing changes");
        for diagnostic in
            diagnostics.into_iter().filter(|diagnostic| diagnostic.severity >= Severity::Warning)
        {
            let line = text[..usize::from(diagnostic.range.start())].matches('\n').count() + 1;
            found.push(format!("{}:{line}: [{}] {}", path.display(), diagnostic.code, diagnostic.message));
        }
    }
    assert!(found.is_empty(), "{} findings:\n{}", found.len(), found.join("\n"));
}
