//! A workspace with more code than is worked on at a time: whatever was found once, and forgotten meanwhile,
//! is found again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::program::body::body;
use apg_analysis::program::items::{all_classes, methods};
use apg_analysis::{AnalysisHost, file_diagnostics};

/// Methods of a file, whose results are known by typing them.
const METHODS: usize = 100;
/// More methods in all than the caches of salsa keep.
const FILES: usize = 45;

fn path(file: usize) -> PathBuf {
    Path::new("/test").join(format!("C{file}.x10"))
}

fn text(file: usize, first: &str) -> Arc<str> {
    let method = |at: usize| match at {
        0 => format!("    static def m0() = {first};\n"),
        _ => format!("    static def m{at}() = m{}() + {at};\n", at - 1),
    };
    format!("class C{file} {{\n{}}}\n", (0..METHODS).map(method).collect::<String>()).into()
}

#[test]
fn code_unused_for_long_is_typed_again() {
    let mut host = AnalysisHost::new([]);
    for file in 0..FILES {
        host.set_file(&path(file), Some(text(file, "1")));
    }
    let look = |host: &AnalysisHost| {
        for file in 0..FILES {
            let snapshot = host.snapshot();
            let id = snapshot.file(&path(file)).expect("known");
            let found = snapshot.with(|db| {
                // First what depends on the code, then the code itself.
                let found = file_diagnostics(db, id).len();
                for class in all_classes(db, id) {
                    for method in methods(db, *class) {
                        assert!(body(db, *method).body.root.is_some());
                    }
                }
                found
            });
            assert!(found.is_ok(), "what C{file} says is not found again: {found:?}");
        }
    };
    look(&host);
    for round in 0..3 {
        host.set_file(&path(0), Some(text(0, &round.to_string())));
        look(&host);
    }
}
