//! x10.io files.

use std::collections::HashMap;
use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use parking_lot::Mutex;
use rustc_hash::FxBuildHasher;

use super::console::name_of;
use super::{non_null, raise, range_of};
use crate::abi::{ExceptionKind, Outcome};
use crate::heap::{Ref, page_watch};
use crate::program;

/// An open file.
enum Open {
    Reader(BufReader<File>),
    Writer(BufWriter<File>),
}

struct Entry {
    path: PathBuf,
    open: Mutex<Open>,
    /// The process whose input or output it is.
    process: Option<Mutex<Child>>,
    /// An exception for a failed write was raised.
    write_failure_raised: AtomicBool,
}

struct Table {
    files: HashMap<i64, Arc<Entry>, FxBuildHasher>,
    last: i64,
}

static FILES: Mutex<Table> = Mutex::new(Table { files: HashMap::with_hasher(FxBuildHasher), last: 0 });

fn register(path: String, open: Open) -> i64 {
    register_with(path, open, None)
}

fn register_with(path: String, open: Open, process: Option<Child>) -> i64 {
    let mut table = FILES.lock();
    table.last += 1;
    let handle = table.last;
    let entry = Entry {
        path: path.into(),
        open: Mutex::new(open),
        process: process.map(Mutex::new),
        write_failure_raised: AtomicBool::new(false),
    };
    table.files.insert(handle, Arc::new(entry));
    handle
}

fn entry(handle: i64) -> Outcome<Arc<Entry>> {
    match FILES.lock().files.get(&handle) {
        Some(entry) => Ok(Arc::clone(entry)),
        None => raise(ExceptionKind::Io, "the file is closed"),
    }
}

fn failed<T>(what: &str, path: &Path, error: &io::Error) -> Outcome<T> {
    let kind = match error.kind() {
        io::ErrorKind::NotFound => ExceptionKind::FileNotFound,
        _ => ExceptionKind::Io,
    };
    raise(kind, &format!("cannot {what} {}: {error}", path.display()))
}

/// Does something with a file's reader.
fn reading<R>(handle: i64, work: impl FnOnce(&mut BufReader<File>) -> io::Result<R>) -> Outcome<R> {
    let entry = entry(handle)?;
    let result = match &mut *entry.open.lock() {
        Open::Reader(reader) => work(reader),
        Open::Writer(_) => Err(io::Error::other("it was opened to write")),
    };
    result.or_else(|error| failed("read", &entry.path, &error))
}

/// Does something with a file's writer.
fn writing<R>(handle: i64, work: impl FnOnce(&mut BufWriter<File>) -> io::Result<R>) -> Outcome<R> {
    let entry = entry(handle)?;
    let result = match &mut *entry.open.lock() {
        Open::Writer(writer) => work(writer),
        Open::Reader(_) => Err(io::Error::other("it was opened to read")),
    };
    result.or_else(|error| {
        entry.write_failure_raised.store(true, Ordering::Relaxed);
        failed("write", &entry.path, &error)
    })
}

pub(crate) fn file_open_read(name: Ref) -> Outcome<i64> {
    let path = name_of(name)?;
    let opened = File::open(&path).and_then(|file| match file.metadata()?.is_dir() {
        true => Err(io::Error::other("it is a directory")),
        false => Ok(file),
    });
    match opened {
        Ok(file) => Ok(register(path, Open::Reader(BufReader::new(file)))),
        Err(error) => failed("open", path.as_ref(), &error),
    }
}

pub(crate) fn file_open_write(name: Ref, append: bool) -> Outcome<i64> {
    let path = name_of(name)?;
    match OpenOptions::new().create(true).write(true).append(append).truncate(!append).open(&path) {
        Ok(file) => Ok(register(path, Open::Writer(BufWriter::new(file)))),
        Err(error) => failed("open", path.as_ref(), &error),
    }
}

pub(crate) fn file_close(file: i64) -> Outcome<()> {
    let Some(entry) = FILES.lock().files.remove(&file) else { return Ok(()) };
    let result = match &mut *entry.open.lock() {
        Open::Writer(writer) => writer.flush(),
        Open::Reader(_) => Ok(()),
    };
    match Arc::try_unwrap(entry) {
        // A process ends when its input does, or when nobody reads its output.
        Ok(Entry { path, open, process: Some(process), .. }) => {
            drop(open);
            let ended = process.into_inner().wait();
            result.and(ended.map(drop)).or_else(|error| failed("write", &path, &error))
        }
        Ok(Entry { path, .. }) => result.or_else(|error| failed("write", &path, &error)),
        Err(entry) => result.or_else(|error| failed("write", &entry.path, &error)),
    }
}

/// Starts a command of the shell whose output is read.
pub(crate) fn process_open_read(command: Ref) -> Outcome<i64> {
    let command = name_of(command)?;
    let started = shell(&command).stdout(Stdio::piped()).spawn().and_then(|mut child| {
        let output = child.stdout.take().ok_or_else(|| io::Error::other("it has no output"))?;
        Ok((Open::Reader(BufReader::new(OwnedFd::from(output).into())), child))
    });
    register_process(command, started)
}

/// Starts a command of the shell whose input is written.
pub(crate) fn process_open_write(command: Ref) -> Outcome<i64> {
    let command = name_of(command)?;
    let started = shell(&command).stdin(Stdio::piped()).spawn().and_then(|mut child| {
        let input = child.stdin.take().ok_or_else(|| io::Error::other("it has no input"))?;
        Ok((Open::Writer(BufWriter::new(OwnedFd::from(input).into())), child))
    });
    register_process(command, started)
}

fn shell(command: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command);
    shell
}

fn register_process(command: String, started: io::Result<(Open, Child)>) -> Outcome<i64> {
    match started {
        Ok((open, child)) => Ok(register_with(command, open, Some(child))),
        Err(error) => failed("start", command.as_ref(), &error),
    }
}

pub(crate) fn file_read_byte(file: i64) -> Outcome<i32> {
    let mut byte = [0];
    let count = reading(file, |reader| reader.read(&mut byte))?;
    Ok(if count == 0 { -1 } else { byte[0].into() })
}

pub(crate) fn file_read_line(file: i64) -> Outcome<Ref> {
    let mut line = Vec::new();
    if reading(file, |reader| reader.read_until(b'\n', &mut line))? == 0 {
        return Ok(Ref::NULL);
    }
    line.pop_if(|last| *last == b'\n');
    program::string(&line)
}

pub(crate) fn file_read(file: i64, rail: Ref, start: i64, count: i64) -> Outcome<i64> {
    let (at, bytes) = range_of(rail, start, count)?;
    // SAFETY: the range was checked; the rail is on the caller's stack.
    let into = unsafe { std::slice::from_raw_parts_mut(at, bytes) };
    reading(file, |reader| {
        let mut total = 0;
        while total < into.len() {
            // Long pieces do not go through the reader's memory.
            let rest = &mut into[total..];
            let (at, length) = (rest.as_ptr() as usize, rest.len());
            match page_watch::written_by_system(at, length, || reader.read(rest))? {
                0 => break,
                more => total += more,
            }
        }
        Ok(total as i64)
    })
}

pub(crate) fn file_available(file: i64) -> Outcome<i64> {
    reading(file, |reader| {
        let length = reader.get_ref().metadata()?.len();
        Ok(length.saturating_sub(reader.stream_position()?) as i64)
    })
}

pub(crate) fn file_write_byte(file: i64, byte: i32) -> Outcome<()> {
    writing(file, |writer| writer.write_all(&[byte as u8]))
}

pub(crate) fn file_write_string(file: i64, string: Ref) -> Outcome<()> {
    let string = non_null(string)?;
    writing(file, |writer| writer.write_all(string.bytes()))
}

pub(crate) fn file_write(file: i64, rail: Ref, start: i64, count: i64) -> Outcome<()> {
    let (at, bytes) = range_of(rail, start, count)?;
    // SAFETY: the range was checked; the rail is on the caller's stack.
    let from = unsafe { std::slice::from_raw_parts(at, bytes) };
    writing(file, |writer| writer.write_all(from))
}

pub(crate) fn file_flush(file: i64) -> Outcome<()> {
    writing(file, |writer| writer.flush())
}

pub(crate) fn file_size(name: Ref) -> Outcome<i64> {
    Ok(fs::metadata(name_of(name)?).map_or(-1, |data| data.len() as i64))
}

pub(crate) fn file_exists(name: Ref) -> Outcome<bool> {
    Ok(fs::metadata(name_of(name)?).is_ok())
}

pub(crate) fn file_is_directory(name: Ref) -> Outcome<bool> {
    Ok(fs::metadata(name_of(name)?).is_ok_and(|data| data.is_dir()))
}

pub(crate) fn file_delete(name: Ref) -> Outcome<bool> {
    let path = name_of(name)?;
    Ok(fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)).is_ok())
}

pub(crate) fn file_mkdir(name: Ref) -> Outcome<bool> {
    Ok(fs::create_dir(name_of(name)?).is_ok())
}

pub(crate) fn file_mkdirs(name: Ref) -> Outcome<bool> {
    Ok(fs::create_dir_all(name_of(name)?).is_ok())
}

pub(crate) fn file_rename(from: Ref, to: Ref) -> Outcome<bool> {
    Ok(fs::rename(name_of(from)?, name_of(to)?).is_ok())
}

pub(crate) fn file_list(name: Ref) -> Outcome<Ref> {
    let Ok(folder) = fs::read_dir(name_of(name)?) else { return Ok(Ref::NULL) };
    let mut names: Vec<_> = folder.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
    names.sort();
    let mut all = Vec::new();
    for name in names {
        all.extend_from_slice(name.as_encoded_bytes());
        all.push(b'/');
    }
    program::string(&all)
}

pub(crate) fn file_modified(name: Ref) -> Outcome<i64> {
    let time = fs::metadata(name_of(name)?).and_then(|data| data.modified()).ok();
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Ok(since.map_or(0, |since| since.as_millis() as i64))
}

pub(crate) fn file_set_modified(name: Ref, milliseconds: i64) -> Outcome<bool> {
    let Ok(since) = u64::try_from(milliseconds) else { return Ok(false) };
    let time = UNIX_EPOCH + Duration::from_millis(since);
    let file = OpenOptions::new().append(true).open(name_of(name)?);
    Ok(file.and_then(|file| file.set_modified(time)).is_ok())
}

pub(crate) fn file_may(name: Ref, what: i32) -> Outcome<bool> {
    let Ok(path) = CString::new(name_of(name)?) else { return Ok(false) };
    // SAFETY: a zero-terminated path.
    Ok(unsafe { libc::access(path.as_ptr(), what) } == 0)
}

pub(crate) fn file_absolute(name: Ref) -> Outcome<Ref> {
    path_text(name, |path| std::path::absolute(path))
}

pub(crate) fn file_canonical(name: Ref) -> Outcome<Ref> {
    path_text(name, |path| fs::canonicalize(path))
}

/// The path that `of` makes of a name, as text.
fn path_text(name: Ref, of: impl FnOnce(&Path) -> io::Result<PathBuf>) -> Outcome<Ref> {
    let path = name_of(name)?;
    match of(path.as_ref()) {
        Ok(found) => program::string(found.as_os_str().as_encoded_bytes()),
        Err(error) => failed("find", path.as_ref(), &error),
    }
}

pub(crate) fn file_position(file: i64) -> Outcome<i64> {
    reading(file, |reader| Ok(reader.stream_position()? as i64))
}

pub(crate) fn file_seek(file: i64, position: i64) -> Outcome<()> {
    let Ok(position) = u64::try_from(position) else {
        return raise(ExceptionKind::IllegalArgument, "a position in a file is not negative");
    };
    // What is in the buffer stays there if it can be used.
    reading(file, |reader| {
        let step = position as i64 - reader.stream_position()? as i64;
        reader.seek_relative(step)
    })
}

/// Writes what is buffered in files that were not closed.
pub(crate) fn flush_all() {
    let Some(table) = FILES.try_lock_for(std::time::Duration::from_millis(200)) else { return };
    for entry in table.files.values() {
        if let Some(mut open) = entry.open.try_lock()
            && let Open::Writer(writer) = &mut *open
            && let Err(error) = writer.flush()
            && !entry.write_failure_raised.load(Ordering::Relaxed)
        {
            crate::base::output_errors::report(&entry.path.display().to_string(), &error);
        }
    }
}
