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

/// Judges versions of one file, each as a new file would be, with 20 problems at least. The result is how
/// many queries with a name were executed.
fn counting(query: &'static str) -> impl FnMut(&str) -> usize {
    let executed = Arc::new(AtomicUsize::new(0));
    let count = executed.clone();
    let observer = move |name: &str| {
        count.fetch_add(usize::from(name.starts_with(query)), Ordering::Relaxed);
    };
    let mut host = AnalysisHost::observed(Arc::new(Disk), Box::new(observer));
    let (path, toolchain) = (Path::new("a.c"), Arc::new(Toolchain::default()));
    move |text| {
        let file = host.set_file(path, text.into(), &toolchain);
        let found = file_diagnostics(host.database(), file).clone();
        assert_eq!(found, diagnostics_of(path, text, &toolchain));
        assert!(found.len() >= 20, "{found:?}");
        executed.swap(0, Ordering::Relaxed)
    }
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
    let mut runs = counting("function_diagnostics");
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

/// Functions whose races depend on each other: each `@` is a statement that edits replace.
const CALLING: &str = "
int total, step = 1, table[] = {1, 2, 3};
static int stride = 0, offset;
int *rows[2] = {&total, table};
static void deep(int n) { @ if (n) deep(n - 1); }
CHAIN
void move(void) { offset = 5; }
void fourth(double *a, int n) {
    offset = 0;
    chain12(n);
    #pragma omp parallel for
    for (int i = 0; i < n; i++) { @ a[i * offset] = i; }
    #pragma omp parallel for
    for (int i = 0; i < n; i++) a[i * stride] = i;
}
static void store(double *a, int i) { @ a[i] = i; }
static void indirect(double *a, int i, int depth) { @ if (depth) indirect(a, i, depth - 1); store(a, i); }
static void flag(int n) { @ total = n; }
void first(double *a, int n) {
    @
    #pragma omp parallel for
    for (int i = 0; i < n; i++) indirect(a, i / 2, 3);
}
void second(double *a, int n) {
    int sum = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) { @ sum += step; store(a, i * step); }
    flag(sum);
}
void third(double *a, int n) {
    for (int k = 0; k < n; k++) {
        @
        #pragma omp parallel for
        for (int i = 1; i < n; i++) { a[i - step] = a[i] + table[1] + *rows[0]; }
    }
}
int main(void) {
    double a[100];
    @
    first(a, 10);
    third(a, 100);
    flag(3);
    return 0;
}
";

/// A text with statements for each `@`.
fn with_statements(statements: &[&str]) -> String {
    // A chain of calls whose end is not executed: its effects alone are known.
    let call = |it: usize| format!("static void chain{it}(int n) {{ chain{}(n); }}\n", it - 1);
    let chain: String = (1..=12).map(call).collect();
    let text = CALLING.replace("CHAIN", &format!("static void chain0(int n) {{ deep(n); }}\n{chain}"));
    let mut parts = text.split('@');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.zip(statements).fold(first, |text, (part, statement)| text + statement + part)
}

const STATEMENTS: [&str; 16] = [
    "",
    "step = 2;",
    "stride = 1;",
    "offset = 1;",
    "step++; table[0] = 1;",
    "table[1] = 5;",
    "int moved = 3, other = 4; total = moved + other;",
    "rows[1] = &step;",
    "int *alias = &step; *alias = 0;",
    "\n#pragma omp barrier\n",
    "\n#pragma omp critical\n total++;",
    "flag(2);",
    "return;",
    "static int kept = 2; kept++;",
    "\n#pragma omp parallel\n step = total;\n",
    "while (total) { flag(1); }",
];

/// Edits in one function change what races in others: the diagnostics are those of the text as a whole.
#[test]
fn races_after_edits_elsewhere_are_those_of_a_new_file() {
    let (path, toolchain) = (Path::new("a.c"), Arc::new(Toolchain::default()));
    let mut host = AnalysisHost::new(Arc::new(Disk));
    let holes = CALLING.matches('@').count();
    let mut statements = vec![""; holes];
    // Numbers of a linear congruential generator (Knuth, *The Art of Computer Programming*, 3.2.1).
    let mut state = 1_u64;
    let mut next = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..200 {
        statements[next(holes)] = STATEMENTS[next(STATEMENTS.len())];
        let text = with_statements(&statements);
        let file = host.set_file(path, text.as_str().into(), &toolchain);
        let found = file_diagnostics(host.database(), file);
        assert_eq!(*found, diagnostics_of(path, &text, &toolchain), "{text}");
        seen.insert(found.iter().filter(|it| it.code == "omp/data-race").count());
    }
    assert!(seen.len() > 2, "{seen:?}");
}

/// An edit executes the root functions again that execute the edited function, and no other.
#[test]
fn an_edit_executes_the_callers_of_its_function_alone() {
    let function = |number: usize| {
        format!(
            "void g{number}(int n, double *a) {{ a[n] = {number}; }}\n\
             void f{number}(int n, double *a) {{\n    #pragma omp parallel for\n    \
             for (int i = 0; i < n; i++) g{number}(0, a);\n}}\n"
        )
    };
    let text: String = (0..20).map(function).collect();
    let mut runs = counting("execution(");
    assert_eq!(runs(&text), 20);
    assert_eq!(runs(&text.replace("a[n] = 7;", "int more = n; a[more] = 7 + 1;")), 1);
    assert_eq!(runs(&text), 1);
    assert_eq!(runs(&text.replace("g5(0, a);", "g5(1, a);")), 1);
}
