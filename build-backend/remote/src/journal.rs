//! The journal of a job's output: records in files of a folder, read again from any record on. It is the log
//! of a reliable byte stream over connections that break: what is acknowledged need not be sent again.
//!
//! An offset counts bytes of records from the job's beginning. Each file is named by the offset at which it
//! begins. The first files are kept as long as the job; of later ones the oldest go when the journal reaches
//! its maximum length. Where the disk takes no more, records stay in memory until they are acknowledged.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Bytes of a record before its data: the stream's number, and the length of the data.
const HEAD_BYTES: u64 = 5;
/// Maximum data of a record.
pub(crate) const MAX_RECORD_BYTES: usize = 64 << 10;

/// How much is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Bytes of a file, about.
    pub file: u64,
    /// Bytes at the beginning that are kept in any case.
    pub head: u64,
    /// Bytes of the whole.
    pub whole: u64,
    /// Bytes that are kept in memory where the disk takes no more.
    pub memory: u64,
}

impl Limits {
    /// Of all jobs.
    pub(crate) const DEFAULT: Limits =
        Limits { file: 8 << 20, head: 64 << 20, whole: 256 << 20, memory: 1 << 20 };
}

/// A record that was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Record {
    /// Output of a stream, as of [`crate::protocol::FromRemote::Output`].
    Output { stream: u8, data: Vec<u8>, end: u64 },
    /// A part that is not kept any more.
    Gap { bytes: u64, end: u64 },
}

/// A file of the journal.
#[derive(Debug)]
struct Segment {
    start: u64,
    end: u64,
    file: File,
    path: PathBuf,
}

/// A journal.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    limits: Limits,
    segments: VecDeque<Segment>,
    end: u64,
    /// Records that the disk has not taken, by their offsets.
    memory: VecDeque<(u64, u8, Vec<u8>)>,
    /// Why the disk takes no more.
    disk_error: Option<String>,
    acknowledged: u64,
}

impl Journal {
    /// An empty journal in a folder, which is made.
    pub(crate) fn create(folder: &Path, limits: Limits) -> io::Result<Journal> {
        fs::create_dir(folder)?;
        Ok(Journal::empty(folder, limits))
    }

    fn empty(folder: &Path, limits: Limits) -> Journal {
        Journal {
            folder: folder.to_owned(),
            limits,
            segments: VecDeque::new(),
            end: 0,
            memory: VecDeque::new(),
            disk_error: None,
            acknowledged: 0,
        }
    }

    /// The journal that another process has written. A record that was not written in full does not count.
    pub(crate) fn open(folder: &Path) -> io::Result<Journal> {
        let mut journal = Journal::empty(folder, Limits::DEFAULT);
        let mut segments = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Ok(start) = u64::from_str_radix(name, 16) else { continue };
            let file = File::open(&path)?;
            let end = start + whole_records(&file)?;
            segments.push(Segment { start, end, file, path });
        }
        segments.sort_by_key(|segment| segment.start);
        journal.end = segments.last().map_or(0, |segment| segment.end);
        journal.segments = segments.into();
        Ok(journal)
    }

    /// Bytes of the files in a folder, without a look at their records.
    pub(crate) fn bytes_on_disk(folder: &Path) -> u64 {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.metadata().ok()).map(|data| data.len()).sum()
    }

    /// Bytes of the files.
    fn bytes_kept(&self) -> u64 {
        self.segments.iter().map(|segment| segment.end - segment.start).sum()
    }

    /// Why the disk takes no more, if so.
    pub(crate) fn disk_error(&self) -> Option<&str> {
        self.disk_error.as_deref()
    }

    /// The offset up to which output was acknowledged.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    /// Output up to this offset was printed by a client.
    pub(crate) fn acknowledge(&mut self, offset: u64) {
        self.acknowledged = self.acknowledged.max(offset.min(self.end));
        let acknowledged = self.acknowledged;
        while self.memory.front().is_some_and(|(start, _, data)| start + length_of(data) <= acknowledged) {
            self.memory.pop_front();
        }
    }

    /// Whether a further record would make unacknowledged output exceed the journal.
    pub(crate) fn is_full(&self) -> bool {
        let limit = if self.disk_error.is_some() { self.limits.memory } else { self.limits.whole };
        let in_memory: u64 = self.memory.iter().map(|(_, _, data)| length_of(data)).sum();
        in_memory >= self.limits.memory || self.end - self.acknowledged >= limit
    }

    /// Appends a record of at most [`MAX_RECORD_BYTES`]. The oldest files that may go do so if there is too
    /// much.
    pub(crate) fn append(&mut self, stream: u8, data: &[u8]) {
        debug_assert!(data.len() <= MAX_RECORD_BYTES);
        let written = match self.disk_error {
            None => self.write(stream, data).map_err(|error| self.disk_error = Some(error.to_string())),
            Some(_) => Err(()),
        };
        if written.is_err() {
            self.memory.push_back((self.end, stream, data.to_vec()));
            let limit = self.limits.memory * 2;
            while self.memory.iter().map(|(_, _, data)| length_of(data)).sum::<u64>() > limit {
                self.memory.pop_front();
            }
        }
        self.end += length_of(data);
        self.drop_oldest();
    }

    fn write(&mut self, stream: u8, data: &[u8]) -> io::Result<()> {
        if self.segments.back().is_none_or(|last| last.end - last.start >= self.limits.file) {
            let path = self.folder.join(format!("{:016x}", self.end));
            let file = File::options().read(true).append(true).create_new(true).open(&path)?;
            self.segments.push_back(Segment { start: self.end, end: self.end, file, path });
        }
        let Some(last) = self.segments.back_mut() else { return Err(ErrorKind::NotFound.into()) };
        let mut record = Vec::with_capacity(data.len() + HEAD_BYTES as usize);
        record.push(stream);
        record.extend_from_slice(&(data.len() as u32).to_le_bytes());
        record.extend_from_slice(data);
        let result = io::Write::write_all(&mut &last.file, &record);
        match result {
            Ok(()) => last.end += record.len() as u64,
            // What is left of a part is removed: other processes read whole records only.
            Err(_) => drop(last.file.set_len(last.end - last.start)),
        }
        result
    }

    /// Removes files behind the head while the whole is too long.
    fn drop_oldest(&mut self) {
        while self.bytes_kept() > self.limits.whole {
            let removable = |segment: &Segment| segment.start >= self.limits.head;
            let Some(at) = self.segments.iter().position(removable) else { return };
            if at + 1 == self.segments.len() {
                return;
            }
            if let Some(segment) = self.segments.remove(at) {
                let _ = fs::remove_file(segment.path);
            }
        }
    }

    /// The record at an offset, at which one begins; `None` at the end.
    ///
    /// # Errors
    /// The offset is of no record, or the file cannot be read.
    pub(crate) fn read(&self, offset: u64) -> io::Result<Option<Record>> {
        if offset >= self.end {
            return Ok(None);
        }
        if let Some(segment) = self.segments.iter().find(|it| it.start <= offset && offset < it.end) {
            return segment.read(offset).map(Some);
        }
        if let Some((start, stream, data)) = self.memory.iter().find(|(start, ..)| *start == offset) {
            let end = start + length_of(data);
            return Ok(Some(Record::Output { stream: *stream, data: data.clone(), end }));
        }
        let starts = self.segments.iter().map(|it| it.start).chain(self.memory.iter().map(|it| it.0));
        let next = starts.filter(|start| *start > offset).min().unwrap_or(self.end);
        Ok(Some(Record::Gap { bytes: next - offset, end: next }))
    }
}

/// The length of a record with this data.
fn length_of(data: &[u8]) -> u64 {
    HEAD_BYTES + data.len() as u64
}

/// The stream and the length of the data of the record at a position.
fn read_head(file: &File, at: u64) -> io::Result<(u8, u64)> {
    let mut head = [0; HEAD_BYTES as usize];
    file.read_exact_at(&mut head, at)?;
    let [stream, a, b, c, d] = head;
    let length = u64::from(u32::from_le_bytes([a, b, c, d]));
    if !matches!(stream, 1..=3) || length > MAX_RECORD_BYTES as u64 {
        return Err(io::Error::new(ErrorKind::InvalidData, "no record of output begins there"));
    }
    Ok((stream, length))
}

/// Bytes of the whole records at the beginning of a file.
fn whole_records(file: &File) -> io::Result<u64> {
    let size = file.metadata()?.len();
    let mut at = 0;
    while let Ok((_, length)) = read_head(file, at) {
        let next = at + HEAD_BYTES + length;
        if next > size {
            break;
        }
        at = next;
    }
    Ok(at)
}

impl Segment {
    fn read(&self, offset: u64) -> io::Result<Record> {
        let at = offset - self.start;
        let (stream, length) = read_head(&self.file, at)?;
        let mut data = vec![0; length as usize];
        self.file.read_exact_at(&mut data, at + HEAD_BYTES)?;
        Ok(Record::Output { stream, data, end: offset + HEAD_BYTES + length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Limits = Limits { file: 100, head: 200, whole: 500, memory: 60 };

    fn all(journal: &Journal, mut offset: u64) -> (Vec<u8>, u64) {
        let (mut text, mut lost) = (Vec::new(), 0);
        while let Some(record) = journal.read(offset).expect("a record") {
            match record {
                Record::Output { data, end, .. } => {
                    text.extend(data);
                    offset = end;
                }
                Record::Gap { bytes, end } => {
                    lost += bytes;
                    offset = end;
                }
            }
        }
        (text, lost)
    }

    #[test]
    fn output_is_read_again_from_any_record_also_by_another_process() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut journal = Journal::create(&folder.path().join("j"), SMALL).expect("a journal");
        let mut offsets = Vec::new();
        for line in 0..30_u8 {
            offsets.push(journal.end);
            journal.append(1 + line % 2, &[b'a' + line % 26; 3]);
        }
        let expected: Vec<u8> = (0..30_u8).flat_map(|line| [b'a' + line % 26; 3]).collect();
        let opened = Journal::open(&folder.path().join("j")).expect("a journal");
        for journal in [&journal, &opened] {
            assert_eq!(all(journal, 0), (expected.clone(), 0));
            assert_eq!(all(journal, offsets[7]), (expected[21..].to_vec(), 0));
        }
        assert_eq!(Journal::bytes_on_disk(&folder.path().join("j")), journal.bytes_kept());
        assert!(journal.read(offsets[7] + 1).is_err(), "no record begins there");
    }

    #[test]
    fn incomplete_records_do_not_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("j");
        let mut journal = Journal::create(&path, SMALL).expect("a journal");
        journal.append(1, b"whole");
        journal.append(1, b"part");
        let file = File::options().write(true).open(path.join(format!("{:016x}", 0))).expect("a file");
        file.set_len(journal.end - 1).expect("it is cut");
        assert_eq!(all(&Journal::open(&path).expect("a journal"), 0), (b"whole".to_vec(), 0));
    }

    #[test]
    fn head_and_tail_are_kept_of_a_long_output() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut journal = Journal::create(&folder.path().join("j"), SMALL).expect("a journal");
        for line in 0..200_u8 {
            journal.append(1, &[line; 15]);
        }
        assert!(journal.bytes_kept() <= SMALL.whole);
        let (text, lost) = all(&journal, 0);
        assert_eq!((text[0], text[text.len() - 1]), (0, 199));
        assert_eq!(lost + text.len() as u64 / 15 * 20, journal.end);
        assert!(lost > 0 && journal.is_full());
        journal.acknowledge(journal.end);
        assert!(!journal.is_full());
    }

    #[test]
    fn records_stay_in_memory_where_the_disk_takes_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("j");
        let mut journal = Journal::create(&path, SMALL).expect("a journal");
        fs::remove_dir(&path).expect("it is empty");
        journal.append(1, b"first");
        let behind_first = journal.end;
        journal.append(2, b"second");
        assert!(journal.disk_error().is_some());
        assert_eq!(all(&journal, 0), (b"firstsecond".to_vec(), 0));
        journal.append(1, &[b'x'; 50]);
        assert!(journal.is_full());
        journal.acknowledge(behind_first);
        assert_eq!(
            journal
                .read(behind_first)
                .expect("a record")
                .map(|it| matches!(it, Record::Output { stream: 2, .. })),
            Some(true)
        );
        assert_eq!(
            journal.read(0).expect("a gap"),
            Some(Record::Gap { bytes: behind_first, end: behind_first })
        );
    }
}
