//! Copies of strided boxes within a device, and to memory of other devices that it reaches: one kernel for
//! many boxes, whatever their strides, and the copy engine for long contiguous ones. They are executed beside
//! kernels of the program, before blocks of these that have not begun.

use std::ffi::c_void;
use std::sync::Arc;

use crate::device::Device;
use crate::device::cuda::driver::sys;
use crate::device::cuda::stream::Stream;
use crate::device::error::{DeviceError, Kind};
use crate::device::launch::module::{Function, Variant};
use crate::layout::{Kernel, Launch, Object};

/// Most axes of a box.
pub const BOX_AXES: usize = 4;
/// Boxes of a launch, which are its parameters: the driver takes 4 KB of these.
const BOXES_PER_LAUNCH: usize = 32;
/// Threads of a block.
const THREADS: u32 = 256;
/// Most blocks for a box: what all multiprocessors of a large device hold.
const MAX_BLOCKS: u32 = 1024;
/// Contiguous bytes from which on the copy engine is as fast as a kernel, and leaves the multiprocessors to
/// others.
const ENGINE_BYTES: u64 = 1 << 20;

/// Elements along an axis of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxAxis {
    /// How many runs.
    pub count: u32,
    /// Distance in bytes in the source.
    pub from: i64,
    /// Distance in bytes in the target.
    pub to: i64,
}

impl BoxAxis {
    /// An axis with one run.
    pub const ONE: BoxAxis = BoxAxis { count: 1, from: 0, to: 0 };
}

/// A copy of runs of bytes along several axes, the last of which varies fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxCopy {
    /// Address of the first run in the source.
    pub source: u64,
    /// Address of the first run in the target.
    pub target: u64,
    /// Contiguous bytes of a run.
    pub run: u32,
    /// The axes.
    pub axes: [BoxAxis; BOX_AXES],
}

impl BoxCopy {
    /// Its bytes.
    pub fn bytes(&self) -> u64 {
        self.axes.iter().map(|it| u64::from(it.count)).product::<u64>() * u64::from(self.run)
    }

    /// Whether it is one run.
    pub fn is_contiguous(&self) -> bool {
        self.axes.iter().all(|it| it.count == 1)
    }

    /// The longest words, up to 16 bytes, of which all runs consist.
    fn word(&self) -> u32 {
        let distances = self.axes.iter().filter(|it| it.count > 1).map(|it| (it.from | it.to) as u64);
        let all = distances.fold(self.source | self.target | u64::from(self.run), |all, it| all | it);
        1 << all.trailing_zeros().min(4)
    }
}

/// A box as the kernel reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct KernelBox {
    source: u64,
    target: u64,
    words: u32,
    run: u32,
    word: u32,
    unused: u32,
    count: [u32; BOX_AXES],
    from: [i64; BOX_AXES],
    to: [i64; BOX_AXES],
}

impl KernelBox {
    /// `None` for more words than the kernel counts.
    fn new(of: &BoxCopy) -> Option<KernelBox> {
        let word = of.word();
        Some(KernelBox {
            source: of.source,
            target: of.target,
            words: u32::try_from(of.bytes() / u64::from(word)).ok().filter(|it| *it < 1 << 31)?,
            run: of.run / word,
            word,
            unused: 0,
            count: of.axes.map(|it| it.count),
            from: of.axes.map(|it| it.from),
            to: of.axes.map(|it| it.to),
        })
    }
}

// Numbers of words have 32 bits, whose division is fast. A row of blocks for each box.
pub(crate) const SOURCE: &std::ffi::CStr = c"
struct Box {
    unsigned long long source, target;
    unsigned words, run, word, unused;
    unsigned count[4];
    long long from[4], to[4];
};
struct Boxes { Box box[32]; };
template <class Word>
static __device__ void copy(const Box &box) {
    const unsigned step = gridDim.x * blockDim.x;
    #pragma unroll 4
    for (unsigned word = blockIdx.x * blockDim.x + threadIdx.x; word < box.words; word += step) {
        unsigned rest = word / box.run;
        long long from = (long long)(word - rest * box.run) * sizeof(Word), to = from;
        #pragma unroll
        for (int axis = 3; axis >= 0; --axis) {
            if (box.count[axis] == 1) continue;
            const unsigned outer = rest / box.count[axis], at = rest - outer * box.count[axis];
            from += at * box.from[axis];
            to += at * box.to[axis];
            rest = outer;
        }
        *reinterpret_cast<Word *>(box.target + to) = *reinterpret_cast<const Word *>(box.source + from);
    }
}
extern \"C\" __global__ void __launch_bounds__(256) apg_copy_boxes(const __grid_constant__ Boxes boxes) {
    const Box &box = boxes.box[blockIdx.y];
    switch (box.word) {
    case 16: copy<uint4>(box); break;
    case 8: copy<uint2>(box); break;
    case 4: copy<unsigned>(box); break;
    case 2: copy<unsigned short>(box); break;
    default: copy<unsigned char>(box);
    }
}";

static KERNEL: Kernel = Kernel {
    name: c"apg_copy_boxes".as_ptr(),
    file: c"copy".as_ptr(),
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

/// A stream for copies of boxes.
pub struct BoxCopier {
    device: Arc<Device>,
    stream: Stream,
    function: Arc<Function>,
}

impl BoxCopier {
    /// A stream of a device.
    ///
    /// # Errors
    /// The kernel cannot be compiled, or the driver fails.
    pub fn new(device: &Arc<Device>) -> Result<BoxCopier, DeviceError> {
        let function = device.function(&KERNEL, Variant::default())?;
        device.context.enter()?;
        let stream =
            Stream::new().map_err(|it| DeviceError::driver(&device.label(), "make a stream", &it))?;
        Ok(BoxCopier { device: Arc::clone(device), stream, function })
    }

    /// Begins copies, which have no order and whose targets are no sources.
    ///
    /// # Errors
    /// The driver fails, or a box has too many words.
    ///
    /// # Safety
    /// The device reaches all boxes, which stay valid until [`BoxCopier::wait`] returns.
    pub unsafe fn submit(&self, copies: &[BoxCopy]) -> Result<(), DeviceError> {
        self.device.context.enter()?;
        let is_long = |it: &&BoxCopy| it.is_contiguous() && it.bytes() >= ENGINE_BYTES;
        for copy in copies.iter().filter(is_long) {
            // SAFETY: the caller's memory.
            let result = unsafe {
                sys::cuMemcpyDtoDAsync_v2(copy.target, copy.source, copy.bytes() as usize, self.stream.0)
            };
            self.device.check(result, "copy between devices")?;
        }
        let too_long = || DeviceError::new(Kind::Unsupported, "a strided copy has more than 2^31 words");
        let others = copies.iter().filter(|it| !is_long(it) && it.bytes() > 0);
        let boxes: Vec<KernelBox> =
            others.map(|it| KernelBox::new(it).ok_or_else(too_long)).collect::<Result<_, _>>()?;
        for part in boxes.chunks(BOXES_PER_LAUNCH) {
            // SAFETY: the caller's memory.
            unsafe { self.launch(part)? };
        }
        Ok(())
    }

    /// Launches the kernel for at most [`BOXES_PER_LAUNCH`] boxes.
    ///
    /// # Safety
    /// As [`BoxCopier::submit`].
    unsafe fn launch(&self, boxes: &[KernelBox]) -> Result<(), DeviceError> {
        let mut all = [KernelBox::default(); BOXES_PER_LAUNCH];
        all[..boxes.len()].copy_from_slice(boxes);
        let words = boxes.iter().map(|it| it.words).max().unwrap_or(0);
        let mut parameters: [*mut c_void; 1] = [std::ptr::from_mut(&mut all).cast()];
        let mut first = sys::CUlaunchAttribute_st {
            id: sys::CUlaunchAttributeID_enum::CU_LAUNCH_ATTRIBUTE_PRIORITY,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue_union { priority: self.device.limits.priority },
        };
        let config = sys::CUlaunchConfig {
            gridDimX: words.div_ceil(THREADS).clamp(1, MAX_BLOCKS),
            gridDimY: boxes.len() as u32,
            gridDimZ: 1,
            blockDimX: THREADS,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            hStream: self.stream.0,
            attrs: &mut first,
            numAttrs: 1,
        };
        // SAFETY: the function takes one structure, which the driver copies before it returns; the memory is
        // valid by the caller.
        let result = unsafe {
            sys::cuLaunchKernelEx(&config, self.function.raw(), parameters.as_mut_ptr(), std::ptr::null_mut())
        };
        self.device.check(result, "launch a copy")
    }

    /// Waits for the end of all copies, whose results other devices and hosts see then.
    ///
    /// # Errors
    /// The device has failed.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.device.context.enter()?;
        // SAFETY: a stream of ours.
        let result = unsafe { sys::cuStreamSynchronize(self.stream.0) };
        self.device.check(result, "end a copy")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(source: u64, run: u32, axis: BoxAxis) -> BoxCopy {
        BoxCopy { source, target: 0x1000, run, axes: [BoxAxis::ONE, BoxAxis::ONE, BoxAxis::ONE, axis] }
    }

    #[test]
    fn words_are_as_wide_as_addresses_runs_and_distances_allow() {
        let rows = |from, to| BoxAxis { count: 3, from, to };
        assert_eq!(copy(0x1000, 48, BoxAxis::ONE).word(), 16);
        assert_eq!(copy(0x1000, 48, rows(40, 48)).word(), 8);
        assert_eq!(copy(0x1004, 48, rows(48, 48)).word(), 4);
        assert_eq!(copy(0x1000, 3, rows(16, 16)).word(), 1);
        assert_eq!(copy(0x1000, 16, rows(-24, 16)).word(), 8);
        // The distance of a single run is none.
        assert_eq!(copy(0x1000, 16, BoxAxis { count: 1, from: 3, to: 5 }).word(), 16);
    }

    #[test]
    fn boxes_of_a_launch_are_small_enough_for_its_parameters() {
        assert!(size_of::<KernelBox>() * BOXES_PER_LAUNCH <= 4096);
        let long = copy(0x1001, 1 << 16, BoxAxis { count: 1 << 15, from: 1 << 17, to: 1 << 16 });
        assert!(KernelBox::new(&long).is_none(), "2^31 bytes at odd addresses");
    }
}
