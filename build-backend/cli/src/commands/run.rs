//! `apg run`, the further places that it starts, and single-file programs.

use std::ffi::OsString;
use std::path::PathBuf;

use apg_runtime::cache::Cache;
use apg_runtime::cluster::{agent, session};
use apg_runtime::net::bootstrap::connect;
use apg_runtime::net::mpi;
use apg_runtime::run::{Image, RunOptions};
use clap::{Args, Parser};

use super::build;
use super::c_program::{CProgram, Inputs};
use super::hosts::{Cluster, HostOptions, Target};
use super::launch::{LaunchOptions, PLACE_COMMAND, enter_run_folder, restart, serve};
use super::remote::{self, OnOption, RemoteRunOptions};
use crate::debugger::Debugger;
use crate::exit;
use crate::failure::{Failure, Outcome};
use crate::options::{ProgramOptions, Request};
use crate::progress::Progress;
use crate::report::MessageFormat;
use crate::run_events;
use apg_toolchain::{Language, Profile, Sanitizer};

/// Build a program and run it
#[derive(Debug, Args)]
#[command(
    after_help = "X10_NPLACES, X10_NTHREADS, X10RT_ACCELS, X10_HOSTFILE and X10_HOSTLIST are used where the option is \
                        absent.\n\
                        The exit status is the program's own; 1 if it cannot be built."
)]
pub(crate) struct Run {
    #[command(flatten)]
    program: ProgramOptions,

    #[command(flatten)]
    launch: LaunchOptions,

    #[command(flatten)]
    hosts: HostOptions,

    #[command(flatten)]
    on: OnOption,

    #[command(flatten)]
    remote: RemoteRunOptions,

    /// Start a debugger with the program (gdb, unless it is named): `run` starts it, `break FILE:LINE` stops
    /// it, `xlocals` and `xprint NAME` show variables
    #[arg(long, value_enum, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "gdb")]
    #[arg(conflicts_with_all = ["release", "sanitize"])]
    debugger: Option<Debugger>,

    /// Further files of a program in C, and arguments of the program that do not begin with `-`
    #[arg(value_name = "WORDS")]
    words: Vec<String>,

    /// Arguments of the program, any
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<String>,
}

/// The arguments of a further place, after the shared object.
#[derive(Debug, Default, Parser)]
#[command(no_binary_name = true)]
struct PlaceCommand {
    #[command(flatten)]
    launch: LaunchOptions,

    /// Of place 0, which an agent has started.
    #[arg(last = true)]
    args: Vec<String>,
}

impl Run {
    /// With these options of the C compiler.
    pub(crate) fn with_c_options(mut self, c_options: Vec<Vec<String>>) -> Self {
        self.program.c_options = c_options;
        self
    }

    pub(crate) fn run(mut self) -> Outcome {
        let words = [self.program.file.clone().into_os_string()].into_iter();
        let words: Vec<OsString> = words.chain(self.words.iter().map(OsString::from)).collect();
        if let Some(inputs) = Inputs::take(&words)? {
            return self.run_c(inputs);
        }
        self.program.check_x10()?;
        self.args = std::mem::take(&mut self.words).into_iter().chain(self.args).collect();
        if let Some(on) = &self.on.on {
            return self.run_on(on);
        }
        if self.program.report.message_format != MessageFormat::Human {
            return run_events::run(&self.program);
        }
        let progress = Progress::default();
        // Reports wrong environment variables before a long build.
        self.launch.resolve(Image::Bytes(Vec::new()))?;
        let target = self.hosts.resolve(self.launch.place_count()?, self.launch.uses_mpi())?;
        let cluster = match self.launch.check_target(target)? {
            Target::Agent(membership) => return serve(membership),
            Target::Restart(command) => {
                self.check_for_hosts(true)?;
                return restart(command);
            }
            Target::Cluster(cluster) => Some(cluster),
            Target::Here(places) => {
                self.launch.places = places.or(self.launch.places);
                None
            }
        };
        self.check_for_hosts(cluster.is_some())?;
        let program = match build::build(&self.request(), &progress)? {
            Ok(program) => program,
            Err(status) => return Ok(status),
        };
        progress.finish();
        enter_run_folder()?;
        if let Some(sanitizer) = self.program.sanitize {
            return self.run_sanitized(sanitizer, program.path);
        }
        if let Some(debugger) = self.debugger {
            return debugger.start(self.built_command_line(program.path));
        }
        if let Some(cluster) = cluster {
            return run_on_hosts(*cluster, Image::File(program.path), &self.launch, self.args);
        }
        let mut options = self.launch.resolve(Image::File(program.path.clone()))?;
        options.cache_in_use = Some(program.in_use);
        options.place_arguments = self.launch.place_command_line(program.path);
        options.arguments = self.args;
        run_program(options)
    }
}

impl Run {
    /// The build of the program.
    fn request(&self) -> Request<'_> {
        self.program.request(Profile::Dev, self.debugger.is_some())
    }

    /// Builds and runs a program in C.
    fn run_c(self, inputs: Inputs) -> Outcome {
        let program = CProgram { inputs, program: self.program, is_debug: self.debugger.is_some() };
        let (launch, hosts) = (&self.launch, &self.hosts);
        program.check_options(&[
            ("--heap", launch.heap.is_some()),
            ("--slot-timeout", launch.slot_timeout.is_some()),
            ("--gc-stats", launch.gc_stats),
        ])?;
        if let Some(on) = &self.on.on {
            if launch.profile.is_some() {
                return Err(Failure::misuse("--profile of a program in C is for this machine")
                    .hint(format!("run it on {on} itself: `ssh {on} apg run ... --profile FILE`")));
            }
            let mut line = remote::CommandLine::default();
            line.choice("debugger", self.debugger).places(launch, &hosts.for_remote()?);
            let (options, accels) = (&self.remote, launch.accels.clone());
            return program.run_on(on, remote::RemoteCRun { options, accels, line, arguments: self.args });
        }
        program.run(launch, hosts, self.debugger, &self.args)
    }

    /// Runs the program on a remote machine.
    fn run_on(&self, on: &str) -> Outcome {
        if !matches!(self.program.report.message_format, MessageFormat::Human | MessageFormat::Json) {
            return Err(run_events::wrong_format());
        }
        let mut options = remote::CommandLine::default();
        // Commands of the debugger come from standard input.
        options.choice("debugger", self.debugger);
        let hosts = self.hosts.for_remote()?;
        let program = remote::RemoteProgram { request: &self.request(), options, arguments: &self.args };
        let run = remote::RemoteRun {
            options: &self.remote,
            launch: &self.launch,
            hosts: &hosts,
            profile: self.launch.profile_file()?,
        };
        remote::run_on(on, &program, &run)
    }

    /// What is not there for programs on several hosts.
    fn check_for_hosts(&self, on_hosts: bool) -> Result<(), Failure> {
        let refused = match on_hosts {
            true if self.debugger.is_some() => "--debugger",
            true if self.program.sanitize.is_some() => "--sanitize",
            _ => return Ok(()),
        };
        Err(Failure::misuse(format!("{refused} is for places of one machine, not of several hosts")).hint(
            format!(
                "`apg run FILE --places N {refused}` runs them here, and with `--on HOST` all on that one"
            ),
        ))
    }

    /// Restarts this executable with a sanitizer's library to run the program.
    fn run_sanitized(&self, sanitizer: Sanitizer, program: PathBuf) -> Outcome {
        let library = apg_toolchain::find_compiler().and_then(|it| sanitizer.library(&it));
        let library = library.map_err(|error| crate::failure::build_failure(&error))?;
        exec_sanitized(sanitizer, library, self.built_command_line(program))
    }

    /// The arguments that run a built program.
    fn built_command_line(&self, program: PathBuf) -> Vec<OsString> {
        let mut arguments = self.launch.place_command_line(program);
        arguments[0] = BUILT_COMMAND.into();
        arguments.extend(self.launch.places.map(|places| OsString::from(format!("--places={places}"))));
        arguments.push("--".into());
        arguments.extend(self.args.iter().map(OsString::from));
        arguments
    }
}

/// Replaces this process by the same executable with a sanitizer's library and these arguments.
fn exec_sanitized(
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

/// First argument of a process that runs a built program with a sanitizer or a debugger. The shared object
/// and the arguments of [`BuiltCommand`] follow.
pub(crate) const BUILT_COMMAND: &str = "__built";

#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct BuiltCommand {
    #[command(flatten)]
    launch: LaunchOptions,

    #[command(flatten)]
    hosts: HostOptions,

    #[arg(last = true)]
    args: Vec<String>,
}

/// Runs a built program if this process was started for one.
pub(crate) fn run_as_built() -> Option<Outcome> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != BUILT_COMMAND {
        return None;
    }
    let program = PathBuf::from(arguments.next()?);
    let command = BuiltCommand::parse_from(arguments);
    Some(run_built(std::path::absolute(&program).unwrap_or(program), command))
}

fn run_built(program: PathBuf, command: BuiltCommand) -> Outcome {
    let BuiltCommand { mut launch, hosts, args } = command;
    match launch.check_target(hosts.resolve(launch.place_count()?, launch.uses_mpi())?)? {
        Target::Agent(membership) => return serve(membership),
        Target::Restart(command) => return restart(command),
        Target::Cluster(cluster) => {
            enter_run_folder()?;
            return run_on_hosts(*cluster, Image::File(program), &launch, args);
        }
        Target::Here(places) => launch.places = places.or(launch.places),
    }
    enter_run_folder()?;
    let mut options = launch.resolve(Image::File(program.clone()))?;
    options.place_arguments = launch.place_command_line(program);
    options.arguments = args;
    run_program(options)
}

/// Runs this process's place of a program. Returns the exit status of the program.
fn run_program(options: RunOptions) -> Outcome {
    apg_runtime::run::run(options).map(exit::byte_of).map_err(Failure::new)
}

/// Runs a program on other hosts.
fn run_on_hosts(cluster: Cluster, program: Image, launch: &LaunchOptions, arguments: Vec<String>) -> Outcome {
    let job = session::Job {
        program,
        arguments,
        placement: cluster.placement,
        agents: cluster.agents,
        interface: cluster.interface,
        private_network: cluster.private_network,
        place_command: PLACE_COMMAND.into(),
        place_options: launch.place_options(),
        variables: if launch.uses_mpi() { mpi::VARIABLES.to_vec() } else { Vec::new() },
        threads: launch.thread_count()?,
        profile: launch.profile_file()?,
    };
    session::run(&job, cluster.start).map(exit::byte_of).map_err(Failure::new)
}

/// Runs the agent of a host if this process was started as one.
pub(crate) fn run_as_agent() -> Option<Outcome> {
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next()?;
    if command == agent::COMMAND {
        let failed = |error| Failure::new(format!("the agent has lost the launcher: {error}"));
        return Some(agent::run().map(|()| 0).map_err(failed));
    }
    if command == agent::IDENTITY_COMMAND {
        let expected = arguments.next()?;
        return Some(Ok(agent::compare_identity(&expected.to_string_lossy())));
    }
    None
}

/// Runs a further place if this process was started as one.
pub(crate) fn run_as_place() -> Option<Outcome> {
    // SAFETY: no other thread runs yet, and nothing else has used the inherited descriptors.
    let info = unsafe { connect::take_bootstrap_info() }?;
    let mut arguments = std::env::args_os().skip(1);
    let (image, PlaceCommand { launch, args }) = match (arguments.next(), arguments.next()) {
        (Some(word), Some(program)) if word == PLACE_COMMAND => {
            (Image::File(program.into()), PlaceCommand::parse_from(arguments))
        }
        _ => match apg_toolchain::appended_program(Language::X10) {
            Ok(Some(object)) => (Image::Bytes(object), PlaceCommand::default()),
            _ => return Some(Err(Failure::new("this process was started as a place, but of no program"))),
        },
    };
    let outcome = launch.resolve(image).and_then(|mut options| {
        options.accelerators = launch.accelerators(info.place.0)?;
        options.arguments = args;
        options.bootstrap = Some(info);
        options.cache_in_use = Some(Cache::default().hold());
        run_program(options)
    });
    Some(outcome)
}

/// Runs the program appended to this executable, if there is one. All arguments are the program's.
pub(crate) fn run_as_program() -> Option<Outcome> {
    let object = match apg_toolchain::appended_program(Language::X10) {
        Ok(object) => object?,
        Err(error) => return Some(Err(Failure::new(error.to_string()))),
    };
    if let Some((sanitizer, library)) = Sanitizer::of_object(&object)
        && !apg_toolchain::is_sanitizer_loaded()
    {
        return Some(exec_sanitized(sanitizer, library, std::env::args_os().skip(1)));
    }
    Some(run_appended(object))
}

/// Runs an appended program where X10's variables say.
fn run_appended(object: Vec<u8>) -> Outcome {
    let launch = LaunchOptions::default();
    let arguments = std::env::args().skip(1).collect();
    match HostOptions::default().resolve(launch.place_count()?, false)? {
        Target::Agent(membership) => serve(membership),
        Target::Restart(command) => restart(command),
        Target::Cluster(cluster) => run_on_hosts(*cluster, Image::Bytes(object), &launch, arguments),
        Target::Here(places) => {
            let mut options = launch.resolve(Image::Bytes(object))?;
            options.places = places.unwrap_or(options.places);
            options.arguments = arguments;
            run_program(options)
        }
    }
}
