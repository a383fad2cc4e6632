//! Rules about XcalableMP: what is reported of small programs, and of which nothing is.

mod support;

use std::path::Path;
use std::sync::Arc;

use apg_c_analysis::Toolchain;
use support::diagnostics_of;

const DECLARED: &str = "#pragma xmp nodes p[2][2]\n#pragma xmp template t[64][64]\n\
                        #pragma xmp distribute t[block][block] onto p\ndouble a[64][64], b[64];\n";

/// The codes and messages of a text after [`DECLARED`].
fn reports(text: &str) -> Vec<String> {
    let text = format!("{DECLARED}{text}");
    let found = diagnostics_of(Path::new("a.c"), &text, &Arc::new(Toolchain::default()));
    found.iter().map(|it| format!("{}: {}", it.code, it.message)).collect()
}

#[test]
fn subscripts_are_counted_in_all_directives() {
    assert_eq!(
        reports("#pragma xmp align a[i] with t[i][*]\n"),
        ["xmp/dimension-count: array `a` has 2 dimensions, and there is 1 subscript here"]
    );
    assert_eq!(
        reports("#pragma xmp align b[i] with t[i]\n"),
        ["xmp/dimension-count: template `t` has 2 dimensions, and there is 1 subscript here"]
    );
    assert_eq!(
        reports("#pragma xmp template u[64][64]\n#pragma xmp distribute u[block][*] onto p\n"),
        [
            "xmp/dimension-count: node array `p` has 2 dimensions, and template `u` has 1 distributed dimension"
        ]
    );
    assert_eq!(
        reports("#pragma xmp shadow a[1]\n"),
        ["xmp/dimension-count: array `a` has 2 dimensions, and there is 1 subscript here"]
    );
    assert_eq!(
        reports("void f(void) {\n#pragma xmp loop (i) on t[i]\nfor (int i = 0; i < 64; i++) b[i] = 0;\n}\n"),
        ["xmp/dimension-count: template `t` has 2 dimensions, and there is 1 subscript here"]
    );
}

#[test]
fn both_forms_of_declarations_are_read() {
    assert_eq!(reports("#pragma xmp align [i][j] with t[i][j] :: a\n"), Vec::<String>::new());
    assert_eq!(
        reports("#pragma xmp align [i] with t[i][*] :: a\n"),
        ["xmp/dimension-count: array `a` has 2 dimensions, and there is 1 subscript here"]
    );
    assert_eq!(
        reports(
            "#pragma xmp nodes [4] :: q\n#pragma xmp template [64] :: u\n\
                        #pragma xmp distribute [block] onto q :: u\n#pragma xmp align b[i] with u[i]\n"
        ),
        Vec::<String>::new()
    );
}

#[test]
fn a_reflection_is_compared_with_the_shadow_of_each_axis() {
    let reflect = |shadow: &str, width: &str| {
        reports(&format!(
            "#pragma xmp align a[i][j] with t[i][j]\n{shadow}\nvoid f(void) {{\n#pragma xmp reflect (a) width({width})\n}}\n"
        ))
    };
    assert_eq!(reflect("#pragma xmp shadow a[1][0:2]", "1, /periodic/0:2"), Vec::<String>::new());
    assert_eq!(reflect("#pragma xmp shadow a[*][1]", "5, 1"), Vec::<String>::new());
    assert_eq!(
        reflect("#pragma xmp shadow a[1][0:2]", "1, 1"),
        [
            "xmp/reflect-beyond-shadow: the shadow of `a` is 0 below and 2 above in this axis, and 1 is reflected"
        ]
    );
    assert_eq!(
        reflect("", "0, 1"),
        ["xmp/reflect-beyond-shadow: `a` has no shadow in this axis, and 1 is reflected"]
    );
}

#[test]
fn accesses_beyond_block_and_shadow_are_found_at_the_ends_of_blocks() {
    let in_loop = |shadow: &str, range: &str, body: &str| {
        reports(&format!(
            "#pragma xmp align a[i][j] with t[i][j]\n{shadow}\nvoid f(void) {{\n#pragma xmp loop (i, j) on t[i][j]\n\
             for (int i = 1; i < 63; i++)\nfor (int j = {range}; j++) {{ {body} }}\n}}\n"
        ))
    };
    let whole = "1; j < 63";
    assert_eq!(
        in_loop("#pragma xmp shadow a[0][1]", whole, "a[i][j] = a[i][j - 1] + a[i - 1][j] + a[i][2 + j];"),
        [
            "xmp/access-beyond-shadow: `a` has no shadow in this axis, and with `i` = 32 this element is in another node's block",
            "xmp/access-beyond-shadow: the shadow of `a` is 1, and with `j` = 31 this element is in another node's block"
        ]
    );
    // The ends of blocks are not in the range; the access depends on a condition; the shadow is full.
    for (shadow, range, body) in [
        ("", "1; j < 31", "a[i][j] = a[i][j + 1];"),
        ("", "33; j < 63", "a[i][j] = a[i][j - 1];"),
        ("", whole, "if (j != 31) a[i][j] = a[i][j + 1];"),
        ("", whole, "a[i][j] = j == 31 ? 0 : a[i][j + 1];"),
        ("", whole, "if (j == 31) continue; a[i][j] = a[i][j + 1];"),
        ("#pragma xmp shadow a[*][*]", whole, "a[i][j] = a[i][j + 1];"),
        ("#pragma xmp shadow a[1][1]", whole, "a[i][j] = a[i - 1][j + 1];"),
    ] {
        assert_eq!(in_loop(shadow, range, body), Vec::<String>::new(), "{shadow} {range} {body}");
    }
}

#[test]
fn names_of_functions_are_separate() {
    let functions = "void f(void) {\n#pragma xmp template u(8)\n#pragma xmp distribute u(block) onto q\n}\n\
                     void g(void) {\n#pragma xmp template u[8][8]\n#pragma xmp distribute u[block][*] onto r\n}\n";
    assert_eq!(
        reports(functions),
        [
            "xmp/undeclared-name: no directive declares nodes `q`",
            "xmp/undeclared-name: no directive declares nodes `r`"
        ]
    );
}

#[test]
fn malformed_directives_are_errors_of_the_parser() {
    for text in [
        "#pragma xmp nodes p[\n",
        "#pragma xmp align\n#pragma xmp algn a[i] with t[i]\n",
        "#pragma xmp reflect (a) width(/\n",
    ] {
        assert!(reports(text).iter().any(|it| it.starts_with("xmp/syntax")), "{text}");
    }
}

#[test]
fn programs_without_its_directives_have_no_report() {
    let text = "int p(int n) { return n; }\nint main(void) {\n#pragma omp parallel\np(1);\n}\n";
    let found = diagnostics_of(Path::new("a.c"), text, &Arc::new(Toolchain::default()));
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn counters_and_variables_that_each_iteration_sets_are_not_reduced() {
    let declared = "#pragma xmp align a[i][j] with t[i][j]\n";
    let loops = [
        "int i; double s;\n#pragma xmp loop on t[i][*]\nfor (i = 0; i < 64; i += 1) b[0] = i;",
        "int i, j; double s;\n#pragma xmp loop on t[i][*]\n\
         for (i = 0; i < 64; i++) { s = 0; for (j = 0; j < 64; j += 2) s += a[i][j]; a[i][0] = s; }",
    ];
    for text in loops {
        let found = reports(&format!("{declared}void f(void) {{ {text} }}\n"));
        assert!(!found.iter().any(|it| it.starts_with("xmp/missing-reduction")), "{found:?}");
    }
    let sum = "double s = 0;\n#pragma xmp loop on t[i][*]\nfor (int i = 0; i < 64; i++) s += a[i][0];";
    let found = reports(&format!("{declared}void f(void) {{ {sum} }}\n"));
    assert!(found.iter().any(|it| it.starts_with("xmp/missing-reduction")), "{found:?}");
}
