//! Directives that macros make, written out.

use std::path::Path;
use std::sync::Arc;

use apg_c_analysis::{AnalysisHost, Toolchain};
use apg_c_syntax::Disk;

fn written(text: &str) -> Option<String> {
    let mut host = AnalysisHost::new(Arc::new(Disk));
    let file = host.set_file(Path::new("/x.c"), text.into(), &Arc::new(Toolchain::default()));
    apg_lower_c::written_directives(apg_c_analysis::parsed(host.database(), file))
}

#[test]
fn directives_that_have_their_lines_stay_on_them() {
    let macros = "#define P(...) _Pragma(#__VA_ARGS__)\n#define T P(omp target)\n";
    let text = format!("{macros}void f(int x) {{\n  P(omp target\n    map(x))\n  x++;\n T\n  ;\n}}\n");
    let wanted = format!(
        "{macros}void f(int x) {{\n  #pragma omp target map ( x ) \n\n  x++;\n #pragma omp target \n  ;\n}}\n"
    );
    assert_eq!(written(&text).as_deref(), Some(&*wanted));
}

#[test]
fn what_stands_on_the_line_of_a_directive_keeps_its_line() {
    let macros = "#define EACH(i) _Pragma(\"omp for\") for (int i = 0; i < 9; i++)\n";
    let text = format!("{macros}int a[9];\nvoid f(void) {{ EACH(k) a[k] = 1; }}\n");
    let wanted = format!(
        "{macros}int a[9];\nvoid f(void) {{ \n#pragma omp for \n#line 3\nfor ( int k = 0 ; k < 9 ; k ++ )  a[k] = 1; }}\n"
    );
    assert_eq!(written(&text).as_deref(), Some(&*wanted));
}

#[test]
fn operators_end_at_their_parenthesis() {
    let text = "void f(void) { _Pragma ( \"omp barrier\" ) ; }\n";
    let wanted = "void f(void) { \n#pragma omp barrier \n#line 1\n ; }\n";
    assert_eq!(written(text).as_deref(), Some(wanted));
}

#[test]
fn other_files_stay_as_they_are() {
    assert_eq!(written("void f(void) {\n#pragma omp barrier\n}\n"), None);
    assert_eq!(written("#define P _Pragma(\"GCC unroll 4\")\nvoid f(void) { P for (;;); }\n"), None);
}
