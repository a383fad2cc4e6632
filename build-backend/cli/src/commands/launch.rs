//! How a program is launched: the options of its places, and what a process does for those of others.

use std::ffi::OsString;
use std::path::PathBuf;

use apg_runtime::cluster::membership::Membership;
use apg_runtime::net::in_process::Schedule;
use apg_runtime::profile;
use apg_runtime::run::{Carrier, Image, RunOptions, Runtime};
use apg_runtime::slots::timeout::SlotTimeout;
use apg_runtime::topology::Selection;
use clap::Args;

use super::hosts::{MAX_PLACES, PLACES_VARIABLE, Target, environment_variable, number};
use crate::failure::{Failure, Outcome};

/// First argument of a further place. The shared object follows.
pub(crate) const PLACE_COMMAND: &str = "__place";

/// How a program is launched.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LaunchOptions {
    /// Host places, each a process of this machine unless there are other hosts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub places: Option<u32>,

    /// Accelerators of each host place: `all`, `none`, or numbers such as `0,1` [default: all that exist]; of
    /// a program in C its devices, which `cpu` makes the CPUs with memory of their own
    #[arg(long, value_name = "WHICH")]
    pub accels: Option<String>,

    /// Threads that run activities at each place [default: one a processor, at least two]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,

    /// Most memory of each place's heap, such as 512M or 8G [default: three quarters of the memory, shared by
    /// all places]
    #[arg(long, value_name = "BYTES", value_parser = parse_heap_bytes)]
    pub heap: Option<usize>,

    /// What carries messages between host places: `tcp` (shared memory on a host); `mpi` for places that
    /// mpirun or srun starts, with the path of another MPI's mpicc or libmpi_abi.so.1 behind a colon if need
    /// be; `in-process` to have all places in one process, for tests, where the number behind a colon decides
    /// in which order messages of different places arrive [default: tcp]
    #[arg(long, value_name = "tcp|mpi[:FILE]|in-process[:SEED]", value_parser = parse_transport)]
    pub transport: Option<Carrier>,

    /// Report the slots that wait if one has waited for so long, and end the program, or let it go on with
    /// `:continue` behind the seconds; 0 never reports [default: 10]
    #[arg(long, value_name = "SECONDS[:continue]", value_parser = SlotTimeout::parse)]
    pub slot_timeout: Option<SlotTimeout>,

    /// Print at the end what the garbage collector did
    #[arg(long)]
    pub gc_stats: bool,

    /// Write what activities, kernels, copies and device directives of C do over time, for Perfetto or
    /// chrome://tracing, and print a summary at the end
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
}

/// What carries messages.
pub(super) fn parse_transport(text: &str) -> Result<Carrier, String> {
    match (text, text.strip_prefix("mpi:")) {
        ("tcp", _) => Ok(Carrier::Mesh),
        ("mpi", _) => Ok(Carrier::Mpi(None)),
        (_, Some(path)) if !path.is_empty() => Ok(Carrier::Mpi(Some(path.into()))),
        ("in-process", _) => Ok(Carrier::InProcess(Schedule::default())),
        _ => match text.strip_prefix("in-process:").map(str::parse) {
            Some(Ok(seed)) => Ok(Carrier::InProcess(Schedule { seed, ..Schedule::default() })),
            _ => Err(format!(
                "`{text}` is no transport: write `tcp`, `mpi`, `mpi:/PATH/TO/mpicc`, \
                 `mpi:/PATH/TO/libmpi_abi.so.1`, `in-process` or `in-process:NUMBER`"
            )),
        },
    }
}

/// What [`parse_transport`] takes.
pub(crate) fn carrier_text(carrier: &Carrier) -> OsString {
    match carrier {
        Carrier::Mesh => "tcp".into(),
        Carrier::Mpi(None) => "mpi".into(),
        Carrier::Mpi(Some(compiler)) => {
            let mut text = OsString::from("mpi:");
            text.push(compiler);
            text
        }
        Carrier::InProcess(schedule) => format!("in-process:{}", schedule.seed).into(),
    }
}

/// The size of a heap.
fn parse_heap_bytes(text: &str) -> Result<usize, String> {
    let size = apg_runtime::base::byte_size::parse(text)?;
    const MIN_HEAP_BYTES: usize = 1 << 20;
    if size < MIN_HEAP_BYTES {
        Err(format!("`{text}` is too small: a heap needs at least 1M"))
    } else {
        Ok(size)
    }
}

impl LaunchOptions {
    /// The accelerators of a host place.
    pub(super) fn accelerators(&self, place: u32) -> Result<Selection, Failure> {
        Selection::choose(self.accels.as_deref(), place, &environment_variable).map_err(Failure::misuse)
    }

    /// As options of the runtime, with X10's environment variables as defaults.
    pub(crate) fn resolve(&self, program: Image) -> Result<RunOptions, Failure> {
        let mut options = Runtime::builder(program);
        options.places = self.place_count()?.unwrap_or(1);
        options.threads = self.thread_count()?;
        options.accelerators = self.accelerators(0)?;
        options.heap = self.heap.unwrap_or(0);
        options.carrier = self.transport.clone().unwrap_or_default();
        options.slot_timeout = match self.slot_timeout {
            Some(timeout) => timeout,
            None => SlotTimeout::from_environment().map_err(Failure::misuse)?,
        };
        options.collector_statistics = self.gc_stats;
        options.profile = self.profile_file()?;
        Ok(options)
    }
}

impl LaunchOptions {
    /// Whether MPI carries messages.
    pub(super) fn uses_mpi(&self) -> bool {
        matches!(self.transport, Some(Carrier::Mpi(_)))
    }

    /// Refuses further hosts where all places are in one process.
    pub(super) fn check_target(&self, target: Target) -> Result<Target, Failure> {
        match (&self.transport, target) {
            (Some(Carrier::InProcess(_)), Target::Agent(_) | Target::Restart(_) | Target::Cluster(_)) => Err(
                Failure::misuse("`--transport in-process` has all places in one process, and so on one host")
                    .hint("leave it out to run at several hosts"),
            ),
            (_, target) => Ok(target),
        }
    }

    /// The number of host places, if it was said.
    pub(crate) fn place_count(&self) -> Result<Option<u32>, Failure> {
        number(self.places, PLACES_VARIABLE, MAX_PLACES)
    }

    /// Threads of each place; 0 for the default.
    pub(super) fn thread_count(&self) -> Result<usize, Failure> {
        Ok(number(self.threads, "X10_NTHREADS", 4096)?.unwrap_or(0) as usize)
    }

    /// The file of the profile: an absolute path, since the program may change the current folder.
    pub(super) fn profile_file(&self) -> Result<Option<PathBuf>, Failure> {
        let named =
            self.profile.clone().or_else(|| environment_variable(profile::VARIABLE).map(PathBuf::from));
        let Some(file) = named else { return Ok(None) };
        std::path::absolute(&file)
            .map(Some)
            .map_err(|error| Failure::misuse(format!("--profile {}: {error}", file.display())))
    }

    /// The command line of the program's further places.
    pub(super) fn place_command_line(&self, program: PathBuf) -> Vec<OsString> {
        let mut line = vec![OsString::from(PLACE_COMMAND), program.into()];
        line.extend(self.place_options());
        if let Some(file) = self.profile.as_ref().and_then(|file| std::path::absolute(file).ok()) {
            line.push("--profile".into());
            line.push(file.into());
        }
        line
    }

    /// The options of further places, on whatever machine they are.
    pub(super) fn place_options(&self) -> Vec<OsString> {
        let mut line = Vec::new();
        let mut add = |option: &str, value: Option<String>| {
            line.extend(value.into_iter().map(|value| OsString::from(format!("--{option}={value}"))));
        };
        add("accels", self.accels.clone());
        add("threads", self.threads.map(|threads| threads.to_string()));
        add("heap", self.heap.map(|heap| heap.to_string()));
        add("slot-timeout", self.slot_timeout.map(|timeout| timeout.to_string()));
        if let Some(carrier) = self.transport.as_ref().filter(|it| **it != Carrier::Mesh) {
            let mut option = OsString::from("--transport=");
            option.push(carrier_text(carrier));
            line.push(option);
        }
        if self.gc_stats {
            line.push("--gc-stats".into());
        }
        line
    }
}

/// Goes to the folder in which the program runs, if it is built in another one: for jobs of remote machines.
pub(super) fn enter_run_folder() -> Result<(), Failure> {
    let Some(folder) = std::env::var_os(apg_remote::supervisor::RUN_FOLDER_VARIABLE) else { return Ok(()) };
    std::env::set_current_dir(&folder)
        .map_err(|error| Failure::new(format!("cannot go to {}: {error}", folder.display())))
}

/// Replaces this process by another command.
pub(super) fn restart(mut command: std::process::Command) -> Outcome {
    use std::os::unix::process::CommandExt;
    let error = command.exec();
    Err(Failure::new(format!("cannot start {}: {error}", command.get_program().to_string_lossy())))
}

/// Serves another process of this job, which runs the program.
pub(super) fn serve(membership: Membership) -> Outcome {
    membership.serve().map(|()| 0).map_err(Failure::new)
}
