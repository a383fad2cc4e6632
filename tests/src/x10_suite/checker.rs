//! Files through the checker, in process: a project of its own for each, while what is known of the class
//! library is shared.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use apg_analysis::AnalysisHost;
use apg_analysis::Checks;
use apg_analysis::diagnostics::{Diagnostic, Severity};
use apg_project::sources::{self, Cache};

use super::markers::line_of;
use super::{files_below, text_of};

/// Which class library programs are checked against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClassLibrary {
    /// Ours.
    #[default]
    Ours,
    /// X10's, in its place.
    X10,
}

impl ClassLibrary {
    /// Its files by package path. X10's is below `home`.
    pub fn files(self, home: &Path) -> Vec<(PathBuf, Arc<str>)> {
        match self {
            ClassLibrary::Ours => {
                let files = apg_runtime::class_library::files();
                files.into_iter().map(|(path, text)| (path.to_owned(), Arc::from(text))).collect()
            }
            ClassLibrary::X10 => {
                let files = files_below(&home.join("x10.runtime/src-x10"));
                files.into_iter().map(|(name, path)| (name.into(), Arc::from(text_of(&path)))).collect()
            }
        }
    }
}

/// A file to check, and where its packages are.
#[derive(Clone, Debug)]
pub struct Job {
    /// What it is called in reports.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Further source folders.
    pub source_path: Vec<PathBuf>,
    /// How constraints are checked.
    pub checks: Checks,
}

/// An error in a checked file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its line, from 1.
    pub line: usize,
    /// The rule.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
}

/// Debug builds need more than a thread has by default.
const STACK: usize = 256 << 20;

/// All errors of each file, in the order of the jobs. `threads` work at once, each with a database of its
/// own.
pub fn check(
    jobs: &[Job],
    library: &[(PathBuf, Arc<str>)],
    threads: usize,
    progress: &(dyn Fn() + Sync),
) -> Vec<Vec<Found>> {
    let cache = Cache::default();
    let results = Mutex::new(vec![Vec::new(); jobs.len()]);
    let next = Mutex::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let work = || {
                let mut host = AnalysisHost::new(library.iter().cloned());
                // Whole runs of neighbours, since files of one folder share what they use.
                while let Some(run) = take(&next, jobs.len()) {
                    for at in run {
                        let found = check_one(&mut host, &jobs[at], &cache);
                        results.lock().expect("no other thread panics")[at] = found;
                        progress();
                    }
                }
            };
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, work).expect("threads can be started");
        }
    });
    results.into_inner().expect("no thread panics")
}

/// Runs `work` with the stack that debug builds need.
pub fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.map(|thread| thread.join()).expect("threads can be started").expect("no panic")
    })
}

fn take(next: &Mutex<usize>, end: usize) -> Option<std::ops::Range<usize>> {
    const RUN: usize = 16;
    let mut next = next.lock().expect("no other thread panics");
    let run = *next..end.min(*next + RUN);
    *next = run.end;
    (!run.is_empty()).then_some(run)
}

fn check_one(host: &mut AnalysisHost, job: &Job, cache: &Cache) -> Vec<Found> {
    let sources = match sources::load_cached(std::slice::from_ref(&job.path), &job.source_path, cache) {
        Ok(sources) => sources,
        Err(error) => {
            return vec![Found { line: 1, code: "load", message: error.to_string() }];
        }
    };
    host.replace_files(sources.files);
    host.set_checks(job.checks);
    host.set_roots(&sources.roots);
    host.set_source_path(sources.source_path);
    errors_of(host, &sources.roots[0])
}

/// The errors of one file that the host knows.
pub fn errors_of(host: &AnalysisHost, path: &Path) -> Vec<Found> {
    let analysis = host.snapshot();
    let missing = |message: String| vec![Found { line: 1, code: "load", message }];
    let Some(file) = analysis.file(path) else {
        return missing(format!("{} is not among the files read", path.display()));
    };
    let Ok(diagnostics) = analysis.with(|db| apg_analysis::file_diagnostics(db, file).to_vec()) else {
        return missing("the check was cancelled".to_owned());
    };
    let text = analysis.source(file).1;
    let found = |it: Diagnostic| Found {
        line: line_of(text, it.range.start().into()),
        code: it.code,
        message: it.message,
    };
    diagnostics.into_iter().filter(|it| it.severity == Severity::Error).map(found).collect()
}
