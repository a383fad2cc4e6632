//! Quarantine: sources that are not analysed because their analysis crashed the server or took too long. A
//! file leaves the quarantine when its text changes.
//!
//! Panics are caught elsewhere. A stack overflow or a refused allocation ends the process: its signal handler
//! (`crash_log`) then records the text that was being analysed for the next server.

use std::hash::Hasher;
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

#[cfg(unix)]
mod crash_log;
mod fingerprint;

use self::fingerprint::{Fingerprint, fingerprint};

#[cfg(unix)]
pub(crate) use self::crash_log::{AnalysisMark, mark_analyzing, open_crash_log};

/// Why a text is in quarantine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuarantineReason {
    /// A server crashed while it analysed the text.
    Crash,
    /// Its analysis took too long.
    Timeout,
}

/// The sources in quarantine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quarantine {
    /// Sources that crashed earlier servers.
    crashed: FxHashSet<Fingerprint>,
    /// Files whose analysis took too long, with the hash of the text.
    timed_out: FxHashMap<PathBuf, u64>,
}

impl Quarantine {
    /// A quarantine of sources that crashed earlier servers.
    pub(crate) fn from_crashes(crashes: impl IntoIterator<Item = Fingerprint>) -> Self {
        Self { crashed: crashes.into_iter().collect(), timed_out: FxHashMap::default() }
    }

    /// Adds a text whose analysis took too long.
    pub(crate) fn add_timed_out(&mut self, path: &Path, text: &str) {
        self.timed_out.insert(path.to_owned(), hash(text));
    }

    /// Why this text of a file is in quarantine; `None` if it is not.
    pub(crate) fn reason(&self, path: &Path, text: &str) -> Option<QuarantineReason> {
        if !self.crashed.is_empty() && self.crashed.contains(&fingerprint(path, text)) {
            return Some(QuarantineReason::Crash);
        }
        let timed_out = self.timed_out.get(path).filter(|timed_out| **timed_out == hash(text));
        timed_out.map(|_| QuarantineReason::Timeout)
    }

    /// Whether this text crashed a server: it is not even given to the database.
    pub(crate) fn has_crashed(&self, path: &Path, text: &str) -> bool {
        self.reason(path, text) == Some(QuarantineReason::Crash)
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Mark of the text that a thread analyses, until this is dropped.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct AnalysisMark;

/// Marks a text as being analysed by this thread.
#[cfg(not(unix))]
pub fn mark_analyzing(_: &Path, _: &str) -> AnalysisMark {
    AnalysisMark
}

/// Fingerprints of sources that crashed earlier servers; crashes are recorded from now on.
#[cfg(not(unix))]
pub fn open_crash_log(_: &Path) -> Vec<Fingerprint> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_text_leaves_quarantine() {
        let path = Path::new("/a.x10");
        let mut quarantine = Quarantine::from_crashes([fingerprint(path, "bad")]);
        assert_eq!(quarantine.reason(path, "bad"), Some(QuarantineReason::Crash));
        assert_eq!(quarantine.reason(path, "good"), None);
        assert_eq!(quarantine.reason(Path::new("/b.x10"), "bad"), None);
        quarantine.add_timed_out(path, "slow");
        assert_eq!(quarantine.reason(path, "slow"), Some(QuarantineReason::Timeout));
        assert_eq!(quarantine.reason(path, "good"), None);
    }
}
