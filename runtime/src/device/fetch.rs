//! Short copies from the device behind a kernel: a kernel too, which writes to host memory by itself. A copy engine is told by the device
//! that the kernel before has ended, and begins some 6 us after it (H100); another kernel on the same stream is there at once.

use std::ffi::c_void;
use std::sync::Arc;

use super::Device;
use super::driver::{self, Failure, sys};
use super::module::{Function, Variant};
use super::queue::Stream;
use crate::layout::{Kernel, Launch, Object};

/// Most threads: there is one block, which knows when all of it has arrived.
const THREADS: u32 = 1024;
/// Bytes that a thread moves at once, where all lies so.
const WORD: u64 = 16;
/// Most bytes that are moved one by one.
const MOST_SINGLE: u32 = 4 << 10;

// What is written last says that the rest is there: the stream's own mark takes a microsecond more.
pub(super) const SOURCE: &std::ffi::CStr = c"
extern \"C\" __global__ void apg_fetch(unsigned char *__restrict__ target, const unsigned char *__restrict__ source, unsigned words,
                                     unsigned bytes, volatile unsigned *ended) {
    #pragma unroll 4
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
        reinterpret_cast<uint4 *>(target)[i] = reinterpret_cast<const uint4 *>(source)[i];
    #pragma unroll 4
    for (unsigned i = 16 * words + threadIdx.x; i < bytes; i += blockDim.x) target[i] = source[i];
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) *ended = 1;
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

/// In how many words a copy is moved, and by how many threads; the bytes behind the words are moved one by one. None if those are
/// too many.
fn parts(source: u64, target: u64, bytes: u32) -> Option<(u32, u32)> {
    let words = if (source | target).is_multiple_of(WORD) { bytes / WORD as u32 } else { 0 };
    let rest = bytes - words * WORD as u32;
    (rest <= MOST_SINGLE).then(|| (words, words.max(rest).next_multiple_of(32).min(THREADS)))
}

/// A copy to host memory.
pub struct Fetch {
    function: Arc<Function>,
    source: u64,
    target: u64,
    bytes: u32,
    words: u32,
    threads: u32,
}

impl Device {
    /// A copy of so many bytes to host memory that the device knows by the same address; none if it would be slow, or the kernel cannot
    /// be compiled.
    pub(super) fn fetch(&self, source: u64, target: u64, bytes: u32) -> Option<Fetch> {
        let (words, threads) = parts(source, target, bytes)?;
        let function = self.function(&KERNEL, Variant::default()).ok()?;
        Some(Fetch { function, source, target, bytes, words, threads })
    }
}

impl Fetch {
    /// Puts it on a stream. The device writes 1 to `ended` when all before it on the stream and the copy have ended.
    ///
    /// # Safety
    /// Both sides are valid until then, and the target is this copy's alone; the device knows `ended` by the same address.
    pub unsafe fn put(&self, stream: &Stream, ended: *const u32) -> Result<(), Failure> {
        let Fetch { mut source, mut target, mut bytes, mut words, threads, .. } = *self;
        let mut ended = ended;
        let mut parameters: [*mut c_void; 5] = [
            std::ptr::from_mut(&mut target).cast(),
            std::ptr::from_mut(&mut source).cast(),
            std::ptr::from_mut(&mut words).cast(),
            std::ptr::from_mut(&mut bytes).cast(),
            std::ptr::from_mut(&mut ended).cast(),
        ];
        let (function, parameters, none) =
            (self.function.raw(), parameters.as_mut_ptr(), std::ptr::null_mut());
        // SAFETY: the function takes these five, which the driver copies before it returns; the memory is valid by the caller.
        driver::check(unsafe {
            sys::cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, stream.0, parameters, none)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_moved_where_both_sides_lie_so() {
        assert_eq!(parts(0x1000, 0x2000, 40), Some((2, 32)));
        assert_eq!(parts(0x1000, 0x2000, 15), Some((0, 32)));
        assert_eq!(parts(0x1008, 0x2000, 40), Some((0, 64)));
        assert_eq!(parts(0x1000, 0x2001, 40), Some((0, 64)));
        assert_eq!(parts(0x1000, 0x2000, 64 << 10), Some((4096, 1024)));
        assert_eq!(parts(0x1008, 0x2000, 64 << 10), None);
    }
}
