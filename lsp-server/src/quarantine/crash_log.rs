//! Crash log: signal handlers that record which text a crashing thread was analysing.

use std::cell::Cell;
use std::marker::PhantomData;
use std::os::fd::IntoRawFd;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

use super::fingerprint::{Fingerprint, fnv1a};

const FINGERPRINT_BYTES: usize = size_of::<Fingerprint>();
/// A log with more entries starts over.
const MAX_LOGGED_CRASHES: usize = 1000;

/// Addresses and lengths of a path and a text.
type RawSources = [(*const u8, usize); 2];

thread_local! {
    /// Path and text that this thread analyses.
    static ANALYZED: Cell<Option<RawSources>> = const { Cell::new(None) };
}

/// Descriptor of the log; negative if there is none.
static LOG_FD: AtomicI32 = AtomicI32::new(-1);
/// The replaced signal handlers. Rust's own, of SIGSEGV, reports stack overflows.
static REPLACED_HANDLERS: OnceLock<[(libc::c_int, libc::sigaction); 2]> = OnceLock::new();

/// Mark of the text that a thread analyses, until this is dropped. Marks nest.
#[derive(Debug)]
pub(crate) struct AnalysisMark<'a> {
    outer: Option<RawSources>,
    borrowed: PhantomData<(&'a Path, &'a str)>,
}

/// Marks a text as being analysed by this thread: should it crash the process, it is logged.
pub(crate) fn mark_analyzing<'a>(path: &'a Path, text: &'a str) -> AnalysisMark<'a> {
    let path = path.as_os_str().as_encoded_bytes();
    let now = [(path.as_ptr(), path.len()), (text.as_ptr(), text.len())];
    AnalysisMark { outer: ANALYZED.replace(Some(now)), borrowed: PhantomData }
}

impl Drop for AnalysisMark<'_> {
    fn drop(&mut self) {
        ANALYZED.set(self.outer);
    }
}

/// Fingerprints of sources that crashed earlier servers; crashes are logged in a file of `folder` from now
/// on.
pub(crate) fn open_crash_log(folder: &Path) -> Vec<Fingerprint> {
    let log = folder.join(concat!("quarantine-", env!("CARGO_PKG_VERSION")));
    let modified = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    // A newer build of the server may have fixed the crashes of the one before.
    let program = std::env::current_exe().ok().and_then(|path| modified(&path));
    let is_outdated = modified(&log).is_some_and(|written| program.is_some_and(|built| built > written));
    let bytes = if is_outdated { Vec::new() } else { std::fs::read(&log).unwrap_or_default() };
    let number = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
    let entries = bytes.chunks_exact(FINGERPRINT_BYTES);
    let crashes: Vec<Fingerprint> = entries.map(|both| [number(&both[..8]), number(&both[8..])]).collect();
    if is_outdated || crashes.len() > MAX_LOGGED_CRASHES {
        let _ = std::fs::remove_file(&log);
    }
    if std::fs::create_dir_all(folder).is_ok()
        && let Ok(file) = std::fs::OpenOptions::new().create(true).append(true).open(&log)
    {
        LOG_FD.store(file.into_raw_fd(), Ordering::Relaxed);
        REPLACED_HANDLERS
            .get_or_init(|| [libc::SIGSEGV, libc::SIGABRT].map(|signal| (signal, install_handler(signal))));
    }
    crashes
}

fn install_handler(signal: libc::c_int) -> libc::sigaction {
    // SAFETY: `sigaction` is plain data for which zeroes are a value, and `log_crash` calls only functions
    // that are async-signal-safe.
    unsafe {
        let mut replaced: libc::sigaction = std::mem::zeroed();
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = log_crash as *const () as usize;
        // After a stack overflow the handler needs the alternate stack; an aborting thread has its own.
        action.sa_flags = libc::SA_SIGINFO | if signal == libc::SIGSEGV { libc::SA_ONSTACK } else { 0 };
        libc::sigaction(signal, &raw const action, &raw mut replaced);
        replaced
    }
}

/// Signal handler: logs the fingerprint of what this thread analyses, then behaves as the replaced handler.
extern "C" fn log_crash(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if let Some(raw_sources) = ANALYZED.get() {
        let fingerprint = raw_sources.map(|(start, length)| {
            // SAFETY: the mark of this thread borrows path and text, and is not dropped while the handler
            // runs.
            fnv1a(unsafe { std::slice::from_raw_parts(start, length) })
        });
        let bytes = [fingerprint[0].to_ne_bytes(), fingerprint[1].to_ne_bytes()];
        let log = LOG_FD.load(Ordering::Relaxed);
        // SAFETY: `write` is async-signal-safe; the buffer has this length.
        unsafe { libc::write(log, bytes.as_ptr().cast(), FINGERPRINT_BYTES) };
        ANALYZED.set(None);
    }
    // SAFETY: `signal` is async-signal-safe. A replaced action with SA_SIGINFO that is neither SIG_DFL nor
    // SIG_IGN is a function with these three arguments.
    unsafe {
        libc::signal(libc::SIGABRT, libc::SIG_DFL);
        let replaced = REPLACED_HANDLERS.get().and_then(|all| all.iter().find(|(of, _)| *of == signal));
        match replaced.map(|(_, action)| action) {
            Some(action)
                if action.sa_flags & libc::SA_SIGINFO != 0
                    && ![libc::SIG_DFL, libc::SIG_IGN].contains(&action.sa_sigaction) =>
            {
                type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
                let handler = std::mem::transmute::<usize, Handler>(action.sa_sigaction);
                handler(signal, info, context);
            }
            // The faulting instruction faults again, or `abort` aborts.
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
        let (outer, inner) = (mark_analyzing(Path::new("/a"), "a"), mark_analyzing(Path::new("/b"), "b"));
        assert!(ANALYZED.get().is_some());
        drop(inner);
        assert_eq!(ANALYZED.get().map(|raw| raw[0].1), Some(2));
        drop(outer);
        assert!(ANALYZED.get().is_none());
    }
}
