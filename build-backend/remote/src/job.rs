//! The folder of a job: what it is, its journal, and how it has ended. It outlives the job's processes, so
//! that the exit status is kept until a client asks for it.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::folder;
use crate::journal::Journal;
use crate::protocol::{Detached, Job, JobState, Phase};

const DESCRIPTION: &str = "job";
const STATUS: &str = "status";
const SOCKET: &str = "socket";
const JOURNAL: &str = "output";
const PRODUCT: &str = "product";
const ACKNOWLEDGED: &str = "acknowledged";
/// Bytes that are reserved for the exit status, so that a full disk does not prevent it.
const STATUS_BYTES: usize = 512;
/// Ended jobs that no client has requested are removed after that time.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What a job is, for its supervisor and for lists.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Description {
    /// What was submitted, without its files.
    pub job: Job,
    /// The tree in which `apg` starts.
    pub tree: PathBuf,
    /// The machine.
    pub host: String,
    /// Seconds since 1970.
    pub started: u64,
}

/// How a job has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct End {
    /// Exit status as of a shell.
    pub status: i32,
    /// Why, if it was not the program's own end.
    pub reason: Option<String>,
}

/// A job's folder.
#[derive(Clone, Debug)]
pub(crate) struct JobFolder {
    path: PathBuf,
}

/// The machine's own name.
pub(crate) fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

fn jobs(root: &Path) -> PathBuf {
    root.join("jobs")
}

/// Whether a text can be the name of a job.
fn is_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=64).contains(&text.len()) && text.bytes().all(is_plain)
}

impl JobFolder {
    /// Makes the folder of a new job: named after its program, and a random number.
    pub(crate) fn create(root: &Path, job: Job, tree: PathBuf) -> io::Result<JobFolder> {
        let folder = jobs(root);
        folder::create(&folder)?;
        let stem: String =
            job.name.chars().filter(|it| it.is_ascii_alphanumeric() || *it == '_').take(24).collect();
        let stem = if stem.is_empty() { "job" } else { &stem };
        let path = loop {
            let mut random = [0; 4];
            rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())?;
            let path = folder.join(format!("{stem}-{:06x}", u32::from_ne_bytes(random) & 0xff_ffff));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => break path,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        };
        let folder = JobFolder { path };
        folder.fill(job, tree).inspect_err(|_| folder.remove())?;
        Ok(folder)
    }

    fn fill(&self, mut job: Job, tree: PathBuf) -> io::Result<()> {
        job.files.clear();
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let description = Description { job, tree, host: host_name(), started };
        let bytes = postcard::to_allocvec(&description).map_err(io::Error::other)?;
        self.write(DESCRIPTION, &bytes)?;
        self.write(STATUS, &[0; STATUS_BYTES])?;
        Journal::create(&self.path.join(JOURNAL), crate::journal::Limits::DEFAULT).map(drop)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path.join(name);
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    /// The folder at a path.
    pub(crate) fn at(path: PathBuf) -> JobFolder {
        JobFolder { path }
    }

    /// The folder of a job by its name.
    ///
    /// # Errors
    /// There is none; the name of a job that may be meant.
    pub(crate) fn find(root: &Path, name: &str) -> Result<JobFolder, Option<String>> {
        let path = jobs(root).join(name);
        if is_name(name) && path.is_dir() {
            return Ok(JobFolder { path });
        }
        let names: Vec<String> = JobFolder::all(root).iter().map(JobFolder::name).collect();
        Err(apg_source::closest(name, names.iter().map(String::as_str)).map(str::to_owned))
    }

    /// All jobs.
    pub(crate) fn all(root: &Path) -> Vec<JobFolder> {
        let entries = fs::read_dir(jobs(root)).into_iter().flatten().flatten();
        entries.map(|entry| JobFolder { path: entry.path() }).collect()
    }

    /// The job's name.
    pub(crate) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The folder itself.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What the job is.
    pub(crate) fn description(&self) -> io::Result<Description> {
        let bytes = fs::read(self.path.join(DESCRIPTION))?;
        postcard::from_bytes(&bytes).map_err(io::Error::other)
    }

    /// The file that the job makes.
    pub(crate) fn product(&self) -> PathBuf {
        self.path.join(PRODUCT)
    }

    /// The journal, which the supervisor writes.
    pub(crate) fn journal_for_writing(&self) -> io::Result<Journal> {
        let path = self.path.join(JOURNAL);
        fs::remove_dir(&path)?;
        Journal::create(&path, crate::journal::Limits::DEFAULT)
    }

    /// The journal of a job without a supervisor.
    pub(crate) fn journal(&self) -> io::Result<Journal> {
        Journal::open(&self.path.join(JOURNAL))
    }

    /// The lock that the supervisor holds while it lives.
    pub(crate) fn lock(&self) -> io::Result<File> {
        // NFS locks exclusively only what is open for writing.
        let file = File::options().read(true).write(true).open(self.path.join(DESCRIPTION))?;
        file.lock()?;
        Ok(file)
    }

    /// Whether the supervisor lives; it may be on another machine that has the same home folder.
    pub(crate) fn is_supervised(&self) -> bool {
        let Ok(file) = File::open(self.path.join(DESCRIPTION)) else { return false };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// How it has ended, if it has.
    pub(crate) fn end(&self) -> Option<End> {
        let bytes = fs::read(self.path.join(STATUS)).ok()?;
        match bytes.split_first() {
            Some((1, rest)) => postcard::from_bytes(rest).ok(),
            _ => None,
        }
    }

    /// Writes how it has ended, into the room that was reserved.
    pub(crate) fn set_end(&self, end: &End) -> io::Result<()> {
        let mut bytes = vec![1];
        let mut end = end.clone();
        if let Some(reason) = &mut end.reason {
            let at = (0..=STATUS_BYTES - 32).rev().find(|at| reason.is_char_boundary(*at));
            reason.truncate(at.unwrap_or(0).min(reason.len()));
        }
        bytes.extend(postcard::to_allocvec(&end).map_err(io::Error::other)?);
        let file = File::options().write(true).open(self.path.join(STATUS))?;
        file.write_all_at(&bytes, 0)
    }

    /// The offset up to which clients of an earlier supervisor have acknowledged output.
    pub(crate) fn acknowledged(&self) -> u64 {
        let text = fs::read_to_string(self.path.join(ACKNOWLEDGED)).unwrap_or_default();
        text.trim().parse().unwrap_or(0)
    }

    /// Keeps the offset up to which clients have acknowledged output. Without it they get it again.
    pub(crate) fn set_acknowledged(&self, offset: u64) {
        let _ = fs::write(self.path.join(ACKNOWLEDGED), offset.to_string());
    }

    /// A socket at which the supervisor is reached. The path goes over a descriptor, since addresses are
    /// short.
    pub(crate) fn listen(&self) -> io::Result<UnixListener> {
        let folder = File::open(&self.path)?;
        UnixListener::bind(format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd()))
    }

    /// A connection with the supervisor.
    pub(crate) fn connect(&self) -> io::Result<UnixStream> {
        let folder = File::open(&self.path)?;
        UnixStream::connect(format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd()))
    }

    /// The job as a line of a list.
    pub(crate) fn state(&self) -> io::Result<JobState> {
        let description = self.description()?;
        let phase = match self.end() {
            Some(end) => Phase::Ended(end.status),
            None if self.is_supervised() => Phase::Running,
            None => Phase::Lost,
        };
        let output = Journal::bytes_on_disk(&self.path.join(JOURNAL));
        let command = description.job.arguments.join(" ");
        let Description { host, started, .. } = description;
        Ok(JobState { name: self.name(), command, host, started, output, phase })
    }

    /// Removes the folder.
    pub(crate) fn remove(&self) {
        // What cannot be removed is old one day.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes ended jobs that are old.
pub(crate) fn purge(root: &Path) {
    for folder in JobFolder::all(root) {
        let age = fs::metadata(folder.path())
            .and_then(|data| data.modified())
            .ok()
            .and_then(|it| it.elapsed().ok());
        if age.is_some_and(|age| age > MAX_AGE) && !folder.is_supervised() {
            folder.remove();
        }
    }
}

impl Description {
    /// The arguments of `apg`, with the file to make.
    pub(crate) fn arguments(&self, folder: &JobFolder) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = self.job.arguments.iter().map(OsString::from).collect();
        if let Some(product) = self.job.product
            && let Some(argument) = arguments.get_mut(product.argument as usize)
        {
            *argument = folder.product().into();
        }
        arguments
    }

    /// The variables of the environment.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (OsString, OsString)> {
        let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        self.job.variables.iter().map(move |(name, value)| (text(name), text(value)))
    }

    /// How long the job runs on without a client; `None` for ever.
    pub(crate) fn time_to_live(&self) -> Option<Duration> {
        match self.job.detached {
            Detached::Keep => None,
            Detached::End(seconds) => Some(Duration::from_secs(seconds)),
        }
    }
}
