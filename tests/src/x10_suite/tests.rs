//! X10's tests: which files must compile and which must not, and how ours did.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use apg_analysis::Checks;

use super::checker::{Found, Job};
use super::directives::Directives;
use super::markers::marked_lines;
use super::{files_below, text_of};

/// A file of the suite.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its path below `x10.tests/tests`.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// What it says of itself.
    pub directives: Directives,
    /// Whether a compiler must refuse it.
    pub must_fail: bool,
    /// Lines with an error, as its author says.
    pub marked: BTreeSet<usize>,
}

/// All tests of a front end: of those folders and files that X10's own driver leaves out none, and none of
/// the Java back end.
pub fn all(home: &Path) -> Vec<Test> {
    let files = files_below(&home.join("x10.tests/tests")).into_iter();
    files
        .filter(|(name, _)| !is_left_out(name))
        .map(|(name, path)| {
            let text = text_of(&path);
            let must_fail = name.ends_with("_MustFailCompile.x10");
            Test { directives: Directives::of(&text), must_fail, marked: marked_lines(&text), name, path }
        })
        .filter(|test| !test.directives.managed_only)
        .collect()
}

fn is_left_out(name: &str) -> bool {
    const FOLDERS: &[&str] = &["WorkStealing", "AutoGen", "NOT_WORKING"];
    const FILES: &[&str] =
        &["TypedefBasic2.x10", "ClassCtor30_MustFailCompile.x10", "ThisEscapingViaAt_MustFailCompile.x10"];
    let mut parts = name.rsplit('/');
    parts.next().is_some_and(|file| FILES.contains(&file)) || parts.any(|folder| FOLDERS.contains(&folder))
}

impl Test {
    /// How to check it.
    pub fn job(&self, home: &Path) -> Job {
        let mut source_path: Vec<PathBuf> = self.path.parent().map(Path::to_owned).into_iter().collect();
        source_path.push(home.join("x10.tests/tests/x10lib"));
        source_path.extend(self.directives.source_path.iter().map(|folder| home.join(folder)));
        let checks = Checks {
            is_static: self.directives.static_checks,
            infers_guards: self.directives.constraint_inference,
        };
        Job { name: self.name.clone(), path: self.path.clone(), source_path, checks }
    }

    /// The folder that it is counted under: the first two of its path.
    pub fn folder(&self) -> String {
        let folders: Vec<&str> = self.name.split('/').collect();
        folders[..folders.len().saturating_sub(1).min(2)].join("/")
    }
}

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// As it must.
    Right,
    /// It must compile, and has errors of these rules.
    FalseErrors(BTreeSet<String>),
    /// It must not compile, and has no error.
    Accepted,
    /// It is refused, but nothing is said of these marked lines.
    MissedLines(BTreeSet<usize>),
}

/// Judges what was found in a test.
pub fn judge(test: &Test, found: &[Found]) -> Outcome {
    if !test.must_fail {
        return outcome_of_right(found);
    }
    if found.is_empty() {
        return Outcome::Accepted;
    }
    let lines: BTreeSet<usize> = found.iter().map(|it| it.line).collect();
    let missed: BTreeSet<usize> = test.marked.difference(&lines).copied().collect();
    if missed.is_empty() { Outcome::Right } else { Outcome::MissedLines(missed) }
}

/// Judges what was found in a file without a mistake.
pub fn outcome_of_right(found: &[Found]) -> Outcome {
    match found {
        [] => Outcome::Right,
        _ => Outcome::FalseErrors(found.iter().map(|it| it.code.to_owned()).collect()),
    }
}

/// Numbers of tests by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files that must compile.
    pub must_compile: usize,
    /// Of them, those without an error.
    pub clean: usize,
    /// Files that must not compile.
    pub must_fail: usize,
    /// Of them, those with an error.
    pub rejected: usize,
    /// Of them, those with an error at every marked line.
    pub all_lines: usize,
}

impl Counts {
    /// Adds one test.
    pub fn add(&mut self, must_fail: bool, outcome: &Outcome) {
        if must_fail {
            self.must_fail += 1;
            self.rejected += usize::from(matches!(outcome, Outcome::Right | Outcome::MissedLines(_)));
            self.all_lines += usize::from(*outcome == Outcome::Right);
        } else {
            self.must_compile += 1;
            self.clean += usize::from(*outcome == Outcome::Right);
        }
    }
}

/// Counts of all tests, by folder.
pub fn by_folder(tests: &[Test], outcomes: &[Outcome]) -> BTreeMap<String, Counts> {
    let mut folders: BTreeMap<String, Counts> = BTreeMap::new();
    for (test, outcome) in tests.iter().zip(outcomes) {
        folders.entry(test.folder()).or_default().add(test.must_fail, outcome);
    }
    folders
}
