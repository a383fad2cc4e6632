//! Directives that macros make, written out.

use std::path::Path;
use std::sync::Arc;

use apg_c_analysis::{AnalysisHost, Parsed, Toolchain};
use apg_c_syntax::Disk;
use apg_lower_c::{are_same_tokens, written_directives};

fn parsed(text: &str) -> Arc<Parsed> {
    let mut host = AnalysisHost::new(Arc::new(Disk));
    let file = host.set_file(Path::new("/x.c"), text.into(), &Arc::new(Toolchain::default()));
    apg_c_analysis::parsed(host.database(), file).clone()
}

/// The text behind some macros, written out; the tokens are the same.
#[track_caller]
fn written(macros: &str, text: &str) -> String {
    let source = parsed(&format!("{macros}{text}"));
    let written = written_directives(&source).expect("a macro that makes a directive").text;
    assert!(are_same_tokens(&source, &parsed(&written)), "{written}");
    written.strip_prefix(macros).expect("the macros").to_owned()
}

#[track_caller]
fn is_written(macros: &str, text: &str, wanted: &str) {
    assert_eq!(written(macros, text), wanted);
}

const PRAGMA: &str = "#define P(...) _Pragma(#__VA_ARGS__)\n";

#[test]
fn directives_that_have_their_lines_stay_on_them() {
    let text = "void f(int x) {\n  P(omp target map(x))\n  x++;\n P(omp barrier) \n  ;\n}\n";
    is_written(
        PRAGMA,
        text,
        "void f(int x) {\n  #pragma omp target map(x)\n  x++;\n #pragma omp barrier \n  ;\n}\n",
    );
    is_written(
        PRAGMA,
        "void f(int x) {\n  P(omp target\n    map(x))\n  x++;\n}\n",
        "void f(int x) {\n  #pragma omp target map(x)\n#line 4\n\n  x++;\n}\n",
    );
}

#[test]
fn what_stands_on_the_line_of_a_directive_keeps_its_line() {
    let each = "#define EACH(i) _Pragma(\"omp for\") for (int i = 0; i < 9; i++)\n";
    is_written(
        each,
        "int a[9];\nvoid f(void) { EACH(k) a[k] = 1; }\n",
        "int a[9];\nvoid f(void) { \n#line 3\n#pragma omp for\n#line 3\nfor (int k = 0; k < 9; k ++)  a[k] = 1; }\n",
    );
    let on = "#define ON(body) _Pragma(\"omp target\") { body; }\n";
    is_written(
        on,
        "int a;\nvoid f(void) {\n  ON(a\n = 1) a = 2;\n}\n",
        "int a;\nvoid f(void) {\n  #pragma omp target\n#line 4\n{ a = 1; }\n#line 5\n a = 2;\n}\n",
    );
    // A line that is continued does not begin where its text does.
    let continued = written(on, "int a;\nvoid f(void) { \\\n  ON(a = 1)\n}\n");
    assert!(continued.contains("\\\n  \n#line 4\n#pragma omp target\n"), "{continued}");
}

#[test]
fn operators_end_at_their_parenthesis() {
    is_written(
        "",
        "void f(void) { _Pragma ( \"omp barrier /* ) */\" ) ; }\n",
        "void f(void) { \n#line 1\n#pragma omp barrier\n#line 1\n ; }\n",
    );
    is_written(
        "#define O _Pragma\n",
        "void f(void) {\nO(\"omp barrier\")\n}\n",
        "void f(void) {\n#pragma omp barrier\n}\n",
    );
}

#[test]
fn names_that_came_up_in_their_own_expansion_are_not_expanded_again() {
    let macros =
        "#define N 4\n#define twice(n) (twice(n) + N)\n#define ON(body) _Pragma(\"omp target\") { body; }\n";
    is_written(
        macros,
        "int a, twice(int);\nvoid f(void) {\n  ON(a = twice(3))\n  a = twice(4);\n}\n",
        "int a, twice(int);\nvoid f(void) {\n  #pragma push_macro(\"twice\")\n#undef twice\n#line 6\n#pragma omp target\n#line 6\n\
         { a = (twice(3) + 4); }\n#pragma pop_macro(\"twice\")\n#line 6\n\n  a = twice(4);\n}\n",
    );
    // The arguments of a name that its expansion ends with stand behind the site.
    let work = "#define work _Pragma(\"omp parallel\") work\n";
    is_written(
        work,
        "void f(void) { work (1); }\n",
        "void f(void) { \n#pragma push_macro(\"work\")\n#undef work\n#line 2\n#pragma omp parallel\n#line 2\nwork\n\
         #pragma pop_macro(\"work\")\n#line 2\n (1); }\n",
    );
    // These are as they are: the expansion of `stderr` is itself, and no parenthesis follows `call`.
    let others =
        "#define stderr stderr\n#define call(x) x\n#define ON(body) _Pragma(\"omp target\") { body; }\n";
    let text = written(others, "int stderr, call;\nvoid f(void) { ON(call = stderr) }\n");
    assert!(!text.contains("push_macro"), "{text}");
}

#[test]
fn other_pragmas_of_a_macro_stay_in_their_places() {
    let quiet = "#define Q(s) _Pragma(\"GCC diagnostic push\") _Pragma(\"omp target\") { s; _Pragma(\"GCC unroll 4\") for (;;) ; } \
                 _Pragma(\"GCC diagnostic pop\")\n#define ARGUMENT(x) x\n";
    let wanted = "void f(void) {\n  #pragma GCC diagnostic push\n#line 4\n#pragma omp target\n#line 4\n{ int x;\n#line 4\n\
         #pragma GCC unroll 4\n#line 4\nfor (;;) ; }\n#line 4\n#pragma GCC diagnostic pop\n}\n";
    is_written(quiet, "void f(void) {\n  Q(int x)\n}\n", wanted);
    is_written(quiet, "void f(void) {\n  ARGUMENT(Q(int x))\n}\n", wanted);
    let beside = written(PRAGMA, "void f(void) { P(GCC unroll 4) P(omp simd) for (;;) ; }\n");
    assert!(beside.starts_with("void f(void) { P(GCC unroll 4) \n#line 2\n#pragma omp simd\n"), "{beside}");
}

#[test]
fn digraphs_and_lines_of_the_user_are_as_they_were() {
    let digraph = "int a[8];\nvoid f(void) {\n%:pragma omp target\n  a[0] = 1;\n}\n";
    assert!(written_directives(&parsed(digraph)).is_none());
    is_written(
        PRAGMA,
        "#line 200 \"gen.y\"\nvoid f(void) { P(omp barrier) }\n#line 0\nvoid g(void) { P(omp barrier) }\n",
        "#line 200 \"gen.y\"\nvoid f(void) { \n#line 200\n#pragma omp barrier\n#line 200\n }\n\
         #line 0\nvoid g(void) { \n#line 0\n#pragma omp barrier\n#line 0\n }\n",
    );
}

#[test]
fn names_of_the_file_are_those_of_the_compiler() {
    let on = "#define ON(body) _Pragma(\"omp target\") { body; }\n";
    let text = written(on, "const char *a;\nint b;\nvoid f(void) { ON(a = __FILE__; b = __LINE__) }\n");
    assert!(text.contains("{ a = __FILE__; b = 4; }"), "{text}");
}

#[test]
fn tokens_that_would_change_are_noticed() {
    // The arguments stand behind the invocation.
    let behind = "#define run(x) _Pragma(\"omp target\") x\n#define RUN run\nvoid f(int a) { RUN(a++;) }\n";
    // The second number would be that of the first.
    let counter = "#define ON(body) _Pragma(\"omp target\") { body; }\nvoid f(int a) { ON(a = __COUNTER__) a = __COUNTER__; }\n";
    for text in [behind, counter] {
        let source = parsed(text);
        let written = written_directives(&source).expect("a directive").text;
        assert!(!are_same_tokens(&source, &parsed(&written)), "{written}");
    }
}

#[test]
fn other_files_stay_as_they_are() {
    for text in [
        "void f(void) {\n#pragma omp barrier\n}\n",
        "#define P _Pragma(\"GCC unroll 4\")\nvoid f(void) { P for (;;); }\n",
        "#define N 4\nvoid f(void) {\n#pragma omp parallel num_threads(N)\n;\n}\n",
    ] {
        assert!(written_directives(&parsed(text)).is_none(), "{text}");
    }
}

#[test]
fn many_sites_take_one_pass() {
    let text = "P(omp barrier) ".repeat(20_000);
    let written = written(PRAGMA, &format!("void f(void) {{ {text} }}\n"));
    assert_eq!(written.matches("#pragma omp barrier").count(), 20_000);
}

#[test]
fn directives_with_clauses_of_macros_are_written_out() {
    let macros = "#define TEAM num_threads(3)\n#define N 4\n#define ALL a[0:N]\n#define MAX(x, y) ((x) > (y) ? (x) : (y))\n";
    let text =
        |clauses: &str| format!("int a[N];\nvoid f(void) {{\n  #pragma omp {clauses}\n  a[0]++;\n}}\n");
    for (clauses, wanted) in [
        ("parallel TEAM // three", "parallel num_threads(3)\n#line 7\n // three"),
        ("parallel if(a[1] > N) TEAM", "parallel if(a[1] > 4) num_threads(3)"),
        ("target map(ALL)", "target map(a[0 : 4])"),
        (
            "target teams num_teams(MAX(N, 2)) map(from: ALL)",
            "target teams num_teams(((4) > (2) ? (4) : (2))) map(from : a[0 : 4])",
        ),
    ] {
        is_written(macros, &text(clauses), &text(wanted));
    }
    let continued = written(macros, "void f(void) {\n  #pragma omp parallel \\\n    TEAM\n  ;\n}\n");
    assert_eq!(continued, "void f(void) {\n  #pragma omp parallel num_threads(3)\n#line 7\n\n  ;\n}\n");
    let expressions = parsed(&format!("{macros}{}", text("parallel num_threads(MAX(N, 2)) if(N)")));
    assert!(written_directives(&expressions).is_none());
    let nested = "#define ON(body) _Pragma(\"omp target\") { body; }\n";
    let text = "void f(int a) {\n  ON(a = 1;\n#pragma omp parallel TEAM\n  a = 2)\n}\n";
    // A compiler refuses it or not; it is no reason to fail.
    written_directives(&parsed(&format!("{macros}{nested}{text}")));
}
