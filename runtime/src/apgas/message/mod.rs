//! Active messages between places: their kinds and encodings, and checked decoding.

pub(crate) mod decode;
pub(crate) mod kinds;
