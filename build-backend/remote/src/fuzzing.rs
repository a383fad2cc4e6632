//! Entries of fuzz targets: the decoders of what other machines, files of a job and workspaces say. Each
//! takes any bytes, and panics where the decoder breaks its promise.

use std::fs;
use std::path::Path;

use apg_runtime::cluster::frames::read_frame;
use sha2::{Digest, Sha256};

use crate::config;
use crate::journal::{Journal, Record};
use crate::protocol::{FileEntry, FromRemote, ToRemote};
use crate::store::{self, Store};

/// Reads frames of both directions; the number of well-formed ones.
///
/// # Panics
/// A list of files is accepted that leaves its tree.
pub fn read_frames(bytes: &[u8]) -> usize {
    let mut input = bytes;
    let mut count = 0;
    while let Ok(Some((message, payload))) = read_frame::<ToRemote>(&mut input) {
        assert!(payload.len() <= bytes.len());
        if let ToRemote::Submit(job) = message
            && store::check(&job.files).is_ok()
        {
            let is_inside = |path: &str| !path.starts_with('/') && path.split('/').all(|part| part != "..");
            assert!(job.files.iter().all(|file| is_inside(&file.path)));
        }
        count += 1;
    }
    let mut input = bytes;
    while let Ok(Some(_)) = read_frame::<FromRemote>(&mut input) {
        count += 1;
    }
    count
}

/// Receives the files of a program from a compressed stream; the number of files that were stored.
///
/// # Panics
/// There is no folder for temporary files, or more is left there than the files that were announced.
pub fn receive_files(stream: &[u8]) -> usize {
    let root = tempfile::tempdir().expect("a folder");
    let store = Store::open(root.path()).expect("a folder of this user");
    let announced = [0, 5, 100_000].map(|length| FileEntry {
        path: format!("{length}.x10"),
        digest: Sha256::digest(vec![b'x'; length]).into(),
        length: length as u64,
    });
    // What is not the announced files is an error.
    let _ = store.receive_compressed(announced.iter(), stream);
    let stored = fs::read_dir(root.path().join("files")).expect("a folder").flatten();
    let lengths: Vec<u64> = stored.map(|file| file.metadata().expect("a file").len()).collect();
    assert!(lengths.iter().all(|length| announced.iter().any(|file| file.length == *length)), "{lengths:?}");
    assert!(store.missing(&announced).len() + lengths.len() == announced.len());
    lengths.len()
}

/// Reads an `apg.toml`; what is accepted names machines that ssh takes for hosts.
///
/// # Panics
/// A machine is accepted whose name ssh takes for something else.
pub fn read_configuration(text: &str) {
    for remote in config::parse(Path::new(config::FILE_NAME), text).into_iter().flatten() {
        let (destination, _) = remote.1.address().expect("it was checked");
        assert!(!destination.starts_with('-') && !destination.contains(char::is_whitespace));
    }
    // As a word of the command line.
    let _ = config::Remote { host: text.to_owned(), ..config::Remote::default() }.address();
}

/// Reads a journal whose only file has these bytes: its records, to the end.
///
/// # Panics
/// There is no folder for temporary files, or a record is not whole.
pub fn read_journal(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(format!("{:016x}", 0)), bytes).expect("written");
    let journal = Journal::open(folder.path()).expect("a folder of files");
    let mut offset = 0;
    while let Some(record) = journal.read(offset).expect("a whole record") {
        let (Record::Output { end, .. } | Record::Gap { end, .. }) = record;
        assert!(end > offset && end <= bytes.len() as u64);
        offset = end;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn announced_files_are_stored_and_others_are_not() {
        let stream = |text: Vec<u8>| zstd::stream::encode_all(&text[..], 3).expect("room");
        assert_eq!(receive_files(&stream(vec![b'x'; 100_005])), 3);
        assert_eq!(receive_files(&stream(vec![b'x'; 100_004])), 2);
        assert_eq!(receive_files(&stream(vec![b'y'; 100_005])), 1);
        // The empty file takes nothing of the stream.
        assert_eq!(receive_files(b"no stream"), 1);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            read_frames(&bytes);
            read_journal(&bytes);
            receive_files(&bytes);
            read_configuration(&String::from_utf8_lossy(&bytes));
        }
    }
}
