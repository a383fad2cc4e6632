//! Files that are set aside: one whose analysis took the server down, and one whose analysis takes too long. Each is tried
//! again when its text changes.
//!
//! A panic never gets this far, but a stack that overflows or memory that is refused ends the process. What was being analysed
//! then is written down by the signal's handler, for the server that is started next.

use std::hash::Hasher;
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

/// Why a file is set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The server ended when it analysed it.
    Crash,
    /// Its analysis took too long.
    Time,
}

/// What is known of a text that was being analysed when the server ended.
pub type Print = [u64; 2];

/// The files that are set aside.
#[derive(Clone, Debug, Default)]
pub struct Aside {
    /// What servers before this one ended at.
    crashes: FxHashSet<Print>,
    /// The files that take too long, and the text that does.
    slow: FxHashMap<PathBuf, u64>,
}

impl Aside {
    /// What took servers before this one down.
    pub fn of_crashes(crashes: impl IntoIterator<Item = Print>) -> Self {
        Self { crashes: crashes.into_iter().collect(), slow: FxHashMap::default() }
    }

    /// The analysis of this text takes too long.
    pub fn is_slow(&mut self, path: &Path, text: &str) {
        self.slow.insert(path.to_owned(), hash(text));
    }

    /// Whether this text of a file is set aside.
    pub fn why(&self, path: &Path, text: &str) -> Option<Why> {
        if !self.crashes.is_empty() && self.crashes.contains(&print(path, text)) {
            return Some(Why::Crash);
        }
        self.slow.get(path).filter(|slow| **slow == hash(text)).map(|_| Why::Time)
    }

    /// Whether this text took a server down: it is kept away from the analysis altogether.
    pub fn is_crash(&self, path: &Path, text: &str) -> bool {
        self.why(path, text) == Some(Why::Crash)
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// What a file with a text is known by. Simple enough to be computed in the handler of a signal.
fn print(path: &Path, text: &str) -> Print {
    [fnv(path.as_os_str().as_encoded_bytes()), fnv(text.as_bytes())]
}

const fn fnv(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}

#[cfg(unix)]
pub use self::signals::{Mark, mark, prepare};

/// A text is being analysed while this lives.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct Mark;

/// This thread analyses a text.
#[cfg(not(unix))]
pub fn mark(_: &Path, _: &str) -> Mark {
    Mark
}

/// What took servers before this one down; from now on it is written down.
#[cfg(not(unix))]
pub fn prepare(_: &Path) -> Vec<Print> {
    Vec::new()
}

#[cfg(unix)]
mod signals {
    use std::cell::Cell;
    use std::marker::PhantomData;
    use std::os::fd::IntoRawFd;
    use std::path::Path;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicI32, Ordering};

    use super::{Print, fnv};

    /// The bytes of a print.
    const LENGTH: usize = size_of::<Print>();
    /// So many are remembered.
    const MOST: usize = 1000;

    thread_local! {
        /// Path and text that this thread analyses.
        static WORKING: Cell<Option<[(*const u8, usize); 2]>> = const { Cell::new(None) };
    }

    /// Where it is written down; negative if it cannot be.
    static RECORD: AtomicI32 = AtomicI32::new(-1);
    /// What handled faults before: Rust's own handler, which tells a stack that overflowed.
    static BEFORE: OnceLock<[(libc::c_int, libc::sigaction); 2]> = OnceLock::new();

    /// A text is being analysed while this lives.
    #[derive(Debug)]
    pub struct Mark<'a> {
        before: Option<[(*const u8, usize); 2]>,
        texts: PhantomData<(&'a Path, &'a str)>,
    }

    /// This thread analyses a text.
    pub fn mark<'a>(path: &'a Path, text: &'a str) -> Mark<'a> {
        let path = path.as_os_str().as_encoded_bytes();
        let now = [(path.as_ptr(), path.len()), (text.as_ptr(), text.len())];
        Mark { before: WORKING.replace(Some(now)), texts: PhantomData }
    }

    impl Drop for Mark<'_> {
        fn drop(&mut self) {
            WORKING.set(self.before);
        }
    }

    /// What took servers before this one down; from now on it is written down in a file of this folder.
    pub fn prepare(folder: &Path) -> Vec<Print> {
        let record = folder.join(concat!("set-aside-", env!("CARGO_PKG_VERSION")));
        let age = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
        // Another build of the server may have mended it.
        let program = std::env::current_exe().ok().and_then(|path| age(&path));
        let is_old = age(&record).is_some_and(|written| program.is_some_and(|built| built > written));
        let known = if is_old { Vec::new() } else { std::fs::read(&record).unwrap_or_default() };
        let number = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
        let prints: Vec<Print> =
            known.chunks_exact(LENGTH).map(|both| [number(&both[..8]), number(&both[8..])]).collect();
        if is_old || prints.len() > MOST {
            let _ = std::fs::remove_file(&record);
        }
        if std::fs::create_dir_all(folder).is_ok()
            && let Ok(file) = std::fs::OpenOptions::new().create(true).append(true).open(&record)
        {
            RECORD.store(file.into_raw_fd(), Ordering::Relaxed);
            BEFORE.get_or_init(|| [libc::SIGSEGV, libc::SIGABRT].map(|signal| (signal, install(signal))));
        }
        prints
    }

    fn install(signal: libc::c_int) -> libc::sigaction {
        // SAFETY: both are plain data for which zeroes are a value, and the handler only does what a handler may.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            let mut now: libc::sigaction = std::mem::zeroed();
            now.sa_sigaction = fault as *const () as usize;
            // The stack that overflowed is of no use; one that aborts has its own.
            now.sa_flags = libc::SA_SIGINFO | if signal == libc::SIGSEGV { libc::SA_ONSTACK } else { 0 };
            libc::sigaction(signal, &raw const now, &raw mut before);
            before
        }
    }

    /// Writes down what this thread analyses, and goes on as if this were not there.
    extern "C" fn fault(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        if let Some(texts) = WORKING.get() {
            // SAFETY: the texts live as long as their mark, which this thread holds.
            let print =
                texts.map(|(start, length)| fnv(unsafe { std::slice::from_raw_parts(start, length) }));
            let bytes = [print[0].to_ne_bytes(), print[1].to_ne_bytes()];
            let file = RECORD.load(Ordering::Relaxed);
            // SAFETY: `write` may be called in a handler, with a buffer and its length.
            unsafe { libc::write(file, bytes.as_ptr().cast(), LENGTH) };
            WORKING.set(None);
        }
        // SAFETY: `signal` may be called in a handler; the handler before is one of three sorts, told by its value.
        unsafe {
            libc::signal(libc::SIGABRT, libc::SIG_DFL);
            let before = BEFORE.get().and_then(|all| all.iter().find(|(of, _)| *of == signal));
            match before.map(|(_, action)| action) {
                Some(action)
                    if action.sa_flags & libc::SA_SIGINFO != 0
                        && ![libc::SIG_DFL, libc::SIG_IGN].contains(&action.sa_sigaction) =>
                {
                    type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
                    let handler = std::mem::transmute::<usize, Handler>(action.sa_sigaction);
                    handler(signal, info, context);
                }
                // The instruction that failed fails again, or `abort` aborts.
                _ => {
                    libc::signal(signal, libc::SIG_DFL);
                }
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn marks_nest() {
            let (outer, inner) = (mark(Path::new("/a"), "a"), mark(Path::new("/b"), "b"));
            assert!(WORKING.get().is_some());
            drop(inner);
            assert_eq!(WORKING.get().map(|texts| texts[0].1), Some(2));
            drop(outer);
            assert!(WORKING.get().is_none());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_aside_is_a_text_not_a_file() {
        let path = Path::new("/a.x10");
        let mut aside = Aside::of_crashes([print(path, "bad")]);
        assert_eq!(aside.why(path, "bad"), Some(Why::Crash));
        assert_eq!(aside.why(path, "good"), None);
        assert_eq!(aside.why(Path::new("/b.x10"), "bad"), None);
        aside.is_slow(path, "slow");
        assert_eq!(aside.why(path, "slow"), Some(Why::Time));
        assert_eq!(aside.why(path, "good"), None);
    }
}
