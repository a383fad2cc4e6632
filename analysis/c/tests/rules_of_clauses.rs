//! Clauses and placements that look like violations of a rule and are none, beside those that are.

mod support;

use std::collections::BTreeSet;
use std::path::Path;

use support::{diagnostics_of, fixed, toolchain};

fn codes(text: &str) -> BTreeSet<&'static str> {
    diagnostics_of(Path::new("example.c"), text, &toolchain()).iter().map(|it| it.code).collect()
}

/// A function with a directive in front of a loop.
fn on_loop(directive: &str) -> String {
    format!(
        "void run(double *a, int n) {{\n    int k = 0;\n    #pragma omp {directive}\n    \
         for (int i = 0; i < n; i++) a[i] = a[i] * 2 + k;\n}}\n"
    )
}

#[test]
fn clauses_that_go_together_are_accepted() {
    for directive in [
        "parallel for schedule(nonmonotonic: dynamic, 4)",
        "parallel for order(reproducible: concurrent)",
        "parallel for simd safelen(8) simdlen(4) collapse(1)",
        "parallel for if(parallel: n > 4) firstprivate(k) default(shared)",
        "target teams distribute parallel for map(always, tofrom: a[0:n]) if(target: n > 4)",
        "parallel for schedule(monotonic: static) proc_bind(close)",
        "target teams distribute parallel for map(ompx_hold, tofrom: a[0:n])",
    ] {
        assert_eq!(codes(&on_loop(directive)), BTreeSet::new(), "{directive}");
    }
}

#[test]
fn what_compilers_accept_is_no_error() {
    for directive in [
        "parallel for shared(a, n,)",
        "metadirective when(device={kind(host)}: parallel for) default(parallel for schedule(static))",
        "begin metadirective when(user={condition(1)}:) default(parallel for)",
        "taskloop default(none) shared(a) firstprivate(k)",
    ] {
        assert_eq!(codes(&on_loop(directive)), BTreeSet::new(), "{directive}");
    }
    let sum = on_loop("parallel for").replace("i++", "i = i + n - 1");
    assert_eq!(codes(&sum), BTreeSet::new());
    let unused = sum.replace("n - 1", "n * 2").replace("i = i +", "i = n +");
    assert_eq!(codes(&unused), BTreeSet::from(["omp/loop-form"]));
    let reduction = "struct sum { int n; };\n#pragma omp declare reduction(add : struct sum : omp_out.n += omp_in.n) \
        initializer(omp_priv = { 0 })\n";
    assert_eq!(codes(reduction), BTreeSet::new());
    let scope = "void run(double *a, int n) {\n#pragma omp parallel\n#pragma omp scope\n{\n#pragma omp for\n\
        for (int i = 0; i < n; i++) a[i] *= 2;\n}\n}\n";
    assert_eq!(codes(scope), BTreeSet::new());
    // Compilers pass over it.
    for directive in
        ["", "metadirective when(user={condition(1)}: parallell for)", "metadirective default(fur)"]
    {
        assert_eq!(codes(&on_loop(directive)), BTreeSet::from(["omp/unknown-directive"]), "{directive}");
    }
}

#[test]
fn arguments_of_other_clauses_are_refused() {
    for (directive, code) in [
        ("parallel for schedule(runtime, 4)", "omp/clause-argument"),
        ("parallel for collapse(0)", "omp/clause-argument"),
        ("target teams distribute parallel for map(hold, tofrom: a[0:n])", "omp/clause-argument"),
        ("parallel for if(task: n > 4)", "omp/clause-argument"),
        ("parallel for simd safelen(4) simdlen(8)", "omp/contradicting-clauses"),
        ("parallel for schedule(monotonic, nonmonotonic: dynamic)", "omp/contradicting-clauses"),
        ("parallel for firstprivate(i)", "omp/list-item"),
        ("parallel for private(run)", "omp/list-item"),
    ] {
        let text = match directive.contains("(i)") {
            true => on_loop(directive).replace("int i = 0", "i = 0").replace("int k = 0", "int i, k = 0"),
            false => on_loop(directive),
        };
        assert_eq!(codes(&text), BTreeSet::from([code]), "{directive}");
    }
}

#[test]
fn a_stride_over_the_end_is_refused_where_the_end_is_met_exactly() {
    let text = |head: &str| on_loop("parallel for").replace("int i = 0; i < n; i++", head);
    assert_eq!(codes(&text("int i = 0; i != n; i += 2")), BTreeSet::from(["omp/loop-form"]));
    for head in ["int i = 0; i != n; i += 1", "int i = n; i != 0; i--", "int i = 0; i < n; i += 2"] {
        assert_eq!(codes(&text(head)), BTreeSet::new(), "{head}");
    }
}

#[test]
fn functions_may_meet_barriers_where_all_threads_call_them() {
    let text = |region: &str, inner: &str| {
        format!(
            "void work(int);\nstatic void deep(int i) {{\n    #pragma omp barrier\n    work(i);\n}}\n\
             static void step(int i) {{ {inner} }}\nvoid run(int n) {{\n    #pragma omp {region}\n    \
             {{\n        step(n);\n    }}\n}}\n"
        )
    };
    assert_eq!(codes(&text("parallel", "deep(i);")), BTreeSet::new());
    assert_eq!(codes(&text("parallel", "work(i);")), BTreeSet::new());
    assert_eq!(codes(&text("critical", "deep(i);")), BTreeSet::from(["omp/nesting-by-call"]));
    assert_eq!(codes(&text("task", "deep(i);")), BTreeSet::from(["omp/nesting-by-call"]));
    // An inner team meets its own barrier.
    assert_eq!(codes(&text("critical", "\n    #pragma omp parallel\n    deep(i);\n")), BTreeSet::new());
}

#[test]
fn locks_that_others_know_are_not_judged() {
    let text = |before: &str, inside: &str| {
        format!(
            "#include <omp.h>\nvoid work(void);\nvoid share(omp_lock_t *);\nvoid run(void) {{\n    {before}\n    \
             #pragma omp parallel\n    {{\n        {inside}\n        omp_set_lock(&lock);\n        work();\n        \
             omp_unset_lock(&lock);\n    }}\n}}\n"
        )
    };
    let own = "omp_lock_t lock; omp_init_lock(&lock);";
    assert_eq!(codes(&text("", own)), BTreeSet::from(["omp/private-lock"]));
    assert_eq!(codes(&text("", &format!("{own} share(&lock);"))), BTreeSet::new());
    assert_eq!(codes(&text(own, "")), BTreeSet::new());
    assert_eq!(codes(&text("omp_lock_t lock;", "")), BTreeSet::from(["omp/lock-not-initialized"]));
    assert_eq!(codes(&text("omp_lock_t lock; share(&lock);", "")), BTreeSet::new());
}

#[test]
fn results_of_tasks_that_others_read_are_not_lost() {
    let text = |clauses: &str, body: &str| {
        format!(
            "int compute(int);\nvoid use(int);\nint run(int n) {{\n    int x;\n    #pragma omp task{clauses}\n    \
             {{\n        {body}\n    }}\n    #pragma omp taskwait\n    return x + n;\n}}\n"
        )
    };
    assert_eq!(codes(&text("", "x = compute(n);")), BTreeSet::from(["omp/lost-task-result"]));
    assert_eq!(codes(&text(" shared(x)", "x = compute(n);")), BTreeSet::new());
    assert_eq!(codes(&text("", "x = compute(n); use(x);")), BTreeSet::new());
}

#[test]
fn an_acquire_is_matched_by_any_release() {
    let text = |write: &str, other: &str| {
        format!(
            "int run(void) {{\n    int ready = 0, seen = 0;\n    #pragma omp parallel sections\n    {{\n        \
             #pragma omp section\n        {{\n            {other}\n            #pragma omp atomic {write}\n            \
             ready = 1;\n        }}\n        #pragma omp section\n        {{\n            \
             #pragma omp atomic read acquire\n            seen = ready;\n        }}\n    }}\n    return seen;\n}}\n"
        )
    };
    assert_eq!(codes(&text("write", "")), BTreeSet::from(["omp/acquire-without-release"]));
    assert_eq!(codes(&text("write relaxed", "")), BTreeSet::from(["omp/acquire-without-release"]));
    assert_eq!(codes(&text("write release", "")), BTreeSet::new());
    assert_eq!(codes(&text("write seq_cst", "")), BTreeSet::new());
    assert_eq!(codes(&text("write", "\n            #pragma omp flush\n")), BTreeSet::new());
    let captured = "\n            int old;\n            #pragma omp atomic capture release\n            old = ready++;\n";
    assert_eq!(codes(&text("write", captured)), BTreeSet::new());
}

#[test]
fn an_acquire_of_what_others_may_release_is_left_alone() {
    let text = |read: &str, write: &str, more: &str| {
        format!(
            "struct node {{ int ready; }};\nint flag;\nint take(struct node *n) {{\n    int seen;\n    \
             #pragma omp atomic write\n    {write} = 0;\n    #pragma omp atomic read acquire\n    \
             seen = {read};\n    return seen;\n}}\nvoid publish(struct node *m) {{\n    {more}\n}}\n"
        )
    };
    let release = "#pragma omp atomic write release\n    m->ready = 1;";
    let warning = BTreeSet::from(["omp/acquire-without-release"]);
    assert_eq!(codes(&text("flag", "flag", "")), warning);
    assert_eq!(codes(&text("flag", "flag", release)), BTreeSet::new(), "a store by a pointer");
    assert_eq!(codes(&text("flag", "flag", "m->ready = *&flag;")), BTreeSet::new(), "its address is taken");
    assert_eq!(codes(&text("n->ready", "n->ready", "")), BTreeSet::new(), "what a pointer points to");
    assert_eq!(codes(&text("(*n).ready", "(*n).ready", release)), BTreeSet::new());
}

#[test]
fn pragmas_of_other_tools_are_left_alone() {
    let text = |pragma: &str| {
        format!(
            "void run(double *a, int n) {{\n    {pragma}\n    for (int i = 0; i < n; i++) a[i] = i;\n}}\n"
        )
    };
    for pragma in
        ["#pragma parallel for", "#pragma ompparallel for", "#pragma ompbarrier", "#pragma critical"]
    {
        assert_eq!(codes(&text(pragma)), BTreeSet::from(["omp/missing-omp"]), "{pragma}");
    }
    for pragma in
        ["#pragma once", "#pragma parallel", "#pragma GCC ivdep", "#pragma unroll", "#pragma ompss x"]
    {
        assert_eq!(codes(&text(pragma)), BTreeSet::new(), "{pragma}");
    }
}

#[test]
fn barriers_in_loops_and_functions_are_met_by_all_threads_or_not() {
    let text = |statement: &str| {
        format!(
            "#include <omp.h>\nvoid work(int);\nstatic void wait(void) {{\n    #pragma omp barrier\n}}\n\
             void run(int n) {{\n    #pragma omp parallel\n    {{\n        int t = omp_get_thread_num();\n        \
             {statement}\n        work(t);\n    }}\n}}\n"
        )
    };
    for some in ["if (t == 0) wait();", "for (int i = 0; i < t; i++) wait();", "while (t > 0) wait();"] {
        assert_eq!(codes(&text(some)), BTreeSet::from(["omp/divergent-barrier"]), "{some}");
    }
    for all in [
        "wait();",
        "for (int i = 0; i < n; i++) wait();",
        "for (int i = t; i < n; i += 4) wait();",
        "for (int i = t, k = 0; i < n; i += 4, k++) wait();",
        "while (t < n) { wait(); t += omp_get_num_threads(); }",
        "if (t == 0) wait(); else wait();",
        "if (n == 0) wait();",
    ] {
        assert_eq!(codes(&text(all)), BTreeSet::new(), "{all}");
    }
}

#[test]
fn sections_have_the_elements_that_arrays_have() {
    let text = |item: &str| {
        format!(
            "double b[8];\nvoid run(double *a, int n) {{\n    #pragma omp target enter data map(to: {item})\n    (void)a;\n}}\n"
        )
    };
    for item in ["a[0:]", "a[:]", "a[0:-1]", "b[4:8]", "b[0:9]"] {
        assert_eq!(codes(&text(item)), BTreeSet::from(["omp/array-section"]), "{item}");
    }
    for item in ["a[0:n]", "a[:n]", "b[4:4]", "b[4:]", "b[:]", "b", "a[n:0]"] {
        assert_eq!(codes(&text(item)), BTreeSet::new(), "{item}");
    }
}

#[test]
fn functions_in_functions_are_passed_over() {
    let text = "int run(int *a, int n) {\n    #pragma omp parallel for\n    for (int i = 0; i < n; i++) {\n        \
                int twice(int k) { return k + k; }\n        a[i] = twice(i);\n    }\n    int s = 0;\n    \
                #pragma omp parallel for\n    for (int i = 0; i < n; i++) s += a[i];\n    return s;\n}\n";
    assert_eq!(codes(text), BTreeSet::from(["omp/missing-reduction"]));
}

#[test]
fn names_in_lists_are_declared_in_front_or_are_parameters_of_what_follows() {
    let simd = "#pragma omp declare simd uniform(a, b) linear(i: 1)\n\
                double sum(double *a, double *b, int i) { return a[i] + b[i]; }\n";
    assert_eq!(codes(simd), BTreeSet::new());
    let undeclared = on_loop("parallel for private(later)");
    assert_eq!(codes(&undeclared), BTreeSet::from(["omp/list-item"]));
    // A header that is missing may declare it.
    assert_eq!(codes(&format!("#include \"missing-header.h\"\n{undeclared}")), BTreeSet::new());
}

#[test]
fn tasks_that_ask_whether_they_are_final_may_be_merged() {
    let text = |body: &str| {
        format!(
            "#include <omp.h>\nvoid use(int);\nint run(int x) {{\n    #pragma omp task mergeable final(x > 3)\n    \
             {{\n        {body}\n        use(x);\n    }}\n    #pragma omp taskwait\n    return x;\n}}\n"
        )
    };
    assert_eq!(codes(&text("x++;")), BTreeSet::from(["omp/mergeable-task"]));
    assert_eq!(codes(&text("if (!omp_in_final()) x++;")), BTreeSet::new());
}

#[test]
fn functions_in_functions_may_do_what_is_missing() {
    let text = |init: &str| {
        format!(
            "#include <omp.h>\nvoid work(void);\nvoid run(void) {{\n    omp_lock_t lock;\n    {init}\n    \
             #pragma omp parallel\n    {{\n        omp_set_lock(&lock);\n        work();\n        \
             omp_unset_lock(&lock);\n    }}\n}}\n"
        )
    };
    assert_eq!(codes(&text("")), BTreeSet::from(["omp/lock-not-initialized"]));
    assert_eq!(codes(&text("void init(void) { omp_init_lock(&lock); } init();")), BTreeSet::new());
}

#[test]
fn elements_of_parameters_may_be_const() {
    let text = |parameter: &str| {
        format!(
            "void use(const double *);\nvoid run({parameter}) {{\n    #pragma omp parallel private(a)\n    \
             {{\n        a = 0;\n        use(a);\n    }}\n}}\n"
        )
    };
    assert_eq!(codes(&text("const double a[]")), BTreeSet::new());
    assert_eq!(codes(&text("const double *a")), BTreeSet::new());
    let object = text("void").replace("    #pragma", "    const double a[2] = { 0, 1 };\n    #pragma");
    assert_eq!(codes(&object), BTreeSet::from(["omp/list-item"]));
}

#[test]
fn flags_behind_pointers_are_not_matched_by_name() {
    let text = |order: &str| {
        format!(
            "struct node {{ int ready; }};\nint take(struct node *n) {{\n    int r;\n    #pragma omp atomic write\n    \
             n->ready = 0;\n    #pragma omp atomic read acquire\n    r = n->ready;\n    return r;\n}}\n\
             void publish(struct node *m) {{\n    #pragma omp atomic write {order}\n    m->ready = 1;\n}}\n"
        )
    };
    assert_eq!(codes(&text("release")), BTreeSet::new());
    assert_eq!(codes(&text("")), BTreeSet::new());
}

/// The text with the fix of the only diagnostic; `None` if it has none.
fn with_fix(text: &str) -> Option<String> {
    let found = diagnostics_of(Path::new("example.c"), text, &toolchain());
    assert_eq!(found.len(), 1, "{found:?}");
    fixed(text, &found[0])
}

#[test]
fn a_relaxed_store_gets_another_order_and_not_a_second_one() {
    let text = "int run(void) {\n    int ready = 0, seen = 0;\n    #pragma omp parallel sections\n    {\n        \
                #pragma omp section\n        {\n            #pragma omp atomic write relaxed\n            \
                ready = 1;\n        }\n        #pragma omp section\n        {\n            \
                #pragma omp atomic read acquire\n            seen = ready;\n        }\n    }\n    return seen;\n}\n";
    let fixed = with_fix(text).expect("a fix");
    assert!(fixed.contains("atomic write release\n"), "{fixed}");
    assert_eq!(codes(&fixed), BTreeSet::new());
}

#[test]
fn results_of_tasks_are_shared_where_the_function_waits_for_them() {
    let text = |behind: &str| {
        format!(
            "int compute(int);\nint run(int n) {{\n    int x;\n    #pragma omp task\n    x = compute(n);\n    \
             {behind}\n}}\n"
        )
    };
    let wait = "\n    #pragma omp taskwait\n";
    assert!(with_fix(&text(&format!("{wait}    return x + n;"))).is_some());
    let group = text("return x + n;").replace(
        "#pragma omp task\n    x = compute(n);",
        "#pragma omp taskgroup\n    {\n        #pragma omp task\n        x = compute(n);\n    }",
    );
    assert!(with_fix(&group).is_some(), "{group}");
    for behind in [
        "return n > 9 ? x : 0;",
        &format!("if (n > 9) return 0;{wait}    return x;"),
        &format!("if (n > 9) {{{wait}    }}\n    return x;"),
        "\n    #pragma omp taskwait depend(in: n)\n    return x;",
    ] {
        assert_eq!(with_fix(&text(behind)), None, "{behind}");
    }
}

#[test]
fn headers_begin_and_end_declarations_for_devices() {
    let folder = std::env::temp_dir().join(format!("apg-c-declare-target-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("begin.h"), "#pragma omp declare target\n").unwrap();
    std::fs::write(folder.join("end.h"), "#pragma omp end declare target\n").unwrap();
    let path = folder.join("a.c");
    let end = "#pragma omp end declare target\n";
    let found =
        |text: &str| diagnostics_of(&path, text, &toolchain()).iter().map(|it| it.code).collect::<Vec<_>>();
    let declared = "double scale;\ndouble scaled(double x) { return scale * x; }\n";
    let none: [&str; 0] = [];
    assert_eq!(found(&format!("#include \"begin.h\"\n{declared}{end}")), none);
    assert_eq!(found(&format!("#include \"begin.h\"\n{declared}#include \"end.h\"\n")), none);
    assert_eq!(found(&format!("#include \"begin.h\"\n{declared}{end}{end}")), ["omp/unmatched-directive"]);
    let mut host = apg_c_analysis::AnalysisHost::new(std::sync::Arc::new(support::Disk));
    let text = format!("#include \"begin.h\"\n{declared}{end}double other;\n");
    let file = host.set_file(&path, text.as_str().into(), &toolchain());
    let program = &apg_c_analysis::parsed(host.database(), file).program;
    let enclosed: Vec<_> = program.declare_target.iter().map(|it| &program.variable(*it).name[..]).collect();
    assert_eq!(enclosed, ["scale"]);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn inner_regions_compute_filters_of_their_own_variables() {
    let text = |inner: &str| {
        format!(
            "void work(void);\nvoid run(int k) {{\n    #pragma omp parallel default(none)\n    {{\n        \
             #pragma omp parallel {inner}\n        {{\n            k = 0;\n            \
             #pragma omp masked filter(k)\n            work();\n        }}\n    }}\n}}\n"
        )
    };
    assert_eq!(codes(&text("private(k)")), BTreeSet::new());
    assert!(codes(&text("firstprivate(k)")).contains("omp/default-none"));
}

#[test]
fn what_another_file_may_do_is_not_reported() {
    let ordered = |declared: &str| {
        format!(
            "{declared}\nvoid run(int n) {{\n    #pragma omp parallel for ordered\n    \
             for (int i = 0; i < n; i++) report(i);\n}}\n"
        )
    };
    assert_eq!(codes(&ordered("extern void report(int);")), BTreeSet::new());
    assert_eq!(codes(&ordered("extern void (*report)(int);")), BTreeSet::new());
    let store = ordered("static int sum;\n#define report(i) sum = i");
    assert!(codes(&store).contains("omp/ordered-without-region"));
}

#[test]
fn the_name_of_a_directive_may_be_a_macro() {
    let program = |body: &str| format!("#define F parallel for\n{}", on_loop("F").replace("a[i] * 2", body));
    assert_eq!(codes(&program("a[i] * 2")), BTreeSet::new());
    assert_eq!(codes(&program("k++")), BTreeSet::from(["omp/data-race"]));
}

#[test]
fn threads_keep_what_copyin_gave_them() {
    let program = |clause: &str| {
        format!(
            "static int level;\n#pragma omp threadprivate(level)\nvoid use(int);\nvoid run(void) {{\n    level = 3;\n    \
             #pragma omp parallel{clause}\n    ;\n    #pragma omp parallel\n    use(level);\n}}\n"
        )
    };
    assert_eq!(codes(&program(" copyin(level)")), BTreeSet::new());
    assert_eq!(codes(&program("")), BTreeSet::from(["omp/missing-copyin"]));
}

#[test]
fn a_program_that_asks_for_the_number_of_threads_may_set_it() {
    let program = |asked: &str| {
        format!(
            "int omp_{asked}(void);\nvoid omp_set_num_threads(int);\nvoid use(int);\nvoid run(void) {{\n    \
             #pragma omp parallel\n    {{\n        omp_set_num_threads(2);\n        use(omp_{asked}());\n    }}\n}}\n"
        )
    };
    assert_eq!(codes(&program("get_max_threads")), BTreeSet::new());
    assert_eq!(codes(&program("get_num_threads")), BTreeSet::from(["omp/thread-count-in-region"]));
}
