//! Places as processes of this machine: place 0 starts the others by running its own program again, and nobody outlives it.
//!
//! Each other place is started and awaited by a thread of its own: the kernel ends a process when the *thread* that
//! started it ends (`PR_SET_PDEATHSIG`), so that thread lives as long as the place. The others ignore Ctrl-C: it ends
//! place 0, and with it everything.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::output;
use super::rendezvous::{self, Invitation};
use super::tcp::Tcp;
use crate::lost_output;

/// The environment variable that tells a process which place it is.
pub const VARIABLE: &str = "APG_PLACE_INVITATION";
/// Most host places on one machine; more is a slip of the keyboard.
pub const MAX_PLACES: u32 = 1024;

/// How long a place may take to write what it has printed, when the program is interrupted.
const FAREWELL_OF_INTERRUPTED: Duration = Duration::from_secs(1);

/// How to start another place.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable: usually this one.
    pub executable: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// A number that only equal programs have: types and kernels are named by index in messages.
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
    /// Process ids by place, while the process has not been reaped: only then the id is surely ours.
    running: Vec<Option<libc::pid_t>>,
    /// From now on places may end.
    ending: bool,
    /// How the first place that was not allowed to end ended.
    first_death: Option<(u32, ExitStatus)>,
}

/// Starts places 1 to `hosts - 1` and connects with them.
pub fn launch(hosts: u32, program: &Program, on_death: OnDeath) -> io::Result<(Tcp, Arc<Processes>)> {
    let listener = rendezvous::listen()?;
    let token = rendezvous::random_token()?;
    let port = listener.local_addr()?.port();
    let output_lock = output::offer()?;
    let processes = Arc::new(Processes {
        state: Mutex::new(State { running: vec![None; hosts as usize], ending: false, first_death: None }),
        changed: Condvar::new(),
        on_death,
    });
    let started = (1..hosts)
        .try_for_each(|place| {
            processes.start(program, &Invitation { place, hosts, port, output_lock, token })
        })
        .and_then(|()| {
            let trouble = || processes.first_death().map(|(place, status)| describe(place, status));
            rendezvous::host(listener, &token, program.identity, hosts, &trouble)
        });
    match started {
        Ok(transport) => Ok((transport, processes)),
        Err(error) => {
            processes.kill();
            Err(error)
        }
    }
}

/// The invitation in this process's environment, if it was started by [`launch`]. It is taken out of the
/// environment, so that programs that this one starts are not taken for places.
///
/// # Safety
/// No other thread runs yet.
pub unsafe fn take_invitation() -> Option<Invitation> {
    let text = std::env::var(VARIABLE).ok()?;
    // SAFETY: see above.
    unsafe { std::env::remove_var(VARIABLE) };
    Invitation::decode(&text)
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
    fn start(self: &Arc<Self>, program: &Program, invitation: &Invitation) -> io::Result<()> {
        let mut command = Command::new(&program.executable);
        command.args(&program.arguments).env(VARIABLE, invitation.encode()).stdin(Stdio::null());
        // SAFETY: getpid has no conditions.
        let parent = unsafe { libc::getpid() };
        // SAFETY: between fork and exec only async-signal-safe calls are made.
        unsafe { command.pre_exec(move || die_with_parent(parent)) };
        let (sender, receiver) = channel();
        let (processes, place) = (Arc::clone(self), invitation.place);
        std::thread::Builder::new()
            .name(format!("apg-place-{place}"))
            .spawn(move || processes.supervise(place, command, &sender))?;
        match receiver.recv() {
            Ok(result) => result,
            Err(_) => Err(io::Error::other("the thread that starts a place has ended")),
        }
    }

    /// Starts the process, waits for its end and reports it.
    fn supervise(&self, place: u32, mut command: Command, started: &Sender<io::Result<()>>) {
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => {
                let text = format!("cannot start place {place}: {error}");
                let _ = started.send(Err(io::Error::new(error.kind(), text)));
                return;
            }
        };
        self.state.lock().running[place as usize] = Some(child.id() as libc::pid_t);
        let _ = started.send(Ok(()));
        wait_without_reaping(child.id());
        let mut state = self.state.lock();
        let status = child.wait();
        state.running[place as usize] = None;
        let death = !state.ending;
        if status.as_ref().is_ok_and(|status| status.code() == Some(lost_output::PLACE_STATUS)) {
            lost_output::record_other_place();
        }
        if let (true, Ok(status)) = (death, &status) {
            state.first_death.get_or_insert((place, *status));
        }
        self.changed.notify_all();
        drop(state);
        if let (true, Ok(status)) = (death, status) {
            (self.on_death)(place, status);
        }
    }

    /// The first place that ended before its time.
    pub fn first_death(&self) -> Option<(u32, ExitStatus)> {
        self.state.lock().first_death
    }

    /// From now on places may end.
    pub fn expect_end(&self) {
        self.state.lock().ending = true;
    }

    /// Waits for all places to end by themselves, but no longer than `patience`; then ends them.
    pub fn end(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        let mut state = self.state.lock();
        state.ending = true;
        while state.running.iter().any(Option::is_some) {
            if self.changed.wait_until(&mut state, deadline).timed_out() {
                break;
            }
        }
        drop(state);
        self.kill();
    }

    /// Lets all places write what they have printed, and ends them.
    pub fn interrupt(&self) {
        let mut state = self.state.lock();
        state.ending = true;
        for process in state.running.iter().flatten() {
            // SAFETY: as in `kill`.
            unsafe { libc::kill(*process, libc::SIGTERM) };
        }
        drop(state);
        self.end(FAREWELL_OF_INTERRUPTED);
    }

    /// Ends all places now and waits until they are gone.
    pub fn kill(&self) {
        let mut state = self.state.lock();
        state.ending = true;
        for process in state.running.iter().flatten() {
            // SAFETY: not reaped yet (that happens under this lock), so the id is still our child's.
            unsafe { libc::kill(*process, libc::SIGKILL) };
        }
        while state.running.iter().any(Option::is_some) {
            self.changed.wait(&mut state);
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

/// Returns when the child has ended; it stays a zombie, so that its id cannot be given to another process.
fn wait_without_reaping(process: u32) {
    loop {
        // SAFETY: siginfo_t is plain data that the call fills in.
        let result = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(libc::P_PID, process, &mut info, libc::WEXITED | libc::WNOWAIT)
        };
        if result == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return;
        }
    }
}
