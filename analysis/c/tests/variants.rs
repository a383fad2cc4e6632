//! Variants of directives (OpenMP 5.2, section 7.4): what a `metadirective` in a `target` region is.

mod support;

use std::path::Path;
use std::sync::Arc;

use apg_c_analysis::{AnalysisHost, Toolchain, parsed};
use support::Disk;

/// The name and the clauses of the directive that a `metadirective` is, inside of `around`.
fn chosen(around: &str, clauses: &str) -> String {
    let text = format!(
        "int n;\nvoid f(int *a) {{\n#pragma omp {around}\n{{\n#pragma omp metadirective {clauses}\n\
         for (int i = 0; i < 8; i++) a[i] = i;\n}}\n}}\n"
    );
    let mut host = AnalysisHost::new(Arc::new(Disk));
    let file = host.set_file(Path::new("/a.c"), text.as_str().into(), &Arc::new(Toolchain::default()));
    let parsed = parsed(host.database(), file).clone();
    assert!(parsed.syntax.main.errors().is_empty(), "{text}{:?}", parsed.syntax.main.errors());
    let of = &parsed.program.directives[1];
    assert!(of.body.is_some() && of.parent.is_some(), "{text}");
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
    let plain = "when(device={kind(host)}: parallel for) default(simd)";
    assert!(chosen("parallel", plain).starts_with("metadirective"));
}
