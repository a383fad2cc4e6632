//! The checker on X10's own files, compared with what is recorded; see `x10-suite/README.md`.

use std::path::PathBuf;

use apg_tests::x10_suite::checker::ClassLibrary;
use apg_tests::x10_suite::record::{self, Summary};
use apg_tests::x10_suite::{self, passes, tests};

fn home() -> Option<PathBuf> {
    let home = x10_suite::home();
    if home.is_none() {
        println!("skipped: set APG_X10_HOME to a checkout of x10-lang/x10 to run this test");
    }
    home
}

/// Nothing is worse than recorded. What is better is a reason to record anew.
fn compare(summary: &Summary, name: &str) {
    let (files, recorded) = record::read(name).expect("a record");
    println!("{name}: {:?}", summary.counts);
    let found = [summary.counts.must_compile, summary.counts.must_fail];
    assert_eq!(found, files, "other files than recorded: is APG_X10_HOME a checkout of X10 2.6.2?");
    let better = record::better(&recorded, &summary.mismatches);
    if !better.is_empty() {
        println!("{} files are right and recorded as wrong: run x10-suite with --record", better.len());
    }
    let worse = record::worse(&recorded, &summary.mismatches);
    assert!(worse.is_empty(), "{} files got worse:\n{}", worse.len(), worse.join("\n"));
}

fn suite(library: ClassLibrary) {
    let Some(home) = home() else { return };
    let all = tests::all(&home);
    let (_, outcomes) = passes::suite(&all, &home, library, 2, &|| ());
    compare(&Summary::of(&all, &outcomes), record::front(library));
}

#[test]
fn the_suite_is_judged_as_recorded() {
    suite(ClassLibrary::Ours);
}

#[test]
fn the_suite_with_the_library_of_x10_is_judged_as_recorded() {
    suite(ClassLibrary::X10);
}

#[test]
fn the_library_of_x10_is_judged_as_recorded() {
    let Some(home) = home() else { return };
    compare(&passes::summary(&passes::class_library(&home, |_| true)), "library.json");
}

#[test]
fn the_samples_are_judged_as_recorded() {
    let Some(home) = home() else { return };
    compare(&passes::summary(&passes::samples(&home, ClassLibrary::Ours, &|| ())), "samples.json");
}
