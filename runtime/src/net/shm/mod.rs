//! Shared memory between two processes of one machine: rings for bytes, doorbells to wake the other end.

pub(crate) mod doorbell;
pub(crate) mod ring;
pub(crate) mod ring_reader;
pub(crate) mod setup;
