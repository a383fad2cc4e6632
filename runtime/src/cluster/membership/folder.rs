//! A folder as the store of a job's processes, for launchers that offer none: a file for each text, in the
//! private cache of the user, which the hosts share where home folders are shared.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::cache::Cache;
use crate::cluster::membership::Store;

/// Pause between two looks for a file.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The folder of one job.
pub(super) struct Folder {
    path: PathBuf,
    rank: u32,
    deadline: Instant,
}

impl Folder {
    /// Makes the folder, unless another process of the job has.
    pub(super) fn open(name: &str, rank: u32, deadline: Instant) -> Result<Folder, String> {
        let cache = Cache::default();
        cache.acquire().map_err(|error| format!("{error}; {}", error.hint()))?;
        let name: String =
            name.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '-' }).take(200).collect();
        Folder::at(cache.root().join("jobs").join(name), rank, deadline)
    }

    fn at(path: PathBuf, rank: u32, deadline: Instant) -> Result<Folder, String> {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&path);
        made.map_err(|error| format!("cannot make {}: {error}", path.display()))?;
        Ok(Folder { path, rank, deadline })
    }

    fn file(&self, rank: u32, key: &str) -> PathBuf {
        self.path.join(format!("{key}-{rank}"))
    }
}

impl Store for Folder {
    fn put(&mut self, key: &str, value: &str) -> Result<(), String> {
        let (file, unfinished) = (self.file(self.rank, key), self.file(self.rank, "unfinished"));
        let write = || {
            let mut options = OpenOptions::new();
            options
                .write(true)
                .create(true)
                .truncate(true)
                .mode(0o600)
                .open(&unfinished)?
                .write_all(value.as_bytes())?;
            fs::rename(&unfinished, &file)
        };
        write().map_err(|error| format!("cannot write {}: {error}", file.display()))
    }

    /// Reading waits for what is read.
    fn fence(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn get(&mut self, rank: u32, key: &str) -> Result<String, String> {
        let file = self.file(rank, key);
        loop {
            match fs::read_to_string(&file) {
                Ok(text) => return Ok(text),
                Err(error) if Instant::now() >= self.deadline => {
                    return Err(format!(
                        "the launcher offers no store, and process {rank} has not written to {} in time \
                         ({error}): the hosts do not share this folder, or the process has ended",
                        self.path.display()
                    ));
                }
                Err(_) => std::thread::sleep(POLL_INTERVAL),
            }
        }
    }

    /// All others have read everything by the time at which they have called process 0.
    fn finish(&mut self) {
        if self.rank == 0 {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_wait_for_the_values_of_others() {
        let root = tempfile::tempdir().expect("a folder");
        let open = |rank, seconds| {
            let deadline = Instant::now() + Duration::from_secs(seconds);
            Folder::at(root.path().join("job"), rank, deadline).expect("a folder")
        };
        let (mut zero, mut one) = (open(0, 60), open(1, 60));
        let reader = std::thread::spawn(move || one.get(0, "key"));
        zero.put("key", "a text").expect("written");
        assert_eq!(reader.join().expect("no panic").as_deref(), Ok("a text"));
        let error = open(0, 0).get(1, "key").expect_err("nothing was written");
        assert!(error.contains("process 1 has not written"), "{error}");
        zero.finish();
        assert!(!root.path().join("job").exists());
    }
}
