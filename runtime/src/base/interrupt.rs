//! Signals that request the end of the process (SIGINT, SIGTERM, SIGHUP): a registered action runs first, so
//! that printed output is not lost. Then the process ends by the signal, so that its parent sees the cause. A
//! second request ends it at once.
//!
//! The signal handler only wakes a thread, which runs the action, since few operations are async-signal-safe.
//! A signal that was ignored when the process started stays ignored (`nohup`; Ctrl-C at places other than 0,
//! which place 0 ends).

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::base::process::STOP_SIGNAL;
use crate::base::sanitizer;

/// Whether the process ends after an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It ends by the signal.
    End,
    /// The process continues: the action has passed the request on, and its effects will end this process
    /// too.
    GoOn,
}

type Action = Arc<dyn Fn(i32) -> Then + Send + Sync>;

/// The action that runs at a signal.
static ACTION: Mutex<Option<Action>> = Mutex::new(None);
/// Pipe to which the handler writes the signal's number (self-pipe trick).
static WAKE: AtomicI32 = AtomicI32::new(-1);
/// Time of the first signal, in milliseconds; 0 if there was none.
static CAUGHT: AtomicI64 = AtomicI64::new(0);
/// Milliseconds within which a further signal belongs to the same request: a terminal sends the signal to a
/// whole process group, whose members may send it again.
const SAME_REQUEST_MILLISECONDS: i64 = 300;
/// Maximum duration of an action.
const ACTION_TIMEOUT: Duration = Duration::from_secs(3);

/// Sets the action that runs before this process ends by SIGINT, SIGTERM or SIGHUP; it replaces the previous
/// one. Without effect in a process whose command does not [`catch`] them.
pub fn set(action: impl Fn(i32) -> Then + Send + Sync + 'static) {
    *ACTION.lock() = Some(Arc::new(action));
}

/// From now on the action runs at these signals, and `end` ends the process.
pub fn catch(end: fn(i32) -> !) {
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    if !INSTALLED.swap(true, Ordering::Relaxed) {
        // If the thread cannot be started, the signals keep their default effect.
        let _ = install(end);
    }
}

/// Waits for the end of this process if a signal is about to end it: an error of the caller is then only a
/// consequence.
pub fn wait_for_end() {
    if CAUGHT.load(Ordering::Relaxed) != 0 {
        std::thread::sleep(ACTION_TIMEOUT);
    }
}

fn install(end: fn(i32) -> !) -> io::Result<()> {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors; the result is checked.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: new descriptors that nobody else owns.
    let (from, to) = unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
    std::thread::Builder::new().name("apg-interrupt".into()).spawn(move || watch(File::from(from), end))?;
    WAKE.store(to.as_raw_fd(), Ordering::Release);
    let _ = to.into_raw_fd();
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the handler is async-signal-safe.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            sanitizer::sigaction(signal, std::ptr::null(), &mut action);
            if action.sa_sigaction == libc::SIG_IGN {
                continue;
            }
            action.sa_sigaction = on_signal as extern "C" fn(i32) as usize;
            action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
            // A thread must not be stopped in the handler: the collector would scan the handler's stack, and
            // beyond its end.
            libc::sigaddset(&mut action.sa_mask, STOP_SIGNAL);
            sanitizer::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
    Ok(())
}

extern "C" fn on_signal(signal: i32) {
    // SAFETY: the calls are async-signal-safe; `errno` of the interrupted code is restored.
    unsafe {
        let errno = *libc::__errno_location();
        let mut now: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now);
        let now = now.tv_sec * 1000 + now.tv_nsec / 1_000_000;
        let first = CAUGHT.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
        match first {
            Ok(_) => {
                let byte = signal as u8;
                libc::write(WAKE.load(Ordering::Acquire), (&raw const byte).cast(), 1);
            }
            Err(first) if now - first < SAME_REQUEST_MILLISECONDS => {}
            Err(_) => {
                libc::signal(signal, libc::SIG_DFL);
                libc::raise(signal);
            }
        }
        *libc::__errno_location() = errno;
    }
}

fn watch(mut from: File, end: fn(i32) -> !) {
    let mut signal = [0];
    while from.read_exact(&mut signal).is_ok() {
        let signal = i32::from(signal[0]);
        let action = ACTION.lock().clone();
        let (done, ended) = mpsc::channel();
        // On a thread of its own, since the action may block forever.
        let acts = std::thread::Builder::new().name("apg-interrupted".into()).spawn(move || {
            let _ = done.send(action.map_or(Then::End, |action| action(signal)));
        });
        let then = acts.ok().and_then(|_| ended.recv_timeout(ACTION_TIMEOUT).ok());
        if then != Some(Then::GoOn) {
            end(signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The handler runs on the alternate signal stack, which the collector does not scan.
    #[test]
    fn no_thread_is_stopped_for_a_collection_in_the_handler() {
        catch(|_| unreachable!("no signal comes"));
        // SAFETY: asks for an action.
        let action = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            sanitizer::sigaction(libc::SIGTERM, std::ptr::null(), &mut action);
            action
        };
        assert_eq!(action.sa_sigaction, on_signal as extern "C" fn(i32) as usize);
        // SAFETY: looks at a set.
        assert_eq!(unsafe { libc::sigismember(&action.sa_mask, STOP_SIGNAL) }, 1);
    }
}
