//! The agent on a remote machine: the process that ssh starts. It stores what a client sends, starts the
//! supervisors of jobs, and connects the client with them. It listens on no port, and ends with its
//! connection.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use apg_runtime::cluster::frames::{WatchedReader, marker, read_frame, write_frame};
use apg_runtime::cluster::identity;
use parking_lot::Mutex;

use crate::heartbeat::Heartbeats;
use crate::job::{self, End, JobFolder};
use crate::protocol::{
    CompilerLanguage, From, FromRemote, HEARTBEAT_INTERVAL, Job, PROTOCOL, SILENCE_TIMEOUT, ToRemote,
    out_of_order,
};
use crate::serve::Shared;
use crate::store::{self, Store};
use crate::{folder, supervisor};

/// First argument of an agent's process.
pub const COMMAND: &str = "__remote";

/// Interval of the removal of what is old.
const PURGE_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);
/// Exit status of a job whose end is not known.
const LOST_STATUS: i32 = 1;

/// Runs the agent until its client has what it wants. `find_compiler` says why there is no compiler of a
/// language.
///
/// # Errors
/// The connection has failed.
pub fn run(find_compiler: &dyn Fn(CompilerLanguage) -> Result<(), String>) -> io::Result<()> {
    let own = identity::of_this_executable()?;
    // Without the buffers of the standard streams: what follows a frame is passed on.
    let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    // On a line of its own, whatever a login script has left.
    output.write_all(format!("\n{}ready\n", marker(&own)).as_bytes())?;
    let input = WatchedReader::new(input, Some(SILENCE_TIMEOUT));
    Agent { input, output: Arc::new(Mutex::new(output)), find_compiler }.serve()
}

struct Agent<'a> {
    input: WatchedReader<File>,
    output: Arc<Mutex<File>>,
    find_compiler: &'a dyn Fn(CompilerLanguage) -> Result<(), String>,
}

impl Agent<'_> {
    fn send(&mut self, message: &FromRemote) -> io::Result<()> {
        write_frame(&mut *self.output.lock(), message, &[])
    }

    /// Gives the client signs of life.
    fn beat(&self) -> io::Result<Heartbeats> {
        let output = Arc::clone(&self.output);
        Heartbeats::start(HEARTBEAT_INTERVAL, move || {
            // The next message notices a broken connection.
            let _ = write_frame(&mut *output.lock(), &FromRemote::Heartbeat, &[]);
        })
    }

    fn serve(&mut self) -> io::Result<()> {
        match read_frame(&mut self.input)? {
            Some((ToRemote::Hello { protocol: PROTOCOL }, _)) => {}
            Some((ToRemote::Hello { protocol }, _)) => {
                let why = format!("this apg speaks version {PROTOCOL} of the protocol, not {protocol}");
                return self.send(&FromRemote::Failed(why));
            }
            Some((message, _)) => return Err(out_of_order(&message)),
            None => return Ok(()),
        }
        self.send(&FromRemote::Hello { protocol: PROTOCOL, host: job::host_name() })?;
        while let Some((message, _)) = read_frame(&mut self.input)? {
            if message == ToRemote::Heartbeat {
                continue;
            }
            let root = match folder::prepare() {
                Ok(root) => root,
                Err(error) => return self.send(&FromRemote::Failed(error)),
            };
            let result = match message {
                ToRemote::Submit(job) => {
                    // The search for a compiler and the files of the job may take long.
                    let heartbeats = self.beat()?;
                    let submitted = self.submit(&root, job);
                    heartbeats.end();
                    match submitted? {
                        Ok(Some(stream)) => return self.pass_on(stream),
                        Ok(None) => continue,
                        Err(error) => Err(error),
                    }
                }
                ToRemote::Attach { job, from } => match JobFolder::find(&root, &job) {
                    Ok(folder) => return self.attach(&folder, from),
                    Err(similar) => return self.send(&FromRemote::NoJob { similar }),
                },
                ToRemote::List => {
                    let mut jobs: Vec<_> =
                        JobFolder::all(&root).iter().filter_map(|folder| folder.state().ok()).collect();
                    jobs.sort_by(|a, b| (a.started, &a.name).cmp(&(b.started, &b.name)));
                    self.send(&FromRemote::Jobs(jobs))?;
                    Ok(())
                }
                ToRemote::Stop { job } => {
                    let answer = match JobFolder::find(&root, &job) {
                        Ok(folder) => stop(&folder).map_or_else(FromRemote::Failed, |()| FromRemote::Stopped),
                        Err(similar) => FromRemote::NoJob { similar },
                    };
                    self.send(&answer)?;
                    Ok(())
                }
                message => return Err(out_of_order(&message)),
            };
            if let Err(error) = result {
                self.send(&FromRemote::Failed(error))?;
            }
        }
        Ok(())
    }

    /// Starts a job; a connection with its supervisor, at which a client is attached.
    fn submit(&mut self, root: &Path, job: Job) -> io::Result<Result<Option<UnixStream>, String>> {
        if let Err(error) = store::check(&job.files) {
            return Ok(Err(error));
        }
        if !job.start_folder.is_empty() && !store::is_below_root(&job.start_folder) {
            return Ok(Err(format!(
                "`{}` is no folder below the program's root",
                job.start_folder.escape_debug()
            )));
        }
        if let Some(language) = job.needs_compiler
            && let Err(error) = (self.find_compiler)(language)
        {
            self.send(&FromRemote::NoCompiler(error))?;
            return Ok(Ok(None));
        }
        let store = match Store::open(root) {
            Ok(store) => store,
            Err(error) => return Ok(Err(error)),
        };
        let missing = store.missing(&job.files);
        if !missing.is_empty() {
            let files = missing.iter().filter_map(|index| job.files.get(*index as usize));
            self.send(&FromRemote::Missing(missing.clone()))?;
            if let Err(error) = self.receive(&store, files)? {
                return Ok(Err(error));
            }
        }
        Ok(self.start(root, &store, job).map(Some))
    }

    /// Receives the missing files. Those that come after an error are read and dropped.
    fn receive<'a>(
        &mut self,
        store: &Store,
        files: impl Iterator<Item = &'a crate::protocol::FileEntry>,
    ) -> io::Result<Result<(), String>> {
        let mut payloads =
            Payloads { input: &mut self.input, payload: io::Cursor::default(), has_ended: false };
        let result = store.receive_compressed(files, &mut payloads)?;
        io::copy(&mut payloads, &mut io::sink())?;
        Ok(result)
    }

    fn start(&mut self, root: &Path, store: &Store, job: Job) -> Result<UnixStream, String> {
        let tree = store.tree(&job.files)?;
        let folder = JobFolder::create(root, job, tree).map_err(|error| folder::describe(root, &error))?;
        let start = || {
            let listener = folder.listen()?;
            // Its first client waits for the supervisor, not the other way round.
            let mut stream = folder.connect()?;
            let attach = ToRemote::Attach { job: folder.name(), from: From::Start };
            write_frame(&mut stream, &attach, &[])?;
            start_supervisor(folder.path(), OwnedFd::from(listener))?;
            Ok(stream)
        };
        let stream = start().map_err(|error: io::Error| {
            folder.remove();
            format!("cannot start a job: {error}")
        })?;
        self.send(&FromRemote::Started { job: folder.name() }).map_err(|error| error.to_string())?;
        purge(root, store);
        Ok(stream)
    }

    /// Connects the client with a job.
    fn attach(&mut self, folder: &JobFolder, from: From) -> io::Result<()> {
        let attach = ToRemote::Attach { job: folder.name(), from };
        match folder.connect() {
            Ok(mut stream) => {
                write_frame(&mut stream, &attach, &[])?;
                self.pass_on(stream)
            }
            Err(_) if folder.is_supervised() => self.send(&FromRemote::Failed(not_reached(folder))),
            Err(_) => self.serve_ended(folder, from),
        }
    }

    /// Serves a job that has no supervisor any more from its folder.
    fn serve_ended(&mut self, folder: &JobFolder, from: From) -> io::Result<()> {
        let end = folder.end().unwrap_or_else(|| {
            let reason = "its supervisor was killed, or the machine was restarted".to_owned();
            End { status: LOST_STATUS, reason: Some(reason) }
        });
        let mut journal = folder.journal()?;
        journal.acknowledge(folder.acknowledged());
        let shared = Shared::new(folder.clone(), journal, Some(end));
        let attach = ToRemote::Attach { job: folder.name(), from };
        let mut first = Vec::new();
        write_frame(&mut first, &attach, &[])?;
        // The request has been read already: it is put back in front by way of a pipe to the rest.
        let (local, remote) = UnixStream::pair()?;
        (&remote).write_all(&first)?;
        let served = std::thread::Builder::new().name("apg-attached".to_owned()).spawn(move || {
            let (input, closing) = (local.try_clone()?, local.try_clone()?);
            let mut local = local;
            let result =
                shared.serve(input, &mut local, move || drop(closing.shutdown(std::net::Shutdown::Both)));
            let _ = local.shutdown(std::net::Shutdown::Both);
            let state = shared.state.lock();
            match state.is_forgotten {
                true => shared.folder.remove(),
                false => shared.folder.set_acknowledged(state.journal.acknowledged()),
            }
            drop(state);
            result
        })?;
        let passed = self.pass_on(remote);
        let _ = served.join();
        passed
    }

    /// Passes frames on in both directions until one end closes.
    fn pass_on(&mut self, stream: UnixStream) -> io::Result<()> {
        let mut to_job = stream.try_clone()?;
        let mut input = io::stdin().as_fd().try_clone_to_owned().map(File::from)?;
        std::thread::Builder::new().name("apg-to-job".to_owned()).spawn(move || {
            // The client detaches when its connection ends.
            let _ = copy(&mut input, &mut to_job);
            let _ = to_job.shutdown(std::net::Shutdown::Write);
        })?;
        copy(&mut &stream, &mut *self.output.lock())
    }
}

/// Copies to the end. `std::io::copy` would call splice(2), which holds the pipe's lock while it waits for
/// the socket, so that the reader of the pipe waits for what is in it already.
fn copy(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => to.write_all(&buffer[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Starts the supervisor of a job in a session of its own: it outlives the connection.
fn start_supervisor(folder: &Path, listener: OwnedFd) -> io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(supervisor::COMMAND).arg(folder).current_dir("/");
    command.stdin(listener).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: async-signal-safe, and without pointers.
    unsafe {
        command.pre_exec(|| {
            libc::setsid();
            Ok(())
        });
    }
    command.spawn().map(drop)
}

/// Why the supervisor of a job that runs is not reached.
fn not_reached(folder: &JobFolder) -> String {
    let name = folder.name();
    let (host, own) = (folder.description().map(|it| it.host).unwrap_or_default(), job::host_name());
    match host == own {
        true => format!("the supervisor of job `{name}` does not answer"),
        false => format!("job `{name}` runs on {host}, and this is {own}: name that machine by `--on`"),
    }
}

/// Ends a job, and waits for that.
fn stop(folder: &JobFolder) -> Result<(), String> {
    let mut stream = match folder.connect() {
        Ok(stream) => stream,
        // Machines that share a home folder do not share its sockets.
        Err(_) if folder.is_supervised() => return Err(not_reached(folder)),
        Err(_) => return Ok(()),
    };
    let failed =
        |error: io::Error| format!("the supervisor of job `{}` does not answer: {error}", folder.name());
    write_frame(&mut stream, &ToRemote::Stop { job: folder.name() }, &[]).map_err(failed)?;
    stream.set_read_timeout(Some(SILENCE_TIMEOUT)).map_err(failed)?;
    // It closes the connection at its own end, too.
    read_frame::<FromRemote>(&mut stream).map(drop).map_err(failed)
}

/// Removes what is old, once a day.
fn purge(root: &Path, store: &Store) {
    let stamp: PathBuf = root.join("purged");
    let age = std::fs::metadata(&stamp)
        .and_then(|data| data.modified())
        .map(|time| SystemTime::now().duration_since(time));
    if !age.is_ok_and(|age| age.is_ok_and(|age| age < PURGE_INTERVAL)) && File::create(&stamp).is_ok() {
        job::purge(root);
        store.purge();
    }
}

/// The payloads of [`ToRemote::Files`] as one stream.
struct Payloads<'a> {
    input: &'a mut WatchedReader<File>,
    payload: io::Cursor<Vec<u8>>,
    has_ended: bool,
}

impl Read for Payloads<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.payload.read(bytes)?;
            if count > 0 || self.has_ended || bytes.is_empty() {
                return Ok(count);
            }
            match read_frame(self.input)? {
                Some((ToRemote::Files, payload)) => {
                    self.has_ended = payload.is_empty();
                    self.payload = io::Cursor::new(payload);
                }
                Some((ToRemote::Heartbeat, _)) => {}
                Some((message, _)) => return Err(out_of_order(&message)),
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Detached;

    fn job() -> Job {
        Job {
            name: "sums".to_owned(),
            files: Vec::new(),
            start_folder: String::new(),
            run_folder: Vec::new(),
            launcher: Vec::new(),
            arguments: Vec::new(),
            variables: Vec::new(),
            needs_compiler: None,
            product: None,
            has_input: false,
            detached: Detached::Keep,
        }
    }

    /// Its supervisor holds the lock on another machine, whose socket is not reached.
    #[test]
    fn job_of_another_machine_is_not_said_to_be_stopped() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = JobFolder::create(root.path(), job(), root.path().to_owned()).expect("a job");
        let lock = folder.lock().expect("a lock");
        let error = stop(&folder).expect_err("it runs");
        assert!(error.contains("does not answer"), "{error}");
        drop(lock);
        assert_eq!(stop(&folder), Ok(()));
    }
}
