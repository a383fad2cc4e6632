//! A client that follows a job: prints its output once, byte for byte, over as many connections as it takes.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use apg_runtime::base::interrupt::{self, Then};
use apg_runtime::cluster::channel::Channel;
use apg_runtime::cluster::frames::read_frame;
use parking_lot::{Condvar, Mutex};

use super::connection::Connection;
use super::input::Input;
use super::network::Network;
use super::{Client, State};
use crate::protocol::{
    Detached, From, FromRemote, HEARTBEAT_INTERVAL, PROGRESS_STREAM, ProductKind, ToRemote,
};

/// First and longest pause between attempts to connect again.
const MIN_PAUSE: Duration = Duration::from_millis(250);
const MAX_PAUSE: Duration = Duration::from_secs(10);
/// How long one attempt may take.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval of acknowledgements of little output.
const TICK: Duration = Duration::from_secs(1);
/// Output after which it is acknowledged at once.
const ACKNOWLEDGED_BYTES: u64 = 64 << 10;
/// How long a job may take to end when this process is ended.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// How long an answer may take after a change of the network, and if there was no sign of life for a
/// heartbeat's interval.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(2500);
const SUSPICIOUS_ANSWER_TIMEOUT: Duration = Duration::from_millis(300);

/// How a job has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Exit status as of a shell.
    pub status: i32,
    /// Why, if it was not the program's own end.
    pub reason: Option<String>,
    /// The signal by which the user has ended it.
    pub interrupted_by: Option<i32>,
}

/// A job that is followed.
pub struct Follower<'a> {
    client: &'a Client<'a>,
    connection: Option<Connection>,
    job: String,
    offset: u64,
    shared: Arc<Shared>,
    detached: Detached,
    /// What the file that the job makes is, and where it goes.
    product: Option<(ProductKind, PathBuf)>,
    /// What the build does.
    stage: String,
}

/// What the threads of a follower share.
struct Shared {
    /// The present connection, also while it is being made.
    channel: Mutex<Option<Arc<Channel>>>,
    /// Signals that were not sent for want of a connection.
    pending: Mutex<Vec<i32>>,
    /// When the present connection was begun or the last message came, in milliseconds since the start.
    last_sign: AtomicU64,
    /// Number of messages that have come.
    signs: AtomicU64,
    start: Instant,
    is_attached: AtomicBool,
    /// Whether a lost connection is being made again.
    is_reconnecting: AtomicBool,
    /// Output up to this offset was printed.
    printed: AtomicU64,
    /// The last signal of the user.
    interrupted_by: Mutex<Option<i32>>,
    has_ended: Mutex<bool>,
    /// Notified of the end, and of changes of the network.
    changed: Condvar,
    input: Arc<Input>,
}

/// Why a connection is not used any more.
enum Break {
    /// It is lost: another one is made.
    Lost(String),
    /// It makes no sense to go on.
    Failed(String),
    /// The reader of standard output has gone.
    Unread,
}

impl Shared {
    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn sign_of_life(&self) {
        self.last_sign.store(self.now(), Ordering::Relaxed);
        self.signs.fetch_add(1, Ordering::Relaxed);
    }

    fn send(&self, message: &ToRemote) {
        // The reader of the messages notices a broken connection.
        if let Some(channel) = &*self.channel.lock() {
            channel.beat(message);
        }
    }

    /// The user wants the job to end.
    fn interrupt(&self, signal: i32) {
        *self.interrupted_by.lock() = Some(signal);
        let channel = self.channel.lock().clone();
        let is_sent = self.is_attached.load(Ordering::Acquire)
            && channel.is_some_and(|channel| channel.send(&ToRemote::Signal(signal), &[]).is_ok());
        if !is_sent {
            self.pending.lock().push(signal);
            self.end_reconnecting();
        }
    }

    /// Ends the attempt to connect again that is under way, or the pause before the next one.
    fn end_reconnecting(&self) {
        let deadline = Instant::now() + END_TIMEOUT;
        // Repeated, since ssh may be about to be started.
        while self.is_reconnecting.load(Ordering::Acquire) && Instant::now() < deadline {
            if let Some(channel) = &*self.channel.lock() {
                channel.abandon();
            }
            self.changed.notify_all();
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Acknowledges, gives signs of life, and ends connections that are dead when the network changes.
    fn watch(&self) {
        let mut network = Network::new();
        let (mut acknowledged, mut beaten) = (0, self.start);
        while !*self.has_ended.lock() {
            let has_changed = network.wait(TICK);
            if has_changed {
                self.test_connection();
            }
            let printed = self.printed.load(Ordering::Acquire);
            if self.is_attached.load(Ordering::Acquire) {
                if printed > acknowledged {
                    acknowledged = printed;
                    self.send(&ToRemote::Acknowledge(printed));
                }
                if beaten.elapsed() >= HEARTBEAT_INTERVAL {
                    beaten = Instant::now();
                    self.send(&ToRemote::Heartbeat);
                }
            }
        }
    }

    /// The network has changed: a connection that does not answer at once is given up, and made again.
    fn test_connection(&self) {
        let signs = self.signs.load(Ordering::Relaxed);
        let silent = Duration::from_millis(self.now().saturating_sub(self.last_sign.load(Ordering::Relaxed)));
        let channel = self.channel.lock().clone();
        if self.is_attached.load(Ordering::Acquire) {
            self.send(&ToRemote::Heartbeat);
            // Other links change, too, and busy machines answer late.
            let timeout =
                if silent > HEARTBEAT_INTERVAL { SUSPICIOUS_ANSWER_TIMEOUT } else { ANSWER_TIMEOUT };
            let deadline = Instant::now() + timeout;
            while Instant::now() < deadline {
                if self.signs.load(Ordering::Relaxed) > signs {
                    return;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        } else if silent < SUSPICIOUS_ANSWER_TIMEOUT {
            // The attempt has begun after the change.
            return;
        }
        if let Some(channel) = channel {
            channel.abandon();
        }
        self.changed.notify_all();
    }
}

impl<'a> Follower<'a> {
    pub(super) fn new(
        client: &'a Client<'a>,
        connection: Connection,
        job: String,
        offset: u64,
        detached: Detached,
    ) -> Follower<'a> {
        let shared = Shared {
            channel: Mutex::new(Some(Arc::clone(&connection.channel))),
            pending: Mutex::default(),
            last_sign: AtomicU64::new(0),
            signs: AtomicU64::new(0),
            start: Instant::now(),
            is_attached: AtomicBool::new(false),
            is_reconnecting: AtomicBool::new(false),
            printed: AtomicU64::new(offset),
            interrupted_by: Mutex::new(None),
            has_ended: Mutex::new(false),
            changed: Condvar::new(),
            input: Arc::default(),
        };
        Follower {
            client,
            connection: Some(connection),
            job,
            offset,
            shared: Arc::new(shared),
            detached,
            product: None,
            stage: String::new(),
        }
    }

    /// The job's name.
    pub fn job(&self) -> &str {
        &self.job
    }

    /// Has the file that the job makes written to this path when the job has ended.
    pub fn set_product(&mut self, kind: ProductKind, path: PathBuf) {
        self.product = Some((kind, path));
    }

    /// Has standard input sent to the job.
    ///
    /// # Errors
    /// There is no thread for it.
    pub fn send_standard_input(&self) -> io::Result<()> {
        self.shared.input.read_standard_input()
    }

    /// Leaves the job alone.
    pub fn detach(mut self) {
        self.connection = None;
    }

    /// Has Ctrl-C end the job, and the end of this process, too, unless the job is kept.
    fn handle_signals(&self) {
        let shared = Arc::clone(&self.shared);
        let is_kept = self.detached == Detached::Keep;
        interrupt::set(move |signal| {
            if signal == libc::SIGINT {
                shared.interrupt(signal);
                return Then::GoOn;
            }
            if !is_kept {
                shared.interrupt(libc::SIGINT);
                let mut has_ended = shared.has_ended.lock();
                while !*has_ended && !shared.changed.wait_for(&mut has_ended, END_TIMEOUT).timed_out() {}
            }
            Then::End
        });
    }

    /// Follows the job to its end.
    ///
    /// # Errors
    /// It cannot be followed any more, in words.
    pub fn follow(mut self) -> Result<End, String> {
        self.handle_signals();
        let shared = Arc::clone(&self.shared);
        std::thread::Builder::new()
            .name("apg-watch".to_owned())
            .spawn(move || shared.watch())
            .map_err(|error| format!("cannot start a thread: {error}"))?;
        let result = loop {
            let Some(connection) = self.connection.take() else {
                break Err("the connection is closed".to_owned());
            };
            match self.read(connection) {
                Ok(end) => break Ok(end),
                Err(Break::Failed(error)) => break Err(error),
                Err(Break::Unread) => {
                    let (status, interrupted_by) = (128 + libc::SIGPIPE, Some(libc::SIGPIPE));
                    break Ok(End { status, reason: None, interrupted_by });
                }
                Err(Break::Lost(why)) => {
                    self.shared.is_reconnecting.store(true, Ordering::Release);
                    let result = self.reconnect(why);
                    self.shared.is_reconnecting.store(false, Ordering::Release);
                    match result {
                        Ok(connection) => self.connection = Some(connection),
                        Err(error) => break Err(error),
                    }
                }
            }
        };
        *self.shared.has_ended.lock() = true;
        self.shared.changed.notify_all();
        result
    }

    /// Handles the messages of one connection.
    fn read(&mut self, mut connection: Connection) -> Result<End, Break> {
        let result = self.read_messages(&mut connection);
        self.shared.is_attached.store(false, Ordering::Release);
        // Ends the thread that sends input.
        self.shared.input.begin(0);
        if matches!(result, Err(Break::Lost(_))) {
            connection.channel.abandon();
        }
        connection.channel.close();
        result
    }

    fn read_messages(&mut self, connection: &mut Connection) -> Result<End, Break> {
        let mut acknowledged = self.offset;
        loop {
            let (message, payload) = match read_frame(&mut connection.messages) {
                Ok(Some(message)) => message,
                Ok(None) => return Err(Break::Lost(connection.channel.describe_loss(None))),
                Err(error) => return Err(Break::Lost(connection.channel.describe_loss(Some(&error)))),
            };
            self.shared.sign_of_life();
            match message {
                FromRemote::Attached { input, offset } => {
                    self.offset = offset;
                    self.attached(&connection.channel, input)?;
                }
                FromRemote::Output { stream, end } => {
                    match stream {
                        PROGRESS_STREAM => self.show_progress(&payload),
                        _ => self.print(stream, &payload, connection)?,
                    }
                    self.offset = end;
                    self.shared.printed.store(end, Ordering::Release);
                    if end - acknowledged >= ACKNOWLEDGED_BYTES {
                        acknowledged = end;
                        let _ = connection.channel.send(&ToRemote::Acknowledge(end), &[]);
                    }
                }
                FromRemote::Gap { bytes, end } => {
                    self.offset = end;
                    self.client.observer.notice(&format!("{bytes} bytes of output are not kept any more"));
                }
                FromRemote::NotKept(error) => self.client.observer.notice(&format!(
                    "the output is not kept on {}: {error}; the job waits while it cannot be sent",
                    self.client.remote.name
                )),
                FromRemote::InputTaken(count) => self.shared.input.taken(count),
                FromRemote::Ended { status, reason } => {
                    if let Some((kind, path)) = &self.product
                        && (status == 0 || *kind == ProductKind::Profile)
                    {
                        self.fetch(connection, *kind, path)?;
                        self.product = None;
                    }
                    let _ = connection.channel.send(&ToRemote::Acknowledge(self.offset), &[]);
                    let _ = connection.channel.send(&ToRemote::Forget, &[]);
                    let interrupted_by = *self.shared.interrupted_by.lock();
                    return Ok(End { status, reason, interrupted_by });
                }
                FromRemote::Superseded => {
                    return Err(Break::Failed(format!("another client has attached to job `{}`", self.job)));
                }
                FromRemote::NoJob { similar } => {
                    return Err(Break::Failed(self.client.no_job(&self.job, similar.as_deref())));
                }
                FromRemote::Failed(why) => {
                    return Err(Break::Failed(format!("{}: {why}", self.client.remote.name)));
                }
                FromRemote::Heartbeat => {}
                message => return Err(Break::Failed(connection.unexpected(&message))),
            }
        }
    }

    /// The job knows this client now: signals that wait are sent, and input continues.
    fn attached(&self, channel: &Arc<Channel>, arrived: u64) -> Result<(), Break> {
        let number = self.shared.input.begin(arrived);
        self.shared.is_attached.store(true, Ordering::Release);
        for signal in std::mem::take(&mut *self.shared.pending.lock()) {
            let _ = channel.send(&ToRemote::Signal(signal), &[]);
        }
        let (channel, input) = (Arc::clone(channel), Arc::clone(&self.shared.input));
        let send = move || {
            while let Some((offset, piece)) = input.next(number) {
                // The reader of the messages notices a broken connection.
                if channel.send(&ToRemote::Input { offset }, &piece).is_err() {
                    return;
                }
            }
        };
        let started = std::thread::Builder::new().name("apg-send-input".to_owned()).spawn(send);
        started.map(drop).map_err(|error| Break::Failed(format!("cannot start a thread: {error}")))
    }

    /// The last whole line is what the build does now.
    fn show_progress(&mut self, lines: &[u8]) {
        let text = String::from_utf8_lossy(lines);
        let stage = text.strip_suffix('\n').and_then(|whole| whole.rsplit('\n').next());
        if let Some(stage) = stage.filter(|stage| *stage != self.stage) {
            self.stage = stage.to_owned();
            self.client.observer.state(&State::Building { stage: self.stage.clone() });
        }
    }

    fn print(&self, stream: u8, data: &[u8], connection: &Connection) -> Result<(), Break> {
        match self.client.observer.output(stream, data) {
            // Without a reader of errors the job continues.
            Err(_) if stream == 2 => Ok(()),
            Err(error) => {
                let _ = connection.channel.send(&ToRemote::Signal(libc::SIGINT), &[]);
                connection.channel.close();
                match error.kind() {
                    io::ErrorKind::BrokenPipe => Err(Break::Unread),
                    _ => Err(Break::Failed(format!("cannot print: {error}"))),
                }
            }
            Ok(()) => Ok(()),
        }
    }

    /// Connects again, as often as it takes.
    fn reconnect(&self, mut why: String) -> Result<Connection, String> {
        let observer = self.client.observer;
        observer.state(&State::Reconnecting { why: why.clone() });
        self.client.forget_shared_connection();
        let mut pause = Duration::ZERO;
        loop {
            {
                let mut has_ended = self.shared.has_ended.lock();
                if !self.shared.changed.wait_for(&mut has_ended, pause).timed_out() && !pause.is_zero() {
                    pause = Duration::ZERO;
                }
            }
            if let Some(signal) = *self.shared.interrupted_by.lock() {
                let job = &self.job;
                let then = match self.detached {
                    Detached::Keep => {
                        format!("it runs on; `apg stop {job} --on {}` ends it", self.client.remote.name)
                    }
                    Detached::End(seconds) => format!("it ends by itself within {seconds} seconds"),
                };
                tracing::debug!(signal, "interrupted without a connection");
                return Err(format!("job `{job}` is not reached to end it: {then}"));
            }
            self.shared.sign_of_life();
            let request = ToRemote::Attach { job: self.job.clone(), from: From::Offset(self.offset) };
            let mut connecting =
                |channel: &Arc<Channel>| *self.shared.channel.lock() = Some(Arc::clone(channel));
            match self.client.connect(Instant::now() + ATTEMPT_TIMEOUT, false, &mut connecting, &request) {
                Ok(connection) => {
                    observer.state(&State::Reconnected);
                    return Ok(connection);
                }
                Err(error) => {
                    if error != why && self.shared.interrupted_by.lock().is_none() {
                        observer.state(&State::Reconnecting { why: error.clone() });
                        why = error;
                    }
                    pause = (pause * 2).clamp(MIN_PAUSE, MAX_PAUSE);
                }
            }
        }
    }

    /// Receives the file that the job has made, and renames it into place.
    fn fetch(&self, connection: &mut Connection, kind: ProductKind, path: &Path) -> Result<(), Break> {
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let cannot = |error: io::Error| Break::Failed(format!("cannot write `{}`: {error}", path.display()));
        let mut file = tempfile::NamedTempFile::with_prefix_in(".apg-", folder).map_err(cannot)?;
        let channel = Arc::clone(&connection.channel);
        let lost = |error: Option<&io::Error>| Break::Lost(channel.describe_loss(error));
        channel.send(&ToRemote::Fetch, &[]).map_err(|error| lost(Some(&error)))?;
        loop {
            let message = read_frame(&mut connection.messages).map_err(|error| lost(Some(&error)))?;
            let (message, part) = message.ok_or_else(|| lost(None))?;
            self.shared.sign_of_life();
            match message {
                FromRemote::Product if part.is_empty() => break,
                FromRemote::Product => file.write_all(&part).map_err(cannot)?,
                // A program that does not compile has not run, and has said why.
                FromRemote::NoProduct if kind == ProductKind::Profile => return Ok(()),
                FromRemote::NoProduct => {
                    let name = &self.client.remote.name;
                    return Err(Break::Failed(format!("{name}: the job has made no program")));
                }
                FromRemote::Heartbeat => {}
                FromRemote::Failed(why) => {
                    return Err(Break::Failed(format!("{}: {why}", self.client.remote.name)));
                }
                message => return Err(Break::Failed(connection.unexpected(&message))),
            }
        }
        let mode = match kind {
            ProductKind::Program => 0o755,
            ProductKind::Profile => 0o644,
        };
        file.as_file().set_permissions(Permissions::from_mode(mode)).map_err(cannot)?;
        file.persist(path).map(drop).map_err(|error| cannot(error.error))
    }
}
