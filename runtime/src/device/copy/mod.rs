//! Copies between hosts and devices: staged, synchronous, by kernels, speculative, from pinned memory.

pub(crate) mod auto_pin;
pub(crate) mod box_copy;
pub(crate) mod copy_kernel;
pub(crate) mod engine;
pub(crate) mod request;
pub(crate) mod speculative_read;
pub(crate) mod staging_parallel;
pub(crate) mod sync_copy;
pub(crate) mod transfer;
