//! Frames: the wire format of messages and puts on a byte stream.

pub(crate) mod assembly;
pub mod encoding;
