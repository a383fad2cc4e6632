//! Programs of others under limits of time, memory and output: a process group each, ended as a whole.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a test may use.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// From its start to its end.
    pub time: Duration,
    /// Bytes of address space of each process beyond what apg reserves and never touches.
    pub memory: u64,
    /// Where compiled programs are kept: who has one mapped runs it.
    pub programs: PathBuf,
}

/// How a test ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ended {
    /// Exit status; 128 + number after a signal.
    pub status: i32,
    /// It was ended from here, and what it did then.
    pub stopped: Option<Stopped>,
    /// Processes were left when its first one had ended.
    pub left_processes: bool,
    /// Beginning and end of standard output.
    pub stdout: String,
    /// Beginning and end of standard error.
    pub stderr: String,
}

/// Why a test was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// The time was over while the compiler ran.
    Compiling,
    /// The time was over while the program ran.
    Running,
    /// The time was over before either.
    Checking,
    /// It printed more than [`MAX_OUTPUT_BYTES`].
    Output,
    /// One of its processes took more memory than it may.
    Memory,
}

/// Bytes that a test may print.
const MAX_OUTPUT_BYTES: u64 = 64 << 20;
/// Bytes that are kept of the beginning and of the end of an output.
const KEPT: u64 = 32 << 10;
/// How long processes may take to follow the first one.
const GRACE: Duration = Duration::from_secs(3);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn on_interrupt(_: i32) {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// From now on Ctrl-C ends the running tests and then the whole.
pub(crate) fn watch_for_interrupts() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: a handler that only stores to an atomic.
        unsafe { libc::signal(signal, on_interrupt as extern "C" fn(i32) as usize) };
    }
}

/// Whether an end was requested.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Processes that lose their parent become children of this one, so that their end can be seen whatever the
/// machine's first process does.
pub(crate) fn adopt_orphans() {
    // SAFETY: plain system call.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
}

/// Runs a command in `folder` to its end, or to the first limit that it meets. Nothing of it lives on.
pub(crate) fn run(mut command: Command, folder: &Path, limits: &Limits) -> io::Result<Ended> {
    let output = |name: &str| File::options().create_new(true).read(true).write(true).open(folder.join(name));
    let work = folder.join("work");
    std::fs::create_dir_all(&work)?;
    let (mut stdout, mut stderr) = (output("stdout")?, output("stderr")?);
    command.current_dir(work).stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    command.process_group(0);
    // SAFETY: an async-signal-safe call. If this program dies, so does the test (and with it its places).
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
    let mut child = command.spawn()?;
    let group = child.id() as libc::pid_t;
    let deadline = Instant::now() + limits.time;
    let mut ended = Ended::default();
    let mut pause = Duration::from_millis(5);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let stopped = if Instant::now() > deadline {
            Some(activity_of(group, &limits.programs))
        } else if stdout.metadata()?.len() + stderr.metadata()?.len() > MAX_OUTPUT_BYTES {
            Some(Stopped::Output)
        } else if members(group).any(|process| resident(process) > limits.memory) {
            Some(Stopped::Memory)
        } else {
            None
        };
        if stopped.is_some() || interrupted() {
            ended.stopped = stopped;
            kill(group);
            break child.wait()?;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(100));
    };
    ended.left_processes = !sweep(group) && ended.stopped.is_none();
    ended.status = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    ended.stdout = kept(&mut stdout)?;
    ended.stderr = kept(&mut stderr)?;
    Ok(ended)
}

fn kill(group: libc::pid_t) {
    // SAFETY: plain system call on a group that this program made.
    unsafe { libc::kill(-group, libc::SIGKILL) };
}

/// Waits until the group is empty; after a while ends those that are left, and then says `false`.
fn sweep(group: libc::pid_t) -> bool {
    let deadline = Instant::now() + GRACE;
    let mut clean = true;
    loop {
        // SAFETY: the group's leader has been reaped by `Child`; its other members are adopted, and nobody
        // else awaits them.
        let alive = unsafe {
            while libc::waitpid(-group, std::ptr::null_mut(), libc::WNOHANG) > 0 {}
            libc::kill(-group, 0) == 0
        };
        if !alive {
            return clean;
        }
        if clean && Instant::now() > deadline {
            clean = false;
            kill(group);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processes of a group.
fn members(group: libc::pid_t) -> impl Iterator<Item = libc::pid_t> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten();
    let numbers = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    // SAFETY: plain system call; it fails for a process that has ended.
    numbers.filter(move |process: &libc::pid_t| unsafe { libc::getpgid(*process) } == group)
}

/// Bytes of memory that a process has touched.
fn resident(process: libc::pid_t) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0) * 4096
}

/// What a test is doing.
fn activity_of(group: libc::pid_t, programs: &Path) -> Stopped {
    let processes: Vec<_> = members(group).collect();
    let runs = |process: &libc::pid_t| {
        let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
        programs.to_str().is_some_and(|programs| maps.contains(programs))
    };
    let compiles = |process: &libc::pid_t| {
        let name = std::fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
        ["cc1", "as", "ld", "collect2", "clang"].iter().any(|tool| name.trim().starts_with(tool))
    };
    match () {
        () if processes.iter().any(runs) => Stopped::Running,
        () if processes.iter().any(compiles) => Stopped::Compiling,
        () => Stopped::Checking,
    }
}

/// Beginning and end of what a file holds.
fn kept(file: &mut File) -> io::Result<String> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut bytes = Vec::new();
    file.rewind()?;
    if length <= 2 * KEPT {
        file.read_to_end(&mut bytes)?;
    } else {
        file.by_ref().take(KEPT).read_to_end(&mut bytes)?;
        bytes.extend_from_slice(b"\n[...]\n");
        file.seek(SeekFrom::End(-(KEPT as i64)))?;
        file.read_to_end(&mut bytes)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, seconds: u64) -> Ended {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let limits = Limits {
            time: Duration::from_secs(seconds),
            memory: 1 << 30,
            programs: folder.path().join("programs"),
        };
        run(command, folder.path(), &limits).unwrap()
    }

    #[test]
    fn status_and_output_come_back() {
        let ended = shell("echo out; echo err >&2; exit 7", 20);
        assert_eq!((ended.status, ended.stdout.as_str(), ended.stderr.as_str()), (7, "out\n", "err\n"));
        assert!(ended.stopped.is_none() && !ended.left_processes);
        assert_eq!(shell("kill -SEGV $$", 20).status, 139);
    }

    #[test]
    fn what_hangs_is_ended_with_all_its_processes() {
        adopt_orphans();
        let start = Instant::now();
        let ended = shell("sleep 100 & sleep 100", 1);
        assert_eq!(ended.stopped, Some(Stopped::Checking));
        let ended = shell("sleep 100 & exit 0", 20);
        assert!(ended.left_processes && ended.status == 0);
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
