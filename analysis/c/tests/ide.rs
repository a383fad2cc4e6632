//! Hover, hints and completion in directives: `$0` marks the position.

mod support;

use std::path::Path;
use std::sync::Arc;

use apg_c_analysis::{AnalysisHost, Parsed, Toolchain, ide, parsed};
use apg_c_syntax::{TextRange, TextSize};
use support::Disk;

fn at_cursor(marked: &str) -> (Arc<Parsed>, TextSize) {
    let offset = TextSize::from(marked.find("$0").unwrap_or(0) as u32);
    let mut host = AnalysisHost::new(Arc::new(Disk));
    let text = marked.replace("$0", "");
    let file = host.set_file(Path::new("a.c"), text.as_str().into(), &Arc::new(Toolchain::default()));
    (parsed(host.database(), file).clone(), offset)
}

fn completions(marked: &str) -> Vec<String> {
    let (parsed, offset) = at_cursor(marked);
    ide::completions(&parsed, offset).into_iter().map(|it| it.text).collect()
}

const LOOP: &str = "double a[8];\nvoid f(int n) {\n    double s = 0;\n    #pragma omp parallel for reduction(+: s)\n    \
                    for (int i = 0; i < n; i++) s += a[i];\n}\n";

#[test]
fn hover_on_a_variable_says_its_sharing_and_size() {
    let (parsed, offset) = at_cursor(&LOOP.replace("s += a[i]", "s += $0a[i]"));
    let hover = ide::hover(&parsed, offset).unwrap();
    assert!(
        hover.markdown.starts_with("`a` is **shared** in the region of `parallel for`, 64 bytes"),
        "{hover:?}"
    );
    assert!(hover.markdown.contains("implicit"));
    let (parsed, offset) = at_cursor(&LOOP.replace("s += a[i]", "$0s += a[i]"));
    assert!(ide::hover(&parsed, offset).unwrap().markdown.contains("by the clause `reduction(+: s)`"));
}

#[test]
fn hover_on_a_directive_lists_what_it_captures() {
    let (parsed, offset) = at_cursor(&LOOP.replace("parallel for", "par$0allel for"));
    let markdown = ide::hover(&parsed, offset).unwrap().markdown;
    for row in ["| `s` | reduction | 8 bytes |", "| `a` | shared | 64 bytes |", "| `n` | shared | 4 bytes |"]
    {
        assert!(markdown.contains(row), "{markdown}");
    }
}

#[test]
fn hints_show_what_is_shared_without_a_clause() {
    let (parsed, _) = at_cursor(LOOP);
    let hints = ide::inlays(&parsed, TextRange::up_to(TextSize::of(LOOP)));
    let labels: Vec<&str> = hints.iter().map(|it| it.label.as_str()).collect();
    assert_eq!(labels, ["shared(n, a)"]);
    assert_eq!(u32::from(hints[0].at) as usize, LOOP.find("s)\n").unwrap() + 2);
}

#[test]
fn directives_and_clauses_are_completed() {
    assert!(completions("void f() {\n#pragma omp par$0\n}").contains(&"parallel for".to_owned()));
    assert_eq!(completions("void f() {\n#pragma omp parallel for sched$0\n}"), ["schedule"]);
    assert!(
        completions("void f() {\n#pragma omp parallel for \\\n  num$0\n}")
            .contains(&"num_threads".to_owned())
    );
    assert!(completions("void f() {\nint par$0\n}").is_empty());
}

#[test]
fn variables_and_words_are_completed_in_clauses() {
    let text = "int total; void g(int y) {}\nvoid f(int tall) {\n#pragma omp parallel private(t$0)\n{}\n}";
    assert_eq!(completions(text), ["tall", "total"]);
    assert_eq!(completions("void f() {\n#pragma omp for schedule(dy$0\n}"), ["dynamic"]);
}

#[test]
fn the_default_sharing_of_a_directive_is_written_out() {
    let (parsed, offset) = at_cursor(&LOOP.replace("parallel for", "parallel$0 for"));
    let fixes = ide::assists(&parsed, TextRange::empty(offset));
    let [fix] = &fixes[..] else { panic!("one rewrite: {fixes:?}") };
    assert_eq!(fix.edits[0].text, " default(none) shared(n, a)");
    let written = LOOP.replace("reduction(+: s)", "reduction(+: s) default(none) shared(n, a)");
    let (parsed, offset) = at_cursor(&written.replace("parallel for", "parallel$0 for"));
    assert!(ide::assists(&parsed, TextRange::empty(offset)).is_empty());
    assert!(support::diagnostics_of(Path::new("a.c"), &written, &Arc::new(Toolchain::default())).is_empty());
}

const GLOBAL: &str = "#pragma xmp nodes p[4]\n#pragma xmp template t[10]\n#pragma xmp distribute t[block] onto p\ndouble a[10];\n\
                      #pragma xmp align a[i] with t[i]\n#pragma xmp shadow a[1:2]\nvoid f(void) {\n    \
                      #pragma xmp loop on t[i]\n    for (int i = 0; i < 10; i++) a[i] = i;\n}\n";

#[test]
fn hover_on_a_global_array_shows_its_distribution() {
    for marked in ["double $0a[10]", "align $0a[i]", "$0a[i] = i"] {
        let (parsed, offset) = at_cursor(&GLOBAL.replace(&marked.replace("$0", ""), marked));
        let markdown = ide::hover(&parsed, offset).unwrap().markdown;
        for part in [
            "`a` is a **global array**: `a[i]` is where `t[i]` is",
            "distributed (block) onto `p`, 4 nodes",
            "p(0): a at t 0..2\np(1): a at t 3..5\np(2): a at t 6..8\np(3): a at t 9\n",
            "At most 3 elements on each node, 24 bytes without shadows and 48 bytes with them",
            "Shadow: 1 below and 2 above",
        ] {
            assert!(markdown.contains(part), "{marked}: {part}: {markdown}");
        }
    }
}

#[test]
fn both_spellings_have_the_same_distribution() {
    let old = GLOBAL.replace("p[4]", "p(4)").replace("t[10]", "t(0:9)").replace("t[block]", "t(block)");
    let old = old.replace("with t[i]", "with t(i)").replace("on t[i]", "on t(i)");
    let (parsed, offset) = at_cursor(&old.replace("double a", "double $0a"));
    let markdown = ide::hover(&parsed, offset).unwrap().markdown;
    assert!(markdown.contains("p(1): a at t 0..2\np(2): a at t 3..5\n"), "{markdown}");
    assert!(markdown.contains("At most 3 elements on each node"), "{markdown}");
}

#[test]
fn parts_that_are_not_constant_are_left_out() {
    let text =
        GLOBAL.replace("p[4]", "p[*]").replace("t[10]", "t[:]").replace("shadow a[1:2]", "shadow a[*]");
    let (parsed, offset) = at_cursor(&text.replace("double a", "double $0a"));
    let markdown = ide::hover(&parsed, offset).unwrap().markdown;
    assert!(!markdown.contains("elements on each node") && !markdown.contains("```"), "{markdown}");
    assert!(markdown.contains("Shadow: the whole axis"), "{markdown}");
}

#[test]
fn directives_of_xcalablemp_are_completed() {
    assert_eq!(completions("#pragma xmp distr$0\n"), ["distribute"]);
    assert!(completions("void f() {\n#pragma xmp loop on t[i] red$0\n}").contains(&"reduction".to_owned()));
    assert_eq!(completions("void f() {\n#pragma xmp reflect (a) w$0\n}"), ["width"]);
    let onto = GLOBAL.replace("onto p", "onto $0");
    assert!(completions(&onto).contains(&"p".to_owned()));
    assert!(completions("#pragma xmp parallel$0\n").is_empty());
}

#[test]
fn directives_of_openacc_are_completed() {
    assert!(completions("void f() {\n#pragma acc par$0\n}").contains(&"parallel loop".to_owned()));
    assert_eq!(completions("void f() {\n#pragma acc enter data cop$0\n}"), ["copyin"]);
    assert_eq!(completions("void f() {\n#pragma acc parallel loop coll$0\n}"), ["collapse"]);
    assert_eq!(completions("void f() {\n#pragma acc parallel default(pr$0\n}"), ["present"]);
    let variable = "void f(int n, double *total) {\n#pragma acc data copy(to$0\n{}\n}";
    assert_eq!(completions(variable), ["total"]);
    assert!(completions("#pragma acc schedule$0\n").is_empty());
}

#[test]
fn words_of_directives_are_distinguished_from_their_variables() {
    let text = "#define SUM reduction(+: s)\nint n, s;\nvoid f(double *a) {\n\
                #pragma omp target teams map(to: a[0:n]) num_teams(4)\n#pragma omp parallel for schedule(static, 2) SUM\n\
                for (int i = 0; i < n; i++) s += a[i];\n}\n";
    let (parsed, _) = at_cursor(text);
    let tokens = ide::tokens(&parsed, TextRange::up_to(TextSize::of(text)));
    let of = |kind: ide::TokenKind| -> Vec<&str> {
        let own = tokens.iter().filter(|it| it.kind == kind);
        own.map(|it| &text[std::ops::Range::<usize>::from(it.range)]).collect()
    };
    assert_eq!(of(ide::TokenKind::Directive), ["target", "teams", "parallel", "for"]);
    assert_eq!(of(ide::TokenKind::Clause), ["map", "num_teams", "schedule"]);
    assert_eq!(of(ide::TokenKind::Word), ["to", "static"]);
    assert_eq!(of(ide::TokenKind::Variable), ["a", "n"]);
    assert_eq!(of(ide::TokenKind::Number), ["0", "4", "2"]);
}

#[test]
fn the_transfer_plan_has_directions_sizes_and_reasons() {
    let text = "void f(int n, double *a, double *b) {\n    double c[10]; int k = 3;\n    \
                #pragma omp target data map(to: a[0:n])\n    {\n    \
                #pragma omp target map(from: b[0:n + 1]) map(tofrom: a[0:n])\n    \
                for (int i = 0; i < n; i++) b[i] = a[i] + c[k];\n    #pragma omp target update from(c[2:4])\n    }\n}\n";
    let mut host = AnalysisHost::new(Arc::new(Disk));
    let file = host.set_file(Path::new("a.c"), text.into(), &Arc::default());
    let program = parsed(host.database(), file);
    let plans = ide::transfer_plans(program);
    let rows = |at: usize| -> Vec<(&str, &str, String)> {
        plans[at].transfers.iter().map(|it| (it.name.as_str(), it.direction(), it.size.text())).collect()
    };
    let row = |name: &'static str, direction: &'static str, size: &str| (name, direction, size.to_owned());
    assert_eq!(rows(0), [row("a[0:n]", "to the device", "n * 8 bytes")]);
    let mut region = rows(1);
    region.sort();
    let expected = [
        row("a[0:n]", "nothing moves", "n * 8 bytes"),
        row("b[0:n + 1]", "back to the host", "(n + 1) * 8 bytes"),
        row("c", "to the device and back", "80 bytes"),
        row("k", "to the device", "4 bytes"),
        row("n", "to the device", "4 bytes"),
    ];
    assert_eq!(region, expected);
    assert_eq!(rows(2), [row("c[2:4]", "back to the host", "32 bytes")]);
    let kept = plans[1].transfers.iter().find(|it| it.name == "a[0:n]").map(|it| it.why.as_str());
    assert_eq!(kept, Some("it is on the device already: `target data` around has `map(to: a[0:n])`"));
    let hover = ide::hover(program, TextSize::from(text.find("target map").unwrap() as u32));
    assert!(hover.unwrap().markdown.contains("| `c` | to the device and back | 80 bytes | implicit: "));
}

#[test]
fn copies_and_maps_that_always_move_are_not_on_the_device_already() {
    let text = "void f(int n, double *a) {\n    int k = 3, m = 4;\n    \
                #pragma omp target data map(to: a[0:n], k, m)\n    \
                #pragma omp target map(always, to: a[0:n]) firstprivate(k)\n    a[0] = k + m;\n}\n";
    let mut host = AnalysisHost::new(Arc::new(Disk));
    let file = host.set_file(Path::new("a.c"), text.into(), &Arc::default());
    let plans = ide::transfer_plans(parsed(host.database(), file));
    let rows: Vec<_> = plans[1].transfers.iter().map(|it| (it.name.as_str(), it.direction())).collect();
    assert_eq!(rows, [("a[0:n]", "to the device"), ("k", "to the device"), ("m", "to the device")]);
}

fn hover(text: &str, marked: &str) -> String {
    let (parsed, offset) = at_cursor(&text.replacen(&marked.replace("$0", ""), marked, 1));
    ide::hover(&parsed, offset).unwrap_or_else(|| panic!("no hover: {marked}")).markdown
}

#[test]
fn hover_on_a_distributed_loop_says_who_executes_what() {
    let text = GLOBAL.replace("int i = 0", "int i = 1");
    let markdown = hover(&text, "xmp lo$0op");
    for part in [
        "Each node executes the iterations whose indices of `t` it owns.",
        "p(0): i = 1..2\np(1): i = 3..5\np(2): i = 6..8\np(3): i = 9\n",
    ] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
    let cyclic = hover(&text.replace("t[block]", "t[cyclic]"), "xmp lo$0op");
    assert!(cyclic.contains("p(1): i = 1, 5, 9\n"), "{cyclic}");
    let part = hover(&text.replace("i < 10", "i < 4"), "xmp lo$0op");
    assert!(part.contains("p(1): i = 3\np(2): i = nothing\n"), "{part}");
    // Bounds or nodes that are not constant have no table.
    let open = hover(&text.replace("p[4]", "p[*]"), "xmp lo$0op");
    assert!(open.contains("it owns") && !open.contains("```"), "{open}");
    let unknown =
        hover(&text.replace("void f(void)", "void f(int n)").replace("i < 10", "i < n"), "xmp lo$0op");
    assert!(unknown.contains("p(0): i = 0..2 as far as the loop goes"), "{unknown}");
}

#[test]
fn hover_on_a_global_array_of_two_axes_has_both() {
    let text = "#pragma xmp nodes p[2][4]\n#pragma xmp template t[8][16]\n#pragma xmp distribute t[block][cyclic] onto p\n\
                float a[8][16];\n#pragma xmp align a[i][j] with t[i][j]\n#pragma xmp shadow a[1][0]\n";
    let markdown = hover(text, "float $0a");
    for part in [
        "p(1, *): a at t axis 0, 4..7\n",
        "p(*, 3): a at t axis 1, 3, 7, 11, ...\n",
        "At most 16 elements on each node, 64 bytes without shadows and 96 bytes with them.",
    ] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
}

const MOVES: &str = "#pragma xmp nodes p[4]\n#pragma xmp template t[64][8]\n#pragma xmp distribute t[block][*] onto p\n\
    double a[64][8], b[64][8];\n#pragma xmp align [i][j] with t[i][j] :: a, b\n#pragma xmp shadow a[1:2][0]\n\
    double x, row[8];\nvoid f(void) {\n#pragma xmp reflect (a)\n#pragma xmp reflect_init (a) width(/periodic/1:0, 0) acc\n\
    #pragma xmp bcast (x) from p[2]\n#pragma xmp gmove\nb[:][:] = a[:][:];\n#pragma xmp gmove\nx = a[3][4];\n\
    #pragma xmp barrier\n#pragma xmp loop (i) on t[i][*] reduction(+:x)\nfor (int i = 0; i < 64; i++) x += b[i][0];\n}\n";

#[test]
fn directives_that_communicate_say_what_moves() {
    let (parsed, _) = at_cursor(MOVES);
    let plans = ide::communication_plans(&parsed);
    let first: Vec<(&str, &str)> =
        plans.iter().map(|it| (it.directive.as_str(), it.lines[0].as_str())).collect();
    assert_eq!(
        first,
        [
            (
                "reflect",
                "`a`, axis 0: each node of `p` gets 1 section (64 bytes) from the node before and 2 sections (128 bytes) \
                 from the node behind"
            ),
            (
                "reflect_init",
                "`a`, axis 0: each node of `p` gets 1 section (64 bytes) from the node before, the first and the last node \
                 from each other"
            ),
            ("bcast", "`x`: from `p[2]` to all others, 8 bytes"),
            (
                "gmove",
                "the owners of `a` send to the owners of `b`, each what the other needs (all-to-all); what is on the same \
                 node is copied there"
            ),
            ("gmove", "the owner of the element of `a` sends it to all nodes (broadcast)"),
            ("barrier", "every node waits for all others; no data"),
            ("loop", "behind the loop every node gives its value and gets the combined one (all-reduce)"),
        ]
    );
    assert!(plans[0].lines[1].starts_with("path: the memory that places of one host share"));
    assert!(plans[1].lines[1].starts_with("path: from the memory of one accelerator"));
    let markdown = hover(MOVES, "xmp ref$0lect");
    assert!(markdown.contains("- `a`, axis 0: each node of `p` gets 1 section"), "{markdown}");
    let lenses = ide::lenses(&parsed);
    let count = lenses.iter().filter(|it| it.kind == ide::LensKind::ShowCommunication).count();
    assert_eq!(count, plans.len());
}
