//! `x10-suite run`: builds and runs the runnable tests of X10's own suite with a given `apg`, and says what
//! ended how.
//!
//! It needs nothing of this repository at run time, only the `apg` executable and the checkout of X10, so
//! that it can be copied to a machine with many cores. Every test runs in a process group and a folder of its
//! own; what hangs is ended with all its processes, and what a test leaves behind counts against it.

mod report;
mod select;
mod verdict;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Args;

use crate::limited_process::{self, Limits};
use crate::x10_suite::places::{HostOptions, Launcher, Places};
use report::Report;
use select::Test;
use verdict::Outcome;

/// Build and run the tests of X10's suite that have a `main` and are for a native back end
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// The apg executable under test
    #[arg(long, value_name = "PATH")]
    apg: PathBuf,

    /// Tests that run at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,

    /// Only N tests, of every folder its share
    #[arg(long, value_name = "N")]
    sample: Option<usize>,

    /// Which sample
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: usize,

    /// Only tests whose path has this text; may be given several times
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,

    /// Only tests that did not pass in this earlier report
    #[arg(long, value_name = "JSON")]
    failed_in: Option<PathBuf>,

    /// An earlier report to compare with
    #[arg(long, value_name = "JSON")]
    baseline: Option<PathBuf>,

    /// Most seconds of a test, building and running together [default: the suite's own]
    #[arg(long, value_name = "S")]
    timeout: Option<u64>,

    /// Threads of each place
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,

    /// Most memory of each process, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 8192)]
    memory: u64,

    /// Where compiled code is kept [default: a folder that goes at the end]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,

    /// Writes the report as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Keeps what the tests that fail printed, a file each
    #[arg(long, value_name = "DIR")]
    logs: Option<PathBuf>,

    /// What starts the places
    #[arg(long, value_enum, default_value_t)]
    launcher: Launcher,

    #[command(flatten)]
    hosts: HostOptions,

    /// Prints the names of the tests and runs none
    #[arg(long)]
    list: bool,
}

impl Options {
    /// Runs the tests. False if nothing could be run, or if a test that passed in the baseline does not pass
    /// now.
    pub fn run(&self, home: &Path) -> bool {
        self.try_run(home).unwrap_or_else(|message| {
            eprintln!("error: {message}");
            false
        })
    }

    fn try_run(&self, home: &Path) -> Result<bool, String> {
        let tests = self.tests(home)?;
        if self.list {
            tests.iter().for_each(|test| println!("{}", test.name));
            return Ok(true);
        }
        let apg = std::path::absolute(&self.apg).map_err(|error| error.to_string())?;
        if !apg.is_file() {
            return Err(format!("there is no executable `{}`", apg.display()));
        }
        let baseline = self.baseline.as_deref().map(Report::read).transpose()?;
        let scratch = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        let places = self.launcher.places(&self.hosts)?;
        let session = Session { options: self, home, apg, scratch: scratch.path(), places };
        limited_process::adopt_orphans();
        limited_process::watch_for_interrupts();
        let report = session.run_all(tests);
        print!("{}", report.text());
        if let Some(path) = &self.json {
            std::fs::write(path, report.json()).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        let Some(baseline) = baseline else { return Ok(true) };
        let (text, worse) = report.compare(&baseline);
        print!("{text}");
        Ok(!worse)
    }

    fn tests(&self, home: &Path) -> Result<Vec<Test>, String> {
        let mut tests = select::find(home)?;
        if !self.filter.is_empty() {
            tests.retain(|test| self.filter.iter().any(|text| test.name.contains(text.as_str())));
        }
        if let Some(path) = &self.failed_in {
            let earlier = Report::read(path)?;
            tests.retain(|test| {
                earlier.outcome(&test.name).is_some_and(|outcome| *outcome != Outcome::Passed)
            });
        }
        if let Some(number) = self.sample {
            tests = select::sample(tests, number, self.seed);
        }
        Ok(tests)
    }
}

/// What all tests of one call share.
struct Session<'a> {
    options: &'a Options,
    home: &'a Path,
    apg: PathBuf,
    scratch: &'a Path,
    places: Places,
}

impl Session<'_> {
    fn run_all(&self, tests: Vec<Test>) -> Report {
        let total = tests.len();
        let queue = Mutex::new(VecDeque::from(tests));
        let done = AtomicUsize::new(0);
        let results = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..self.options.jobs.max(1) {
                scope.spawn(|| {
                    while !limited_process::interrupted() {
                        let next = queue.lock().ok().and_then(|mut queue| queue.pop_front());
                        let Some(test) = next else { break };
                        let start = Instant::now();
                        let outcome = self.run_one(&test);
                        if limited_process::interrupted() {
                            break;
                        }
                        let number = done.fetch_add(1, Ordering::Relaxed) + 1;
                        let seconds = start.elapsed().as_secs_f64();
                        eprintln!("[{number}/{total}] {} {} ({seconds:.1} s)", test.name, outcome);
                        if let Ok(mut results) = results.lock() {
                            results.push(report::Entry { test: test.name, outcome, seconds });
                        }
                    }
                });
            }
        });
        Report::new(results.into_inner().unwrap_or_default())
    }

    fn run_one(&self, test: &Test) -> Outcome {
        let folder = match tempfile::tempdir_in(self.scratch) {
            Ok(folder) => folder,
            Err(error) => return Outcome::NotRun(error.to_string()),
        };
        let cache = self.options.cache.clone().unwrap_or_else(|| self.scratch.join("cache"));
        let mut command = match self.places.command(&self.apg, test.places as usize) {
            Ok(command) => command,
            Err(error) => return Outcome::NotRun(error),
        };
        command.arg(&test.path).args(["--accels", "none"]);
        command.args(["--threads", &self.options.threads.to_string()]);
        for folder in &test.source_path {
            command.arg("--source-path").arg(folder);
        }
        command.env("APG_CACHE_DIR", &cache).env("X10_TEST_DIR", self.home.join("x10.tests"));
        command.env("NO_COLOR", "1").env("RAYON_NUM_THREADS", self.options.threads.to_string());
        let suite = Duration::from_secs(test.timeout + select::COMPILE_SECONDS);
        let limits = Limits {
            time: self.options.timeout.map_or(suite, Duration::from_secs),
            memory: self.options.memory << 20,
            programs: cache.join("programs"),
        };
        let ended = match limited_process::run(command, folder.path(), &limits) {
            Ok(ended) => ended,
            Err(error) => return Outcome::NotRun(error.to_string()),
        };
        let outcome = verdict::judge(&ended);
        if let (Some(logs), true) = (&self.options.logs, outcome != Outcome::Passed) {
            let name = test.name.replace('/', ".");
            let text = format!(
                "{outcome}\n--- standard output\n{}\n--- standard error\n{}",
                ended.stdout, ended.stderr
            );
            let written = std::fs::create_dir_all(logs)
                .and_then(|()| std::fs::write(logs.join(format!("{name}.txt")), text));
            if let Err(error) = written {
                eprintln!("warning: no log of {name}: {error}");
            }
        }
        outcome
    }
}
