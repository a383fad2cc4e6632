//! Launches of teams: cooperative ones, whose number of blocks is what the device holds at once, and ordinary
//! ones with as many blocks as suit a loop of independent threads. The launching thread serves the kernel
//! until its end.

use std::ffi::c_void;
use std::sync::Arc;

use crate::device::Device;
use crate::device::cuda::driver::sys;
use crate::device::cuda::stream::Stream;
use crate::device::error::{DeviceError, Kind};
use crate::device::launch::check_failure::Record;
use crate::device::launch::extents::Extents;
use crate::device::launch::module::{Function, Variant, location_of};
use crate::device::mailbox::allocate_pinned;
use crate::layout::{Kernel, LaunchShared, MAX_SHARED};

/// Threads of a block, unless the team is small or needs many registers.
const BLOCK: i64 = 256;

/// Blocks of a multiprocessor, of a team whose size the program leaves open and whose threads wait for each
/// other: a barrier takes longer with more.
const WAITING_BLOCKS: i64 = 4;

/// Blocks of a multiprocessor, of another team whose size the program leaves open: memory is busier with
/// more.
const MAX_BLOCKS: i64 = 8;

/// Iterations of a thread, of a loop with more of them than the device holds threads: what a thread does in
/// front of its iterations takes as long as some light ones.
const ITERATIONS: i64 = 8;

/// How many times as many threads as the device holds at once execute a loop of unknown length.
const WAVES: i64 = 4;

/// The most threads of a team.
const MAX_THREADS: i64 = 1 << 30;

/// Threads of a warp.
const WARP: i64 = 32;

/// The extents of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Blocks.
    pub blocks: i32,
    /// Threads of a block.
    pub block: i32,
    /// Threads of the team: the last block may have more.
    pub threads: i32,
    /// All blocks run at the same time.
    pub is_resident: bool,
}

impl Shape {
    /// The extents of a team of `wanted` threads, 0 for as many as are best with at most `most` blocks a
    /// multiprocessor, on `multiprocessors`; a block has at most `largest` threads, and `resident` tells how
    /// many blocks of a size a multiprocessor holds. A team that the device does not hold has fewer threads
    /// (OpenMP 2.5, section 2.3).
    pub(crate) fn choose(
        (wanted, most): (i64, i64),
        multiprocessors: i64,
        largest: i64,
        resident: &mut dyn FnMut(i64) -> Result<i64, DeviceError>,
    ) -> Result<Option<Shape>, DeviceError> {
        // Threads of a small team have a warp each: none waits until others have taken another branch.
        if (1..=WAITING_BLOCKS * multiprocessors).contains(&wanted)
            && wanted <= resident(1)? * multiprocessors
        {
            let threads = wanted as i32;
            return Ok(Some(Shape { blocks: threads, block: 1, threads, is_resident: true }));
        }
        let largest = (largest / WARP * WARP).clamp(WARP, BLOCK);
        let each = (wanted + multiprocessors - 1) / multiprocessors;
        let spread = ((each + WARP - 1) / WARP * WARP).clamp(WARP, largest);
        let block = if wanted > 0 { spread } else { largest };
        let held = resident(block)?;
        if held < 1 {
            return Ok(None);
        }
        let threads = match wanted {
            0 => multiprocessors * held.min(most) * block,
            wanted => wanted.min(multiprocessors * held * block),
        };
        Ok(Some(Shape::of(threads, block, true)))
    }

    /// The extents of a loop of about `iterations`, 0 for an unknown number, whose threads know nothing of
    /// each other: the device executes its blocks one after the other, so that all multiprocessors are busy
    /// until the end. The other values are those of [`Shape::choose`].
    pub(crate) fn independent(
        iterations: u64,
        multiprocessors: i64,
        largest: i64,
        resident: &mut dyn FnMut(i64) -> Result<i64, DeviceError>,
    ) -> Result<Option<Shape>, DeviceError> {
        let block = (largest / WARP * WARP).clamp(WARP, BLOCK);
        let held = resident(block)?;
        if held < 1 {
            return Ok(None);
        }
        let at_once = multiprocessors * held * block;
        let iterations = i64::try_from(iterations).unwrap_or(i64::MAX);
        let threads = match iterations {
            0 => at_once * WAVES,
            few if few <= at_once => few,
            many => at_once.max((many / ITERATIONS + block - 1) / block * block),
        };
        Ok(Some(Shape::of(threads.min(MAX_THREADS), block, false)))
    }

    fn of(threads: i64, block: i64, is_resident: bool) -> Shape {
        let blocks = (threads + block - 1) / block;
        Shape { blocks: blocks as i32, block: block as i32, threads: threads as i32, is_resident }
    }
}

/// A stream of the launches of teams.
pub(crate) struct TeamStream(Stream);

impl TeamStream {
    /// For the driver.
    pub(super) fn raw(&self) -> sys::CUstream {
        self.0.0
    }
}

impl Device {
    /// Makes a stream; threads of kernels get at least `stack` bytes of stack.
    pub(crate) fn team_stream(&self, stack: usize) -> Result<TeamStream, DeviceError> {
        self.context.enter()?;
        self.raise_stack(stack)?;
        let made = Stream::new();
        made.map(TeamStream).map_err(|failure| DeviceError::driver(&self.label(), "make a stream", &failure))
    }

    /// The most threads of a team that asks for no number.
    pub(crate) fn most_team_threads(&self) -> i64 {
        i64::from(self.limits.multiprocessors) * MAX_BLOCKS * BLOCK
    }

    /// The code of a region, and the extents of its team, whose threads wait for each other or not; of a loop
    /// whose threads know nothing of each other there is the number of iterations.
    pub(crate) fn team_function(
        &self,
        kernel: &'static Kernel,
        wanted: i64,
        has_waits: bool,
        iterations: Option<u64>,
    ) -> Result<(Arc<Function>, Shape), DeviceError> {
        let at = |error: DeviceError| error.at(&location_of(kernel));
        let function = self.function(kernel, Variant::default()).map_err(at)?;
        self.context.enter()?;
        let multiprocessors = i64::from(self.limits.multiprocessors);
        let mut resident = |block: i64| Ok(self.resident_blocks(&function, block as i32, 0)?.into());
        let largest = i64::from(function.max_threads);
        let shape = match iterations {
            Some(count) if wanted == 0 => Shape::independent(count, multiprocessors, largest, &mut resident)?,
            _ => {
                let most = if has_waits { WAITING_BLOCKS } else { MAX_BLOCKS };
                Shape::choose((wanted, most), multiprocessors, largest, &mut resident)?
            }
        };
        let message = || format!("{self} has not the registers for a block of this region");
        let shape = shape.ok_or_else(|| at(DeviceError::new(Kind::IllegalOperation, message())))?;
        Ok((function, shape))
    }

    /// Runs a region, and calls `serve` until it has ended.
    ///
    /// # Safety
    /// `environment` is an environment of the kernel; what it leads to stays there until this returns.
    pub(crate) unsafe fn launch_team(
        self: &Arc<Self>,
        stream: &TeamStream,
        kernel: &'static Kernel,
        (function, shape): (&Function, Shape),
        environment: &mut [u8],
        serve: &mut dyn FnMut() -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        self.context.enter()?;
        let record = Record::new(self)?;
        let mut shared = LaunchShared {
            offset: [0; MAX_SHARED],
            length: [0; MAX_SHARED],
            fault: record.address(),
            mailbox: 0,
        };
        let mut by_pointer = match kernel.env_by_value {
            0 => Some(self.upload_bytes(stream, environment)?),
            _ => None,
        };
        let first: *mut c_void = match &mut by_pointer {
            Some(address) => (&raw mut *address).cast(),
            None => environment.as_mut_ptr().cast(),
        };
        let mut parameters = [first, (&raw mut shared).cast()];
        let Shape { blocks, block, is_resident, .. } = shape;
        let (x, threads, stream) = (blocks as u32, block as u32, stream.raw());
        let (function, values) = (function.raw(), parameters.as_mut_ptr());
        // SAFETY: a function with these parameters, which the driver copies; the caller's environment.
        let started = unsafe {
            match is_resident {
                true => sys::cuLaunchCooperativeKernel(function, x, 1, 1, threads, 1, 1, 0, stream, values),
                false => {
                    let none = std::ptr::null_mut();
                    sys::cuLaunchKernel(function, x, 1, 1, threads, 1, 1, 0, stream, values, none)
                }
            }
        };
        self.check(started, "start a parallel region").map_err(|it| it.at(&location_of(kernel)))?;
        loop {
            // SAFETY: a stream of this device.
            match unsafe { sys::cuStreamQuery(stream) } {
                sys::CUresult::CUDA_ERROR_NOT_READY => serve()?,
                result => {
                    self.check(result, "run a parallel region").map_err(|it| it.at(&location_of(kernel)))?;
                    break;
                }
            }
        }
        if let Some(address) = by_pointer {
            self.free_untracked(address)?;
        }
        let extents = Extents { blocks: [blocks, 1, 1], threads: [block, 1, 1] };
        record.error(&extents).map_or(Ok(()), Err)
    }

    /// Device memory with these bytes, for regions on the stream.
    pub(crate) fn upload_bytes(&self, stream: &TeamStream, bytes: &[u8]) -> Result<u64, DeviceError> {
        let address = self.allocate_untracked(bytes.len().max(1) as u64)?;
        self.write_bytes(stream, address, bytes)?;
        // SAFETY: a stream of this device.
        self.check(unsafe { sys::cuStreamSynchronize(stream.raw()) }, "copy what a team reads")?;
        Ok(address)
    }

    /// Writes device memory, which regions on the stream alone use, in front of the next one. The bytes stay
    /// until that has ended: they may be in registered memory, which the driver does not copy first (CUDA
    /// Driver API, API synchronization behavior).
    pub(crate) fn write_bytes(
        &self,
        stream: &TeamStream,
        address: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.context.enter()?;
        // SAFETY: memory of the device, as the caller says; the bytes stay there.
        let copied =
            unsafe { sys::cuMemcpyHtoDAsync_v2(address, bytes.as_ptr().cast(), bytes.len(), stream.raw()) };
        self.check(copied, "copy the state of a team")
    }

    /// Copies device memory, which regions on the stream alone use, in front of the next one.
    pub(crate) fn copy_bytes(
        &self,
        stream: &TeamStream,
        to: u64,
        from: u64,
        bytes: u64,
    ) -> Result<(), DeviceError> {
        self.context.enter()?;
        // SAFETY: memory of the device, as the caller says.
        let copied = unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes as usize, stream.raw()) };
        self.check(copied, "renew the state of a team")
    }

    /// Memory of the host that the device knows by the same address, all zeros. It stays there.
    pub(crate) fn shared_words(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        self.context.enter()?;
        let memory = allocate_pinned(self, bytes)?;
        // SAFETY: memory of that size, which nothing uses.
        unsafe { memory.write_bytes(0, bytes) };
        Ok(memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(wanted: i64, largest: i64, resident: i64) -> Option<Shape> {
        Shape::choose((wanted, WAITING_BLOCKS), 132, largest, &mut |_| Ok(resident))
            .expect("no device is asked")
    }

    #[test]
    fn teams_fill_the_device() {
        let filled = Shape { blocks: 528, block: 256, threads: 135_168, is_resident: true };
        assert_eq!(shape(0, 1024, 8), Some(filled));
        let more = Shape::choose((0, MAX_BLOCKS), 132, 1024, &mut |_| Ok(6)).expect("no device is asked");
        assert_eq!(more, Some(Shape { blocks: 792, block: 256, threads: 202_752, is_resident: true }));
        assert_eq!(
            shape(0, 200, 1),
            Some(Shape { blocks: 132, block: 192, threads: 25_344, is_resident: true })
        );
    }

    #[test]
    fn small_teams_are_spread_over_warps_and_multiprocessors() {
        assert_eq!(shape(4, 1024, 8), Some(Shape { blocks: 4, block: 1, threads: 4, is_resident: true }));
        assert_eq!(
            shape(1000, 1024, 8),
            Some(Shape { blocks: 32, block: 32, threads: 1000, is_resident: true })
        );
    }

    #[test]
    fn teams_have_no_more_threads_than_the_device_holds() {
        assert_eq!(
            shape(1 << 40, 1024, 2),
            Some(Shape { blocks: 264, block: 256, threads: 67_584, is_resident: true })
        );
        assert_eq!(shape(4, 1024, 0), None);
    }

    #[test]
    fn loops_of_independent_threads_have_as_many_as_keep_the_device_busy() {
        let shape = |iterations: u64, largest: i64, held: i64| {
            Shape::independent(iterations, 132, largest, &mut |_| Ok(held)).expect("no device is asked")
        };
        let threads = |iterations| shape(iterations, 1024, 8).map(|it| (it.blocks, it.threads));
        assert_eq!(threads(1000), Some((4, 1000)));
        assert_eq!(threads(270_336), Some((1056, 270_336)));
        assert_eq!(threads(300_000), Some((1056, 270_336)));
        assert_eq!(threads(1 << 26), Some((1 << 15, 1 << 23)));
        assert_eq!(threads(0), Some((4224, 1_081_344)));
        assert_eq!(threads(u64::MAX - 1), Some((1 << 22, 1 << 30)));
        assert_eq!(shape(1000, 96, 1).map(|it| (it.block, it.is_resident)), Some((96, false)));
        assert_eq!(shape(1000, 1024, 0), None);
    }
}
