//! `apg run`, the places that it starts, and programs in one file.

use std::ffi::OsString;
use std::path::PathBuf;

use apg_runtime::cache::Cache;
use apg_runtime::net::bootstrap::launcher;
use apg_runtime::run::{Image, RunOptions};
use apg_runtime::topology::Selection;
use clap::{Args, Parser};

use super::build::{self, Request};
use super::debugger::Debugger;
use super::events;
use super::options::{Checks, NativeOptions, ReportOptions, SourceOptions};
use super::progress::Progress;
use super::{Failure, Outcome};
use crate::report::MessageFormat;
use apg_project::build::Options;
use apg_toolchain::{self as driver, Mode, Profile, Sanitizer};

/// Build a program and run it
#[derive(Debug, Args)]
#[command(after_help = "X10_NPLACES, X10_NTHREADS and X10RT_ACCELS are used where the option is absent.\n\
                        The exit status is the program's own; 1 if it cannot be built.")]
pub struct Run {
    /// The file that holds `main`
    file: PathBuf,

    #[command(flatten)]
    launch: LaunchOptions,

    /// Optimise for this machine's processor
    #[arg(long)]
    release: bool,

    /// What the program checks while it runs
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    checks: Checks,

    /// Look for errors of memory, for what C++ leaves undefined, or for races, while the program runs
    #[arg(long, value_enum, value_name = "WHICH")]
    sanitize: Option<Sanitizer>,

    /// Start a debugger with the program (gdb, unless it is named): `run` starts it, `break FILE:LINE` stops it, `xlocals` and `xprint NAME` show variables
    #[arg(long, value_enum, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "gdb")]
    #[arg(conflicts_with_all = ["release", "sanitize"])]
    debugger: Option<Debugger>,

    /// The class whose `main` is meant, if the file has several
    #[arg(long, value_name = "CLASS")]
    main: Option<String>,

    #[command(flatten)]
    sources: SourceOptions,

    #[command(flatten)]
    native: NativeOptions,

    /// For people, or a stream of JSON events for tools
    #[command(flatten)]
    report: ReportOptions,

    /// Arguments of the program; those that begin with `-` stand behind `--`
    #[arg(value_name = "ARGS")]
    args: Vec<String>,
}

/// How a program is launched.
#[derive(Clone, Debug, Default, Args)]
pub struct LaunchOptions {
    /// Host places, each a process of this machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub places: Option<u32>,

    /// Accelerators of each host place: `all`, `none`, or numbers such as `0,1` [default: those there are]
    #[arg(long, value_name = "WHICH")]
    pub accels: Option<String>,

    /// Threads that run activities at each place [default: one a processor, at least two]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,

    /// Most memory of each place's heap, such as 512M or 8G [default: three quarters of the memory, shared by all places]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub heap: Option<usize>,

    /// Print at the end what the garbage collector did
    #[arg(long)]
    pub gc_stats: bool,

    /// Write what activities, kernels and copies do over time, for Perfetto or chrome://tracing, and print a summary at the end
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
}

/// The size of a heap.
fn bytes(text: &str) -> Result<usize, String> {
    let size = apg_runtime::base::byte_size::parse(text)?;
    const MIN_HEAP_BYTES: usize = 1 << 20;
    if size < MIN_HEAP_BYTES {
        Err(format!("`{text}` is too small: a heap needs at least 1M"))
    } else {
        Ok(size)
    }
}

/// An environment variable that is not empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

impl LaunchOptions {
    /// The accelerators of a host place.
    fn accelerators(&self, place: u32) -> Result<Selection, Failure> {
        Selection::choose(self.accels.as_deref(), place, &variable).map_err(Failure::misuse)
    }

    /// With X10's variables where an option is absent.
    pub fn resolve(&self, program: Image) -> Result<RunOptions, Failure> {
        let number = |option: Option<u32>, name: &str, most: u32| match (option, variable(name)) {
            (Some(number), _) => Ok(Some(number)),
            (None, None) => Ok(None),
            (None, Some(text)) => match text.trim().parse() {
                Ok(number) if (1..=most).contains(&number) => Ok(Some(number)),
                _ => {
                    Err(Failure::misuse(format!("{name} is `{text}`; it must be a number from 1 to {most}")))
                }
            },
        };
        let mut options = RunOptions::new(program);
        options.places = number(self.places, "X10_NPLACES", 1024)?.unwrap_or(1);
        options.threads = number(self.threads, "X10_NTHREADS", 4096)?.unwrap_or(0) as usize;
        options.accelerators = self.accelerators(0)?;
        options.heap = self.heap.unwrap_or(0);
        options.collector_statistics = self.gc_stats;
        options.profile = self.profile_file()?;
        Ok(options)
    }
}

impl LaunchOptions {
    /// Where the profile goes: a whole path, whatever the program does with its folder.
    fn profile_file(&self) -> Result<Option<PathBuf>, Failure> {
        let named = self.profile.clone().or_else(|| variable("APG_PROFILE").map(PathBuf::from));
        let Some(file) = named else { return Ok(None) };
        std::path::absolute(&file)
            .map(Some)
            .map_err(|error| Failure::misuse(format!("--profile {}: {error}", file.display())))
    }

    /// The command line of the program's further places.
    fn for_places(&self, program: PathBuf) -> Vec<OsString> {
        let mut line = vec![OsString::from(PLACE), program.into()];
        let mut add = |option: &str, value: Option<String>| {
            line.extend(value.into_iter().map(|value| OsString::from(format!("--{option}={value}"))));
        };
        add("accels", self.accels.clone());
        add("threads", self.threads.map(|threads| threads.to_string()));
        add("heap", self.heap.map(|heap| heap.to_string()));
        if self.gc_stats {
            line.push("--gc-stats".into());
        }
        if let Some(file) = self.profile.as_ref().and_then(|file| std::path::absolute(file).ok()) {
            line.push("--profile".into());
            line.push(file.into());
        }
        line
    }
}

/// The arguments of a further place, after the shared object.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct PlaceCommand {
    #[command(flatten)]
    launch: LaunchOptions,
}

impl Run {
    pub fn run(self) -> Outcome {
        if self.report.message_format != MessageFormat::Human {
            return events::run(&self.file, &self.sources, self.report.message_format);
        }
        let progress = Progress::default();
        let profile = if self.release { Profile::Release } else { Profile::Dev };
        let mode = Mode { profile, sanitizer: self.sanitize, debug: self.debugger.is_some() };
        let request = Request {
            file: &self.file,
            main: self.main.as_deref(),
            options: Options { mode, unchecked: self.checks == Checks::None },
            sources: &self.sources,
            native: &self.native,
            report: self.report,
        };
        // A wrong variable is told before a long build.
        self.launch.resolve(Image::Bytes(Vec::new()))?;
        let translated = match build::translate(&request, &progress)? {
            Ok(translated) => translated,
            Err(status) => return Ok(status),
        };
        let program = match build::compile(&translated, &request, &progress)? {
            Ok(program) => program,
            Err(status) => return Ok(status),
        };
        progress.finish();
        if let Some(sanitizer) = self.sanitize {
            return self.run_with(sanitizer, program.object);
        }
        if let Some(debugger) = self.debugger {
            return debugger.start(self.of_built(program.object));
        }
        let mut options = self.launch.resolve(Image::File(program.object.clone()))?;
        options.cache_in_use = Some(program.in_use);
        options.place_arguments = self.launch.for_places(program.object);
        options.arguments = self.args;
        start(options)
    }
}

impl Run {
    /// Runs the program in this executable started anew with a sanitizer's library.
    fn run_with(&self, sanitizer: Sanitizer, program: PathBuf) -> Outcome {
        let library = driver::find_compiler().and_then(|it| sanitizer.library(&it));
        let library = library.map_err(|error| build::driver_failure(&error))?;
        become_sanitized(sanitizer, library, self.of_built(program))
    }

    /// The command line that runs the program once it is built.
    fn of_built(&self, program: PathBuf) -> Vec<OsString> {
        let mut arguments = self.launch.for_places(program);
        arguments[0] = BUILT.into();
        arguments.extend(self.launch.places.map(|places| OsString::from(format!("--places={places}"))));
        arguments.push("--".into());
        arguments.extend(self.args.iter().map(OsString::from));
        arguments
    }
}

/// This process goes on as the same executable with a sanitizer's library and these arguments.
fn become_sanitized(
    sanitizer: Sanitizer,
    library: impl Into<OsString>,
    arguments: impl IntoIterator<Item = OsString>,
) -> Outcome {
    use std::os::unix::process::CommandExt;
    let cannot = |error| Failure::new(format!("cannot start apg with a sanitizer: {error}"));
    let mut command = std::process::Command::new(std::env::current_exe().map_err(cannot)?);
    command.args(arguments);
    sanitizer.prepare(&mut command, library);
    Err(cannot(command.exec()))
}

/// The command line of a program that was built already, run with a sanitizer or a debugger: this word, the shared object, and
/// these.
pub const BUILT: &str = "__built";

#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct BuiltCommand {
    #[command(flatten)]
    launch: LaunchOptions,

    #[arg(last = true)]
    args: Vec<String>,
}

/// If this process was started for a program that is built: runs it.
pub fn as_built() -> Option<Outcome> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != BUILT {
        return None;
    }
    let program = PathBuf::from(arguments.next()?);
    let BuiltCommand { launch, args } = BuiltCommand::parse_from(arguments);
    Some(launch.resolve(Image::File(program.clone())).and_then(|mut options| {
        options.place_arguments = launch.for_places(program);
        options.arguments = args;
        start(options)
    }))
}

/// The command line of a further place: this word, then the shared object.
pub const PLACE: &str = "__place";

/// Runs a program, or this process's share of it. Its exit status is this process's.
fn start(options: RunOptions) -> Outcome {
    let status = apg_runtime::run::run(options).map_err(Failure::new)?;
    // As the system does: of a larger status the lowest byte counts.
    Ok(u8::try_from(status & 0xff).unwrap_or(1))
}

/// If this process is a further place of a running program: that place's whole life.
pub fn as_place() -> Option<Outcome> {
    // SAFETY: the first thing that this process does.
    let info = unsafe { launcher::take_bootstrap_info() }?;
    let mut arguments = std::env::args_os().skip(1);
    let (image, launch) = match (arguments.next(), arguments.next()) {
        (Some(word), Some(program)) if word == PLACE => {
            (Image::File(program.into()), PlaceCommand::parse_from(arguments).launch)
        }
        _ => match apg_toolchain::appended_program() {
            Ok(Some(object)) => (Image::Bytes(object), LaunchOptions::default()),
            _ => return Some(Err(Failure::new("this process was started as a place, but of no program"))),
        },
    };
    let outcome = launch.resolve(image).and_then(|mut options| {
        options.accelerators = launch.accelerators(info.place)?;
        options.bootstrap = Some(info);
        options.cache_in_use = Some(Cache::default().hold());
        start(options)
    });
    Some(outcome)
}

/// If this executable has a program behind it: runs that, with all arguments the program's.
pub fn as_program() -> Option<Outcome> {
    let object = match apg_toolchain::appended_program() {
        Ok(object) => object?,
        Err(error) => return Some(Err(Failure::new(error.to_string()))),
    };
    if let Some((sanitizer, library)) = Sanitizer::of_object(&object)
        && !driver::is_sanitizer_loaded()
    {
        return Some(become_sanitized(sanitizer, library, std::env::args_os().skip(1)));
    }
    let outcome = LaunchOptions::default().resolve(Image::Bytes(object)).and_then(|mut options| {
        options.arguments = std::env::args().skip(1).collect();
        start(options)
    });
    Some(outcome)
}
