//! Copy kernel: short copies from the device behind a kernel by another kernel, which writes to host memory.
//! A copy engine starts some microseconds after the device signals the end of the previous kernel; a kernel
//! on the same stream starts at once. It goes before all blocks of other kernels that have not begun: it must
//! not wait for a device that is full of them.

use std::ffi::c_void;
use std::sync::Arc;

use crate::device::Device;
use crate::device::cuda::driver;
use crate::device::cuda::driver::sys;
use crate::device::cuda::failure::Failure;
use crate::device::cuda::stream::Stream;
use crate::device::launch::module::{Function, Variant};
use crate::layout::{Kernel, Launch, Object};

/// Threads of the only block, which knows when all of it has arrived, and finds room soon.
const THREADS: u32 = 256;
/// Maximum number of words that one block moves fast.
const MAX_WORDS: u32 = 16 << 10;

// What is written last says that the rest is there, all that the kernel before has written included: its end
// comes before this begins, and the fence is for what its thread knows of.
pub(crate) const SOURCE: &std::ffi::CStr = c"
template <class Word>
static __device__ void copy(void *target, const void *source, unsigned words) {
    Word *__restrict__ to = static_cast<Word *>(target);
    const Word *__restrict__ from = static_cast<const Word *>(source);
    #pragma unroll 4
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) to[i] = from[i];
}
extern \"C\" __global__ void __launch_bounds__(256) apg_fetch(void *target, const void *source, unsigned size, unsigned words,
                                                            volatile unsigned *ended) {
    switch (size) {
    case 16: copy<uint4>(target, source, words); break;
    case 8: copy<uint2>(target, source, words); break;
    case 4: copy<unsigned>(target, source, words); break;
    case 2: copy<unsigned short>(target, source, words); break;
    default: copy<unsigned char>(target, source, words);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        *ended = 1;
    }
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
    communicates: 0,
    capture_count: 0,
    captures: std::ptr::null(),
    shared_count: 0,
    shared_element_sizes: std::ptr::null(),
    configure,
    cpu,
    proven: None,
    block_choices: std::ptr::null(),
    block_choice_count: 0,
    thread_choices: std::ptr::null(),
    thread_choice_count: 0,
};

// It is put on streams by itself, not launched as the kernels of programs are.
unsafe extern "C" fn configure(_: *const c_void, _: i32, _: i32, _: *mut Launch) -> *mut Object {
    std::ptr::null_mut()
}

unsafe extern "C" fn cpu(_: *const c_void, _: *const Launch, _: i64, _: i64) -> *mut Object {
    std::ptr::null_mut()
}

/// The longest words that a copy consists of, up to 16 bytes, and their number. None if those are too many.
fn words(source: u64, target: u64, bytes: u32) -> Option<(u32, u32)> {
    let size = 1 << (source | target | u64::from(bytes)).trailing_zeros().min(4);
    Some((size, bytes / size)).filter(|it| it.1 <= MAX_WORDS)
}

/// A copy to host memory.
pub(crate) struct Fetch {
    function: Arc<Function>,
    source: u64,
    target: u64,
    size: u32,
    words: u32,
    priority: i32,
}

impl Device {
    /// A copy of `bytes` bytes to host memory that the device knows by the same address; none if it would be
    /// slow, or the kernel cannot be compiled.
    pub(crate) fn fetch(&self, source: u64, target: u64, bytes: u32) -> Option<Fetch> {
        let (size, words) = words(source, target, bytes)?;
        let function = self.function(&KERNEL, Variant::default()).ok()?;
        Some(Fetch { function, source, target, size, words, priority: self.limits.priority })
    }
}

impl Fetch {
    /// Submits it to a stream. The device writes 1 to `ended` when all before it on the stream and the copy
    /// have ended.
    ///
    /// # Safety
    /// Both sides are valid until then, and the target is this copy's alone; the device knows `ended` by the
    /// same address.
    pub(crate) unsafe fn put(&self, stream: &Stream, ended: *const u32) -> Result<(), Failure> {
        let Fetch { mut source, mut target, mut size, mut words, priority, .. } = *self;
        let mut ended = ended;
        let mut parameters: [*mut c_void; 5] = [
            std::ptr::from_mut(&mut target).cast(),
            std::ptr::from_mut(&mut source).cast(),
            std::ptr::from_mut(&mut size).cast(),
            std::ptr::from_mut(&mut words).cast(),
            std::ptr::from_mut(&mut ended).cast(),
        ];
        let mut first = sys::CUlaunchAttribute_st {
            id: sys::CUlaunchAttributeID_enum::CU_LAUNCH_ATTRIBUTE_PRIORITY,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue_union { priority },
        };
        let config = sys::CUlaunchConfig {
            gridDimX: 1,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: words.next_multiple_of(32).min(THREADS),
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            hStream: stream.0,
            attrs: &mut first,
            numAttrs: 1,
        };
        let (function, none) = (self.function.raw(), std::ptr::null_mut());
        // SAFETY: the function takes these five, which the driver copies before it returns; the memory is
        // valid by the caller.
        driver::check(unsafe { sys::cuLaunchKernelEx(&config, function, parameters.as_mut_ptr(), none) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_wide_as_alignment_and_length_allow() {
        assert_eq!(words(0x1000, 0x2000, 48), Some((16, 3)));
        assert_eq!(words(0x1000, 0x2000, 40), Some((8, 5)));
        assert_eq!(words(0x1000, 0x2000, 15), Some((1, 15)));
        assert_eq!(words(0x1004, 0x2000, 64 << 10), Some((4, 16 << 10)));
        assert_eq!(words(0x1002, 0x2000, 64 << 10), None);
        assert_eq!(words(0x1000, 0x2001, 40), Some((1, 40)));
    }
}
