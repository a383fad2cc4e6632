//! Rules about distributed loops of XcalableMP: shadows, owners, values of nodes, accelerators.

mod support;

use std::path::Path;
use std::sync::Arc;

use apg_c_analysis::Toolchain;
use support::{diagnostics_of, fixed};

const DECLARED: &str = "#pragma xmp nodes p[4]\n#pragma xmp template t[64]\n#pragma xmp distribute t[block] onto p\n\
    double a[64], b[64];\n#pragma xmp align a[i] with t[i]\n#pragma xmp align b[i] with t[i]\n#pragma xmp shadow a[1]\n\
    int xmp_node_num(void);\ndouble value(int i) { return 3 * i; }\nvoid exchange(void);\nextern int steps;\n";

/// The codes and messages of a text after some declarations.
fn reports_after(declared: &str, text: &str) -> Vec<String> {
    let text = format!("{declared}{text}");
    let found = diagnostics_of(Path::new("a.c"), &text, &Arc::new(Toolchain::default()));
    found.iter().map(|it| format!("{}: {}", it.code, it.message)).collect()
}

fn reports(text: &str) -> Vec<String> {
    reports_after(DECLARED, text)
}

fn check_none(text: &str) {
    assert_eq!(reports(text), Vec::<String>::new(), "{text}");
}

const WRITE: &str = "\n#pragma xmp loop on t[i]\nfor (int i = 0; i < 64; i++) a[i] = value(i);\n";
const READ: &str = "\n#pragma xmp loop on t[i]\nfor (int i = 1; i < 63; i++) b[i] = a[i - 1] + a[i + 1];\n";
const REFLECT: &str = "\n#pragma xmp reflect (a)\n";

fn function(parts: &[&str]) -> String {
    format!("void f(void) {{ {} }}\n", parts.concat())
}

#[test]
fn a_shadow_is_old_between_the_write_and_the_reflection() {
    let old = "xmp/missing-reflect: no `reflect` brings `a[15]` from its owner, who has stored to it before: the copy \
               in the shadow is old";
    for parts in [
        &[WRITE, READ][..],
        &[REFLECT, WRITE, READ],
        &[WRITE, "{", READ, "}"],
        &[WRITE, "for (int k = 0; k < steps; k++) b[0] = value(k);", READ],
        &["for (int k = 0; k < steps; k++) {", REFLECT, WRITE, READ, "}"],
        &[WRITE, "while (steps--) { for (;;) { if (steps) break; }\n#pragma xmp reflect (b)\n}", READ],
        &["if (steps) {", WRITE, READ, "}"],
        &[WRITE, "\n#pragma xmp barrier\n", READ],
    ] {
        assert_eq!(reports(&function(parts)), [old], "{parts:?}");
    }
}

#[test]
fn a_reflection_in_front_of_a_loop_holds_for_its_first_iteration_alone() {
    let old = "xmp/missing-reflect: no `reflect` brings `a[15]` from its owner, who has stored to it in the iteration \
               before: the copy in the shadow is old";
    for parts in [
        &[REFLECT, "for (int k = 0; k < steps; k++) {", READ, WRITE, "}"][..],
        &[REFLECT, "while (steps--) {", READ, WRITE, "}"],
        &[REFLECT, "do {", READ, WRITE, "} while (steps--);"],
        &[REFLECT, "for (;;) {", READ, "if (steps) break;", WRITE, "}"],
    ] {
        assert_eq!(reports(&function(parts)), [old], "{parts:?}");
    }
    check_none(&function(&[REFLECT, "for (int k = 0; k < 1; k++) {", READ, WRITE, "}"]));
    check_none(&function(&[REFLECT, "for (int k = 0; k < steps; k++) {", READ, WRITE, "break; }"]));
    check_none(&function(&[REFLECT, "do {", READ, WRITE, "} while (0);"]));
}

#[test]
fn what_may_have_been_reflected_is_not_reported() {
    for parts in [
        &[WRITE, REFLECT, READ][..],
        &[READ],
        &["for (int k = 0; k < steps; k++) {", REFLECT, READ, WRITE, "}"],
        &["for (int k = 0; k < steps; k++) {", READ, WRITE, REFLECT, "}"],
        &[WRITE, "exchange();", READ],
        &[WRITE, "if (steps) {", REFLECT, "}", READ],
        // The condition may be that there is one node.
        &[WRITE, "if (steps) {", READ, "}"],
        // The condition of the read may be that of the reflection.
        &["if (steps) {", WRITE, "} if (steps) {", READ, "}"],
        &["for (int k = 0; k < steps; k++) { if (k > 0) {", READ, "}", WRITE, "}"],
        &[WRITE, "if (steps) return;", REFLECT, READ],
        &[WRITE, "switch (steps) { case 0: return; }", READ],
        &[WRITE, "for (int k = 0; k < steps; k++) {", REFLECT, "}", READ],
        // A pointer may lead to the array.
        &["double *q;\n#pragma xmp local_alias q => a\nq[0] = 1;", WRITE, READ],
        &["double *q = a; exchange(); q[0] = 1;", WRITE, READ],
        // The shadow may have the same number.
        &["\n#pragma xmp loop on t[i]\nfor (int i = 0; i < 64; i++) a[i] = 0.0;\n", READ],
        // The ends of blocks are not written, or not read.
        &["\n#pragma xmp loop on t[i]\nfor (int i = 1; i < 15; i++) a[i] = i;\n", READ],
        &[WRITE, "\n#pragma xmp loop on t[i]\nfor (int i = 1; i < 15; i++) b[i] = a[i + 1];\n"],
        &[WRITE, "\n#pragma xmp loop on t[i]\nfor (int i = 0; i < 64; i++) b[i] = a[i];\n"],
        &[WRITE, "\n#pragma xmp loop on t[i]\nfor (int i = 1; i < 63; i++) if (i % 16) b[i] = a[i - 1];\n"],
        &["\n#pragma xmp task on p[0]\n{", WRITE, READ, "}"],
    ] {
        check_none(&function(parts));
    }
}

#[test]
fn subscripts_with_the_same_variable_are_no_box() {
    let declared = "#pragma xmp nodes p[4]\n#pragma xmp template t[64]\n#pragma xmp distribute t[block] onto p\n\
        double a[64][64], b[64];\n#pragma xmp align a[i][*] with t[i]\n#pragma xmp align b[i] with t[i]\n\
        #pragma xmp shadow a[1][0]\ndouble value(int i) { return 3 * i; }\n";
    let with = |write: &str, read: &str| {
        let write = format!("\n#pragma xmp loop on t[i]\nfor (int i = 0; i < 64; i++) {write} = value(i);\n");
        let read = format!("\n#pragma xmp loop on t[i]\nfor (int i = 1; i < 64; i++) b[i] = {read};\n");
        reports_after(declared, &function(&[&write, &read])).len()
    };
    assert_eq!(with("a[i][3]", "a[i - 1][3]"), 1);
    // The diagonal is written, and what is read is not on it.
    assert_eq!(with("a[i][i]", "a[i - 1][3]"), 0);
    assert_eq!(with("a[i][3]", "a[i - 1][i]"), 0);
}

#[test]
fn loops_in_loops_end_in_time() {
    let nested = |depth: usize, inside: &str| {
        let loops = "for (int k = 0; k < steps; k++) {".repeat(depth);
        function(&[REFLECT, WRITE, &loops, inside, &"}".repeat(depth), READ])
    };
    assert_eq!(reports(&nested(60, "b[0] = value(k);")).len(), 1);
    assert_eq!(reports(&nested(4, WRITE)).len(), 1);
    // Too many: what they leave is not known.
    check_none(&nested(60, WRITE));
}

#[test]
fn a_reflection_is_inserted_where_a_statement_more_can_stand() {
    let repaired = |text: &str| {
        let text = format!("{DECLARED}{text}");
        let found = diagnostics_of(Path::new("a.c"), &text, &Arc::new(Toolchain::default()));
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        fixed(&text, &found[0])
    };
    let in_block = repaired(&function(&["for (int k = 0; k < steps; k++) {", WRITE, READ, "}"])).unwrap();
    assert!(in_block.contains("#pragma xmp reflect (a)\n#pragma xmp loop"), "{in_block}");
    for parts in [
        [WRITE, "for (int k = 0; k < steps; k++)", READ],
        [WRITE, "while (steps--)", READ],
        [WRITE, "\n#pragma acc data copy(a)", READ],
    ] {
        assert_eq!(repaired(&function(&parts)), None, "{parts:?}");
    }
}

#[test]
fn functions_that_reflect_are_seen_and_others_passed_over() {
    let helper = |body: &str| format!("static void help(void) {{ {body} }}\n");
    let caller = function(&[WRITE, "help();", READ]);
    check_none(&format!("{}{caller}", helper(REFLECT)));
    check_none(&format!("{}{caller}", helper("exchange();")));
    let found = reports(&format!("{}{caller}", helper("int k = value(3); k++;")));
    assert!(found[0].starts_with("xmp/missing-reflect"), "{found:?}");
}

#[test]
fn the_number_of_nodes_that_is_left_open_is_taken_as_two() {
    let found = reports_after(&DECLARED.replace("p[4]", "p[*]"), &function(&[WRITE, READ]));
    assert_eq!(
        found,
        [
            "xmp/missing-reflect: no `reflect` brings `a[31]` from its owner, who has stored to it before: the copy in \
          the shadow is old when there are two nodes"
        ]
    );
    let one = reports_after(&DECLARED.replace("p[4]", "p[1]"), &function(&[WRITE, READ]));
    assert_eq!(one, Vec::<String>::new());
}

const SQUARE: &str = "#pragma xmp nodes p[2][2]\n#pragma xmp template t[8][8]\n#pragma xmp distribute t[block][block] onto p\n\
    double a[8][8], v[8];\n#pragma xmp align a[i][j] with t[i][j]\n#pragma xmp align v[i] with t[i][*]\n";

#[test]
fn elements_are_compared_with_the_nodes_of_their_iterations() {
    let in_loop = |on: &str, body: &str| {
        let text = format!(
            "void f(void) {{\n#pragma xmp loop (i, j) on {on}\nfor (int i = 0; i < 8; i++)\nfor (int j = 0; j < 8; j++) {body}\n}}\n"
        );
        reports_after(SQUARE, &text)
    };
    assert_eq!(
        in_loop("t[j][i]", "a[i][j] = 1;"),
        [
            "xmp/unaligned-loop: a node with index 0 in axis 0 of `p` executes the iteration `j` = 0, which stores to `a` at index 7 of \
          axis 0, and a node with index 1 in axis 0 of `p` has that element"
        ]
    );
    assert_eq!(in_loop("t[i][*]", "a[i][j] = 1;").len(), 1);
    assert_eq!(in_loop("t[i][j]", "a[i][3] = 1;").len(), 1);
    for (on, body) in [
        ("t[i][j]", "a[i][j] = 1;"),
        ("t[i][*]", "v[i] = 1;"),
        ("t[i][j]", "v[i] = 1;"),
        ("t[j][i]", "a[j][i] = 1;"),
        ("t[i][j]", "if (i == j) a[j][i] = 1;"),
        ("t[:][j]", "a[i][j] = 1;"),
    ] {
        assert_eq!(in_loop(on, body), Vec::<String>::new(), "on {on}: {body}");
    }
}

#[test]
fn arrays_of_other_templates_are_compared_by_their_owners() {
    let with = |declared: &str, element: &str| {
        let declared = format!(
            "#pragma xmp nodes p[4]\n#pragma xmp template t[64]\n#pragma xmp template u[80]\n\
             #pragma xmp distribute t[block] onto p\n{declared}\n"
        );
        let body = format!("#pragma xmp loop on t[i]\nfor (int i = 0; i < 60; i++) {element} = 1;\n");
        reports_after(&declared, &format!("void f(void) {{\n{body}}}\n"))
    };
    let on_u = "double c[64];\n#pragma xmp align c[i] with u[i]\n";
    assert_eq!(
        with(&format!("#pragma xmp distribute u[block] onto p\n{on_u}"), "c[i]"),
        [
            "xmp/unaligned-loop: node 1 executes the iteration `i` = 16, which stores to `c[16]`, and node 0 has that element"
        ]
    );
    // Blocks of 16 as the loop has; shadows that are wide enough; other nodes; not known.
    for (declared, element) in [
        (format!("#pragma xmp distribute u[block(16)] onto p\n{on_u}"), "c[i]"),
        (format!("#pragma xmp distribute u[block] onto p\n{on_u}#pragma xmp shadow c[12:12]\n"), "c[i]"),
        (format!("#pragma xmp nodes q[4]\n#pragma xmp distribute u[block] onto q\n{on_u}"), "c[i]"),
        (format!("int m[4];\n#pragma xmp distribute u[gblock(m)] onto p\n{on_u}"), "c[i]"),
        ("double c[64];\n#pragma xmp align c[i] with t[i]\n".to_owned(), "c[i]"),
    ] {
        assert_eq!(with(&declared, element), Vec::<String>::new(), "{declared}");
    }
    let shifted =
        "double c[64];\n#pragma xmp align c[i] with u[i+16]\n#pragma xmp distribute u[block(16)] onto p\n";
    assert_eq!(with(shifted, "c[i]").len(), 1);
}

#[test]
fn values_by_the_number_of_the_node_are_not_equal() {
    let with = |text: &str| reports(&format!("void f(double x) {{ int me = xmp_node_num();\n{text}\n}}\n"));
    for text in [
        "#pragma xmp bcast (x) from p[me]",
        "#pragma xmp bcast (x) from p[xmp_node_num() - 1]",
        "#pragma xmp loop on t[i]\nfor (int i = me; i < 64; i++) b[i] = 1;",
        "#pragma xmp loop on t[i]\nfor (int i = 0; i < 4 * me; i++) b[i] = 1;",
        "#pragma xmp gmove\nx = a[me];",
        "#pragma xmp reflect (a) width(me)",
    ] {
        let found = with(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].starts_with("xmp/unequal-value"), "{text}: {found:?}");
    }
    for text in [
        // The same on all nodes, perhaps.
        "#pragma xmp bcast (x) from p[me / 4]",
        "#pragma xmp bcast (x) from p[me * 0]",
        "me = 0;\n#pragma xmp bcast (x) from p[me]",
        "\n#pragma xmp bcast (me) from p[0]\n#pragma xmp bcast (x) from p[me]",
        "\n#pragma xmp reduction (+:me)\n#pragma xmp bcast (x) from p[me]",
        "scanf(\"%d\", &me);\n#pragma xmp bcast (x) from p[me]",
        // One-sided, or by a part of the nodes.
        "#pragma xmp gmove in\nx = a[me];",
        "#pragma xmp task on p[0]\n{\n#pragma xmp bcast (x) from p[me]\n}",
        "#pragma xmp loop on t[i]\nfor (int i = 0; i < 64; i++) b[i] = me;",
    ] {
        assert_eq!(with(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn the_host_executes_directives_outside_of_compute_regions() {
    let in_region = |directive: &str| {
        reports(&format!(
            "void f(void) {{\n#pragma acc parallel copy(a)\n{{\n{directive}\n#pragma xmp loop on t[i]\n#pragma acc loop\n\
             for (int i = 0; i < 64; i++) a[i] = value(i);\n}}\n}}\n"
        ))
    };
    for (directive, name) in [
        ("#pragma xmp barrier", "barrier"),
        ("#pragma xmp reflect (a)", "reflect"),
        ("#pragma xmp gmove\nb[0] = a[1];", "gmove"),
    ] {
        assert_eq!(
            in_region(directive),
            [format!(
                "xmp/directive-in-compute-region: the host executes `{name}`, and an accelerator this region"
            )]
        );
    }
    assert_eq!(in_region(""), Vec::<String>::new());
    check_none(&function(&["\n#pragma acc data copy(a)\n{", REFLECT, "}"]));
}

#[test]
fn arrays_of_accelerators_are_looked_for_in_the_whole_program() {
    let device = "#pragma xmp loop on t[i] acc\nfor (int i = 0; i < 64; i++) a[i] = i;\n";
    let main = |before: &str, body: &str| reports(&format!("{before}int main(void) {{\n{body}\n}}\n"));
    assert_eq!(main("", device), ["xmp/missing-device-data: no directive brings `a` to the accelerator"]);
    assert_eq!(main("", "#pragma xmp reflect (a) acc\n").len(), 1);
    for (before, body) in [
        ("#pragma xmp acc replicate (a)\n", device.to_owned()),
        ("#pragma acc declare create(a)\n", device.to_owned()),
        ("", format!("#pragma acc data copy(a)\n{{\n{device}}}")),
        ("", format!("#pragma acc enter data copyin(b, a)\n{device}")),
        ("#define ARRAYS b, a\n#pragma acc declare create(ARRAYS)\n", device.to_owned()),
        ("#define BRING _Pragma(\"xmp acc replicate (a)\")\nBRING\n", device.to_owned()),
        ("void start(void) {\n#pragma acc enter data create(a)\n}\n", format!("start();\n{device}")),
        // Another file may do it.
        ("", format!("exchange();\n{device}")),
        (
            "void start(double *x) {\n#pragma acc enter data create(x[0:16])\n}\n",
            format!("start(a);\n{device}"),
        ),
    ] {
        assert_eq!(main(before, &body), Vec::<String>::new(), "{before}{body}");
    }
    // A part of a program.
    assert_eq!(reports(&format!("void f(void) {{\n{device}}}\n")), Vec::<String>::new());
}

#[test]
fn sums_of_a_node_are_not_reduced() {
    let sum = "double s = 0;\n#pragma xmp loop on t[i]\nfor (int i = 0; i < 64; i++) s += a[i];\n";
    assert_eq!(reports(&function(&[sum])).len(), 1);
    let of_macro = sum.replace("t[i]", "t[i] reduction(+:SUM)");
    check_none(&format!("#define SUM s\n{}", function(&[&of_macro])));
    let by_directive = format!("{sum}\n#pragma xmp reduction(+:SUM)\n");
    check_none(&format!("#define SUM s\n{}", function(&[&by_directive])));
    check_none(&function(&[sum, "if (xmp_node_num() == 1 && s != 120) exchange();"]));
}
