//! Regions of accelerators in programs with XcalableMP: `target` regions of OpenMP in the edited text.

use std::path::Path;
use std::sync::Arc;

use apg_c_analysis::{AnalysisHost, Toolchain};
use apg_c_syntax::Disk;

/// The edited text of statements of a function, or its errors.
fn edited(statements: &str, has_devices: bool) -> Result<String, Vec<String>> {
    let text = format!(
        "#pragma xmp nodes p[2]\n#pragma xmp template t[16]\n#pragma xmp distribute t[block] onto p\n\
         #pragma xmp template c[16]\n#pragma xmp distribute c[cyclic(2)] onto p\nint a[16], d[16];\n\
         #pragma xmp align a[i] with t[i]\n#pragma xmp align d[i] with c[i]\nint x, y[4]:[*], z[4]:[*];\n\
         void f(int s) {{\nint i, j;\n{statements}\n}}\n"
    );
    edited_file(text, has_devices)
}

/// The edited text of a file, or its errors.
fn edited_file(text: String, has_devices: bool) -> Result<String, Vec<String>> {
    let mut host = AnalysisHost::new(Arc::new(Disk));
    let file = host.set_file(Path::new("/x.c"), text.into(), &Arc::new(Toolchain::default()));
    let parsed = apg_c_analysis::parsed(host.database(), file);
    let edited = apg_lower_c::distribute(parsed, "x.c", has_devices);
    let edited = edited.map_err(|errors| errors.into_iter().map(|it| it.message).collect::<Vec<_>>())?;
    Ok(edited.expect("it has directives"))
}

fn on_device(statements: &str) -> String {
    edited(statements, true).expect("it is supported")
}

#[track_caller]
fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}

const LOOP: &str = "for (i = 0; i < 16; i++) a[i] += s;";

#[test]
fn bounds_and_layouts_are_scalars_in_front_of_a_region() {
    let text = on_device(&format!("#pragma xmp loop on t[i] acc num_threads(16, 4)\n{LOOP}"));
    assert_has(
        &text,
        &[
            "const long apg_b1_ = apg_r1_.first, apg_e1_ = apg_r1_.last",
            "apg_d_a __attribute__((unused)) = (__typeof__(&a[0]))a;",
            "apg_o_a __attribute__((unused)) = apg_a_a.origin",
            "\n#pragma omp target teams distribute parallel for thread_limit((16) * (4))\n",
            "for (i = apg_b1_; i <= apg_e1_; i += 1) apg_d_a[(i) - apg_o_a] += s;",
        ],
    );
}

#[test]
fn host_executes_regions_of_a_program_without_devices() {
    let text = edited(
        &format!(
            "#pragma acc data copy(a) present(d)\n#pragma xmp loop on t[i] acc\n{LOOP}\n#pragma xmp reflect (a) acc\n\
             #pragma acc host_data use_device(y, z)\ny[0:2]:[1] = z[0:2];"
        ),
        false,
    );
    let text = text.expect("it is supported");
    assert_has(&text, &["\n#pragma omp parallel for\n", " apg_xmp_reflect(", "&apg_to_, &apg_from_, 0)"]);
    let of_devices = ["omp target", "apg_xmp_present(", "apg_xmp_device_reflect("];
    assert!(of_devices.iter().all(|it| !text.contains(it)), "{text}");
}

#[test]
fn directives_of_both_specifications_stand_in_any_order() {
    let outer = on_device(&format!("#pragma xmp loop on t[i]\n#pragma acc parallel loop\n{LOOP}"));
    let inner = on_device(&format!("#pragma acc parallel loop\n#pragma xmp loop on t[i]\n{LOOP}"));
    for text in [outer, inner] {
        let region = "#pragma omp target teams distribute parallel for map(tofrom: apg_d_a[0:apg_n_a])\n";
        assert_has(&text, &[region]);
        let range = text.find("apg_xmp_loop(").expect("the range");
        assert!(range < text.find(region).expect("the region"), "{text}");
    }
}

#[test]
fn loops_of_one_region_are_regions_of_their_own() {
    let text = on_device(&format!(
        "#pragma acc kernels copy(a)\n{{\n#pragma xmp loop on t[i]\n#pragma acc loop\n{LOOP}\n#pragma xmp loop on t[i]\n{LOOP}\n}}"
    ));
    assert_has(&text, &["#pragma omp target data map(tofrom: apg_d_a[0:apg_n_a])\n"]);
    assert_eq!(text.matches("#pragma omp target teams distribute parallel for\n").count(), 2, "{text}");
}

#[test]
fn each_run_of_dealt_out_iterations_is_a_region() {
    let text =
        on_device("#pragma xmp loop on c[i]\n#pragma acc parallel loop\nfor (i = 0; i < 16; i++) d[i] = i;");
    assert_has(
        &text,
        &[
            "for (struct apg_xmp_run apg_n1_ = apg_xmp_first_run(&apg_r1_);",
            "apg_b1_ = apg_n1_.first",
            "(((i) + apg_offset0_d) / apg_cycle0_d * apg_width0_d",
        ],
    );
}

#[test]
fn data_of_clauses_are_the_blocks_of_nodes() {
    let text = on_device("#pragma acc enter data copyin(a) create(y)\n#pragma acc update host(a)\n;");
    assert_has(
        &text,
        &[
            "#pragma omp target enter data map(to: apg_d_a[0:apg_n_a]) map(alloc: y)\n",
            "#pragma omp target update from(apg_d_a[0:apg_n_a])\n",
        ],
    );
    let text = on_device("#pragma acc data present(a)\n#pragma xmp reflect (a) acc");
    assert_has(&text, &["apg_xmp_present(", "apg_xmp_device_reflect("]);
    let text = on_device("#pragma xmp acc replicate (a)\n{\n#pragma xmp acc replicate_sync in (a)\n}");
    assert_has(
        &text,
        &["target data map(alloc: apg_d_a[0:apg_n_a])", "target update to(apg_d_a[0:apg_n_a])"],
    );
}

#[test]
fn constructs_with_acc_communicate_what_the_device_has() {
    let text = on_device("#pragma xmp reduction(+: y) acc\n#pragma xmp bcast (x) acc");
    assert_has(&text, &["\"y\", (void *)&y, sizeof(y)); apg_xmp_device_reduction(", "apg_xmp_device_bcast("]);
    let text = on_device("#pragma xmp reduce_shadow (a) acc");
    assert_has(&text, &["apg_xmp_device_reduce_shadow("]);
    for (clause, mode) in [
        ("acc", "APG_XMP_COLLECTIVE | APG_XMP_TO_ON_DEVICE | APG_XMP_FROM_ON_DEVICE,"),
        ("in acc(d)", "APG_XMP_IN | APG_XMP_TO_ON_DEVICE,"),
        ("acc(a)", "APG_XMP_COLLECTIVE | APG_XMP_FROM_ON_DEVICE,"),
    ] {
        let statements = format!("#pragma xmp gmove {clause}\nd[:] = a[:];");
        assert_has(&on_device(&statements), &[mode]);
        let host = edited(&statements, false).expect("it is supported");
        assert!(!host.contains("ON_DEVICE"), "{host}");
    }
}

#[test]
fn parts_of_variables_are_looked_up_by_the_runtime() {
    let text = on_device(
        "double b[100], *q = b;\n#pragma xmp bcast (b[0:50], q[10:5], x) acc\n#pragma xmp reduction(+: b[0:9], q[1]) acc\n\
         #pragma xmp gmove acc\nb[0:4] = q[4:4];\n#pragma xmp gmove acc\nd[0:4] = a[0:4];",
    );
    let checks: Vec<&str> = text.split("apg_xmp_present(").skip(1).collect();
    let names: Vec<&str> = checks.iter().filter_map(|it| it.split('"').nth(5)).collect();
    assert_eq!(names, ["x", "d", "a"], "{text}");
    assert_has(&text, &["APG_XMP_COLLECTIVE | APG_XMP_TO_ON_DEVICE | APG_XMP_FROM_ON_DEVICE,"]);
}

#[test]
fn sides_of_an_assignment_are_those_that_acc_names() {
    let moved = |clause: &str, value: &str| {
        edited(
            &format!(
                "struct {{ int x; }} e[4];\nint b[4], *q = b;\n#pragma xmp gmove {clause}\na[0:4] = {value};"
            ),
            true,
        )
    };
    assert_has(
        &moved("acc(q)", "q[0:4]").expect("supported"),
        &["APG_XMP_COLLECTIVE | APG_XMP_FROM_ON_DEVICE,"],
    );
    assert_has(&moved("acc(s)", "s").expect("supported"), &["APG_XMP_COLLECTIVE | APG_XMP_FROM_ON_DEVICE,"]);
    for value in ["e[1].x", "(int)b[2]"] {
        let text = moved("acc", value).expect("supported");
        let object = value.trim_start_matches("(int)");
        let copied = format!("\n#pragma omp target update from({object})\n");
        assert_has(&text, &["APG_XMP_COLLECTIVE | APG_XMP_TO_ON_DEVICE,", &copied]);
        let text = moved("acc(a)", value).expect("supported");
        assert!(!text.contains("update from"), "{text}");
    }
    assert_eq!(
        moved("acc", "*b"),
        Err(vec!["one value of `b` is moved here, which the host does not have".to_owned()])
    );
    assert_eq!(moved("acc(d)", "b[0:4]"), Err(vec!["`d` is no array of this assignment".to_owned()]));
    assert_eq!(
        moved("acc(b[0:4])", "b[0:4]"),
        Err(vec!["`b[0:4]` is no array of this assignment".to_owned()])
    );
}

#[test]
fn counters_are_private_and_scalars_have_values_of_their_own() {
    let text = on_device(
        "#pragma xmp loop on t[i] acc\nfor (i = 0; i < 16; i++) { s = i; for (j = 0; j < s; j++) a[i] += j; }",
    );
    assert_has(&text, &["parallel for private(j) firstprivate(s)\n"]);
}

#[test]
fn reductions_start_with_the_value_of_the_host() {
    let text = on_device("#pragma xmp loop on t[i] reduction(+:x) acc\nfor (i = 0; i < 16; i++) x += a[i];");
    assert_has(
        &text,
        &[
            "reduction(+: x) map(always, tofrom: x)",
            "apg_xmp_end_reduction(",
            "#pragma omp target update to(x)\n",
        ],
    );
}

#[test]
fn only_loops_with_a_directive_are_parallel() {
    for directive in
        ["serial", "parallel", "kernels", "kernels loop", "parallel loop seq", "parallel loop auto"]
    {
        let statements = format!("#pragma acc {directive} copy(a)\n{LOOP}");
        let text = on_device(&statements);
        assert_has(&text, &["\n#pragma omp target map(tofrom: apg_d_a[0:apg_n_a])"]);
        assert!(!text.contains("parallel for"), "{directive}: {text}");
        let host = edited(&statements, false).expect("it is supported");
        assert!(!host.contains("omp parallel"), "{directive}: {host}");
    }
    for directives in [
        "#pragma acc parallel loop copy(a)",
        "#pragma acc kernels loop independent copy(a)",
        "#pragma acc parallel copy(a)\n#pragma acc loop",
        "#pragma acc kernels copy(a)\n#pragma xmp loop on t[i]",
    ] {
        let text = on_device(&format!("{directives}\n{LOOP}"));
        assert_has(&text, &["\n#pragma omp target teams distribute parallel for map(tofrom: apg_d_a"]);
    }
    let nested = on_device(
        "#pragma acc parallel\nfor (j = 0; j < 3; j++)\n#pragma acc loop\nfor (i = 0; i < 8; i++) x += i;",
    );
    assert_has(&nested, &["#pragma omp target\n", "#pragma omp parallel for firstprivate(x)\n"]);
}

#[test]
fn sequential_statements_of_kernels_change_scalars() {
    let text = on_device("#pragma acc kernels\nfor (i = 0; i < 16; i++) s += i;");
    assert_has(&text, &["#pragma omp target map(tofrom: s) map(tofrom: i)\n"]);
}

#[test]
fn loops_of_a_region_obey_its_clauses() {
    let text = on_device(
        "#pragma acc parallel reduction(+:s) copy(x) if(j)\n{\n#pragma xmp loop on t[i]\n#pragma acc loop\n\
         for (i = 0; i < 16; i++) { s += a[i]; x = 1; }\n#pragma acc loop reduction(max:j)\n\
         #pragma xmp loop on t[i]\nfor (i = 0; i < 16; i++) if (a[i] > j) j = a[i];\n}",
    );
    assert_has(
        &text,
        &[
            "#pragma omp target data map(tofrom: x) map(tofrom: s) map(tofrom: apg_d_a[0:apg_n_a]) if(j)\n",
            "parallel for reduction(+: s) map(tofrom: x) map(tofrom: s) if(target: j)\n",
            "parallel for reduction(max: j) map(tofrom: j) ",
        ],
    );
    let text = on_device(
        "#pragma acc parallel reduction(+:s)\n{\nx = 2;\n#pragma acc loop gang\nfor (i = 0; i < 16; i++) s += x;\n}",
    );
    assert_has(&text, &["#pragma omp target map(tofrom: s)\n", "#pragma omp parallel for reduction(+: s)\n"]);
}

#[test]
fn each_loop_of_a_region_has_tests_and_ranges_of_its_own() {
    let one = "#pragma xmp loop on c[i]\n#pragma acc loop\nfor (i = 0; i < 16; i++) d[i] += 1;\n";
    let text = on_device(&format!("#pragma acc kernels copy(d)\n{{\n{one}{one}}}"));
    let data = text.find("#pragma omp target data").expect("data");
    assert_eq!(text[data..].matches("apg_xmp_first_run(").count(), 2, "{text}");
    assert!(!text[..data].contains("apg_xmp_first_run("), "{text}");
    let first = text.find("#pragma omp target teams").expect("the first loop");
    assert_eq!(text[..first].matches("apg_xmp_first_run(").count(), 1, "{text}");
    let reduced = "#pragma xmp loop on t[i] reduction(+:s)\n#pragma acc loop reduction(+:s)\nfor (i = 0; i < 16; i++) s += a[i];\n";
    let text = on_device(&format!("#pragma acc parallel copy(s)\n{{\n{reduced}{reduced}}}"));
    assert_eq!(text.matches("reduction(+: s) map(always, tofrom: s)\n").count(), 2, "{text}");
    assert_eq!(text.matches("#pragma omp target update to(s)\n").count(), 2, "{text}");
}

#[test]
fn host_knows_ranges_in_front_of_a_region() {
    let errors = |statements: &str| edited(statements, true).expect_err("an error");
    assert_eq!(
        errors(
            "#pragma acc parallel loop seq\nfor (j = 0; j < 16; j++) {\n#pragma xmp loop on t[i]\n#pragma acc loop\n\
             for (i = j; i < 16; i++) a[i] += 1;\n}"
        ),
        ["the iterations of this loop depend on `j`, which its region changes"]
    );
    assert_eq!(
        errors(
            "#pragma acc parallel loop seq\nfor (j = 0; j < 16; j++) {\n#pragma xmp loop on c[i]\n#pragma acc loop\n\
             for (i = 0; i < 16; i++) d[i] += 1;\n}"
        ),
        [
            "this loop of an accelerator has several ranges, a test or a reduction of the host, and its region has \
             other statements"
        ]
    );
}

#[test]
fn what_accelerators_cannot_do_is_an_error() {
    let errors = |statements: &str| edited(statements, true).expect_err("an error");
    assert_eq!(
        errors("#pragma xmp loop on t[i] reduction(firstmax:x/s/) acc\nfor (i = 0; i < 16; i++) x = i;"),
        ["the reduction `firstmax` with locations has no form for accelerators"]
    );
    assert_eq!(errors("#pragma acc update host(a[0:4])\n;"), ["a part of a global array is copied"]);
    assert_eq!(
        errors("#pragma acc host_data use_device(y)\n{ y[0:2]:[1] = y[0:2]; s = 1; }"),
        ["a coarray is accessed in the memory of a device beside other statements"]
    );
    assert_eq!(
        errors("#pragma acc host_data use_device(y)\ny[0]:[1] = y[2];"),
        ["one value is moved here, which the host does not have"]
    );
    assert_eq!(
        errors("#pragma acc host_data use_device(y) if(s > 1)\ny[0:2]:[1] = y[0:2];"),
        ["`if` is not supported for accesses of coarrays"]
    );
    assert_eq!(
        errors("#pragma acc data copy(a) on_device(d)\n;"),
        ["the clause `on_device` is not supported"]
    );
    assert_eq!(
        errors("#pragma acc declare create(a)\n;"),
        ["this directive is in a function, where its data would outlive the call"]
    );
    assert_eq!(
        errors(
            "#pragma xmp loop on c[i]\n#pragma acc parallel loop\nfor (i = 0; i < 16; i++) { s = i; d[s++] = 1; }"
        ),
        ["this index of a cyclic axis changes a variable in a region of an accelerator"]
    );
}

#[test]
fn coarrays_say_which_sides_are_on_the_device() {
    let sides = |names: &str, statement: &str| {
        let text = on_device(&format!("#pragma acc host_data use_device({names})\n{statement}"));
        assert!(!text.contains("omp target"), "{text}");
        let end = text.find("&apg_to_, &apg_from_, ").expect("an access") + "&apg_to_, &apg_from_, ".len();
        text[end..=end].to_owned()
    };
    let put = "y[0:2]:[1] = z[0:2];";
    assert_eq!(sides("y, z", put), "3");
    assert_eq!((sides("y", put), sides("z", put), sides("x", put)), ("1".into(), "2".into(), "0".into()));
    assert_eq!(sides("z", "z[0:4] = y[0:4]:[1];"), "2");
    assert_eq!(sides("y", "{ y[0]:[1] = s; }"), "1");
}

#[test]
fn members_of_structs_are_global_arrays_of_the_host() {
    let errors = |statements: &str| {
        let text = format!(
            "#pragma xmp nodes p[2]\n#pragma xmp template t[8]\n#pragma xmp distribute t[block] onto p\n\
             struct s {{ int n, a[8]; }};\n#pragma xmp align s.a[i] with t[i]\nstruct s x;\n\
             struct o {{ struct s in; }} y;\nvoid f(void) {{\n{statements}\n}}\n"
        );
        edited_file(text, true).expect_err("an error")
    };
    assert_eq!(
        errors("#pragma xmp loop on t[i] acc\nfor (int i = 0; i < 8; i++) x.a[i] = i;"),
        ["a member of a struct is a global array in a region of an accelerator"]
    );
    assert_eq!(errors("y.in.a[0] = 1;"), ["a struct in another one has no block of `s.a`"]);
}
