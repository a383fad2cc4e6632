//! The supervisor of a job: a process of its own session that starts the job's command, keeps its output in
//! the journal, serves the client that is attached, and ends with the job. It is the subreaper of all
//! processes of the job (`prctl(2)`), and ends those that are left.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal, WaitOptions};

use crate::job::{End, JobFolder};
use crate::journal::MAX_RECORD_BYTES;
use crate::serve::Shared;

/// First argument of a supervisor's process; the job's folder follows.
pub const COMMAND: &str = "__job";
/// Variable with the folder in which the program runs.
pub const RUN_FOLDER_VARIABLE: &str = "APG_RUN_FOLDER";

/// Variable with the pipe to which the job's `apg` writes the progress of its build: `DESCRIPTOR:INODE`.
const PROGRESS_VARIABLE: &str = "APG_PROGRESS";

/// How long a job that is being ended may take, before its processes are killed.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);
/// How long processes that are killed may take to end.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an end that could not be written is kept for a client.
const UNWRITTEN_END_TIMEOUT: Duration = Duration::from_secs(60 * 60);
/// Exit status of a command that cannot be started, as of a shell.
const NOT_STARTED_STATUS: i32 = 126;

/// Runs the supervisor of the job in this folder. Standard input is the socket at which it is reached.
///
/// # Errors
/// The folder cannot be used. Clients get other failures.
pub fn run(folder: &Path) -> io::Result<()> {
    let folder = JobFolder::at(folder.to_owned());
    let listener = UnixListener::from(io::stdin().as_fd().try_clone_to_owned()?);
    let _lock = folder.lock()?;
    let description = folder.description()?;
    let shared = Shared::new(folder.clone(), folder.journal_for_writing()?, None);
    shared.state.lock().is_kept = description.time_to_live().is_none();
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let accepting = Arc::clone(&shared);
    start_thread("apg-accept", move || accept(&listener, &accepting))?;
    let (progress, write_progress) = io::pipe()?;
    let mut command = command(&description, &folder, write_progress)?;
    let spawned = command.spawn();
    let program = command.get_program().to_string_lossy().into_owned();
    // With it this process's end of the pipe for progress.
    drop(command);
    let group = match spawned {
        Ok(child) => watch(child, progress, Arc::clone(&shared))?,
        Err(error) => {
            let reason = Some(format!("cannot start {program}: {error}"));
            end(&shared, End { status: NOT_STARTED_STATUS, reason });
            None
        }
    };
    supervise(&shared, group, description.time_to_live());
    let state = shared.state.lock();
    match state.is_forgotten {
        true => folder.remove(),
        false => folder.set_acknowledged(state.journal.acknowledged()),
    }
    Ok(())
}

fn start_thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

/// The pipe to which this process writes the progress of its build, if it is a job's `apg` itself.
pub fn progress_pipe() -> Option<File> {
    let text = std::env::var(PROGRESS_VARIABLE).ok()?;
    let (descriptor, inode) = text.split_once(':')?;
    let descriptor: i32 = descriptor.parse().ok().filter(|it| *it > libc::STDERR_FILENO)?;
    // A process that was started otherwise, as by srun, has the variable and not the pipe.
    let link = std::fs::read_link(format!("/proc/self/fd/{descriptor}")).ok()?;
    if link.to_str() != Some(&format!("pipe:[{inode}]")) {
        return None;
    }
    // A description of its own, which other programs do not inherit.
    File::options().write(true).open(format!("/proc/self/fd/{descriptor}")).ok()
}

/// The command of a job: `apg`, in its tree. It inherits the pipe for progress.
fn command(
    description: &crate::job::Description,
    folder: &JobFolder,
    progress: PipeWriter,
) -> io::Result<Command> {
    let executable = std::env::current_exe()?;
    let mut command = match description.job.launcher.split_first() {
        None => Command::new(&executable),
        Some((launcher, words)) => {
            let mut command = Command::new(launcher);
            command.args(words).arg(&executable);
            command
        }
    };
    command
        .args(description.arguments(folder))
        .current_dir(description.tree.join(&description.job.start_folder));
    // Of the connection that has started the job, which may end.
    for name in ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"] {
        command.env_remove(name);
    }
    command.envs(description.variables());
    command.env(RUN_FOLDER_VARIABLE, run_folder(description));
    let inode = File::from(OwnedFd::from(progress.try_clone()?)).metadata()?.ino();
    command.env(PROGRESS_VARIABLE, format!("{}:{inode}", progress.as_raw_fd()));
    let input = if description.job.has_input { Stdio::piped() } else { Stdio::null() };
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    // SAFETY: async-signal-safe calls without pointers, on a descriptor that the closure owns. The main
    // thread, whose end the signal follows, lives as long as this process.
    unsafe {
        command.pre_exec(move || {
            libc::fcntl(progress.as_raw_fd(), libc::F_SETFD, 0);
            libc::setsid();
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
    Ok(command)
}

/// The folder in which the program runs: the client's, if it is there too, else the home folder.
fn run_folder(description: &crate::job::Description) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    let wanted = PathBuf::from(std::ffi::OsString::from_vec(description.job.run_folder.clone()));
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let wanted = match (wanted.strip_prefix("~"), &home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => wanted,
    };
    [Some(wanted), home]
        .into_iter()
        .flatten()
        .find(|path| path.is_absolute() && path.is_dir())
        .unwrap_or("/".into())
}

/// Accepts clients: processes of this user.
fn accept(listener: &UnixListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else { continue };
        let user = rustix::net::sockopt::socket_peercred(&stream).map(|peer| peer.uid);
        if user != Ok(rustix::process::geteuid()) {
            continue;
        }
        let shared = Arc::clone(shared);
        // A client that gets no thread is closed, and comes again.
        let _ = start_thread("apg-attached", move || {
            if let Err(error) = serve(&shared, stream) {
                tracing::debug!(%error, "a connection has ended");
            }
        });
    }
}

fn serve(shared: &Arc<Shared>, mut stream: UnixStream) -> io::Result<()> {
    let (input, closing) = (stream.try_clone()?, stream.try_clone()?);
    let result = shared.serve(input, &mut stream, move || drop(closing.shutdown(std::net::Shutdown::Both)));
    let _ = stream.shutdown(std::net::Shutdown::Both);
    result
}

/// Starts the threads for a process; its process group.
fn watch(mut child: Child, progress: PipeReader, shared: Arc<Shared>) -> io::Result<Option<Pid>> {
    let group = Pid::from_child(&child);
    if let Some(input) = child.stdin.take() {
        let shared = Arc::clone(&shared);
        start_thread("apg-input", move || feed(input, &shared))?;
    }
    let pipes = child.stdout.take().zip(child.stderr.take());
    let relaying = Arc::clone(&shared);
    let relay = std::thread::Builder::new().name("apg-output".to_owned()).spawn(move || {
        if let Some((output, errors)) = pipes {
            relay([OwnedFd::from(output).into(), OwnedFd::from(errors).into(), progress], &relaying);
        }
    })?;
    start_thread("apg-wait", move || {
        let status = child.wait();
        kill_all(group);
        // All that could write has ended.
        let _ = relay.join();
        let status =
            status.map_or(1, |status| status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)));
        let reason = shared.state.lock().stop.as_ref().map(|(_, reason)| reason.clone());
        end(&shared, End { status, reason });
    })?;
    Ok(Some(group))
}

/// The job has ended.
fn end(shared: &Shared, end: End) {
    let written = shared.folder.set_end(&end);
    let mut state = shared.state.lock();
    if written.is_err() || state.journal.disk_error().is_some() {
        state.is_kept_in_memory = true;
    }
    state.end = Some(end);
    shared.changed.notify_all();
}

/// Sends signals, and ends the job when it is time; returns when the supervisor is not needed any more.
fn supervise(shared: &Shared, group: Option<Pid>, time_to_live: Option<Duration>) {
    let mut was_signalled = false;
    let mut state = shared.state.lock();
    loop {
        let signals = std::mem::take(&mut state.signals);
        if state.end.is_some() {
            let detached = state.detached_since.map(|since| since.elapsed());
            let timeout = if state.is_kept_in_memory { UNWRITTEN_END_TIMEOUT } else { Duration::ZERO };
            if state.is_forgotten || detached.is_some_and(|elapsed| elapsed >= timeout) {
                return;
            }
        } else if let Some(group) = group {
            for signal in signals.into_iter().filter_map(Signal::from_named_raw) {
                let _ = rustix::process::kill_process_group(group, signal);
            }
            let detached = state.detached_since.map(|since| since.elapsed());
            if let (Some(elapsed), Some(limit)) = (detached, time_to_live)
                && elapsed >= limit
                && state.stop.is_none()
            {
                let reason = format!("no client came back within {} seconds", limit.as_secs());
                state.stop = Some((Instant::now(), reason));
                shared.changed.notify_all();
            }
            match &state.stop {
                Some(_) if !was_signalled => {
                    was_signalled = true;
                    let _ = rustix::process::kill_process_group(group, Signal::INT);
                }
                Some((since, _)) if since.elapsed() >= STOP_TIMEOUT => {
                    let _ = rustix::process::kill_process_group(group, Signal::KILL);
                }
                _ => {}
            }
        }
        // Deadlines are checked twice a second.
        shared.changed.wait_for(&mut state, Duration::from_millis(500));
    }
}

/// Kills what is left of a job: its process group, and all processes whose parent this one has become.
fn kill_all(group: Pid) {
    let _ = rustix::process::kill_process_group(group, Signal::KILL);
    let deadline = Instant::now() + KILL_TIMEOUT;
    loop {
        let left = children();
        if left.is_empty() || Instant::now() >= deadline {
            return;
        }
        for child in left {
            let _ = rustix::process::kill_process(child, Signal::KILL);
        }
        while let Ok(Some(_)) = rustix::process::wait(WaitOptions::NOHANG) {}
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The children of this process.
fn children() -> Vec<Pid> {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect::<Vec<_>>()
        })
        .collect()
}

/// Writes input to the program.
fn feed(mut to: ChildStdin, shared: &Shared) {
    loop {
        let mut state = shared.state.lock();
        while state.input.is_empty() && state.end.is_none() {
            shared.changed.wait(&mut state);
        }
        if state.end.is_some() {
            return;
        }
        let piece = state.input.remove(0);
        drop(state);
        if piece.is_empty() {
            return;
        }
        // A program that has closed its input takes the rest unread.
        let _ = to.write_all(&piece);
        shared.state.lock().input_taken += piece.len() as u64;
        shared.changed.notify_all();
    }
}

/// Appends output and progress to the journal until all streams have ended.
fn relay(pipes: [PipeReader; 3], shared: &Shared) {
    let mut pipes: Vec<(u8, File)> =
        (1..).zip(pipes).map(|(stream, pipe)| (stream, File::from(OwnedFd::from(pipe)))).collect();
    let mut buffer = vec![0; MAX_RECORD_BYTES];
    while !pipes.is_empty() {
        let mut entries: Vec<PollFd<'_>> =
            pipes.iter().map(|(_, pipe)| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)).collect();
        if rustix::event::poll(&mut entries, None).is_err() {
            continue;
        }
        let ready: Vec<bool> = entries.iter().map(|entry| !entry.revents().is_empty()).collect();
        let mut ready = ready.into_iter();
        pipes.retain_mut(|(stream, pipe)| {
            if !ready.next().unwrap_or(false) {
                return true;
            }
            match pipe.read(&mut buffer) {
                Ok(0) => false,
                Ok(count) => {
                    append(shared, *stream, &buffer[..count]);
                    true
                }
                Err(error) => error.kind() == io::ErrorKind::Interrupted,
            }
        });
    }
}

/// Appends output. Waits while nothing may be lost and clients have not acknowledged enough.
fn append(shared: &Shared, stream: u8, data: &[u8]) {
    let mut state = shared.state.lock();
    while state.journal.is_full() && state.must_keep_output() {
        shared.changed.wait(&mut state);
    }
    state.journal.append(stream, data);
    shared.changed.notify_all();
}
