//! Builds and runs each program with the compiler and with apg.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::Options;
use super::program::{Kind, Program, ProgramRun};
use super::report::{Entry, Mode, Report, Verdict};
use crate::limited_process::{self, Ended, Limits, Stopped};

/// Bytes of memory of each process.
const MAX_MEMORY: u64 = 4 << 30;
/// Lines of an error that the report has.
const MAX_DETAIL: usize = 200;

/// What builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    /// The system's C compiler with OpenMP.
    Compiler,
    Apg,
}

/// What all programs of one call share.
pub(super) struct Session<'a> {
    pub options: &'a Options,
    pub apg: PathBuf,
    pub scratch: &'a Path,
}

impl Session<'_> {
    /// Runs all programs.
    pub(super) fn run_all(&self, programs: Vec<Program>) -> Report {
        let total = programs.len();
        let queue = Mutex::new(VecDeque::from(programs));
        let (done, entries) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = || {
            while !limited_process::interrupted() {
                let next = queue.lock().ok().and_then(|mut queue| queue.pop_front());
                let Some(program) = next else { break };
                let entry = self.run_one(&program);
                if limited_process::interrupted() {
                    break;
                }
                let number = done.fetch_add(1, Ordering::Relaxed) + 1;
                eprintln!("[{number}/{total}] {entry}");
                if let Ok(mut entries) = entries.lock() {
                    entries.push(entry);
                }
            }
        };
        std::thread::scope(|scope| {
            (0..self.options.jobs.max(1)).for_each(|_| {
                scope.spawn(work);
            });
        });
        let options = self.options;
        let mode = Mode {
            parallel: options.parallel.clone(),
            accels: options.accels.clone(),
            threads: options.threads,
            transport: options.transport,
        };
        Report::new(options.suite, mode, entries.into_inner().unwrap_or_default())
    }

    fn run_one(&self, program: &Program) -> Entry {
        let compiler = program.recorded.clone().unwrap_or_else(|| self.verdict(Tool::Compiler, program));
        let apg = self.verdict(Tool::Apg, program);
        let false_error = match program.kind {
            Kind::MustFail => None,
            _ if matches!(compiler, Verdict::NoBuild(_)) => None,
            _ => self.false_error(program),
        };
        Entry { program: program.name.clone(), compiler, apg, false_error }
    }

    fn verdict(&self, tool: Tool, program: &Program) -> Verdict {
        let built = match tempfile::tempdir_in(self.scratch) {
            Ok(folder) => folder,
            Err(error) => return Verdict::NoBuild(error.to_string()),
        };
        let out = built.path().join("program");
        let build = self.ended(self.build(tool, program, &out), &[], &built.path().join("build"));
        let accepted = matches!(&build, Ok(ended) if ended.status == 0);
        match (program.kind, build) {
            (Kind::MustFail, Ok(_)) if accepted => Verdict::Wrong("it is accepted".to_owned()),
            (Kind::MustFail, Ok(_)) => Verdict::Passed,
            (_, Err(error)) => Verdict::NoBuild(error),
            (_, Ok(ended)) if !accepted => Verdict::NoBuild(detail(&ended)),
            (Kind::Compile | Kind::Link, _) => Verdict::Passed,
            (kind @ (Kind::Run | Kind::RunError), _) => {
                let chosen = program.runs.iter().filter(|it| self.options.has_places(it));
                let runs = chosen.flat_map(|it| (0..self.options.repeat.max(1)).map(move |_| it)).enumerate();
                let mut runs = runs.map(|(number, run)| {
                    let folder = built.path().join(format!("run{number}"));
                    self.run(program, run, &out, kind, &folder)
                });
                runs.find(|it| *it != Verdict::Passed).unwrap_or(Verdict::Passed)
            }
        }
    }

    fn build(&self, tool: Tool, program: &Program, out: &Path) -> Command {
        let mut command = match tool {
            Tool::Compiler => {
                let mut command = Command::new("cc");
                command.args(["-fopenmp", "-O2", "-w"]);
                command
            }
            Tool::Apg => {
                let mut command = Command::new(&self.apg);
                command.args(["build", "-w"]);
                if let Some(place) = &self.options.parallel {
                    command.args(["--parallel", place]);
                }
                command
            }
        };
        if matches!(program.kind, Kind::Compile | Kind::MustFail) {
            command.arg("-c");
        }
        command.args(&program.sources).args(&program.options).arg("-o").arg(out);
        command
    }

    fn run(&self, program: &Program, run: &ProgramRun, out: &Path, kind: Kind, folder: &Path) -> Verdict {
        let mut command = self.options.started(out, run.places);
        command.envs(run.environment.iter().map(|(name, value)| (name, value)));
        let ended = match self.ended(command, &program.folders, folder) {
            Ok(ended) => ended,
            Err(error) => return Verdict::Wrong(error),
        };
        let failed = ended.status != 0 && ended.stopped.is_none();
        match kind {
            Kind::RunError if failed => Verdict::Passed,
            Kind::RunError => Verdict::Wrong("its run does not fail".to_owned()),
            _ if ended.status == 0 => run.fault(&ended.stdout).map_or(Verdict::Passed, Verdict::Wrong),
            _ => Verdict::Wrong(detail(&ended)),
        }
    }

    /// The first error that `apg check` reports of a program that the compiler accepts.
    fn false_error(&self, program: &Program) -> Option<String> {
        let folder = tempfile::tempdir_in(self.scratch).ok()?;
        let mut command = Command::new(&self.apg);
        command.arg("check").args(&program.sources).args(&program.options);
        let ended = match self.ended(command, &[], &folder.path().join("check")) {
            Ok(ended) => ended,
            Err(error) => return Some(error),
        };
        (ended.status != 0).then(|| detail(&ended))
    }

    fn ended(&self, mut command: Command, folders: &[String], folder: &Path) -> Result<Ended, String> {
        let limits = Limits {
            time: Duration::from_secs(self.options.timeout),
            memory: MAX_MEMORY,
            programs: self.scratch.join("cache"),
        };
        command.env("APG_CACHE_DIR", self.scratch.join("cache")).env("NO_COLOR", "1").env("LC_ALL", "C");
        command.env("OMP_NUM_THREADS", self.options.threads.to_string());
        if let Some(accels) = &self.options.accels {
            command.env("X10RT_ACCELS", accels);
        }
        let mut made = folders.iter().map(|it| folder.join("work").join(it)).chain([folder.to_path_buf()]);
        made.try_for_each(std::fs::create_dir_all).map_err(|error| error.to_string())?;
        limited_process::run(command, folder, &limits).map_err(|error| error.to_string())
    }
}

/// What went wrong, in one line.
fn detail(ended: &Ended) -> String {
    match ended.stopped {
        Some(Stopped::Output) => return "it prints more than it may".to_owned(),
        Some(Stopped::Memory) => return "it takes more memory than it may".to_owned(),
        Some(_) => return "its time was over".to_owned(),
        None => {}
    }
    let line = ended.stderr.lines().find(|line| line.contains("error")).or(ended.stderr.lines().next());
    let text: String = line.unwrap_or_default().chars().take(MAX_DETAIL).collect();
    format!("status {}{}{text}", ended.status, if text.is_empty() { "" } else { ": " })
}
