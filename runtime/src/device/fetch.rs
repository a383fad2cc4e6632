//! Short copies from the device behind a kernel: a kernel too, which writes to host memory by itself. A copy engine is told by the device
//! that the kernel before has ended, and begins some 6 us after it (H100); another kernel on the same stream is there at once.

use std::ffi::c_void;
use std::sync::Arc;

use super::Device;
use super::driver::{self, Failure, sys};
use super::module::{Function, Variant};
use super::queue::Stream;
use crate::layout::{Kernel, Launch, Object};

/// Threads of a block.
const THREADS: u32 = 256;
/// Bytes that a thread moves at once, where all lies so.
const WORD: u64 = 16;

pub(super) const SOURCE: &std::ffi::CStr = c"
extern \"C\" __global__ void apg_fetch(unsigned char *target, const unsigned char *source, unsigned words, unsigned rest) {
    unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < words) reinterpret_cast<uint4 *>(target)[index] = reinterpret_cast<const uint4 *>(source)[index];
    if (index < rest) target[16 * words + index] = source[16 * words + index];
}";

static KERNEL: Kernel = Kernel {
    name: c"apg_fetch".as_ptr(),
    file: c"read".as_ptr(),
    line: 1,
    cuda: SOURCE.as_ptr(),
    env_size: 0,
    env_by_value: 1,
    auto_blocks: 0,
    auto_threads: 0,
    early: 0,
    capture_count: 0,
    captures: std::ptr::null(),
    shared_count: 0,
    shared_element_sizes: std::ptr::null(),
    configure,
    cpu,
    proven: None,
};

// It is put on streams by itself, not launched as the kernels of programs are.
unsafe extern "C" fn configure(_: *const c_void, _: i32, _: i32, _: *mut Launch) -> *mut Object {
    std::ptr::null_mut()
}

unsafe extern "C" fn cpu(_: *const c_void, _: *const Launch, _: i64, _: i64) -> *mut Object {
    std::ptr::null_mut()
}

/// How many words a copy has, and how many bytes behind them.
fn parts(source: u64, target: u64, bytes: u32) -> (u32, u32) {
    let words = if (source | target).is_multiple_of(WORD) { bytes / WORD as u32 } else { 0 };
    (words, bytes - words * WORD as u32)
}

/// A copy to host memory.
pub struct Fetch {
    function: Arc<Function>,
    source: u64,
    target: u64,
    bytes: u32,
}

impl Device {
    /// A copy of so many bytes to host memory that the device knows by the same address; none if the kernel cannot be compiled.
    pub(super) fn fetch(&self, source: u64, target: u64, bytes: u32) -> Option<Fetch> {
        let function = self.function(&KERNEL, Variant::default()).ok()?;
        Some(Fetch { function, source, target, bytes })
    }
}

impl Fetch {
    /// Puts it on a stream.
    ///
    /// # Safety
    /// Both sides are valid until the stream has come so far, and the target is this copy's alone.
    pub unsafe fn put(&self, stream: &Stream) -> Result<(), Failure> {
        let (mut words, mut rest) = parts(self.source, self.target, self.bytes);
        let blocks = words.max(rest).div_ceil(THREADS);
        let (mut target, mut source) = (self.target, self.source);
        let mut parameters: [*mut c_void; 4] = [
            std::ptr::from_mut(&mut target).cast(),
            std::ptr::from_mut(&mut source).cast(),
            std::ptr::from_mut(&mut words).cast(),
            std::ptr::from_mut(&mut rest).cast(),
        ];
        let (function, parameters, none) =
            (self.function.raw(), parameters.as_mut_ptr(), std::ptr::null_mut());
        // SAFETY: the function takes these four, which the driver copies before it returns; the memory is valid by the caller.
        driver::check(unsafe {
            sys::cuLaunchKernel(function, blocks, 1, 1, THREADS, 1, 1, 0, stream.0, parameters, none)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_moved_where_both_sides_lie_so() {
        assert_eq!(parts(0x1000, 0x2000, 40), (2, 8));
        assert_eq!(parts(0x1000, 0x2000, 15), (0, 15));
        assert_eq!(parts(0x1008, 0x2000, 40), (0, 40));
        assert_eq!(parts(0x1000, 0x2001, 40), (0, 40));
    }
}
