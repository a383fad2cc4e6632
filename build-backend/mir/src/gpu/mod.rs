//! The GPU dialect: kernels, their launch configuration, thread indices, atomic and collective operations.

mod collective;
mod kernel;
pub mod team;
pub mod thread_index;

pub use collective::{AtomicOperation, CollectiveOp};
pub use kernel::{Kernel, KernelCapture, KernelCaptureKind, LaunchConfiguration, SharedArray, SharedInit};
pub use thread_index::ThreadIndex;
