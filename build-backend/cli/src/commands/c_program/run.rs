//! Runs a C program: `apg run` becomes it.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use apg_project::build::c_compiler_findings;
use apg_runtime::cache::Cache;
use apg_runtime::offload::TargetDevices;
use apg_runtime::profile;
use apg_runtime::run::{Carrier, Image};
use apg_toolchain::SilentObserver;
use apg_toolchain::c::{self, CBuildError};

use super::CProgram;
use super::build::{Built, build_failure};
use super::placement::Kind;
use crate::commands::c_devices;
use crate::commands::c_places::{self, Destination};
use crate::commands::hosts::{Cluster, HostOptions};
use crate::commands::launch::{LaunchOptions, enter_run_folder};
use crate::commands::remote::{self, RemoteCRun};
use crate::debugger::Debugger;
use crate::failure::{Failure, Outcome};
use crate::report::MessageFormat;
use crate::run_events;

impl CProgram {
    /// Builds and runs the program on a remote machine.
    pub(crate) fn run_on(mut self, on: &str, mut run: RemoteCRun<'_>) -> Outcome {
        if self.take_compile_only() {
            return Err(only_objects());
        }
        if !matches!(self.program.report.message_format, MessageFormat::Human | MessageFormat::Json) {
            return Err(run_events::wrong_format());
        }
        let rest = self.inputs.rest.iter().map(|it| it.to_string_lossy().into_owned());
        run.arguments = rest.chain(run.arguments).collect();
        remote::run_c_on(on, &self, run)
    }

    /// Builds the program, and replaces this process by it: its input, output, signals and exit status are
    /// the program's own.
    pub(crate) fn run(
        mut self,
        launch: &LaunchOptions,
        hosts: &HostOptions,
        debugger: Option<Debugger>,
        arguments: &[String],
    ) -> Outcome {
        if self.take_compile_only() {
            return Err(only_objects());
        }
        let is_stream = match self.program.report.message_format {
            MessageFormat::Human => false,
            MessageFormat::Json => true,
            _ => return Err(run_events::wrong_format()),
        };
        let carrier = launch.transport.clone().unwrap_or_default();
        let (places, cluster) = match self.destination(launch, hosts, &carrier)? {
            Destination::Ended(outcome) => return outcome,
            Destination::Here(places) => (places, None),
            Destination::Cluster(cluster) => (None, Some(cluster)),
        };
        if cluster.is_some() && debugger.is_some() {
            return Err(Failure::misuse("--debugger is for places of one machine, not of several hosts"));
        }
        if launch.profile.is_some() && (cluster.is_some() || self.is_of_places()?) {
            return Err(Failure::misuse("--profile is for programs in C of one place")
                .hint("leave it out for programs with XcalableMP directives"));
        }
        let devices = self.devices(launch.accels.as_deref())?;
        let built = match (is_stream, self.build_for_run(devices.as_ref(), is_stream)?) {
            (_, Ok(built)) => built,
            (false, Err(status)) => return Ok(status),
            (true, Err(status)) => return run_events::print_exit(i32::from(status)),
        };
        let words = self.inputs.rest.iter().cloned().chain(arguments.iter().map(OsString::from));
        let name = self.request().program_name().into_os_string();
        let words: Vec<OsString> = [name].into_iter().chain(words).collect();
        if let Some(cluster) = cluster {
            return run_on_cluster(*cluster, &built, launch, carrier, words, is_stream);
        }
        let command = command_of(&built, devices, places, carrier, words)?;
        become_command(command, built, launch, debugger, is_stream)
    }

    /// Where the places of the program are; here, if it is none of places.
    fn destination(
        &self,
        launch: &LaunchOptions,
        hosts: &HostOptions,
        carrier: &Carrier,
    ) -> Result<Destination, Failure> {
        if self.is_of_places()? {
            check_carrier(carrier)?;
            return c_places::find_target(hosts, launch.places, carrier);
        }
        match place_option(launch, hosts) {
            Some(option) => Err(only_places(option)),
            None => Ok(Destination::Here(None)),
        }
    }

    /// Whether it is a program of places. What is wrong with its directives is reported when it is built.
    fn is_of_places(&self) -> Result<bool, Failure> {
        let found = apg_project::c::distribute_program(&self.inputs.sources, &self.compile_flags(), false)?;
        Ok(!matches!(found, Ok(None)))
    }

    /// Builds the program; a stream of events gets the findings as events.
    fn build_for_run(
        &self,
        devices: Option<&TargetDevices>,
        is_stream: bool,
    ) -> Result<Result<Built, u8>, Failure> {
        if !is_stream {
            return self.build_program(devices);
        }
        let (request, kind) = match self.request_for(devices, &SilentObserver, true)? {
            Ok(request) => request,
            Err(status) => return Ok(Err(status)),
        };
        let built = c::build(&request, &Cache::default(), &SilentObserver);
        let messages = match &built {
            Ok(program) => &program.messages,
            Err(error) => error.output().unwrap_or_default(),
        };
        run_events::print_findings(&c_compiler_findings(messages))?;
        match built {
            Ok(program) => Ok(Ok(Built { program, kind })),
            Err(CBuildError::Rejected { .. }) => Ok(Err(1)),
            Err(error) => {
                run_events::print_exit(1)?;
                Err(build_failure(&error))
            }
        }
    }
}

/// Runs a built program at the places of other hosts.
fn run_on_cluster(
    cluster: Cluster,
    built: &Built,
    launch: &LaunchOptions,
    carrier: Carrier,
    words: Vec<OsString>,
    is_stream: bool,
) -> Outcome {
    if is_stream {
        return run_events::follow_command();
    }
    enter_run_folder()?;
    let devices = c_devices::selection_text(launch.accels.as_deref());
    let line = c_devices::CommandLine { devices, places: None, carrier, words };
    c_places::run_on_hosts(cluster, Image::File(built.program.path.clone()), &line)
}

/// The command that is the program: itself, or a process of apg that becomes it.
struct ProgramCommand {
    executable: PathBuf,
    /// The program's name, if the executable's is another.
    name: Option<OsString>,
    words: Vec<OsString>,
}

/// The command of a built program, given its name and its arguments.
fn command_of(
    built: &Built,
    devices: Option<TargetDevices>,
    places: Option<u32>,
    carrier: Carrier,
    mut words: Vec<OsString>,
) -> Result<ProgramCommand, Failure> {
    let object = &built.program.path;
    if built.kind == Kind::Executable {
        let name = Some(words.remove(0));
        return Ok(ProgramCommand { executable: object.clone(), name, words });
    }
    let devices = devices.unwrap_or(TargetDevices::Gpus(Vec::new()));
    let line = c_devices::CommandLine {
        devices: c_devices::devices_text(&devices),
        places: (built.kind == Kind::Distributed).then(|| places.unwrap_or(1)),
        carrier,
        words,
    };
    let own_words = [c_devices::COMMAND.into(), object.clone().into_os_string()];
    let words = own_words.into_iter().chain(line.arguments()).collect();
    Ok(ProgramCommand { executable: std::env::current_exe().map_err(cannot_start)?, name: None, words })
}

/// Replaces this process by a program, or follows it where a debugger or a stream of events does.
fn become_command(
    program: ProgramCommand,
    built: Built,
    launch: &LaunchOptions,
    debugger: Option<Debugger>,
    is_stream: bool,
) -> Outcome {
    let ProgramCommand { executable, name, words } = program;
    let profile = launch.profile_file()?;
    if launch.profile.is_some() && built.kind == Kind::Executable {
        return Err(no_device_regions());
    }
    enter_run_folder()?;
    let threads = launch.threads.map(|count| ("OMP_NUM_THREADS", count.to_string()));
    if let Some(debugger) = debugger {
        if launch.profile.is_some() {
            return Err(Failure::misuse("--profile of a program in C is for one without a debugger"));
        }
        return debugger.start_program(&executable, words.into_iter(), threads.into_iter());
    }
    let mut command = Command::new(&executable);
    if let Some(name) = name {
        command.arg0(name);
    }
    command.args(words);
    command.envs(threads);
    command.envs(profile.map(|file| (profile::VARIABLE, file)));
    let _in_use = built.program.into_in_use();
    if is_stream {
        return run_events::follow(command);
    }
    Err(cannot_start(command.exec()))
}

/// A profile of a program without anything that is recorded.
fn no_device_regions() -> Failure {
    Failure::misuse("--profile has nothing to record: no region of the program runs on a device")
        .hint("it records `target` regions, and `parallel` regions with `--parallel device`")
        .hint("`--accels cpu` takes the CPUs as a device")
}

fn cannot_start(error: std::io::Error) -> Failure {
    Failure::new(format!("cannot start the program: {error}"))
}

/// Refuses a transport within one process.
fn check_carrier(carrier: &Carrier) -> Result<(), Failure> {
    match carrier {
        Carrier::InProcess(_) => {
            Err(Failure::misuse("`--transport in-process` is for programs in X10, not in C")
                .hint("each place of a program in C is a process: leave it out"))
        }
        _ => Ok(()),
    }
}

/// An option that only programs of places have.
fn place_option(launch: &LaunchOptions, hosts: &HostOptions) -> Option<&'static str> {
    let options = [
        ("--places", launch.places.is_some_and(|it| it > 1)),
        ("--transport", launch.transport.is_some()),
        ("--hosts", hosts.hosts.is_some()),
        ("--hostfile", hosts.hostfile.is_some()),
    ];
    options.into_iter().find(|it| it.1).map(|it| it.0)
}

fn only_places(option: &str) -> Failure {
    Failure::misuse(format!("{option} is for programs with XcalableMP directives, or in X10"))
        .hint("directives such as `#pragma xmp nodes p[*]` make a program in C one of several places")
}

fn only_objects() -> Failure {
    Failure::misuse("`-c` makes objects, which do not run: `apg build -c` builds them")
}
