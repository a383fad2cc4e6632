//! XcalableMP directives as calls of the runtime: the edited text of files.

use std::path::Path;
use std::sync::Arc;

use apg_c_analysis::{AnalysisHost, Toolchain};
use apg_c_syntax::Disk;

/// The edited text of a file, or its errors.
fn distribute(text: &str) -> Result<String, Vec<String>> {
    let mut host = AnalysisHost::new(Arc::new(Disk));
    let file = host.set_file(Path::new("/x.c"), text.into(), &Arc::new(Toolchain::default()));
    let parsed = apg_c_analysis::parsed(host.database(), file);
    let edited = apg_lower_c::distribute(parsed, "x.c", false);
    let edited = edited.map_err(|errors| errors.into_iter().map(|it| it.message).collect::<Vec<_>>())?;
    Ok(edited.expect("it has directives"))
}

/// The edited text of what stands behind declarations of an array in blocks, `a`, and one dealt out, `c`.
fn body(text: &str) -> String {
    let declarations = "#pragma xmp nodes p[4]\n#pragma xmp template t[16][16]\n\
        #pragma xmp distribute t[block][cyclic] onto p\n#pragma xmp template u[16]\n\
        #pragma xmp distribute u[cyclic(2)] onto p\ndouble a[16][16], c[16];\nint s, b[8];\n\
        #pragma xmp align a[i][*] with t[i][*]\n#pragma xmp align c[i] with u[i]\n";
    distribute(&format!("{declarations}void f(void) {{\n{text}\n}}\n")).expect("it is supported")
}

#[track_caller]
fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}

#[test]
fn global_arrays_are_pointers_that_global_indices_lead_into() {
    let text = body("a[s][s + 1] = c[s];");
    assert_has(
        &text,
        &[
            "double *a, *c;",
            "static struct apg_xmp_array apg_a_a",
            "a[(s) * apg_a_a.stride[0] + (s + 1) - apg_a_a.origin] = \
             c[apg_xmp_local(&apg_a_c.axis[0], s) - apg_a_c.origin];",
        ],
    );
}

#[test]
fn subscripts_of_subscripts_are_edited_as_well() {
    assert_has(
        &body("a[(int)c[s]][0] = 0;"),
        &["a[((int)c[apg_xmp_local(&apg_a_c.axis[0], s) - apg_a_c.origin]) * "],
    );
}

#[test]
fn blocks_need_one_loop_and_cards_a_loop_over_runs() {
    let blocks = body("#pragma xmp loop (i) on t[i][*]\nfor (int i = 1; i < 15; i++) a[i][0] = i;");
    assert_has(
        &blocks,
        &[
            "apg_x_t, 0, 0, (1), (long)(15) - 1, 1, APG_XMP_WHOLE, 0, 0, 0)",
            "for (int i = apg_r1_.first; i <= apg_r1_.last; i += apg_r1_.step) ",
        ],
    );
    assert!(!blocks.contains("apg_xmp_first_run"), "{blocks}");
    let cards = body("int i;\n#pragma xmp loop on u[i]\nfor (i = 15; i >= 0; i--) c[i] = i;");
    assert_has(
        &cards,
        &[
            "(15), (0), -(1), APG_XMP_WHOLE",
            "apg_xmp_first_run(&apg_r1_)",
            "for (i = apg_n1_.first; i >= apg_n1_.last; i += apg_r1_.step)",
        ],
    );
}

#[test]
fn parentheses_reverse_the_axes() {
    let text = distribute(
        "#pragma xmp nodes p(2,*)\n#pragma xmp template t(0:7,4)\n#pragma xmp distribute t(block,cyclic(3)) onto p\n\
         int a[4][8];\n#pragma xmp align a[i][j] with t(j,i+1)\n",
    );
    assert_has(
        &text.expect("it is supported"),
        &[
            "(const long[]){-1, 2}",
            "(const long[]){1, 0}, (const long[]){4, (long)(7) - (0) + 1}",
            "{APG_XMP_CYCLIC, 3, 0}, {APG_XMP_BLOCK, 0, 0}",
            "(const struct apg_xmp_alignment[]){{0, +1}, {1, 0}}",
        ],
    );
}

#[test]
fn a_sum_counts_its_old_value_once_and_a_maximum_needs_not() {
    let text = body("#pragma xmp loop on u[i] reduction(+:s)\nfor (int i = 0; i < 16; i++) s += c[i];");
    assert_has(&text, &["apg_xmp_begin_reduction(", "APG_XMP_SUM, apg_i1_, 1, apg_x_u, 1, apg_o1_);"]);
    let text = body("#pragma xmp loop on u[i] reduction(max:s)\nfor (int i = 0; i < 16; i++) s = i;");
    assert!(!text.contains("apg_xmp_begin_reduction"), "{text}");
}

#[test]
fn sections_are_moved_or_assigned_in_loops() {
    let text = body("#pragma xmp gmove\nb[0:4] = c[2:4:3];");
    assert_has(&text, &["apg_xmp_gmove(", "{{APG_XMP_SECTION, 0, 4, 1}}", "{{APG_XMP_SECTION, 2, 4, 3}}"]);
    let text = body("b[0:4] = b[1:4];");
    assert_has(&text, &["__builtin_malloc(apg_n_ * sizeof *apg_w_)"]);
}

/// The edited text of statements of a function with coarrays, or the errors.
fn with_coarrays(statements: &str) -> Result<String, Vec<String>> {
    distribute(&format!(
        "struct s {{ int x, v[4]; }};\nint a:[*];\nint b[8]:[*];\nint *q[4]:[*];\n\
         void f(struct s *s, int *p, int x, float y, int c[8]) {{\n{statements}\n}}\n"
    ))
}

#[test]
fn value_of_another_image_is_stored_where_the_target_is() {
    for target in ["*p", "s->x", "c[x]", "y", "p[1]"] {
        let text = with_coarrays(&format!("{target} = a:[1];")).expect("it is supported");
        assert_has(
            &text,
            &["{ __typeof__(a) apg_v_; const ", "apg_xmp_get(", &format!("{target} = apg_v_; }}")],
        );
    }
    let text = with_coarrays("b[0:4]:[1] = y;").expect("it is supported");
    assert_has(&text, &["{ __typeof__(b[0]) apg_v_ = y; const ", "apg_xmp_put("]);
}

#[test]
fn sections_of_images_are_moved_with_one_type() {
    let text = with_coarrays("c[0:4] = b[2:4]:[1];").expect("it is supported");
    assert_has(&text, &["_Static_assert(__builtin_types_compatible_p(__typeof__(c[0]), __typeof__(b[0]))"]);
    let errors = with_coarrays("s->v[0:4] = b[0:4]:[1];").expect_err("an error");
    assert_eq!(errors, ["these elements are those of no variable"]);
    let errors = with_coarrays("x = q[1][2]:[1];").expect_err("an error");
    assert_eq!(errors, ["`q` has 1 axes, and the access has 2 subscripts"]);
}

#[test]
fn atomic_access_without_an_image_is_to_this_one_in_tasks_as_well() {
    let text = distribute("#include <xmp.h>\nint a:[*];\nvoid f(int x) { xmp_atomic_define(a, x); }\n");
    assert_has(&text.expect("it is supported"), &["{apg_xmp_runtime->node_number(1)}"]);
}

#[test]
fn lines_of_the_file_keep_their_numbers() {
    let text = distribute("int x;\n#pragma xmp nodes \\\n  p[*]\n\n\n\n\n\n\n\n\n\n\n\nint y;\n")
        .expect("it is supported");
    assert_has(&text, &["# 15 \"x.c\"\nint y;"]);
}

#[test]
fn what_has_no_translation_is_an_error() {
    let head = "#pragma xmp nodes p[*]\n#pragma xmp template t[8]\n#pragma xmp distribute t[block] onto p\nint a[8];\n\
        #pragma xmp align a[i] with t[i]\n";
    let errors =
        |body: &str| distribute(&format!("{head}void f(void) {{\n{body}\n}}\n")).expect_err("an error");
    let wrong = errors("int i;\n#pragma xmp loop on t[i]\nfor (int j = 0; j < 8; j++) a[j] = 0;");
    assert_eq!(wrong, ["no `for` loop here has a variable that is a subscript of `on`"]);
    assert_eq!(
        errors("int x[8];\n#pragma xmp gmove\nx[:] = a[:] + 1;"),
        ["`gmove` moves sections, it computes nothing"]
    );
    assert_eq!(errors("#pragma xmp bcast (a)"), ["`a` is a global array, of which each node has a part"]);
}

#[test]
fn members_of_structs_are_global_arrays_with_a_block_for_each_object() {
    let head = "#pragma xmp nodes p[2]\n#pragma xmp template t[8]\n#pragma xmp distribute t[block] onto p\n\
        struct s { int n, a[8]; };\n#pragma xmp align s.a[i] with t[i]\n#pragma xmp shadow s.a[1]\nstruct s x;\n";
    let text = distribute(&format!(
        "{head}void f(struct s *q, int k) {{\nstruct s y;\n#pragma xmp reflect (x.a)\n\
         #pragma xmp loop on t[i]\nfor (int i = 0; i < 8; i++) y.a[i] = q->a[i] + x.a[k];\n}}\n"
    ));
    assert_has(
        &text.expect("it is supported"),
        &[
            "struct s { int n, *a; };",
            "y.a[(i) - apg_a_s_a.origin] = q->a[(i) - apg_a_s_a.origin] + x.a[(k) - apg_a_s_a.origin]",
            "apg_xmp_at(&apg_a_s_a, (void *)x.a)",
            "{ static struct apg_xmp_array apg_o_apg_a_x_a; apg_xmp_align(",
            "&apg_o_apg_a_y_a, \"s.a\", &y.a, ",
        ],
    );
    let errors = distribute(&format!("{head}struct s all[3];\n")).expect_err("an error");
    assert_eq!(errors, ["elements of `all` have no blocks of `s.a`"]);
}

#[test]
fn descriptors_that_are_used_early_are_declared_at_the_start_of_their_function() {
    let text = distribute(
        "#include <xmp.h>\nint *a;\nint main(void) {\na = (int *)xmp_malloc(xmp_desc_of(a), 8);\n\
         #pragma xmp nodes p[*]\n#pragma xmp template t[8]\n#pragma xmp distribute t[block] onto p\n\
         #pragma xmp align a[i] with t[i]\nreturn 0;\n}\n",
    )
    .expect("it is supported");
    let (declared, used) = (text.find("apg_a_a __attribute__"), text.find("xmp_malloc(((void *)"));
    assert!(declared.is_some() && used.is_some() && declared < used, "{text}");
}

#[test]
fn declarations_that_need_values_of_their_function_stay_in_place() {
    let program = |early: &str| {
        format!(
            "#include <xmp.h>\n#pragma xmp nodes p[*]\ndouble *a;\nint main(int m, char **argv) {{\n\
             int i, n = 8;\n{early};\n#pragma xmp template t[n]\n#pragma xmp distribute t[block] onto p\n\
             #pragma xmp align a[i] with t[i]\na = (double *)xmp_malloc(xmp_desc_of(a), n);\nreturn 0;\n}}\n"
        )
    };
    // An assignment needs no descriptor.
    let text = distribute(&program("a = 0")).expect("it is supported");
    let (value, template) = (text.find("n = 8"), text.find("apg_xmp_template("));
    assert!(value.is_some() && value < template, "{text}");
    let early = "a = (double *)xmp_malloc(xmp_desc_of(a), 8)";
    let errors = distribute(&program(early)).expect_err("an error");
    assert!(errors[0].contains("this directive needs `n`, which is set in the function"), "{errors:?}");
    // The index of an alignment is no object, and a parameter has its value at the start.
    let text = distribute(&program(early).replace("t[n]", "t[m]")).expect("it is supported");
    assert!(text.find("apg_xmp_template(") < text.find("n = 8"), "{text}");
    let changed = format!("m++; {early}");
    assert!(distribute(&program(&changed).replace("t[n]", "t[m]")).is_err());
}

#[test]
fn nodes_are_counted_as_a_reference_writes_them() {
    assert_has(&body("#pragma xmp barrier on p(2)"), &["{APG_XMP_INDEX, (2) - 1, 1, 1}"]);
    assert_has(&body("#pragma xmp barrier on p[2]"), &["{APG_XMP_INDEX, 2, 1, 1}"]);
    assert_has(
        &body("#pragma xmp barrier on p(2:3)"),
        &["{APG_XMP_SECTION, (2) - 1, ((3) - (2)) / (1) + 1, 1}"],
    );
    assert_has(&body("#pragma xmp barrier on u(2)"), &["{APG_XMP_INDEX, 2, 1, 1}"]);
}

#[test]
fn nodes_of_a_name_are_those_of_their_function() {
    let text = distribute(
        "#pragma xmp nodes p[4]\nvoid f(void) {\n#pragma xmp nodes n[2]\n;\n}\n\
         void g(void) {\n#pragma xmp nodes n(4)\n#pragma xmp barrier on n(3)\n}\n\
         void h(void) {\n{\n#pragma xmp nodes n[2]\n;\n}\n#pragma xmp nodes n(4)\n\
         #pragma xmp barrier on n(2)\n#pragma xmp barrier on n[1]\n}\n",
    );
    let indices = ["{APG_XMP_INDEX, 3, 1, 1}", "{APG_XMP_INDEX, 2, 1, 1}", "{APG_XMP_INDEX, (1) + 1, 1, 1}"];
    assert_has(&text.expect("it is supported"), &indices);
}

#[test]
fn loops_on_a_part_of_an_axis_are_those_of_its_owners() {
    assert_has(
        &body("#pragma xmp loop on t[i][4:8]\nfor (int i = 0; i < 16; i++) a[i][4] = i;"),
        &[
            "if (apg_xmp_has_iterations(apg_xmp_loop(",
            "1, 0, (4), (4) + (8) - 1, 1, APG_XMP_WHOLE, 0, 0, 0)))",
        ],
    );
}

#[test]
fn whole_arrays_that_each_node_has_are_reduced_and_sent() {
    let text = distribute(
        "#pragma xmp nodes p[2]\n#pragma xmp template t[8]\n#pragma xmp distribute t[block] onto p\n\
         double r[3][4];\n#pragma xmp align r[*][*] with t[*]\nvoid f(void) {\n#pragma xmp bcast (r)\n\
         #pragma xmp reduction (+:r)\n}\n",
    );
    let item = "{(void *)r, (long)(3) * (long)(4), APG_XMP_TYPE(r[0]), sizeof(r[0]), 0, 0}";
    let text = text.expect("it is supported");
    assert_eq!(text.matches(item).count(), 2, "{text}");
}

#[test]
fn functions_in_functions_are_refused() {
    let text = "#pragma xmp nodes p[4]\nvoid f(void) {\n    int own(void) { return 1; }\n    own();\n}\n";
    let refused = distribute(text).expect_err("an error");
    assert_eq!(refused, ["`own` is defined in a function of a file with XcalableMP"]);
}
