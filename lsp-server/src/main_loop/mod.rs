//! The main loop: the one thread that owns the database. Edits, requests and results reach it through one
//! queue, in order.
//!
//! An edit is applied at once, which cancels queries on the text before it. A request runs on a snapshot in a
//! thread pool; if an edit cancels it, it is retried on the new text or, if its positions refer to the old
//! one, ends with `ContentModified`. Every request is answered exactly once. Diagnostics are computed when
//! the queue is empty, and published only if no edit has come since. The loop never waits for a request or
//! for the client.

mod diagnostics;
pub(crate) mod event;
mod event_loop;
pub(crate) mod handle;
#[cfg(test)]
mod tests;

pub(crate) use self::event_loop::start;
