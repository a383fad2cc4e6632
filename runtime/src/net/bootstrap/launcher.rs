//! Process launcher: place 0 starts the other places of this machine by executing its own program again, and
//! ends them when it ends.
//!
//! All others are started and awaited by one thread: the kernel ends a process when the *thread* that started
//! it ends (`PR_SET_PDEATHSIG`), so that thread lives as long as the places. The others ignore Ctrl-C: it
//! ends place 0, and thereby all places.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use rustix::process::PidfdFlags;

use crate::base::output_errors;
use crate::base::output_lock;
use crate::base::place::PlaceId;
use crate::net::bootstrap::connect;
use crate::net::bootstrap::connect::BootstrapInfo;
use crate::net::bootstrap::handshake::{Secret, StartContext};
use crate::net::mesh::endpoint::Mesh;
use crate::net::placement::Placement;
use crate::net::poll::wait_readable;

/// Maximum number of host places; more is taken for a typing error.
pub const MAX_PLACES: u32 = 1024;

/// Exit status of a place that has reported why the program cannot continue, such as a malformed message of
/// another place (`EX_PROTOCOL` of sysexits.h).
pub const REPORTED_STATUS: i32 = 76;
/// Exit status of a place that has lost the connection with place 0, whose end is the cause
/// (`EX_UNAVAILABLE`).
pub const LEADER_LOST_STATUS: i32 = 69;

/// Time that a place has to flush its output when the program is interrupted.
const INTERRUPT_FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// How to start another place.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable: usually this one.
    pub executable: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Fingerprint of the program: types and kernels are named by index in messages.
    pub identity: u64,
}

/// Called, on a thread of the launcher, when a place ends, and whether that is before [`Processes::end`].
pub type OnEnd = Box<dyn Fn(PlaceId, ExitStatus, bool) + Send + Sync>;

/// Places' processes.
pub struct Processes {
    state: Mutex<State>,
    changed: Condvar,
    on_end: OnEnd,
}

struct State {
    /// Processes by place, until they have been reaped: a process's id is certainly ours only for that long.
    running: BTreeMap<PlaceId, Child>,
    /// From now on places may end.
    ending: bool,
    /// The first place that ended too early, and how.
    first_death: Option<(PlaceId, ExitStatus)>,
}

/// Starts places 1 and up on this machine and connects with them, within `timeout`.
///
/// # Errors
/// What keeps them from starting.
pub fn launch(
    places: u32,
    program: &Program,
    timeout: Duration,
    on_end: OnEnd,
) -> io::Result<(Mesh, Arc<Processes>)> {
    let listener = connect::listen(connect::LOOPBACK)?;
    let secret = Secret::random()?;
    let leader = listener.local_addr()?;
    let output_lock = output_lock::offer()?;
    let placement = Placement::on_this_machine(places);
    let info = |place| BootstrapInfo {
        place,
        placement: placement.clone(),
        leader,
        address: SocketAddr::ip(&leader),
        listener: None,
        output_lock: Some(output_lock),
        farewell: None,
        profile: None,
        secret,
        encrypts: false,
    };
    let start = |place| {
        let mut command = Command::new(&program.executable);
        command.args(&program.arguments).stdin(Stdio::null());
        prepare(&mut command, &info(place), Vec::new())?;
        Ok((place, command))
    };
    let starts = (1..places).map(PlaceId).map(start).collect::<io::Result<_>>()?;
    let processes = Processes::start(starts, on_end)?;
    let failed = || processes.first_death().map(|(place, status)| describe(&place.to_string(), status));
    let deadline = Instant::now() + timeout;
    let start = StartContext {
        here: PlaceId(0),
        placement: &placement,
        secret,
        encrypts: false,
        identity: program.identity,
        deadline,
        failed: &failed,
    };
    match connect::host(listener, &start) {
        Ok(transport) => Ok((transport, processes)),
        Err(error) => {
            processes.kill();
            Err(error)
        }
    }
}

/// Makes a command that of a place: it ends with the thread that starts it, ignores Ctrl-C, and inherits
/// `info` and these descriptors.
///
/// # Errors
/// There is no memory or descriptor left.
pub fn prepare(command: &mut Command, info: &BootstrapInfo, inherited: Vec<OwnedFd>) -> io::Result<()> {
    let file: File = info.to_file()?;
    let (name, value) = info.variable(&file);
    command.env(name, value);
    // SAFETY: getpid has no conditions.
    let parent = unsafe { libc::getpid() };
    let become_place = move || {
        die_with_parent(parent)?;
        inherit(file.as_raw_fd())?;
        inherited.iter().try_for_each(|descriptor| inherit(descriptor.as_raw_fd()))
    };
    // SAFETY: between fork and exec only async-signal-safe calls are made.
    unsafe { command.pre_exec(become_place) };
    Ok(())
}

/// "place 2 on node7 ended unexpectedly (killed by signal 9)".
pub fn describe(place: &str, status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (_, Some(signal)) => format!("{place} ended unexpectedly (killed by signal {signal})"),
        (Some(code), None) => format!("{place} ended unexpectedly (exit status {code})"),
        (None, None) => format!("{place} ended unexpectedly"),
    }
}

/// The exit status of a program that ended because one of its places did.
pub fn exit_code(status: ExitStatus) -> i32 {
    match (status.code(), status.signal()) {
        (_, Some(signal)) => 128 + signal,
        (Some(code), None) if code != 0 => code,
        _ => 1,
    }
}

impl Processes {
    /// Starts places by these commands ([`prepare`]), and a thread that is their parent and waits for their
    /// ends.
    ///
    /// # Errors
    /// One could not be started; then none runs.
    pub fn start(starts: Vec<(PlaceId, Command)>, on_end: OnEnd) -> io::Result<Arc<Processes>> {
        let processes = Arc::new(Processes {
            state: Mutex::new(State { running: BTreeMap::new(), ending: false, first_death: None }),
            changed: Condvar::new(),
            on_end,
        });
        let (sender, receiver) = channel();
        let own = Arc::clone(&processes);
        std::thread::Builder::new()
            .name("apg-places".to_owned())
            .spawn(move || own.supervise(starts, &sender))?;
        let started = match receiver.recv() {
            Ok(result) => result,
            Err(_) => Err(io::Error::other("the thread that starts places has ended")),
        };
        started.inspect_err(|_| processes.kill()).map(|()| processes)
    }

    /// Starts the processes, reports whether that has succeeded, and waits for the ends of those that were
    /// started.
    fn supervise(&self, starts: Vec<(PlaceId, Command)>, started: &Sender<io::Result<()>>) {
        let mut ends = Vec::new();
        let all = starts.into_iter().try_for_each(|(place, mut command)| {
            let child = command
                .spawn()
                .map_err(|error| io::Error::new(error.kind(), format!("cannot start {place}: {error}")))?;
            ends.push(End { place, descriptor: open_process(&child) });
            self.state.lock().running.insert(place, child);
            Ok(())
        });
        let _ = started.send(all);
        while !ends.is_empty() {
            wait_for_an_end(&ends);
            ends.retain(|end| !self.look_at(end.place));
        }
    }

    /// Reports the end of a place's process; false if it has not ended.
    fn look_at(&self, place: PlaceId) -> bool {
        let mut state = self.state.lock();
        let status = match state.running.get_mut(&place) {
            None => return true,
            Some(child) => child.try_wait(),
        };
        if matches!(status, Ok(None)) {
            return false;
        }
        let status = status.ok().flatten();
        state.has_ended(place, status);
        let is_early = !state.ending;
        if let Some(status) = status.filter(|_| is_early) {
            state.first_death.get_or_insert((place, status));
        }
        self.changed.notify_all();
        drop(state);
        if let Some(status) = status {
            (self.on_end)(place, status, is_early);
        }
        true
    }

    /// The first place that ended before its time.
    pub fn first_death(&self) -> Option<(PlaceId, ExitStatus)> {
        self.state.lock().first_death
    }

    /// From now on places may end.
    pub fn expect_end(&self) {
        self.state.lock().ending = true;
    }

    /// Waits for all places to end by themselves, but no longer than `timeout`; then ends them. Those that
    /// had to be ended, and their processes.
    pub fn end(&self, timeout: Duration) -> Vec<(PlaceId, u32)> {
        let deadline = Instant::now() + timeout;
        let mut state = self.state.lock();
        state.ending = true;
        while !state.running.is_empty() {
            if self.changed.wait_until(&mut state, deadline).timed_out() {
                break;
            }
        }
        let left = state.running.iter().map(|(place, process)| (*place, process.id())).collect();
        drop(state);
        self.kill();
        left
    }

    /// Lets all places flush their output, and ends them.
    pub fn interrupt(&self) {
        let mut state = self.state.lock();
        state.ending = true;
        for process in state.running.values() {
            // SAFETY: not reaped yet (that happens under this lock), so the id is still our child's.
            unsafe { libc::kill(process.id() as libc::pid_t, libc::SIGTERM) };
        }
        drop(state);
        self.end(INTERRUPT_FLUSH_TIMEOUT);
    }

    /// Ends all places now and waits until they are gone.
    pub fn kill(&self) {
        let mut state = self.state.lock();
        state.ending = true;
        state.running.values_mut().for_each(|process| drop(process.kill()));
        let mut ended = Vec::new();
        while let Some((place, mut process)) = state.running.pop_first() {
            let status = process.wait().ok();
            state.has_ended(place, status);
            ended.extend(status.map(|status| (place, status)));
        }
        self.changed.notify_all();
        drop(state);
        ended.into_iter().for_each(|(place, status)| (self.on_end)(place, status, false));
    }
}

impl State {
    /// A place's process was reaped.
    fn has_ended(&mut self, place: PlaceId, status: Option<ExitStatus>) {
        self.running.remove(&place);
        if status.is_some_and(|status| status.code() == Some(output_errors::PLACE_STATUS)) {
            output_errors::record_other_place();
        }
    }
}

/// In the new process: end when the parent does, and leave Ctrl-C to it.
#[expect(clippy::disallowed_methods, reason = "a new process that does not run its program yet")]
fn die_with_parent(parent: libc::pid_t) -> io::Result<()> {
    // SAFETY: these calls are async-signal-safe and take plain values.
    unsafe {
        if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
            return Err(io::Error::last_os_error());
        }
        if libc::getppid() != parent {
            // The parent ended before the line above.
            libc::_exit(1);
        }
        libc::signal(libc::SIGINT, libc::SIG_IGN);
        // An agent ignores it.
        libc::signal(libc::SIGTERM, libc::SIG_DFL);
    }
    Ok(())
}

/// The end of a place's process, to be waited for.
struct End {
    place: PlaceId,
    /// Can be read once the process has ended; `None` where the system has no such descriptors.
    descriptor: Option<OwnedFd>,
}

/// In the new process: keeps a descriptor open over exec.
fn inherit(descriptor: i32) -> io::Result<()> {
    // SAFETY: async-signal-safe, and without pointers.
    if unsafe { libc::fcntl(descriptor, libc::F_SETFD, 0) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

fn open_process(child: &Child) -> Option<OwnedFd> {
    rustix::process::pidfd_open(rustix::process::Pid::from_child(child), PidfdFlags::empty()).ok()
}

/// Returns when one of the processes may have ended.
fn wait_for_an_end(ends: &[End]) {
    /// Poll interval where the system cannot notify.
    const POLL_INTERVAL: Duration = Duration::from_millis(20);
    /// Maximum wait elsewhere; correctness does not depend on it.
    const MAX_INTERVAL: Duration = Duration::from_secs(60);
    let descriptors: Vec<_> = ends.iter().filter_map(|end| Some(end.descriptor.as_ref()?.as_fd())).collect();
    let interval = if descriptors.len() == ends.len() { MAX_INTERVAL } else { POLL_INTERVAL };
    if wait_readable(&descriptors, interval).is_err() {
        std::thread::sleep(POLL_INTERVAL);
    }
}
