//! Signals that this process uses.

/// The signal by which the collector stops threads. No handler runs while it is delivered.
pub const STOP_SIGNAL: libc::c_int = libc::SIGPWR;
