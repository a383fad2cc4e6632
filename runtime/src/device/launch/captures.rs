//! The captures of a kernel, as its descriptor lists them.

use crate::layout::{Capture, Kernel};

/// The captures of a kernel.
pub(crate) fn captures(kernel: &Kernel) -> &[Capture] {
    if kernel.capture_count == 0 {
        return &[];
    }
    // SAFETY: descriptors are static data of the program and say their own lengths.
    unsafe { std::slice::from_raw_parts(kernel.captures, kernel.capture_count as usize) }
}
