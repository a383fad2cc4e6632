//! DataRaceBench by path: `APG_C_SUITES` has its folder. Precision and recall by file, for odd and even
//! numbers.

mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_c_analysis::{AnalysisHost, Toolchain, decode, parsed, race};
use support::{Disk, toolchain};

/// Least share of reported files that have a race.
const MIN_PRECISION: f64 = 0.97;
/// Least share of files with a race that are reported.
const MIN_RECALL: f64 = 0.90;

/// The races of a file: the names of their variables.
fn races(file: &Path, toolchain: &Arc<Toolchain>) -> Vec<String> {
    let text = decode(std::fs::read(file).unwrap());
    let mut host = AnalysisHost::new(Arc::new(Disk));
    let source = host.set_file(file, text.into(), toolchain);
    let parsed = parsed(host.database(), source);
    let found = race::roots::races(&parsed.program);
    let of = |number: usize| {
        let access = &found.accesses[number];
        let range = parsed.spelled(parsed.program.expr(access.site).range).unwrap_or_default();
        let line = parsed.text()[..usize::from(range.start())].matches('\n').count() + 1;
        format!("{}@{line}", &parsed.text()[std::ops::Range::<usize>::from(range)])
    };
    found.races.iter().map(|it| format!("{} {}", of(it.write), of(it.other))).collect()
}

/// The benchmark's files below a folder.
fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            programs(&path, found);
        } else if name.starts_with("DRB") && (name.ends_with("-yes.c") || name.ends_with("-no.c")) {
            found.push(path);
        }
    }
}

#[test]
fn races_of_the_benchmark_are_found_and_nothing_else() {
    let Some(folders) = std::env::var_os("APG_C_SUITES") else { return };
    let mut files = Vec::new();
    std::env::split_paths(&folders).for_each(|it| programs(&it, &mut files));
    files.sort();
    let toolchain = toolchain();
    let mut total = [0_usize; 4];
    for (name, parity) in [("odd", 1), ("even", 0)] {
        // True and false positives, false and true negatives.
        let mut counts = [0_usize; 4];
        for file in &files {
            let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
            if stem[3..6].parse::<usize>().unwrap() % 2 != parity {
                continue;
            }
            let found = races(file, &toolchain);
            let case = match (stem.ends_with("-yes"), found.is_empty()) {
                (true, false) => 0,
                (false, false) => 1,
                (true, true) => 2,
                (false, true) => 3,
            };
            counts[case] += 1;
            // Only names are shown, and of the half that is held out only counts.
            if (case == 1 || case == 2) && parity == 1 {
                println!("{stem}: {found:?}");
            }
        }
        let [hits, false_alarms, misses, _] = counts.map(|it| it as f64);
        if hits + misses == 0.0 {
            continue;
        }
        let (precision, recall) = (hits / (hits + false_alarms).max(1.0), hits / (hits + misses));
        println!("{name}: {counts:?}, precision {precision:.3}, recall {recall:.3}");
        total = [0, 1, 2, 3].map(|it| total[it] + counts[it]);
    }
    let [hits, false_alarms, misses, _] = total.map(|it| it as f64);
    if hits + misses > 0.0 {
        assert!(hits / (hits + false_alarms) >= MIN_PRECISION, "{total:?}");
        assert!(hits / (hits + misses) >= MIN_RECALL, "{total:?}");
    }
}

#[test]
fn arrays_that_are_exchanged_between_regions_are_followed_to_the_second_iteration() {
    let program = |exchange: &str, steps: u32| {
        format!(
            "#include <stdlib.h>\ndouble *u, *v;\nint main(void) {{\n    u = malloc(80);\n    v = malloc(80);\n    \
             for (int t = 0; t < {steps}; t++) {{\n        #pragma omp parallel for\n        \
             for (int i = 1; i < 9; i++) v[i] = u[i - 1] + u[i + 1];\n        \
             double *other = u;\n        u = v;\n        {exchange}\n    }}\n    return 0;\n}}\n"
        )
    };
    let toolchain = Arc::new(toolchain());
    let codes = |text: String| -> Vec<&str> {
        support::diagnostics_of(Path::new("a.c"), &text, &toolchain).iter().map(|it| it.code).collect()
    };
    assert_eq!(codes(program("v = other;", 10)), Vec::<&str>::new());
    assert_eq!(codes(program("(void)other;", 10)), ["omp/data-race"]);
    assert_eq!(codes(program("(void)other;", 1)), Vec::<&str>::new());
}

#[test]
fn tasks_are_ordered_by_sections_without_a_lower_bound() {
    let program = |clause: &str| {
        format!(
            "void use(const float *);\nvoid f(float *a, int n) {{\n    #pragma omp parallel\n    #pragma omp single\n    {{\n        \
             #pragma omp task depend(out: a[:n])\n        a[0] = 1;\n        #pragma omp task {clause}\n        \
             a[0] += 1;\n    }}\n}}\n"
        )
    };
    let toolchain = Arc::new(toolchain());
    let count = |text: String| support::diagnostics_of(Path::new("a.c"), &text, &toolchain).len();
    assert_eq!(count(program("depend(inout: a[:n])")), 0);
    assert_eq!(count(program("")), 1);
}

/// The codes of a program's diagnostics that are warnings or errors.
fn codes(text: &str) -> Vec<&'static str> {
    support::diagnostics_of(Path::new("a.c"), text, &toolchain()).iter().map(|it| it.code).collect()
}

#[test]
fn tasks_that_wait_for_their_own_tasks_are_ordered_by_their_dependences() {
    let program = |wait: &str| {
        format!(
            "int f(void) {{\n    int sum = 0;\n    #pragma omp parallel\n    #pragma omp single\n    {{\n        \
             #pragma omp task depend(inout: sum) shared(sum)\n        {{\n            #pragma omp task shared(sum)\n            \
             sum += 1;\n            {wait}\n        }}\n        #pragma omp task depend(inout: sum) shared(sum)\n        \
             sum += 2;\n    }}\n    return sum;\n}}\n"
        )
    };
    assert_eq!(codes(&program("#pragma omp taskwait")), Vec::<&str>::new());
    // Without a wait the inner task outlives the task that others wait for.
    assert_eq!(codes(&program("")).len(), 1);
}

#[test]
fn a_lock_that_is_held_over_a_barrier_orders_the_thread_that_acquires_it() {
    let program = |acquired: &str| {
        format!(
            "#include <omp.h>\nomp_lock_t first, second;\nint value;\nint main(void) {{\n    omp_init_lock(&first);\n    \
             omp_init_lock(&second);\n    #pragma omp parallel num_threads(2)\n    {{\n        int id = omp_get_thread_num();\n        \
             if (id == 0) omp_set_lock(&first);\n        else omp_set_lock(&second);\n        #pragma omp barrier\n        \
             if (id == 0) {{\n            value = 1;\n            omp_unset_lock(&first);\n        }} else {{\n            \
             omp_unset_lock(&second);\n            omp_set_lock(&{acquired});\n            value = 2;\n        }}\n    }}\n    \
             return value;\n}}\n"
        )
    };
    if toolchain().predefined.is_empty() {
        return;
    }
    assert_eq!(codes(&program("first")), Vec::<&str>::new());
    assert_eq!(codes(&program("second")), ["omp/data-race"]);
}

#[test]
fn locks_that_are_handed_over_one_after_another_order_the_first_thread_and_the_last() {
    let program = |passed: &str| {
        format!(
            "#include <omp.h>\nomp_lock_t first, second;\nint value;\nint main(void) {{\n    int copy = 0;\n    \
             omp_init_lock(&first);\n    omp_init_lock(&second);\n    #pragma omp parallel num_threads(3)\n    {{\n        \
             int id = omp_get_thread_num();\n        if (id == 0) omp_set_lock(&first);\n        \
             if (id == 1) omp_set_lock(&second);\n        #pragma omp barrier\n        \
             if (id == 0) {{\n            value = 1;\n            omp_unset_lock(&first);\n        }}\n        \
             if (id == 1) {{\n            {passed}\n        }}\n        \
             if (id == 2) {{\n            omp_set_lock(&second);\n            copy = value;\n            \
             omp_unset_lock(&second);\n        }}\n    }}\n    return copy;\n}}\n"
        )
    };
    if toolchain().predefined.is_empty() {
        return;
    }
    let (acquire, release) = ("omp_set_lock(&first); omp_unset_lock(&first);", "omp_unset_lock(&second);");
    assert_eq!(codes(&program(&format!("{acquire} {release}"))), Vec::<&str>::new());
    // The second lock is released before the first is acquired.
    assert_eq!(codes(&program(&format!("{release} {acquire}"))), ["omp/data-race"]);
}

#[test]
fn pointers_in_a_table_are_followed_to_what_they_point_to() {
    let program = |second: u32| {
        format!(
            "#include <stdlib.h>\nint main(void) {{\n    double *data = malloc(40 * sizeof(double));\n    \
             double *grid[2] = {{&data[0], &data[{second}]}};\n    int from = 0;\n    for (int step = 0; step < 8; step++) {{\n        \
             #pragma omp parallel for\n        for (int i = 1; i < 19; i++) grid[1 - from][i] = grid[from][i - 1] + grid[from][i + 1];\n        \
             from = 1 - from;\n    }}\n    return 0;\n}}\n"
        )
    };
    assert_eq!(codes(&program(20)), Vec::<&str>::new());
    assert_eq!(codes(&program(18)), ["omp/data-race"]);
}

#[test]
fn an_index_outside_of_a_row_meets_the_next_row() {
    let program = |rows: &str, first: &str, index: &str| {
        format!(
            "#include <stdlib.h>\nint main(int argc, char **argv) {{\n    int n = 100, m = 100;\n    \
             if (argc > 1) n = m = atoi(argv[1]);\n    int w = m;\n    double b[{rows}];\n    int i, j;\n    \
             #pragma omp parallel for private(j)\n    for (i = 1; i < 99; i++)\n        \
             for (j = {first}; j < 99; j++) b[i][j] = b[i][{index}];\n    return 0;\n}}\n"
        )
    };
    let toolchain = Arc::new(toolchain());
    let codes = |text: String| -> Vec<&str> {
        support::diagnostics_of(Path::new("rows.c"), &text, &toolchain).iter().map(|it| it.code).collect()
    };
    assert_eq!(codes(program("100][99", "0", "j - 1")), ["omp/data-race"]);
    assert_eq!(codes(program("100][99", "0", "j + 1")), ["omp/data-race"]);
    assert_eq!(codes(program("100][99", "1", "j - 1")), [""; 0]);
    assert_eq!(codes(program("100][100", "0", "j + 1")), [""; 0]);
    // The element in front of a row of 200 is none that the loop stores to.
    assert_eq!(codes(program("100][200", "0", "j - 1")), [""; 0]);
    let symbolic = program("n][w", "0", "j - 1").replace("j < 99", "j < w");
    assert_eq!(codes(symbolic.clone()), ["omp/data-race"]);
    assert_eq!(codes(symbolic.replace("j = 0", "j = 1")), [""; 0]);
}

#[test]
fn the_parity_of_a_condition_separates_iterations() {
    let program = |condition: &str| {
        format!(
            "void relax(double a[100][100], int n) {{\n    #pragma omp parallel for\n    \
             for (int i = 1; i < n - 1; i++)\n        for (int j = 1; j < n - 1; j++)\n            \
             if ({condition}) a[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];\n}}\n"
        )
    };
    let none = Vec::<&str>::new();
    for red in ["(i + j) % 2 == 0", "(i + j) % 2", "(i + j & 1) == 1", "!((i + j) & 1)", "(i + j) % 4 < 1"] {
        assert_eq!(codes(&program(red)), none, "{red}");
    }
    // Neighbours in a column have one remainder, or two that both pass.
    for both in ["j % 2 == 0", "(i + j) % 3 < 2", "(i + j) % n == 0"] {
        assert_eq!(codes(&program(both)), ["omp/data-race"], "{both}");
    }
}

#[test]
fn remainders_of_negative_numbers_are_negative() {
    let program = |start: i32, end: i32, condition: &str| {
        format!(
            "int x;\nvoid find(void) {{\n    #pragma omp parallel for\n    \
             for (int i = {start}; i < {end}; i++) if ({condition}) x = i;\n}}\n"
        )
    };
    assert_eq!(codes(&program(-50, 0, "i % 2 == 1")), Vec::<&str>::new());
    assert_eq!(codes(&program(0, 100, "(i - 99) % 2 == 1")), Vec::<&str>::new());
    assert_eq!(codes(&program(0, 50, "i % 2 == 1")), ["omp/data-race"]);
}

#[test]
fn a_range_between_unknown_integers_decides_nothing_between_an_element_and_a_scaled_one() {
    let program = |start: &str, index: &str| {
        format!(
            "void sum(double *a, int l, int m, int n) {{\n    #pragma omp parallel for\n    \
             for (int i = {start}; i < n; i++) a[i] = a[{index}] + l;\n}}\n"
        )
    };
    let none = Vec::<&str>::new();
    assert_eq!(codes(&program("1 << (l - 1)", "2 * i")), none);
    assert_eq!(codes(&program("m", "0")), none);
    // From zero on there are both elements, and each range has two neighbours.
    assert_eq!(codes(&program("0", "2 * i")), ["omp/data-race"]);
    assert_eq!(codes(&program("1 << (l - 1)", "i + 1")), ["omp/data-race"]);
}

#[test]
fn the_last_value_is_stored_after_all_threads_have_copied_the_first() {
    let program = |clauses: &str| {
        format!(
            "int last(const int *a, int n) {{\n    int value = 0;\n    #pragma omp parallel\n    \
             #pragma omp for {clauses}\n    for (int i = 0; i < n; i++) value = a[i] + 1;\n    return value;\n}}\n"
        )
    };
    let none = Vec::<&str>::new();
    assert_eq!(codes(&program("firstprivate(value) lastprivate(value)")), none);
    let next = program("lastprivate(value)").replace(
        "    return",
        "    #pragma omp parallel\n    {\n    #pragma omp for nowait lastprivate(value)\n    for (int i = 0; i < n; i++) value = a[i];\n    \
         #pragma omp for firstprivate(value)\n    for (int i = 0; i < n; i++) value += a[i];\n    }\n    return",
    );
    assert_eq!(codes(&next), ["omp/data-race"]);
}

#[test]
fn constructs_of_openacc_are_not_judged_as_teams_of_openmp() {
    let program = |directive: &str| {
        format!(
            "double pi(int n) {{\n    double sum = 0, x;\n    #pragma {directive}\n    \
             for (int i = 0; i < n; i++) {{\n        x = (i + 0.5) / n;\n        sum += 4 / (1 + x * x);\n    }}\n    return sum / n;\n}}\n"
        )
    };
    let none = Vec::<&str>::new();
    assert_eq!(codes(&program("acc parallel loop private(x) reduction(+:sum)")), none);
    assert_eq!(codes(&program("omp parallel for private(x) reduction(+:sum)")), none);
    assert_eq!(codes(&program("omp parallel for private(x)")), ["omp/missing-reduction"]);
}

#[test]
fn clauses_are_offered_where_the_construct_names_the_variable() {
    let program = |body: &str| {
        format!(
            "static int count;\nstatic void add(int i) {{ count += i; }}\nint sum(int n) {{\n    \
             #pragma omp parallel for\n    for (int i = 0; i < n; i++) {body};\n    return count;\n}}\n"
        )
    };
    assert_eq!(codes(&program("count += i")), ["omp/missing-reduction"]);
    // `reduction` makes no copy for what `add` names.
    assert_eq!(codes(&program("add(i)")), ["omp/unprotected-update"]);
    // Nothing in the region reads it: it is a result, of the last iteration or of one of several.
    assert_eq!(codes(&program("count = i")), ["omp/missing-private"]);
    assert_eq!(codes(&program("if (i > 3) count = i")), ["omp/data-race"]);
    assert_eq!(codes(&program("{ count = i; add(count); }")), ["omp/data-race"]);
}

#[test]
fn atomic_objects_are_updated_one_thread_after_the_other() {
    let program = |declared: &str, update: &str| {
        format!("{declared};\nvoid add(void) {{\n    #pragma omp parallel\n    {update};\n}}\n")
    };
    for (declared, update) in [
        ("_Atomic int n", "n++"),
        ("_Atomic(long) n", "n += 2"),
        ("typedef _Atomic int atomic_int; atomic_int n", "n++"),
        ("_Atomic int n[4]", "n[1]++"),
        ("struct { int m; _Atomic int n; } s", "s.n++"),
    ] {
        assert_eq!(codes(&program(declared, update)), Vec::<&str>::new(), "{declared}");
    }
    assert_eq!(codes(&program("_Atomic int *p", "(*p)++")), Vec::<&str>::new());
    assert_eq!(codes(&program("_Atomic int *p, *q", "p = q")), ["omp/data-race"]);
    assert_eq!(codes(&program("typedef int atomic_unit_t; atomic_unit_t n", "n = 1")), ["omp/data-race"]);
    assert_eq!(codes(&program("volatile int n", "n++")), ["omp/unprotected-update"]);
    assert_eq!(codes(&program("struct { int m; _Atomic int n; } s", "s.m++")), ["omp/data-race"]);
}

#[test]
fn a_target_region_waits_for_the_tasks_that_it_depends_on() {
    let program = |clause: &str| {
        format!(
            "int run(void) {{\n    int x = 0, y = 0;\n    #pragma omp parallel\n    #pragma omp single\n    {{\n        \
             #pragma omp task depend(out: x)\n        x = 1;\n        #pragma omp target map(to: x) map(from: y){clause}\n        \
             y = x;\n    }}\n    return y;\n}}\n"
        )
    };
    assert_eq!(codes(&program(" depend(in: x)")), Vec::<&str>::new());
    assert_eq!(codes(&program("")), ["omp/data-race"]);
}

#[test]
fn what_one_thread_does_that_was_elected_under_a_lock_is_no_race() {
    let program = |election: &str, use_of_it: &str| {
        format!(
            "typedef struct {{ int x; }} omp_lock_t;\nvoid omp_set_lock(omp_lock_t *);\nvoid omp_unset_lock(omp_lock_t *);\n\
             omp_lock_t lock;\nint run(void) {{\n    int claimed = 0, result = 0;\n    #pragma omp parallel\n    {{\n        \
             int first = 0;\n        {election}\n        {use_of_it}\n    }}\n    return result;\n}}\n"
        )
    };
    let critical = "#pragma omp critical\n        if (!claimed) { claimed = 1; first = 1; }";
    let lock = "omp_set_lock(&lock); first = !claimed; claimed = 1; omp_unset_lock(&lock);";
    let atomic = "int old;\n        #pragma omp atomic capture\n        { old = claimed; claimed = 1; }\n        first = !old;";
    for (election, use_of_it) in [
        (critical, "if (first) result = 42;"),
        (lock, "if (first) { result = 42; }"),
        (atomic, "if (!old) result = 42;"),
        (critical, "if (!first) return; result = 42;"),
    ] {
        let use_of_it = use_of_it.replace("return;", "continue;");
        let (start, end) =
            if use_of_it.contains("continue") { ("for (int i = 0; i < 1; i++) {", "}") } else { ("", "") };
        let text = program(election, &format!("{start} {use_of_it} {end}"));
        assert_eq!(codes(&text), Vec::<&str>::new(), "{text}");
    }
    let not_elected = [
        (critical, "result = 42;"),
        (critical, "first = 1; if (first) result = 42;"),
        ("#pragma omp critical\n        first = result == 0;", "if (first) claimed = 42;"),
    ];
    for (election, use_of_it) in not_elected {
        let text = program(election, use_of_it);
        assert!(codes(&text).contains(&"omp/data-race"), "{text}");
    }
}
