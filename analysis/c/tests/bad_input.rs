//! Any text has diagnostics and no panic: truncated and mutated programs, deep nesting, endless recursion.

mod support;

use std::path::Path;
use std::sync::Arc;

use apg_c_analysis::rules::rules;
use apg_c_analysis::{AnalysisHost, Diagnostic, Toolchain, file_diagnostics, ide, parsed};
use apg_c_syntax::{TextRange, TextSize};
use proptest::prelude::*;
use support::{Disk, diagnostics_of};

fn check(text: &str) -> Vec<Diagnostic> {
    diagnostics_of(Path::new("a.c"), text, &Arc::new(Toolchain::default()))
}

/// The examples of all rules in one file.
fn corpus() -> Vec<String> {
    rules().flat_map(|it| [it.failing.to_owned(), it.fixed.to_owned()]).collect()
}

#[test]
fn bit_fields_that_no_unit_holds_have_no_size() {
    for members in [
        "struct e f : 3;",
        "char c; int x : 18446744073709551615u;",
        "char a[2305843009213693951]; int x : 3; int y : 31; long z;",
        "char a[2305843009213693951]; long z;",
        "void x : 0;",
    ] {
        check(&format!(
            "struct e {{}};\nstruct s {{ {members} }};\nint n[sizeof(struct s)];\n\
             void f(struct s *p) {{\n    #pragma omp target map(p[0:1])\n    p[0] = p[0];\n}}\n"
        ));
    }
}

#[test]
fn programs_that_end_anywhere_have_diagnostics() {
    for text in corpus() {
        for end in (0..text.len()).filter(|it| text.is_char_boundary(*it)).step_by(7) {
            check(&text[..end]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn programs_with_parts_of_others_have_diagnostics(
        first in 0_usize..1000,
        second in 0_usize..1000,
        cut in 0_usize..1000,
        paste in 0_usize..1000,
        length in 0_usize..80,
    ) {
        let corpus = corpus();
        let text = &corpus[first % corpus.len()];
        let other = &corpus[second % corpus.len()];
        let from = cut % text.len();
        let part = paste % other.len();
        let mixed =
            format!("{}{}{}", &text[..from], &other[part..(part + length).min(other.len())], &text[from..]);
        let mut host = AnalysisHost::new(Arc::new(Disk));
        let file = host.set_file(Path::new("a.c"), mixed.as_str().into(), &Arc::default());
        let program = parsed(host.database(), file);
        for found in file_diagnostics(host.database(), file) {
            prop_assert!(usize::from(found.range.end()) <= mixed.len());
        }
        for offset in (0..mixed.len()).step_by(11) {
            let offset = TextSize::from(offset as u32);
            ide::hover(program, offset);
            ide::completions(program, offset);
        }
        ide::inlays(program, TextRange::up_to(TextSize::of(&mixed)));
    }
}

/// A text in a function with a parallel loop.
fn in_loop(body: &str) -> String {
    format!(
        "int f(int);\nvoid g(int *a) {{\n#pragma omp parallel for\nfor (int i = 0; i < 9; i++) {{ {body} }}\n}}\n"
    )
}

#[test]
fn deep_and_long_programs_have_diagnostics() {
    // As the threads of the command and of the language server.
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(check_deep_and_long_programs);
    thread.expect("a thread").join().expect("no panic");
}

fn check_deep_and_long_programs() {
    let depth = 10_000;
    check(&in_loop(&format!("a[i] = {}1{};", "(".repeat(depth), ")".repeat(depth))));
    check(&in_loop(&format!("a[i] = 1{};", " + 1".repeat(depth))));
    check(&in_loop(&format!("a[i] = {}1;", "- ".repeat(depth))));
    check(&in_loop(&format!("{}a[i] = 1;{}", "{".repeat(depth), "}".repeat(depth))));
    check(&in_loop(&format!("{}a[i] = 1;", "if (a[0]) ".repeat(depth))));
    check(&in_loop(&"a[i] += f(i);\n".repeat(2_000)));
    check(&format!("struct s {{ {} int x; }};\n#pragma omp barrier\n", "struct {".repeat(500)));
    let nested = "#pragma omp parallel\n{\n".repeat(200);
    check(&format!("int x; void g(void) {{\n{nested} x++; {} }}", "}".repeat(200)));
}

#[test]
fn records_and_functions_that_contain_themselves_have_diagnostics() {
    check(
        "struct s { struct s inner; int x; } v; void f(void) {\n#pragma omp parallel\nv.x = sizeof(struct s);\n}",
    );
    check(
        "int a; void f(void); void g(void) { f(); a++; }\nvoid f(void) { g(); }\nint main(void) {\n#pragma omp parallel\nf();\n}",
    );
    let calls = "f();".repeat(50);
    check(&format!(
        "int a; void f(void) {{ {calls} a++; }}\nint main(void) {{\n#pragma omp parallel\nf();\n}}"
    ));
    for contained in ["struct s;", "struct s; struct s;"] {
        check(&format!(
            "struct s {{ int a; {contained} }}; struct s x[] = {{[0].b = 1}};\nvoid f(void) {{\n#pragma omp parallel\nx[0].b = 1;\n}}"
        ));
    }
}

#[test]
fn designators_of_any_element_have_diagnostics() {
    for of in ["v[]", "v[2]", "v[2][3]", "v[][3]"] {
        for element in [
            "[18446744073709551615u]",
            "[18446744073709551614u]",
            "[1 ... 18446744073709551615u]",
            "[5]",
            "[-1]",
        ] {
            for value in ["1", "1, 2", "{1, 2}"] {
                check(&format!(
                    "int {of} = {{{element} = {value}}};\nint f(void) {{\n#pragma omp target map(v)\n;\nreturn sizeof v;\n}}"
                ));
            }
        }
    }
}

#[test]
fn a_missing_brace_hides_no_diagnostic_of_later_functions() {
    let later = "double later(int n, double *a) {\n    double s = 0;\n    #pragma omp parallel for\n    \
                 for (int i = 0; i < n; i++) s += a[i];\n    return s;\n}\n";
    let codes = |text: &str| check(text).iter().map(|it| it.code).collect::<Vec<_>>();
    assert_eq!(codes(later), ["omp/missing-reduction"]);
    for open in ["void f(int n) {\n    if (n) {\n        n++;\n}\n", "int f(void) {\n    while (1) {\n"] {
        assert_eq!(codes(&format!("{open}{later}")), ["omp/missing-reduction"], "{open}");
    }
    // The barrier is not nested in the construct whose block is open.
    let open = "void f(int n) {\n    #pragma omp single\n    {\n        n++;\n}\n";
    let barrier = "void later(void) {\n    #pragma omp barrier\n}\n";
    assert_eq!(codes(&format!("{open}{barrier}")), Vec::<&str>::new());
}
