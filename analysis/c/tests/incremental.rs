//! Edits read the main file alone: headers and their declarations are kept.

mod support;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use apg_c_analysis::rules::rules;
use apg_c_analysis::{AnalysisHost, Toolchain, file_diagnostics, parsed};
use support::{Disk, diagnostics_of, toolchain};

#[test]
fn an_edit_below_the_includes_keeps_the_preamble() {
    let folder = std::env::temp_dir().join(format!("apg-c-incremental-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("own.h"), "extern int total;\n").unwrap();
    let path = folder.join("a.c");
    let toolchain = toolchain();
    let mut host = AnalysisHost::new(Arc::new(Disk));
    let preamble = |host: &mut AnalysisHost, text: &str| {
        let file = host.set_file(&path, text.into(), &toolchain);
        parsed(host.database(), file).syntax.preamble.clone()
    };
    let first = preamble(&mut host, "#include \"own.h\"\nint a;\n");
    let second = preamble(&mut host, "#include \"own.h\"\nint a, b;\n");
    assert!(Arc::ptr_eq(&first, &second));
    let other = preamble(&mut host, "#include \"own.h\"\n#define N 1\nint a, b;\n");
    assert!(!Arc::ptr_eq(&second, &other));
    // A changed header is read again.
    std::fs::write(folder.join("own.h"), "extern int total, count;\n").unwrap();
    host.headers_changed();
    let changed = preamble(&mut host, "#include \"own.h\"\n#define N 1\nint a, b;\n");
    assert!(!Arc::ptr_eq(&other, &changed));
    let file = host.file(Path::new(&path)).unwrap();
    assert!(parsed(host.database(), file).program.names.contains_key("count"));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Each edit is in one function, which alone is parsed again.
#[test]
fn diagnostics_after_edits_are_those_of_a_new_file() {
    let (path, toolchain) = (Path::new("a.c"), Arc::new(Toolchain::default()));
    let mut edits = 0;
    for rule in rules() {
        let mut host = AnalysisHost::new(Arc::new(Disk));
        let text = rule.failing;
        for (at, _) in text.match_indices(" = ").chain(text.match_indices("++")) {
            for edited in
                [format!("{}\n{}", &text[..at], &text[at..]), format!("{} + 1{}", &text[..at], &text[at..])]
            {
                let file = host.set_file(path, edited.as_str().into(), &toolchain);
                let found = file_diagnostics(host.database(), file);
                assert_eq!(*found, diagnostics_of(path, &edited, &toolchain), "{edited}");
                let mut other = AnalysisHost::new(Arc::new(Disk));
                let again = other.set_file(path, edited.as_str().into(), &toolchain);
                let (edited_program, again) =
                    (parsed(host.database(), file), parsed(other.database(), again));
                assert_eq!(edited_program.program, again.program, "{edited}");
                edits += 1;
            }
        }
    }
    assert!(edits > 100, "{edits}");
}

/// An edit in one function runs the rules of this function alone.
#[test]
fn an_edit_in_a_function_judges_this_function_alone() {
    let function = |number: usize| {
        format!(
            "void f{number}(int n, double *a) {{\n    double s = 0;\n    #pragma omp parallel for private(s)\n    \
             for (int i = 0; i < n; i++) a[i] += s;\n}}\n"
        )
    };
    let text: String = (0..20).map(function).collect();
    let executed = Arc::new(AtomicUsize::new(0));
    let count = executed.clone();
    let observer = move |query: &str| {
        count.fetch_add(usize::from(query.starts_with("function_diagnostics")), Ordering::Relaxed);
    };
    let mut host = AnalysisHost::observed(Arc::new(Disk), Box::new(observer));
    let (path, toolchain) = (Path::new("a.c"), Arc::new(Toolchain::default()));
    let mut runs = |text: &str| {
        let file = host.set_file(path, text.into(), &toolchain);
        let found = file_diagnostics(host.database(), file).clone();
        assert_eq!(found, diagnostics_of(path, text, &toolchain));
        assert!(found.len() >= 20, "{found:?}");
        executed.swap(0, Ordering::Relaxed)
    };
    assert_eq!(runs(&text), 20);
    let edited = text.replacen("a[i] += s", "a[i] += 2 * s", 8).replacen("a[i] += 2 * s", "a[i] += s", 7);
    assert_eq!(runs(&edited), 1);
    // A longer function moves those behind it.
    assert_eq!(runs(&edited.replace("2 * s", "2 * s + 1000000.0")), 1);
    // A declaration of file scope concerns all.
    assert_eq!(runs(&format!("int other;\n{edited}")), 20);
}

/// What the rules of a function know of the whole file is judged again where an edit elsewhere changes it.
#[test]
fn edits_of_other_functions_are_seen() {
    let text = |other: &str| {
        format!(
            "double f(int n) {{\n    double p = 1;\n    #pragma omp parallel for reduction(+: p)\n    \
             for (int i = 0; i < n; i++) p *= n;\n    return p;\n}}\n\
             void h(void) {{\n    #pragma omp parallel private(later)\n    {{ }}\n}}\n\
             int g(int n) {{\n    {other}\n    return n;\n}}\n"
        )
    };
    let mut host = AnalysisHost::new(Arc::new(Disk));
    let (path, toolchain) = (Path::new("a.c"), Arc::new(Toolchain::default()));
    let reduction = "\n#pragma omp declare reduction(product: double: omp_out *= omp_in)\n";
    let mut counts = Vec::new();
    for other in ["n++;", "n +;", "n++;", reduction, "n++;"] {
        let text = text(other);
        let file = host.set_file(path, text.as_str().into(), &toolchain);
        let found = file_diagnostics(host.database(), file).clone();
        assert_eq!(found, diagnostics_of(path, &text, &toolchain), "{other}");
        counts.push(found.len());
    }
    assert!(counts[0] != counts[1] && counts[0] != counts[3], "{counts:?}");
}
