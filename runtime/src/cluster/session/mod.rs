//! The launcher of a program on many hosts: starts the agents, prints what the places print, and decides how
//! the program has ended.

mod host;
mod input;
mod profile;
mod reach;
mod start;
mod tree;
mod verdict;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::net::IpAddr;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::base::ending;
use crate::base::interrupt::{self, Then};
use crate::base::output_errors;
use crate::base::place::{HostId, PlaceId};
use crate::base::plain_text::without_controls;
use crate::cluster::control::{FromAgent, HEARTBEAT_INTERVAL, ToAgent};
use crate::cluster::frames::{Source, WatchedReader, read_frame};
use crate::cluster::rendezvous::Caller;
use crate::net::placement::Placement;
use crate::net::timeouts::Timeouts;
use crate::run::Image;
use host::Host;
use profile::Profile;
use verdict::{Verdict, Watch};

/// How long the other places may take to end once the program has.
const FAREWELL: Duration = Duration::from_secs(10);
/// How long places may take to end after a failure.
const FAILURE_TIMEOUT: Duration = Duration::from_secs(1);
/// How long agents may take to end their places and themselves.
const AGENT_END_TIMEOUT: Duration = Duration::from_secs(2);
/// How long an interrupted program's last output is waited for; the process ends a second later.
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(2);

/// What to run, and where.
#[derive(Debug)]
pub struct Job {
    /// The program.
    pub program: Image,
    /// The arguments of `main`.
    pub arguments: Vec<String>,
    /// Where the places are.
    pub placement: Placement,
    /// The agent of each place, and the names of the agents' hosts.
    pub agents: Placement,
    /// The interface or network that connects the hosts.
    pub interface: Option<String>,
    /// Whether connections between hosts need no encryption.
    pub private_network: bool,
    /// Variables with which places start, unless this process has them.
    pub variables: Vec<(&'static str, &'static str)>,
    /// First argument with which this executable becomes a place; the program's path follows.
    pub place_command: OsString,
    /// Further arguments of a place.
    pub place_options: Vec<OsString>,
    /// Threads of a place that run activities; 0 for the default.
    pub threads: usize,
    /// Where the profile of all places goes, if one is recorded.
    pub profile: Option<PathBuf>,
}

/// How the agents of a job come to run.
pub enum Agents {
    /// This launcher starts them by ssh; the words of the user's command, none for the default.
    Ssh(Vec<OsString>),
    /// Another launcher has started them, and they have called; none is the agent of this process, which it
    /// starts itself.
    Called(Vec<Option<Caller>>),
}

/// Runs a program on many hosts, and returns its exit status.
///
/// # Errors
/// When it cannot be started, in words for the user.
pub fn run(job: &Job, agents: Agents) -> Result<ending::ExitStatus, String> {
    let timeouts = Timeouts::from_environment()?;
    let (sender, events) = std::sync::mpsc::channel();
    let session = Arc::new(Session::new(job));
    let guard = Arc::clone(&session);
    interrupt::set(move |_| {
        guard.interrupt();
        guard.complete_profile();
        Then::End
    });
    session.start_heartbeats().map_err(|error| format!("cannot start a thread: {error}"))?;
    let status = start::start(&session, job, agents, timeouts, &sender)
        .and_then(|()| input::relay(&session).map_err(|error| format!("cannot start a thread: {error}")))
        .map(|()| session.watch(&events, &job.placement));
    interrupt::wait_for_end();
    session.end();
    session.complete_profile();
    status
}

/// The hosts of a running program.
struct Session {
    hosts: Vec<Host>,
    /// The agent of place 0.
    leader: HostId,
    /// The agent of each place.
    agents: Placement,
    /// The profile, if one is recorded.
    profile: Option<Profile>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Places whose end has not been reported.
    running: BTreeSet<PlaceId>,
    /// Input that place 0 has not taken.
    input_in_flight: u64,
    /// Exclusive use of standard output and error, so that lines of two hosts do not mix.
    printing: bool,
}

/// A host whose agent runs.
struct Reached {
    messages: WatchedReader<Box<dyn Source>>,
    /// The address at which its host was reached.
    address: Option<IpAddr>,
}

impl Reached {
    /// The next message of the host.
    ///
    /// # Errors
    /// It is lost, or cannot go on, with its name.
    fn next(&mut self, host: &Host) -> Result<(FromAgent, Vec<u8>), String> {
        match read_frame(&mut self.messages) {
            Ok(Some((FromAgent::Failed(error), _))) => {
                Err(format!("{}: {}", host.name(), without_controls(&error)))
            }
            Ok(Some(message)) => Ok(message),
            Ok(None) => Err(host.describe_loss(None)),
            Err(error) => Err(host.describe_loss(Some(&error))),
        }
    }
}

/// What a host's reader has seen.
enum Event {
    /// A place has ended.
    Ended { place: PlaceId, status: ExitStatus, in_order: bool },
    /// The agent cannot go on; why.
    Failed(HostId, String),
    /// The connection has ended.
    Lost(HostId, Option<io::Error>),
    /// Standard output has no reader, or cannot be written.
    Unwritten(io::Error),
}

impl Session {
    fn new(job: &Job) -> Session {
        let agents = &job.agents;
        let hosts = agents.names().iter().map(|name| Host::new(name.clone())).collect();
        let running = (0..agents.places()).map(PlaceId).collect();
        let state = State { running, input_in_flight: 0, printing: false };
        let leader = agents.host(PlaceId(0));
        Session {
            hosts,
            leader,
            agents: agents.clone(),
            profile: job.profile.clone().map(Profile::new),
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    fn host(&self, host: HostId) -> &Host {
        &self.hosts[host.0 as usize]
    }

    /// Sends a message to all agents that still run.
    fn send_all(&self, message: &ToAgent) {
        for host in &self.hosts {
            // The reader of a host that has ended says so.
            let _ = host.send(message, &[]);
        }
    }

    fn start_heartbeats(self: &Arc<Self>) -> io::Result<()> {
        let session = Arc::clone(self);
        let beat = move || loop {
            session.hosts.iter().for_each(Host::beat);
            std::thread::sleep(HEARTBEAT_INTERVAL);
        };
        std::thread::Builder::new().name("apg-heartbeat".to_owned()).spawn(beat).map(drop)
    }

    /// Handles the messages of a host's agent until they end.
    fn read(&self, number: HostId, mut messages: WatchedReader<Box<dyn Source>>, to: &Sender<Event>) {
        loop {
            let event = match read_frame(&mut messages) {
                Ok(Some((message, payload))) => match self.handle(number, message, &payload) {
                    Some(event) => event,
                    None => continue,
                },
                Ok(None) => Event::Lost(number, None),
                Err(error) => Event::Lost(number, Some(error)),
            };
            let is_end = matches!(event, Event::Lost(..));
            // Without its receiver the process ends.
            if to.send(event).is_err() || is_end {
                return;
            }
        }
    }

    /// Handles a message; the event that it is for the launcher, if any.
    fn handle(&self, number: HostId, message: FromAgent, payload: &[u8]) -> Option<Event> {
        match message {
            FromAgent::Heartbeat => None,
            FromAgent::Output { stream } => self.print(stream, payload).err().map(Event::Unwritten),
            FromAgent::Ended { place, status, in_order } => {
                let place = PlaceId(place);
                self.state.lock().running.remove(&place);
                self.changed.notify_all();
                Some(Event::Ended { place, status: ExitStatus::from_raw(status), in_order })
            }
            FromAgent::InputTaken(count) => {
                let mut state = self.state.lock();
                state.input_in_flight = state.input_in_flight.saturating_sub(count);
                self.changed.notify_all();
                None
            }
            FromAgent::Failed(error) => Some(Event::Failed(number, without_controls(&error))),
            FromAgent::Profile { place } => {
                if let Some(profile) = &self.profile {
                    profile.add(PlaceId(place), payload);
                }
                None
            }
            // Those of agents below are distributed by the branch.
            FromAgent::Hello { .. }
            | FromAgent::Ready { .. }
            | FromAgent::Time(_)
            | FromAgent::Connected { .. }
            | FromAgent::Unconnected { .. }
            | FromAgent::Passed { .. }
            | FromAgent::Taken { .. }
            | FromAgent::Closed { .. } => {
                Some(Event::Failed(number, "its agent has sent a message out of order".to_owned()))
            }
        }
    }

    /// Prints output of a place in one piece.
    fn print(&self, stream: u8, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.state.lock();
        while state.printing {
            self.changed.wait(&mut state);
        }
        state.printing = true;
        drop(state);
        let result = host::write_output(stream, bytes);
        self.state.lock().printing = false;
        self.changed.notify_all();
        match result {
            // Without a reader of errors the program continues.
            Err(_) if stream == 2 => Ok(()),
            result => result,
        }
    }

    /// Waits for the end of the program; its exit status.
    fn watch(&self, events: &Receiver<Event>, placement: &Placement) -> ending::ExitStatus {
        let mut watch = Watch::new(placement.clone(), self.agents.clone());
        let verdict = loop {
            let event = match watch.deadline() {
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(deadline) => events.recv_timeout(deadline.saturating_duration_since(Instant::now())),
            };
            let verdict = match event {
                Ok(Event::Lost(host, error)) => match self.forget_places(host) {
                    true => watch.lost(host, &self.host(host).channel.describe_loss(error.as_ref())),
                    false => None,
                },
                Ok(Event::Ended { place, status, in_order }) => watch.ended(place, status, in_order),
                Ok(Event::Failed(host, error)) => watch.failed(host, &error),
                Ok(Event::Unwritten(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                    return ending::ExitStatus::Signal(libc::SIGPIPE);
                }
                Ok(Event::Unwritten(error)) => {
                    output_errors::report("standard output", &error);
                    None
                }
                Err(_) => watch.timed_out(),
            };
            if let Some(verdict) = verdict {
                break verdict;
            }
        };
        interrupt::wait_for_end();
        match verdict {
            Verdict::Ended(status) => {
                self.finish(events, placement);
                ending::ExitStatus::Code(output_errors::exit_status(status, 1))
            }
            Verdict::Failed { message, status } => {
                if let Some(message) = message {
                    report!("apg: {message}");
                }
                self.end_places();
                ending::ExitStatus::Code(status)
            }
        }
    }

    /// A host is lost, and with it its places. Whether any of them ran.
    fn forget_places(&self, host: HostId) -> bool {
        self.host(host).channel.abandon();
        let mut state = self.state.lock();
        let before = state.running.len();
        state.running.retain(|place| self.agents.host(*place) != host);
        self.changed.notify_all();
        state.running.len() < before
    }

    /// The program has ended: waits for the other places, and names those that had to be ended.
    fn finish(&self, events: &Receiver<Event>, placement: &Placement) {
        self.send_all(&ToAgent::Finish(FAREWELL.as_secs()));
        let deadline = Instant::now() + FAREWELL + AGENT_END_TIMEOUT;
        while !self.state.lock().running.is_empty() {
            match events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Event::Ended { place, status, .. }) => {
                    if status.signal() == Some(libc::SIGKILL) {
                        let name = placement.describe(place);
                        let seconds = FAREWELL.as_secs();
                        report!(
                            "apg: {name} did not end within {seconds} seconds of the program's end, and was killed"
                        );
                    }
                    if status.code() == Some(output_errors::PLACE_STATUS) {
                        output_errors::record_other_place();
                    }
                }
                Ok(Event::Lost(host, _)) => drop(self.forget_places(host)),
                Ok(Event::Failed(..) | Event::Unwritten(_)) => {}
                Err(_) => return,
            }
        }
    }

    /// Ends all places, and waits for their last output. Those that notice the failure themselves have time
    /// to say so.
    fn end_places(&self) {
        self.send_all(&ToAgent::Finish(FAILURE_TIMEOUT.as_secs()));
        self.wait_for_places(FAILURE_TIMEOUT + AGENT_END_TIMEOUT);
    }

    fn wait_for_places(&self, timeout: Duration) {
        let deadline = Instant::now() + timeout;
        let mut state = self.state.lock();
        while !state.running.is_empty() && !self.changed.wait_until(&mut state, deadline).timed_out() {}
    }

    /// The user wants the program to end: all that was printed at any place is printed first.
    fn interrupt(&self) {
        self.send_all(&ToAgent::Interrupt);
        self.wait_for_places(INTERRUPT_TIMEOUT);
        self.hosts.iter().for_each(|host| host.channel.close());
    }

    /// Writes the profile, if one is recorded.
    fn complete_profile(&self) {
        if let Some(profile) = &self.profile {
            profile.complete(&self.agents);
        }
    }

    /// Ends the agents.
    fn end(&self) {
        self.hosts.iter().for_each(|host| host.channel.close());
        let deadline = Instant::now() + AGENT_END_TIMEOUT;
        self.hosts.iter().for_each(|host| host.channel.reap(deadline));
    }
}
