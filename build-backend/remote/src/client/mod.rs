//! The client: runs programs on a remote machine, attaches to jobs there, lists and ends them.

mod connection;
mod follow;
mod input;
mod network;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use apg_runtime::cluster::frames::MAX_PAYLOAD;

use crate::config::Remote;
use crate::heartbeat::Heartbeats;
use crate::manifest::Manifest;
use crate::protocol::{From, FromRemote, HEARTBEAT_INTERVAL, Job, JobState, PROGRESS_STREAM, ToRemote};
use connection::Connection;

pub use follow::{End, Follower};

/// How a run goes, for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// ssh connects.
    Connecting,
    /// apg is copied to the machine.
    Installing,
    /// Files are sent.
    Sending {
        /// Their number.
        files: usize,
        /// Their bytes, before compression.
        bytes: u64,
    },
    /// The job runs: it builds the program, and runs it.
    Running {
        /// The job's name.
        job: String,
    },
    /// What the build does there; empty when it is done.
    Building {
        /// In words.
        stage: String,
    },
    /// The connection is lost, and made again.
    Reconnecting {
        /// Why it was lost, or is not made.
        why: String,
    },
    /// The connection was made again.
    Reconnected,
}

/// What a run says and prints.
pub trait Observer: Send + Sync {
    /// The state has changed.
    fn state(&self, state: &State);
    /// The job has printed to standard output (1) or error (2).
    ///
    /// # Errors
    /// It could not be printed.
    fn output(&self, stream: u8, data: &[u8]) -> io::Result<()>;
    /// Something that the user has to know.
    fn notice(&self, text: &str);
}

/// A client of a remote machine.
pub struct Client<'a> {
    remote: &'a Remote,
    observer: &'a dyn Observer,
    /// ssh's destination.
    destination: String,
    /// The words of the ssh command; none for the default.
    ssh: Vec<OsString>,
    /// Options of ssh for all connections.
    options: Vec<OsString>,
    /// The socket by which connections share one (`ControlPath` of ssh_config(5)).
    control_path: Option<PathBuf>,
    executable: PathBuf,
    identity: String,
    /// How long the machine may take to answer at first.
    start_timeout: Duration,
}

/// The answer to a job.
pub enum Submitted<'a> {
    /// It runs.
    Started(Follower<'a>),
    /// The machine has no C++ compiler; why.
    NoCompiler(String),
    /// It was not wanted any more.
    Cancelled,
}

/// What a short command has printed, and its exit status.
#[derive(Debug, Default)]
pub struct Printed {
    /// Exit status as of a shell.
    pub status: i32,
    /// Standard output.
    pub output: Vec<u8>,
    /// Standard error.
    pub errors: Vec<u8>,
}

/// Maximum number of bytes that are kept of what a short command prints.
const MAX_PRINTED_BYTES: usize = 1 << 20;
/// How long a machine may take to answer at first, by default.
const START_TIMEOUT: Duration = Duration::from_secs(60);

impl<'a> Client<'a> {
    /// A client; `ssh` has the words of the user's ssh command, none for the default.
    ///
    /// # Errors
    /// The remote machine is malformed, or this executable is not found.
    pub fn new(
        remote: &'a Remote,
        ssh: Vec<OsString>,
        observer: &'a dyn Observer,
    ) -> Result<Client<'a>, String> {
        let (destination, port) = remote.address().map_err(|error| error.to_string())?;
        let cannot = |error: io::Error| format!("cannot find apg itself: {error}");
        let executable = std::env::current_exe().map_err(cannot)?;
        let identity = apg_runtime::cluster::identity::of_this_executable().map_err(cannot)?;
        let options =
            port.map(|port| [OsString::from("-p"), port.to_string().into()]).into_iter().flatten().collect();
        let control_path = connection::control_path(&ssh, &destination, port);
        let start_timeout = START_TIMEOUT;
        Ok(Client {
            remote,
            observer,
            destination,
            ssh,
            options,
            control_path,
            executable,
            identity,
            start_timeout,
        })
    }

    /// A client that is used while the user types: ssh asks for nothing, and the machine may take this long
    /// to answer.
    #[must_use]
    pub fn unattended(mut self, start_timeout: Duration) -> Self {
        self.options.extend(["-o", "BatchMode=yes"].map(OsString::from));
        Client { start_timeout, ..self }
    }

    fn request(&self, request: &ToRemote) -> Result<Connection, String> {
        self.observer.state(&State::Connecting);
        self.connect(Instant::now() + self.start_timeout, true, &mut |_| {}, request)
    }

    /// Runs a job. Files that the machine lacks are sent. `is_wanted` is asked once the machine is reached.
    ///
    /// # Errors
    /// Why it does not run, in words.
    pub fn submit(
        &'a self,
        job: &Job,
        manifest: &Manifest,
        is_wanted: &mut dyn FnMut() -> bool,
    ) -> Result<Submitted<'a>, String> {
        self.observer.state(&State::Connecting);
        let deadline = Instant::now() + self.start_timeout;
        let greeted = self.greet(deadline, true, &mut |_| {});
        // The check of the program here may take long, and so may the answers of the agent.
        let heartbeats = greeted.as_ref().ok().map(|(channel, _)| {
            let channel = Arc::clone(channel);
            Heartbeats::start(HEARTBEAT_INTERVAL, move || channel.beat(&ToRemote::Heartbeat))
        });
        let _heartbeats =
            heartbeats.transpose().map_err(|error| format!("cannot start a thread: {error}"))?;
        if !is_wanted() {
            return Ok(Submitted::Cancelled);
        }
        let (channel, output) = greeted?;
        let mut connection = self.begin(channel, output, deadline, &ToRemote::Submit(job.clone()))?;
        loop {
            match connection.receive()?.0 {
                FromRemote::Missing(indices) => {
                    let (files, bytes) = (indices.len(), manifest.bytes(&indices));
                    self.observer.state(&State::Sending { files, bytes });
                    let sent = {
                        let mut to =
                            io::BufWriter::with_capacity((MAX_PAYLOAD / 4) as usize, Parts(&connection));
                        manifest.write_files(&indices, &mut to).and_then(|()| io::Write::flush(&mut to))
                    };
                    let sent = sent.and_then(|()| connection.channel.send(&ToRemote::Files, &[]));
                    // An answer says more than the broken connection.
                    if let Err(error) = sent {
                        connection.channel.close();
                        return Err(match connection.receive() {
                            Ok((FromRemote::Failed(why), _)) => format!("{}: {why}", self.remote.name),
                            _ => format!("{}: files cannot be sent: {error}", self.remote.name),
                        });
                    }
                }
                FromRemote::NoCompiler(why) => return Ok(Submitted::NoCompiler(why)),
                FromRemote::Started { job: name } => {
                    self.observer.state(&State::Running { job: name.clone() });
                    return Ok(Submitted::Started(Follower::new(self, connection, name, 0, job.detached)));
                }
                FromRemote::Failed(why) => return Err(format!("{}: {why}", self.remote.name)),
                FromRemote::Heartbeat => {}
                message => return Err(connection.unexpected(&message)),
            }
        }
    }

    /// Runs a job without files, and gives what it prints. A lost connection is an error.
    ///
    /// # Errors
    /// The machine is not reached, or it does not run the job, in words.
    pub fn capture(&self, job: &Job) -> Result<Printed, String> {
        let mut connection = self.request(&ToRemote::Submit(job.clone()))?;
        let channel = Arc::clone(&connection.channel);
        let _heartbeats = Heartbeats::start(HEARTBEAT_INTERVAL, move || channel.beat(&ToRemote::Heartbeat))
            .map_err(|error| format!("cannot start a thread: {error}"))?;
        let mut printed = Printed::default();
        loop {
            match connection.receive()? {
                (FromRemote::Output { stream: PROGRESS_STREAM, .. }, _) => {}
                (FromRemote::Output { stream, .. }, data) => {
                    let kept = if stream == 2 { &mut printed.errors } else { &mut printed.output };
                    let room = MAX_PRINTED_BYTES.saturating_sub(kept.len());
                    kept.extend_from_slice(&data[..room.min(data.len())]);
                }
                (FromRemote::Ended { status, .. }, _) => {
                    // The machine forgets it by itself, too.
                    let _ = connection.channel.send(&ToRemote::Forget, &[]);
                    return Ok(Printed { status, ..printed });
                }
                (FromRemote::Failed(why), _) => return Err(format!("{}: {why}", self.remote.name)),
                (
                    FromRemote::Started { .. }
                    | FromRemote::Attached { .. }
                    | FromRemote::NotKept(_)
                    | FromRemote::Gap { .. }
                    | FromRemote::Heartbeat,
                    _,
                ) => {}
                (message, _) => return Err(connection.unexpected(&message)),
            }
        }
    }

    /// Attaches to a job.
    ///
    /// # Errors
    /// There is no such job, or the machine is not reached.
    pub fn attach(&'a self, job: &str, from: From) -> Result<Follower<'a>, String> {
        let connection = self.request(&ToRemote::Attach { job: job.to_owned(), from })?;
        let detached = crate::protocol::Detached::Keep;
        Ok(Follower::new(self, connection, job.to_owned(), 0, detached))
    }

    /// The jobs of the user.
    ///
    /// # Errors
    /// The machine is not reached.
    pub fn jobs(&self) -> Result<Vec<JobState>, String> {
        let mut connection = self.request(&ToRemote::List)?;
        match connection.receive()?.0 {
            FromRemote::Jobs(jobs) => Ok(jobs),
            FromRemote::Failed(why) => Err(format!("{}: {why}", self.remote.name)),
            message => Err(connection.unexpected(&message)),
        }
    }

    /// An error about a job that the machine does not have.
    fn no_job(&self, job: &str, similar: Option<&str>) -> String {
        let meant =
            similar.map_or_else(String::new, |name| format!("; did you mean `{}`?", name.escape_debug()));
        let remote = &self.remote.name;
        format!(
            "{remote}: there is no job `{}`{meant}; `apg jobs --on {remote}` lists them",
            job.escape_debug()
        )
    }

    /// Ends a job, and waits for that.
    ///
    /// # Errors
    /// There is no such job, or the machine is not reached.
    pub fn stop(&self, job: &str) -> Result<(), String> {
        let mut connection = self.request(&ToRemote::Stop { job: job.to_owned() })?;
        match connection.receive()?.0 {
            FromRemote::Stopped => Ok(()),
            FromRemote::NoJob { similar } => Err(self.no_job(job, similar.as_deref())),
            FromRemote::Failed(why) => Err(format!("{}: {why}", self.remote.name)),
            message => Err(connection.unexpected(&message)),
        }
    }
}

/// Sends what is written as payloads.
struct Parts<'a>(&'a Connection);

impl io::Write for Parts<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(MAX_PAYLOAD as usize);
        if count > 0 {
            self.0.channel.send(&ToRemote::Files, &bytes[..count])?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
