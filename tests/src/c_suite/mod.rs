//! `c-suite`: public suites of C programs with OpenMP, through apg and through the system's C compiler in the
//! same run. What the compiler builds and runs as the suite asks, apg must build and run so too. For programs
//! with XcalableMP the peer is what their own compiler is known to make of them.
//!
//! Suites are read from folders that the user names; nothing of them is in this repository, which records
//! names and counts alone (`tests/c-suite`).

mod compare;
mod dataracebench;
mod examples;
mod folder;
mod program;
mod report;
mod tags;
mod validation;
mod xmp;

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, ValueEnum};

use crate::limited_process;
use compare::Session;
pub use report::Report;

use program::{Kind, Program, ProgramRun};
use xmp::Language;

/// A suite whose files say what each program is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Suite {
    /// The OpenMP Validation Suite: templates that give a normal and an orphaned form
    Validation,
    /// The examples of the OpenMP documents
    Examples,
    /// DataRaceBench
    Dataracebench,
    /// The programs with XcalableMP of the Omni compiler's tests
    Xmp,
    /// The programs with XcalableACC of the same tests
    Xacc,
    /// Any folder of programs that end with status 0
    Folder,
}

impl Suite {
    /// Its name on the command line and of its record.
    pub fn name(self) -> &'static str {
        match self {
            Suite::Validation => "validation",
            Suite::Examples => "examples",
            Suite::Dataracebench => "dataracebench",
            Suite::Xmp => "xmp",
            Suite::Xacc => "xacc",
            Suite::Folder => "folder",
        }
    }

    /// Its programs; what has to be written for them goes to `scratch`.
    fn programs(self, home: &Path, part: Part, scratch: &Path) -> Result<Vec<Program>, String> {
        let mut programs = match self {
            Suite::Xmp => xmp::find(Language::XcalableMp, home, part, scratch)?,
            Suite::Xacc => xmp::find(Language::XcalableAcc, home, part, scratch)?,
            Suite::Validation => validation::find(home, scratch)?,
            Suite::Examples => examples::find(home)?,
            Suite::Dataracebench => dataracebench::find(home)?,
            Suite::Folder => folder::find(home)?,
        };
        programs.sort_by(|a, b| a.name.cmp(&b.name));
        if programs.is_empty() {
            return Err(format!("`{}` has no programs of the suite `{}`", home.display(), self.name()));
        }
        Ok(programs)
    }
}

/// The programs of the suite `xmp`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Those that its own compiler is tested with
    #[default]
    Normal,
    /// Those of what its own compiler does not implement
    NotImplemented,
    /// Those for many nodes
    Large,
}

/// What carries messages between places of this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Transport {
    /// Shared memory
    #[default]
    SharedMemory,
    /// TCP
    Tcp,
}

/// Build and run a suite's programs with apg and with the system's C compiler, and say where they differ
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// The suite
    #[arg(value_enum)]
    pub suite: Suite,

    /// A checkout of the suite
    pub home: PathBuf,

    /// The apg executable under test
    #[arg(long, value_name = "PATH")]
    pub apg: PathBuf,

    /// Where apg runs parallel regions
    #[arg(long, value_name = "WHERE")]
    pub parallel: Option<String>,

    /// What apg's programs have for devices: `cpu` for the CPUs as a device, or numbers of GPUs
    #[arg(long, value_name = "WHICH")]
    pub accels: Option<String>,

    /// Of the suite `xmp`: which programs
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub part: Part,

    /// Only runs at N places
    #[arg(long, value_name = "N")]
    pub places: Option<u32>,

    /// What carries messages between places
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub transport: Transport,

    /// Programs that are built and run at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub jobs: usize,

    /// Runs of each program; all must be right
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub repeat: usize,

    /// OpenMP threads
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub threads: usize,

    /// Most seconds of a build or a run
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub timeout: u64,

    /// Only programs whose name has this text; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub filter: Vec<String>,

    /// Writes names and counts
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// Prints the names of the programs and runs none
    #[arg(long)]
    pub list: bool,
}

impl Options {
    /// Runs the programs and prints the report; whether apg passes all that the compiler passes.
    ///
    /// # Errors
    /// The folder is no such suite, apg is missing, or a file cannot be written.
    pub fn run(&self) -> Result<bool, String> {
        let scratch = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        if self.list {
            self.programs(scratch.path())?.iter().for_each(|program| println!("{}", program.name));
            return Ok(true);
        }
        let report = self.report(scratch.path())?;
        print!("{}", report.text());
        if let Some(path) = &self.record {
            std::fs::write(path, report.json()).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(report.is_as_good())
    }

    /// Runs the programs in folders below `scratch`.
    ///
    /// # Errors
    /// The folder is no such suite, or apg is missing.
    pub fn report(&self, scratch: &Path) -> Result<Report, String> {
        let apg = std::path::absolute(&self.apg).map_err(|error| error.to_string())?;
        if !apg.is_file() {
            return Err(format!("there is no executable `{}`", apg.display()));
        }
        let programs = self.programs(scratch)?;
        limited_process::adopt_orphans();
        limited_process::watch_for_interrupts();
        Ok(Session { options: self, apg, scratch }.run_all(programs))
    }

    /// Whether a run is at the chosen number of places.
    fn has_places(&self, run: &ProgramRun) -> bool {
        self.places.is_none() || run.places == self.places
    }

    /// The command that runs a built program.
    fn started(&self, program: &Path, places: Option<u32>) -> Command {
        let mut command = Command::new(program);
        if let Some(places) = places {
            command.env("X10_NPLACES", places.to_string());
        }
        if self.transport == Transport::Tcp {
            command.env("APG_SHARED_MEMORY", "off");
        }
        command
    }

    fn programs(&self, scratch: &Path) -> Result<Vec<Program>, String> {
        let home = std::path::absolute(&self.home).map_err(|error| error.to_string())?;
        let mut programs = self.suite.programs(&home, self.part, scratch)?;
        if self.places.is_some() {
            let runs = |it: &Program| it.kind == Kind::Run && it.runs.iter().any(|run| self.has_places(run));
            programs.retain(runs);
        }
        if !self.filter.is_empty() {
            programs.retain(|it| self.filter.iter().any(|text| it.name.contains(text.as_str())));
        }
        Ok(programs)
    }
}

/// The C files below a folder, in the order of their paths.
fn c_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() && !path.is_symlink() {
            files.extend(c_files(&path)?);
        } else if path.extension().is_some_and(|it| it == "c") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The path of a file below a folder, without its extension.
fn name_below(folder: &Path, file: &Path) -> String {
    file.strip_prefix(folder).unwrap_or(file).with_extension("").display().to_string()
}

/// A file's text; bytes that are no UTF-8 are replaced.
fn read(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
