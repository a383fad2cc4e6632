//! Whole passes: over the suite, X10's class library and its samples.

use std::path::{Path, PathBuf};

use apg_analysis::AnalysisHost;
use apg_analysis::Checks;

use super::checker::{self, ClassLibrary, Found, Job};
use super::files_below;
use super::record::Summary;
use super::tests::{self, Outcome, Test};

/// Files by name, with their errors.
pub type Errors = Vec<(String, Vec<Found>)>;

/// Checks tests of the suite: their errors, and how they ended.
pub fn suite(
    chosen: &[Test],
    home: &Path,
    library: ClassLibrary,
    threads: usize,
    progress: &(dyn Fn() + Sync),
) -> (Vec<Vec<Found>>, Vec<Outcome>) {
    let jobs: Vec<Job> = chosen.iter().map(|test| test.job(home)).collect();
    let found = checker::check(&jobs, &library.files(home), threads, progress);
    let outcomes = chosen.iter().zip(&found).map(|(test, found)| tests::judge(test, found)).collect();
    (found, outcomes)
}

/// Checks the files of X10's class library whose names are wanted, with all of it in place of ours.
pub fn class_library(home: &Path, is_wanted: impl Fn(&str) -> bool + Send) -> Errors {
    let files = ClassLibrary::X10.files(home);
    let mut names: Vec<String> = files
        .iter()
        .map(|(path, _)| path.to_string_lossy().into_owned())
        .filter(|name| is_wanted(name))
        .collect();
    names.sort();
    let host = AnalysisHost::new(files);
    checker::with_stack(move || {
        names
            .into_iter()
            .map(|name| {
                let found = checker::errors_of(&host, &PathBuf::from(&name));
                (name, found)
            })
            .collect()
    })
}

/// Checks X10's samples, all but those that need Java.
pub fn samples(home: &Path, library: ClassLibrary, progress: &(dyn Fn() + Sync)) -> Errors {
    let folder = home.join("x10.dist/samples");
    let files = files_below(&folder).into_iter().filter(|(name, _)| !name.starts_with("java.interop/"));
    let jobs: Vec<Job> = files
        .map(|(name, path)| Job { name, path, source_path: vec![folder.clone()], checks: Checks::default() })
        .collect();
    let found = checker::check(&jobs, &library.files(home), 2, progress);
    jobs.into_iter().map(|job| job.name).zip(found).collect()
}

/// Checks all files below a folder, each as a program of its own.
pub fn programs(folder: &Path, source_path: &[PathBuf]) -> Errors {
    let files = files_below(folder).into_iter();
    let job = |(name, path)| Job { name, path, source_path: source_path.to_vec(), checks: Checks::default() };
    let jobs: Vec<Job> = files.map(job).collect();
    let found = checker::check(&jobs, &ClassLibrary::Ours.files(folder), 2, &|| ());
    jobs.into_iter().map(|job| job.name).zip(found).collect()
}

/// Files none of which should have an error.
pub fn summary(errors: &Errors) -> Summary {
    let mut summary = Summary::default();
    for (name, found) in errors {
        summary.add(name, false, tests::outcome_of_right(found));
    }
    summary
}
