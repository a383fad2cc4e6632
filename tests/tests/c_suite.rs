//! The driver of C suites on the examples of this repository, and on suites by path: `APG_C_SUITES` has
//! folders, separated by colons. What apg does worse than the compiler must be recorded in `c-suite`.

use std::path::{Path, PathBuf};

use apg_tests::c_suite::{Options, Part, Suite, Transport};
use apg_tests::tools;

fn options(suite: Suite, home: PathBuf) -> Options {
    Options {
        suite,
        home,
        apg: tools::apg().to_path_buf(),
        parallel: None,
        accels: (suite == Suite::Xacc).then(|| "cpu".to_owned()),
        part: Part::default(),
        places: None,
        transport: Transport::default(),
        jobs: 1,
        repeat: 1,
        threads: 4,
        timeout: 120,
        filter: Vec::new(),
        record: None,
        list: false,
    }
}

#[test]
fn examples_pass_as_with_the_compiler() {
    if tools::optional_tool("cc").is_none() {
        return;
    }
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let report = options(Suite::Folder, tools::repository().join("examples/c")).report(scratch.path());
    let report = report.expect("a report");
    assert!(report.entries.len() >= 7 && report.is_as_good(), "{}", report.text());
}

/// The suites that a folder is a checkout of.
fn suites_of(folder: &Path) -> impl Iterator<Item = Suite> {
    let marks = [
        ("src/ompts-c.conf", Suite::Validation),
        ("openmp-examples.tex", Suite::Examples),
        ("micro-benchmarks", Suite::Dataracebench),
        ("tests/XMP", Suite::Xmp),
        ("tests/XACC", Suite::Xacc),
    ];
    marks.into_iter().filter(|(mark, _)| folder.join(mark).exists()).map(|(_, suite)| suite)
}

#[test]
fn examples_pass_with_the_cpus_as_a_device() {
    if tools::optional_tool("cc").is_none() || tools::optional_tool("c++").is_none() {
        return;
    }
    for folder in ["examples/c", "examples/c/devices"] {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let options = Options {
            parallel: Some("device".to_owned()),
            accels: Some("cpu".to_owned()),
            ..options(Suite::Folder, tools::repository().join(folder))
        };
        let report = options.report(scratch.path()).expect("a report");
        assert!(report.entries.len() >= 7 && report.is_as_good(), "{}", report.text());
        let record: serde_json::Value = serde_json::from_str(&report.json()).expect("JSON");
        assert_eq!(record["mode"]["accels"], "cpu", "{record}");
    }
}

#[test]
fn suites_by_path_are_not_worse_than_recorded() {
    compare_with_records("", &|it| it);
}

#[test]
fn suites_by_path_are_not_worse_than_recorded_with_parallel_regions_on_a_device() {
    compare_with_records("-parallel", &|it| Options {
        parallel: Some("device".to_owned()),
        accels: Some("cpu".to_owned()),
        ..it
    });
}

#[test]
fn suites_by_path_are_not_worse_than_recorded_with_target_regions_on_a_device() {
    compare_with_records("-target", &|it| Options { accels: Some("cpu".to_owned()), ..it });
}

#[test]
fn suites_by_path_are_not_worse_than_recorded_over_tcp() {
    compare_with_records("-tcp", &|it| Options { transport: Transport::Tcp, timeout: 600, ..it });
}

/// Runs the suites that have a record of a mode, and compares; all have one of the mode without a name.
fn compare_with_records(mode: &str, with_mode: &dyn Fn(Options) -> Options) {
    let Some(folders) = std::env::var_os("APG_C_SUITES") else { return };
    let all = std::env::split_paths(&folders)
        .flat_map(|folder| suites_of(&folder).map(|suite| (folder.clone(), suite)).collect::<Vec<_>>());
    for (folder, suite) in all {
        let record = tools::repository().join(format!("tests/c-suite/{}{mode}.json", suite.name()));
        if !mode.is_empty() && !record.exists() {
            continue;
        }
        let record = std::fs::read_to_string(record).expect("a record");
        let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
        let is_recorded = |list: &str, name: &str| {
            record[list].as_array().is_some_and(|names| names.iter().any(|it| it == name))
        };
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let report = with_mode(options(suite, folder)).report(scratch.path()).expect("a report");
        let worse = report.entries.iter().filter(|it| {
            (it.is_worse() && !is_recorded("apg_alone_fails", &it.program))
                || (it.false_error.is_some() && !is_recorded("false_errors", &it.program))
        });
        let worse: Vec<String> = worse.map(ToString::to_string).collect();
        assert!(worse.is_empty(), "{}", worse.join("\n"));
    }
}
