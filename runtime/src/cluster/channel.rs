//! The connection with an agent on another host: its start by ssh, also of a copy of this executable where
//! there is none, and messages to it.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::base::plain_text::without_controls;
use crate::cluster::frames::{Source, WatchedReader, marker, read_frame, write_frame};
use crate::cluster::identity::hexadecimal;
use crate::cluster::{c_library, ssh};

/// Bytes that login scripts may print before the agent answers.
const MAX_NOISE: usize = 64 << 10;
/// Bytes of standard error that are kept for a message.
const MAX_ERRORS: usize = 4 << 10;
/// How long ssh's last words are waited for.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_millis(500);

/// The agent of a host, as the process that has started it sees it.
pub struct Channel {
    /// The name that the user gave.
    pub name: String,
    /// Where messages are written; none after the end.
    input: Mutex<Option<Box<dyn Write + Send>>>,
    child: Mutex<Option<Child>>,
    /// What ends a connection that is no process.
    abandon: Mutex<Option<Box<dyn Fn() + Send>>>,
    /// Whether the agent has answered: before, what is written would go to a shell.
    answers: AtomicBool,
    /// The end of what ssh and the agent have printed on standard error.
    errors: Arc<LastWords>,
}

/// The end of a stream.
#[derive(Default)]
struct LastWords {
    kept: Mutex<Kept>,
    /// The stream has ended.
    ended: Condvar,
}

#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    /// More may come.
    is_open: bool,
}

/// How agents are started.
#[derive(Clone, Copy)]
pub struct Starter<'a> {
    /// First argument of the agent's process.
    pub command: &'a str,
    /// The words of the user's ssh command; none for the default.
    pub ssh: &'a [OsString],
    /// Further options of ssh.
    pub options: &'a [OsString],
    /// The folder on the host that has copies of apg; `None` for the user's cache.
    pub folder: Option<&'a str>,
    /// This executable.
    pub executable: &'a Path,
    /// Its identity.
    pub identity: &'a str,
    /// Until when agents have to answer.
    pub deadline: Instant,
    /// A machine that the user may mean where there is no host of the name.
    pub similar: Option<&'a str>,
    /// Called before apg is copied to a host.
    pub installing: &'a (dyn Fn() + Sync),
}

impl Channel {
    /// A host whose agent does not run yet.
    #[must_use]
    pub fn new(name: String) -> Channel {
        Channel {
            name,
            input: Mutex::default(),
            child: Mutex::default(),
            abandon: Mutex::default(),
            answers: AtomicBool::new(false),
            errors: Arc::default(),
        }
    }

    /// Starts the agent; its messages. What is written before it has answered would go to a shell.
    ///
    /// # Errors
    /// Why it does not start, and what to do about it.
    pub fn connect(&self, starter: &Starter<'_>) -> Result<ChildStdout, String> {
        self.connect_by(ssh::agent_command(starter, &self.name), starter)
    }

    /// Starts the agent on this machine, whatever the name of the host; its messages.
    ///
    /// # Errors
    /// Why it does not start.
    pub fn connect_here(&self, starter: &Starter<'_>) -> Result<ChildStdout, String> {
        self.connect_by(ssh::local_agent_command(starter), starter)
    }

    fn connect_by(&self, command: Command, starter: &Starter<'_>) -> Result<ChildStdout, String> {
        let program = command.get_program().to_string_lossy().into_owned();
        let mut output =
            self.spawn(command).map_err(|error| format!("{}: cannot start {program}: {error}", self.name))?;
        self.greet(&mut output, starter).map_err(|error| self.explain(&error, starter.similar))?;
        self.answers.store(true, Ordering::Release);
        Ok(output)
    }

    /// Uses an agent that has called, by the stream to it.
    /// `abandon` is called where the process of ssh would be ended.
    pub(super) fn attach(&self, sink: Box<dyn Write + Send>, abandon: Box<dyn Fn() + Send>) {
        *self.input.lock() = Some(sink);
        *self.abandon.lock() = Some(abandon);
        self.answers.store(true, Ordering::Release);
    }

    /// Reads the first message of the agent, until the deadline.
    ///
    /// # Errors
    /// It does not come or is malformed, in words for the user.
    pub fn first_message<Message: DeserializeOwned>(
        &self,
        output: &mut impl Source,
        deadline: Instant,
    ) -> Result<Message, String> {
        match read_frame(&mut Timed { output, deadline }) {
            Ok(Some((message, _))) => Ok(message),
            Ok(None) => Err(self.explain(&io::ErrorKind::UnexpectedEof.into(), None)),
            Err(error) => Err(self.explain(&error, None)),
        }
    }

    /// Sends a message.
    ///
    /// # Errors
    /// The agent has ended; the reader of its messages notices that too.
    pub fn send(&self, message: &impl Serialize, payload: &[u8]) -> io::Result<()> {
        match &mut *self.input.lock() {
            Some(input) => write_frame(input, message, payload),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Writes bytes of messages.
    ///
    /// # Errors
    /// The agent has ended.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        match &mut *self.input.lock() {
            Some(input) => input.write_all(bytes).and_then(|()| input.flush()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Says why the agent has ended, where no process has printed that.
    pub(super) fn set_last_words(&self, text: &str) {
        self.errors.kept.lock().bytes = text.as_bytes().to_vec();
    }

    /// Sends a sign of life, unless the agent has not answered yet or something else is being sent.
    pub fn beat(&self, message: &impl Serialize) {
        if self.answers.load(Ordering::Acquire)
            && let Some(mut input) = self.input.try_lock()
            && let Some(input) = &mut *input
        {
            // The reader of this channel notices failures.
            let _ = write_frame(input, message, &[]);
        }
    }

    fn spawn(&self, mut command: Command) -> io::Result<ChildStdout> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // SAFETY: async-signal-safe calls; the set is a live variable. Ctrl-C is the launcher's, which lets
        // all places end in order. ssh keeps an ignored signal so, except for connections over a shared one:
        // there it is blocked.
        unsafe {
            command.pre_exec(|| {
                libc::signal(libc::SIGINT, libc::SIG_IGN);
                // Launchers of clusters end a whole process group.
                libc::signal(libc::SIGTERM, libc::SIG_IGN);
                let mut blocked: libc::sigset_t = std::mem::zeroed();
                libc::sigemptyset(&mut blocked);
                libc::sigaddset(&mut blocked, libc::SIGINT);
                libc::sigprocmask(libc::SIG_BLOCK, &blocked, std::ptr::null_mut());
                Ok(())
            });
        }
        let mut child = command.spawn()?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        *self.input.lock() = input.map(|input| Box::new(input) as Box<dyn Write + Send>);
        *self.child.lock() = Some(child);
        if let Some(errors) = errors {
            self.errors.kept.lock().is_open = true;
            let kept = Arc::clone(&self.errors);
            std::thread::Builder::new()
                .name("apg-ssh-errors".to_owned())
                .spawn(move || keep_last_words(errors, &kept))?;
        }
        output.ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }

    /// Waits for the agent's first line; sends this executable if there is none.
    fn greet(&self, output: &mut ChildStdout, starter: &Starter<'_>) -> io::Result<()> {
        let mark = marker(starter.identity);
        let mut output = Timed { output, deadline: starter.deadline };
        match read_marked_line(&mut output, &mark)?.as_str() {
            "ready" => return Ok(()),
            line => match self.install(line, starter) {
                // The host has stopped reading, and says why.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
                result => result?,
            },
        }
        match read_marked_line(&mut output, &mark)?.as_str() {
            "ready" => Ok(()),
            line => Err(io::Error::other(line.trim_start_matches("failed ").to_owned())),
        }
    }

    /// Sends this executable to a host that has said `missing SYSTEM MACHINE C-LIBRARY`.
    fn install(&self, line: &str, starter: &Starter<'_>) -> io::Result<()> {
        let Some(host) = line.strip_prefix("missing ") else {
            return Err(io::Error::other(line.trim_start_matches("failed ").to_owned()));
        };
        let executable = std::fs::read(starter.executable)?;
        check_kind(host, &executable, starter.executable).map_err(io::Error::other)?;
        (starter.installing)();
        tracing::debug!(host = self.name, "apg is copied");
        let digest = hexadecimal(&Sha256::digest(&executable));
        let mut input = self.input.lock();
        let Some(input) = &mut *input else { return Err(io::ErrorKind::BrokenPipe.into()) };
        writeln!(input, "{} {digest}", executable.len())?;
        input.write_all(&executable)?;
        input.flush()
    }

    /// An error with the host's name, what ssh has said, and what to do, for which `similar` is the name of a
    /// machine that the user may mean.
    fn explain(&self, error: &io::Error, similar: Option<&str>) -> String {
        let status = self.wait_for_end();
        let printed = self.last_words();
        let cause = match error.kind() {
            io::ErrorKind::TimedOut => "it does not answer in time".to_owned(),
            io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe => match status.and_then(|it| it.code())
            {
                Some(255) => "ssh cannot connect".to_owned(),
                Some(code) => format!("its agent does not start (exit status {code})"),
                None => "its agent does not start".to_owned(),
            },
            _ => error.to_string(),
        };
        let mut text = format!("{}: {cause}", self.name);
        if !printed.is_empty() {
            text.push_str(&format!(" ({})", printed.replace('\n', "; ")));
        }
        if let Some(advice) = ssh::advice(&self.name, similar, &printed, status.and_then(|it| it.code())) {
            text.push_str(&format!(": {advice}"));
        }
        text
    }

    /// Why the connection has ended, in words.
    pub fn describe_loss(&self, error: Option<&io::Error>) -> String {
        let silent = error.is_some_and(|error| error.kind() == io::ErrorKind::TimedOut);
        let printed = if silent { String::new() } else { self.last_words() };
        let cause = match error {
            _ if silent => {
                "it gives no sign of life: it is off or stopped, or the network has failed".to_owned()
            }
            Some(error) if error.kind() != io::ErrorKind::UnexpectedEof => error.to_string(),
            _ => "the connection with its agent has ended".to_owned(),
        };
        match printed.is_empty() {
            true => cause,
            false => format!("{cause} ({})", printed.replace('\n', "; ")),
        }
    }

    /// What was printed on standard error, without control characters and frames of boxes.
    pub(super) fn last_words(&self) -> String {
        let mut kept = self.errors.kept.lock();
        // The process may end before all that it has printed is read. Its children may keep the stream open.
        self.errors.ended.wait_while_for(&mut kept, |kept| kept.is_open, LAST_WORDS_TIMEOUT);
        let text = without_controls(&String::from_utf8_lossy(&kept.bytes));
        drop(kept);
        let lines = text.lines().map(|line| line.trim_matches(['@', ' '])).filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The status of a process that is about to end; `None` if it does not.
    fn wait_for_end(&self) -> Option<ExitStatus> {
        let deadline = Instant::now() + LAST_WORDS_TIMEOUT;
        let mut child = self.child.lock();
        let child = child.as_mut()?;
        loop {
            match child.try_wait() {
                Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(10)),
                status => return status.ok().flatten(),
            }
        }
    }

    /// Closes the channel, which ends the agent.
    pub fn close(&self) {
        if let Some(mut input) = self.input.try_lock_for(LAST_WORDS_TIMEOUT) {
            *input = None;
        }
    }

    /// Ends a connection over which nothing comes any more.
    pub fn abandon(&self) {
        if let Some(child) = &mut *self.child.lock() {
            let _ = child.kill();
        }
        if let Some(abandon) = &*self.abandon.lock() {
            abandon();
        }
    }

    /// Waits until a closed connection has ended, or ends it at the deadline.
    pub fn reap(&self, deadline: Instant) {
        let Some(mut child) = self.child.lock().take() else { return };
        while matches!(child.try_wait(), Ok(None)) {
            if Instant::now() >= deadline {
                let _ = child.kill();
                let _ = child.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Whether a host that has said `SYSTEM MACHINE C-LIBRARY` can run an executable of this machine.
///
/// # Errors
/// What is different there, and what to do about it.
fn check_kind(host: &str, executable: &[u8], path: &Path) -> Result<(), String> {
    let mut words = host.splitn(3, ' ');
    let mut word = || words.next().unwrap_or_default();
    let (system, machine, library) = (word(), word(), word());
    let own = rustix::system::uname();
    let (own_system, own_machine) = (own.sysname().to_string_lossy(), own.machine().to_string_lossy());
    let path = path.display();
    if (system, machine) != (&*own_system, &*own_machine) {
        return Err(format!(
            "it is another kind of machine ({system} {machine}; this one: {own_system} {own_machine}): install apg \
             for it at {path} there"
        ));
    }
    // Of a host that does not say its version the copy itself shows whether it runs.
    match (c_library::required(executable), c_library::Version::of_host(library)) {
        (Some(needed), Some(there)) if there < needed => Err(format!(
            "its C library is too old: it has glibc {there}, and this apg needs glibc {needed}: build apg there, or on \
             a system that is as old, and install it at {path} there"
        )),
        _ => Ok(()),
    }
}

/// What an agent sends until a deadline.
struct Timed<'a, Stream> {
    output: &'a mut Stream,
    deadline: Instant,
}

impl<Stream: Source> Read for Timed<'_, Stream> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        WatchedReader::new(&mut *self.output, Some(left)).read(bytes)
    }
}

/// Reads up to the end of the line that begins with `mark`; what stands behind it.
fn read_marked_line(input: &mut dyn Read, mark: &str) -> io::Result<String> {
    let mut line = Vec::new();
    let mut noise = 0;
    // Byte by byte: what comes behind the line is not ours.
    let mut byte = [0];
    loop {
        input.read_exact(&mut byte)?;
        noise += 1;
        if byte != *b"\n" {
            line.push(byte[0]);
        } else if let Some(rest) = line.strip_prefix(mark.as_bytes()) {
            return Ok(String::from_utf8_lossy(rest).trim().to_owned());
        } else {
            line.clear();
        }
        if noise > MAX_NOISE {
            let start = String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
            return Err(io::Error::other(format!(
                "its login scripts print without end, and no agent answers ({start}...)"
            )));
        }
    }
}

/// Keeps the end of a stream.
fn keep_last_words(mut errors: ChildStderr, last: &LastWords) {
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = errors.read(&mut buffer) {
        let bytes = &mut last.kept.lock().bytes;
        bytes.extend_from_slice(&buffer[..count]);
        let surplus = bytes.len().saturating_sub(MAX_ERRORS);
        bytes.drain(..surplus);
    }
    last.kept.lock().is_open = false;
    last.ended.notify_all();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_cannot_run_a_copy_are_refused_with_the_difference() {
        let own = rustix::system::uname();
        let kind = format!("{} {}", own.sysname().to_string_lossy(), own.machine().to_string_lossy());
        let executable = std::env::current_exe().and_then(std::fs::read).expect("this executable");
        let check = |host: &str| check_kind(host, &executable, Path::new("/opt/apg"));
        assert_eq!(check(&format!("{kind} glibc 99.1")), Ok(()));
        assert_eq!(check(&kind), Ok(()), "a host that does not say it");
        let old = check(&format!("{kind} glibc 2.1")).expect_err("too old");
        assert!(old.contains("it has glibc 2.1, and this apg needs glibc 2."), "{old}");
        assert!(old.contains("build apg there") && old.contains("/opt/apg"), "{old}");
        let other = check("Linux s390x glibc 2.40").expect_err("another processor");
        assert!(other.contains("another kind of machine (Linux s390x; this one:"), "{other}");
    }

    #[test]
    fn agent_is_found_behind_the_noise_of_login_scripts() {
        let text = b"Welcome!\r\n\x1b[31m\nmark: ready\nrest";
        let mut input = &text[..];
        assert_eq!(read_marked_line(&mut input, "mark: ").expect("a line"), "ready");
        assert_eq!(input, b"rest");
        let endless = io::repeat(b'x');
        let error = read_marked_line(&mut { endless }, "mark: ").expect_err("no agent");
        assert!(error.to_string().contains("login scripts"), "{error}");
        let error = read_marked_line(&mut &b"no agent\n"[..], "mark: ").expect_err("no agent");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
