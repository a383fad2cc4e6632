//! Start and end of a program's places.

use std::fs::File;
use std::io::{self, Write};
use std::net::TcpListener;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::apgas::dispatch::start;
use crate::apgas::system::System;
use crate::base::ending::{self, End, Ending};
use crate::base::output_lock;
use crate::base::place::PlaceId;
use crate::net::bootstrap::capacity;
use crate::net::bootstrap::connect as connections;
use crate::net::bootstrap::connect::BootstrapInfo;
use crate::net::bootstrap::handshake::StartContext;
use crate::net::bootstrap::launcher;
use crate::net::bootstrap::launcher::{Processes, Program};
use crate::net::endpoint::Endpoint;
use crate::net::in_process::Schedule;
use crate::net::local::Local;
use crate::net::mesh::endpoint::Mesh;
use crate::net::mpi::endpoint::MpiEndpoint;
use crate::net::timeouts::Timeouts;
use crate::topology::Selection;

/// How long the other places may take to end once the program has.
const FAREWELL: Duration = Duration::from_secs(10);

/// What a program asks for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Host places.
    pub hosts: u32,
    /// Threads of each place that run activities; 0 for as many as there are by default.
    pub threads: usize,
    /// Accelerators of this host; see [`Selection::choose`].
    pub accelerators: Selection,
    /// What carries messages between host places.
    pub carrier: Carrier,
    /// How to start the other places: the same program, with arguments that lead it to [`open`] too.
    pub program: Program,
}

/// What carries messages between host places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Carrier {
    /// Shared memory on a host, TCP between hosts.
    #[default]
    Mesh,
    /// MPI; by the `mpicc` of this path, else that of the launcher's MPI.
    Mpi(Option<PathBuf>),
    /// Memory: all places are in this process, and their messages arrive by that schedule.
    InProcess(Schedule),
}

/// What watches the places' processes.
enum Supervisor {
    /// Place 0 itself, which has started the others.
    Place0(Arc<Processes>),
    /// The agent of this host, which has started its places: the pipe on which it hears of their ends.
    Agent(File),
}

/// What watches the processes of a program, once something does.
#[derive(Clone, Default)]
pub struct Supervision(Arc<OnceLock<Supervisor>>);

impl Supervision {
    /// The processes that this one has started.
    fn processes(&self) -> Option<&Arc<Processes>> {
        match self.0.get() {
            Some(Supervisor::Place0(processes)) => Some(processes),
            _ => None,
        }
    }

    /// The program is to end soon: all that was printed at the other places is written first.
    pub fn interrupt(&self) {
        if let Some(processes) = self.processes() {
            processes.interrupt();
        }
    }

    /// Ends the other places now.
    pub fn kill(&self) {
        if let Some(processes) = self.processes() {
            processes.kill();
        }
    }

    /// From now on the other places may end.
    pub fn expect_end(&self) {
        if let Some(processes) = self.processes() {
            processes.expect_end();
        }
    }

    /// Waits for the ends of the other places.
    pub fn finish(&self) {
        let Some(processes) = self.processes() else { return };
        for (place, process) in processes.end(FAREWELL) {
            let seconds = FAREWELL.as_secs();
            report!(
                "apg: {place} (process {process}) did not end within {seconds} seconds of the program's end, and was killed"
            );
        }
    }

    /// Tells the agent of this host, if there is one, that this process ends in order.
    pub fn announce_end(&self) {
        if let Some(Supervisor::Agent(pipe)) = self.0.get() {
            // Without its agent this process is about to be ended.
            let _ = (&*pipe).write_all(&[1]);
        }
    }

    /// A place has ended before the program did: so does the program.
    fn died(&self, ending: &Ending, place: PlaceId, status: ExitStatus) {
        let Some(processes) = self.processes() else { return };
        crate::base::interrupt::wait_for_end();
        let end = if status.signal() == Some(libc::SIGPIPE) {
            ending::ExitStatus::Signal(libc::SIGPIPE)
        } else if status.code() == Some(launcher::REPORTED_STATUS) {
            // Such a place has said why.
            ending::ExitStatus::Code(1)
        } else {
            tracing::debug!(place = place.0, ?status, "place died");
            report!("apg: {}", launcher::describe(&place.to_string(), status));
            ending::ExitStatus::Code(launcher::exit_code(status))
        };
        processes.kill();
        ending.set(End::Failed(end));
    }
}

/// Makes this process a place: place 0, which starts the others, or the one it was invited to be. Returns
/// when all places know each other.
///
/// # Errors
/// What keeps the places from starting, in words for the user.
pub fn open(
    info: Option<BootstrapInfo>,
    options: &Options,
    supervision: &Supervision,
    ending: &'static Ending,
) -> Result<&'static System, String> {
    let selection = options.accelerators.clone();
    if info.is_none() {
        // What is missing here is not found by many processes at once.
        selection.resolve(&|| if selection == Selection::Auto { Ok(0) } else { crate::device::count() })?;
    }
    start(connect(info, options, supervision, ending)?, selection, ending)
}

/// The endpoint of this process among the places of a program: that of place 0, which starts the others, or
/// of the one it was invited to be. Returns when all places know each other.
///
/// # Errors
/// What keeps the places from starting, in words for the user.
pub fn connect(
    info: Option<BootstrapInfo>,
    options: &Options,
    supervision: &Supervision,
    ending: &'static Ending,
) -> Result<Arc<dyn Endpoint>, String> {
    let timeouts = Timeouts::from_environment()?;
    if let Some(info) = info {
        return join(info, options, timeouts, supervision);
    }
    check_place_count(options.hosts)?;
    if matches!(options.carrier, Carrier::Mpi(_)) {
        return Err(format!(
            "`--transport mpi` is for places that mpirun or srun starts: write `mpirun -n {} apg run FILE \
             --transport mpi`",
            options.hosts.max(2)
        ));
    }
    tracing::debug!(hosts = options.hosts, "places start");
    Ok(match options.hosts {
        1 => Arc::new(Local::default()),
        _ => Arc::new(launch(options, timeouts, supervision, ending)?),
    })
}

/// Refuses a number of places that there cannot be.
pub(crate) fn check_place_count(hosts: u32) -> Result<(), String> {
    if (1..=launcher::MAX_PLACES).contains(&hosts) {
        return Ok(());
    }
    Err(format!("{hosts} places: there must be 1 to {}", launcher::MAX_PLACES))
}

/// Starts the processes of the other places, and connects with them.
fn launch(
    options: &Options,
    timeouts: Timeouts,
    supervision: &Supervision,
    ending: &'static Ending,
) -> Result<Mesh, String> {
    let cannot = |error: String| format!("cannot start {} places: {error}", options.hosts);
    let threads = if options.threads == 0 { crate::scheduler::default_threads() } else { options.threads };
    capacity::check(options.hosts, threads).map_err(cannot)?;
    let watch = supervision.clone();
    let on_end = move |place, status, is_early| {
        if is_early {
            watch.died(ending, place, status);
        }
    };
    let launched = launcher::launch(options.hosts, &options.program, timeouts.start, Box::new(on_end));
    let (mesh, processes) = launched.map_err(|error| cannot(error.to_string()))?;
    supervision.0.get_or_init(|| Supervisor::Place0(Arc::clone(&processes)));
    if let Some((place, status)) = processes.first_death() {
        // It ended before anything watched.
        supervision.died(ending, place, status);
    }
    Ok(mesh.with_timeouts(timeouts))
}

/// Connects this process, which was started as a place, with the others.
fn join(
    info: BootstrapInfo,
    options: &Options,
    timeouts: Timeouts,
    supervision: &Supervision,
) -> Result<Arc<dyn Endpoint>, String> {
    let identity = options.program.identity;
    let (place, placement) = (info.place, &info.placement);
    tracing::debug!(place = place.0, pid = std::process::id(), "place joins");
    let deadline = Instant::now() + timeouts.start;
    if let Some(descriptor) = info.farewell {
        // SAFETY: inherited for this place alone, and taken once: a process joins one program.
        let pipe = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
        supervision.0.get_or_init(|| Supervisor::Agent(pipe));
    }
    let endpoint: Arc<dyn Endpoint> = if placement.places() == 1 {
        Arc::new(Local::default())
    } else {
        let joined = match info.listener {
            // SAFETY: inherited for this place alone, and taken once: a process joins one program.
            Some(listener) => lead(&info, unsafe { OwnedFd::from_raw_fd(listener) }, identity, deadline),
            None => connections::join(&info, identity, deadline),
        };
        let mesh = joined
            .map_err(|error| format!("{} cannot join the others: {error}", placement.describe(place)))?;
        let mesh = mesh.with_timeouts(timeouts);
        match &options.carrier {
            Carrier::Mesh => Arc::new(mesh),
            Carrier::Mpi(compiler) => Arc::new(MpiEndpoint::new(mesh, compiler.as_deref())?),
            Carrier::InProcess(_) => return Err("places of one process have no processes to join".to_owned()),
        }
    };
    if let Some(lock) = info.output_lock {
        output_lock::share(lock).map_err(|error| format!("cannot share the output: {error}"))?;
    }
    Ok(endpoint)
}

/// Place 0 that another process has started: the others connect to its inherited listener.
fn lead(info: &BootstrapInfo, listener: OwnedFd, identity: u64, deadline: Instant) -> io::Result<Mesh> {
    let listener = TcpListener::from(listener);
    listener.set_nonblocking(true)?;
    let start = StartContext {
        here: info.place,
        placement: &info.placement,
        secret: info.secret,
        encrypts: info.encrypts,
        identity,
        deadline,
        failed: &|| None,
    };
    connections::host(listener, &start)
}

/// Place 0: the program has ended with `code`. Tells the others and waits for them.
pub fn close(system: &'static System, supervision: &Supervision, code: i32) {
    supervision.expect_end();
    supervision.announce_end();
    report_leaks(system);
    system.end_program(code);
    supervision.finish();
}

/// Any other place: leaves the program, which has completed.
pub fn leave(system: &'static System, supervision: &Supervision) {
    system.leave_program();
    supervision.announce_end();
    report_leaks(system);
}

fn report_leaks(system: &'static System) {
    for (place, device) in system.open_devices() {
        let leaks = device.leaks();
        if leaks.count > 0 {
            let (count, bytes) = (leaks.count, leaks.bytes);
            let rails = if count == 1 { "rail" } else { "rails" };
            report!(
                "apg: warning: {count} {rails} of Place({place}), {}, never deleted: {bytes} bytes \
                 (CUDAUtilities.deleteGlobalRail)",
                device.label()
            );
        }
    }
}
