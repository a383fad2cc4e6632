//! Process launcher: place 0 starts the other places of this machine by executing its own program again, and
//! ends them when it ends.
//!
//! All others are started and awaited by one thread: the kernel ends a process when the *thread* that started
//! it ends (`PR_SET_PDEATHSIG`), so that thread lives as long as the places. The others ignore Ctrl-C: it
//! ends place 0, and thereby all places.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use rustix::process::PidfdFlags;

use crate::base::output_errors;
use crate::base::output_lock;
use crate::net::bootstrap::connect;
use crate::net::bootstrap::connect::BootstrapInfo;
use crate::net::bootstrap::handshake::StartContext;
use crate::net::mesh::endpoint::Mesh;
use crate::net::poll::wait_readable;

/// Environment variable with the [`BootstrapInfo`] of a place.
pub const VARIABLE: &str = "APG_PLACE_INVITATION";
/// Maximum number of host places on one machine; more is taken for a typing error.
pub const MAX_PLACES: u32 = 1024;

/// Exit status of a place that has reported a malformed message of another one (`EX_PROTOCOL` of sysexits.h).
pub const PROTOCOL_STATUS: i32 = 76;

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

/// Called, on a thread of the launcher, when a place ends before [`Processes::end`].
pub type OnDeath = Box<dyn Fn(u32, ExitStatus) + Send + Sync>;

/// The other places' processes.
pub struct Processes {
    state: Mutex<State>,
    changed: Condvar,
    on_death: OnDeath,
}

struct State {
    /// Processes by place, until they have been reaped: a process's id is certainly ours only for that long.
    running: Vec<Option<Child>>,
    /// From now on places may end.
    ending: bool,
    /// The first place that ended too early, and how.
    first_death: Option<(u32, ExitStatus)>,
}

/// Starts places 1 to `hosts - 1` and connects with them, within `timeout`.
pub fn launch(
    hosts: u32,
    program: &Program,
    timeout: Duration,
    on_death: OnDeath,
) -> io::Result<(Mesh, Arc<Processes>)> {
    let listener = connect::listen()?;
    let token = connect::random_token()?;
    let port = listener.local_addr()?.port();
    let output_lock = output_lock::offer()?;
    let processes = Arc::new(Processes {
        state: Mutex::new(State {
            running: (0..hosts).map(|_| None).collect(),
            ending: false,
            first_death: None,
        }),
        changed: Condvar::new(),
        on_death,
    });
    let info = |place| BootstrapInfo { place, hosts, port, output_lock, token };
    let started = processes.start(program, (1..hosts).map(info).collect()).and_then(|()| {
        let failed = || processes.first_death().map(|(place, status)| describe(place, status));
        let deadline = Instant::now() + timeout;
        let start = StartContext { token, identity: program.identity, deadline, failed: &failed };
        connect::host(listener, &start, hosts)
    });
    match started {
        Ok(transport) => Ok((transport, processes)),
        Err(error) => {
            processes.kill();
            Err(error)
        }
    }
}

/// The info in this process's environment, if it was started by [`launch`]. It is taken out of the
/// environment, so that child processes are not taken for places.
///
/// # Safety
/// No other thread runs yet.
pub unsafe fn take_bootstrap_info() -> Option<BootstrapInfo> {
    let text = std::env::var(VARIABLE).ok()?;
    // SAFETY: no other thread runs yet, as the caller guarantees.
    unsafe { std::env::remove_var(VARIABLE) };
    BootstrapInfo::decode(&text)
}

/// "place 2 ended unexpectedly (killed by signal 9)".
pub fn describe(place: u32, status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (_, Some(signal)) => format!("place {place} ended unexpectedly (killed by signal {signal})"),
        (Some(code), None) => format!("place {place} ended unexpectedly (exit status {code})"),
        (None, None) => format!("place {place} ended unexpectedly"),
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
    /// Starts all places, and a thread that is their parent and waits for their ends.
    fn start(self: &Arc<Self>, program: &Program, infos: Vec<BootstrapInfo>) -> io::Result<()> {
        let (sender, receiver) = channel();
        let (processes, program) = (Arc::clone(self), program.clone());
        std::thread::Builder::new()
            .name("apg-places".to_owned())
            .spawn(move || processes.supervise(&program, &infos, &sender))?;
        match receiver.recv() {
            Ok(result) => result,
            Err(_) => Err(io::Error::other("the thread that starts places has ended")),
        }
    }

    /// Starts the processes, reports whether that has succeeded, and waits for the ends of those that were
    /// started.
    fn supervise(&self, program: &Program, infos: &[BootstrapInfo], started: &Sender<io::Result<()>>) {
        let mut ends = Vec::new();
        let all = infos.iter().try_for_each(|info| {
            let place = info.place;
            let child = spawn(program, info).map_err(|error| {
                io::Error::new(error.kind(), format!("cannot start place {place}: {error}"))
            })?;
            ends.push(End { place, descriptor: open_process(&child) });
            self.state.lock().running[place as usize] = Some(child);
            Ok(())
        });
        let _ = started.send(all);
        while !ends.is_empty() {
            wait_for_an_end(&ends);
            ends.retain(|end| !self.look_at(end.place));
        }
    }

    /// Reports the end of a place's process; false if it has not ended.
    fn look_at(&self, place: u32) -> bool {
        let mut state = self.state.lock();
        let status = match &mut state.running[place as usize] {
            None => return true,
            Some(child) => child.try_wait(),
        };
        if matches!(status, Ok(None)) {
            return false;
        }
        let status = status.ok().flatten();
        state.has_ended(place, status);
        let death = status.filter(|_| !state.ending);
        if let Some(status) = death {
            state.first_death.get_or_insert((place, status));
        }
        self.changed.notify_all();
        drop(state);
        if let Some(status) = death {
            (self.on_death)(place, status);
        }
        true
    }

    /// The first place that ended before its time.
    pub fn first_death(&self) -> Option<(u32, ExitStatus)> {
        self.state.lock().first_death
    }

    /// From now on places may end.
    pub fn expect_end(&self) {
        self.state.lock().ending = true;
    }

    /// Waits for all places to end by themselves, but no longer than `timeout`; then ends them. Those that
    /// had to be ended, and their processes.
    pub fn end(&self, timeout: Duration) -> Vec<(u32, u32)> {
        let deadline = Instant::now() + timeout;
        let mut state = self.state.lock();
        state.ending = true;
        while state.running.iter().any(Option::is_some) {
            if self.changed.wait_until(&mut state, deadline).timed_out() {
                break;
            }
        }
        let left =
            (0..).zip(&state.running).filter_map(|(place, it)| Some((place, it.as_ref()?.id()))).collect();
        drop(state);
        self.kill();
        left
    }

    /// Lets all places flush their output, and ends them.
    pub fn interrupt(&self) {
        let mut state = self.state.lock();
        state.ending = true;
        for process in state.running.iter().flatten() {
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
        state.running.iter_mut().flatten().for_each(|process| drop(process.kill()));
        for place in 0..state.running.len() {
            if let Some(process) = &mut state.running[place] {
                let status = process.wait().ok();
                state.has_ended(place as u32, status);
            }
        }
        self.changed.notify_all();
    }
}

impl State {
    /// A place's process was reaped.
    fn has_ended(&mut self, place: u32, status: Option<ExitStatus>) {
        self.running[place as usize] = None;
        if status.is_some_and(|status| status.code() == Some(output_errors::PLACE_STATUS)) {
            output_errors::record_other_place();
        }
    }
}

/// In the new process: end when the parent does, and leave Ctrl-C to it.
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
    }
    Ok(())
}

/// The end of a place's process, to be waited for.
struct End {
    place: u32,
    /// Can be read once the process has ended; `None` where the system has no such descriptors.
    descriptor: Option<OwnedFd>,
}

fn spawn(program: &Program, info: &BootstrapInfo) -> io::Result<Child> {
    let mut command = Command::new(&program.executable);
    command.args(&program.arguments).env(VARIABLE, info.encode()).stdin(Stdio::null());
    // SAFETY: getpid has no conditions.
    let parent = unsafe { libc::getpid() };
    // SAFETY: between fork and exec only async-signal-safe calls are made.
    unsafe { command.pre_exec(move || die_with_parent(parent)) };
    command.spawn()
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
