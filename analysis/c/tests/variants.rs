//! Variants of directives (OpenMP 5.2, section 7.4): what a `metadirective` in a `target` region is.

mod support;

use std::path::Path;
use std::sync::Arc;

use apg_c_analysis::hir::Program;
use apg_c_analysis::{AnalysisHost, Toolchain, parsed};
use support::Disk;

/// A function whose second directive is a `metadirective`, inside of `around`.
fn lowered(around: &str, clauses: &str) -> Program {
    let text = format!(
        "int n;\nvoid f(int *a) {{\n#pragma omp {around}\n{{\n#pragma omp metadirective {clauses}\n\
         for (int i = 0; i < 8; i++) a[i] = i;\n}}\n}}\n"
    );
    let mut host = AnalysisHost::new(Arc::new(Disk));
    let file = host.set_file(Path::new("/a.c"), text.as_str().into(), &Arc::new(Toolchain::default()));
    let parsed = parsed(host.database(), file).clone();
    assert!(parsed.syntax.main.errors().is_empty(), "{text}{:?}", parsed.syntax.main.errors());
    parsed.program.clone()
}

/// The name and the clauses of the directive that a `metadirective` is, inside of `around`.
fn chosen(around: &str, clauses: &str) -> String {
    let program = lowered(around, clauses);
    let of = &program.directives[1];
    assert!(of.body.is_some() && of.parent.is_some(), "{clauses}");
    let clauses = of.clauses.iter().map(|it| format!(" {}", it.name));
    format!("{}{}", of.name, clauses.collect::<String>())
}

#[test]
fn devices_choose_the_variant_of_the_highest_score() {
    for (clauses, expected) in [
        (
            "when(device={kind(nohost)}: parallel for num_threads(2)) default(simd)",
            "parallel for num_threads",
        ),
        ("when(device={kind(host)}: parallel for) default(simd simdlen(4))", "simd simdlen"),
        ("when(device={kind(cpu)}: parallel for) otherwise(simd)", "simd"),
        (
            "when(device={arch(\"nvptx\")}: teams distribute parallel for) default(for)",
            "teams distribute parallel for",
        ),
        ("when(device={arch(x86_64)}: parallel for)", "nothing"),
        ("when(device={kind(gpu)}: nothing) default(parallel for)", "nothing"),
        ("when(device={kind(gpu)}:) default(parallel for)", "nothing"),
        ("when(implementation={vendor(amd)}: parallel) when(implementation={vendor(nvidia)}: simd)", "simd"),
        ("when(device={kind(gpu)}: parallel for) when(device={arch(nvptx64)}: simd)", "simd"),
        ("when(user={condition(1)}: parallel for) when(user={condition(score(2): 2 > 1)}: simd)", "simd"),
        (
            "when(user={condition(1)}: parallel for) when(user={condition(1)}, device={kind(any)}: simd)",
            "simd",
        ),
        ("when(construct={target}: parallel for) when(user={condition(1)}: simd)", "parallel for"),
        ("when(construct={parallel}: simd) default(parallel for)", "parallel for"),
        ("when(target_device={kind(gpu)}: parallel for) default(simd)", "parallel for"),
    ] {
        assert_eq!(chosen("target map(a[0:8])", clauses), expected, "{clauses}");
    }
    let in_teams = "when(construct={target}: simd) when(construct={teams}: parallel for)";
    assert_eq!(chosen("target teams map(a[0:8])", in_teams), "parallel for");
}

#[test]
fn the_host_chooses_outside_of_regions() {
    for (clauses, expected) in [
        ("when(device={kind(host)}: for nowait) default(simd)", "for nowait"),
        ("when(device={kind(nohost)}: for) default(simd)", "simd"),
        ("when(device={arch(nvptx)}: for) otherwise(critical(lock))", "critical"),
        ("when(construct={parallel}: for) when(construct={target}: simd)", "for"),
        ("when(user={condition(0)}: for)", "nothing"),
    ] {
        assert_eq!(chosen("parallel", clauses), expected, "{clauses}");
    }
}

#[test]
fn functions_have_the_directives_of_both() {
    let of = |clauses| {
        let program = lowered("parallel", clauses);
        let of = &program.directives[1];
        (of.name.to_string(), of.for_device().name.to_string(), of.for_device().clauses.len())
    };
    let expected = ("for".to_owned(), "simd".to_owned(), 1);
    assert_eq!(of("when(device={kind(host)}: for) default(simd simdlen(4))"), expected);
    let expected = ("for".to_owned(), "metadirective".to_owned(), 2);
    assert_eq!(of("when(device={isa(sm_90)}, construct={target}: simd) default(for)"), expected);
}

#[test]
fn what_is_not_known_or_not_for_devices_stays_as_it_is() {
    let unknown = [
        "when(user={condition(n > 1)}: parallel for) default(simd)",
        "when(device={isa(\"sm_90\")}: parallel for) default(simd)",
        "when(implementation={extension(match_any)}: parallel for) default(simd)",
        "when(device={kind(gpu)}: barrier) default(simd)",
        "when(nothing: parallel for)",
    ];
    for clauses in unknown {
        assert!(chosen("target map(a[0:8])", clauses).starts_with("metadirective"), "{clauses}");
    }
    let on_host = ["when(target_device={kind(gpu)}: for) default(simd)", "when(device={arch(x86_64)}: for)"];
    for clauses in on_host {
        assert!(chosen("parallel", clauses).starts_with("metadirective"), "{clauses}");
    }
}
