//! CUDA devices as places: memory, copies, kernels. The driver and the run-time compiler are loaded when they
//! are there; without them every operation is an error with a message, and nothing here panics.
//!
//! Nothing in this module waits for a device on the calling thread but for short driver calls: operations
//! take a [`OnComplete`] and call it, once, on a thread of the device, so that the calling activity can be
//! suspended; some return a [`Completion`], which it may poll.

mod cache;
pub mod collective;
mod copy;
mod cuda;
mod error;
mod launch;
mod mailbox;
mod nvrtc;
mod self_test;
pub(crate) mod team;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use copy::box_copy::{BOX_AXES, BoxAxis, BoxCopier, BoxCopy};
pub use copy::request::Upload;
pub use copy::transfer::Transfer;
pub use cuda::driver::{count, driver_version, request_connections};
pub use cuda::memory::Leaks;
pub use cuda::peer_memory::{HANDLE_BYTES, Handle as PeerHandle};
pub use cuda::stream::{Completion, WaitPolicy, on_completion_hint};
pub use cuda::texture::{
    Form as TextureForm, fill_here as fill_texture_here, free_here as free_texture_here,
    is_here as is_texture_here, make_here as make_texture_here,
};
pub use error::{DeviceError, KernelLocation, Kind};
pub use launch::check_failure::error as fault_error;
pub use launch::extents::Extents;
pub use launch::kernel_args::{Prepared, prepare_host};
pub use launch::launcher::{LaunchError, LaunchOptions, Plan, configure};
pub use launch::occupancy::{HOST_BLOCKS, HOST_THREADS};
pub(crate) use launch::stack::STACK_VARIABLE;
pub use mailbox::{DeviceSlots, PeerChannels};
pub use nvrtc::compile::{DEBUG, FAST_MATH, compile_for, compiler_version, ptx};
pub use nvrtc::resources::{Limit, Occupancy, Resources, architectures, occupancy, resources};
pub use self_test::{Check, self_test};

use crate::topology::Accelerator;
use cuda::driver::{Attribute, Context, sys};

/// Called once, when an operation has ended, on a thread of the device or by the thread that polls for its
/// end: it must not wait for the device itself.
pub type OnComplete = Box<dyn FnOnce(Result<(), DeviceError>) + Send>;

/// Maximum number of concurrent kernels of a device.
const MAX_CONCURRENT_KERNELS: usize = 16;

/// What a device is, without taking it into use.
pub fn describe(ordinal: u32) -> Result<Accelerator, DeviceError> {
    cuda::driver::ready().map_err(DeviceError::unavailable)?;
    let context = cuda::driver::Handle::of(ordinal)?;
    Ok(Accelerator {
        ordinal,
        name: context.device_name()?,
        memory: context.total_memory()?,
        capability: context.capability()?,
    })
}

/// What a device can do at most.
#[derive(Clone, Copy, Debug)]
struct Limits {
    multiprocessors: i32,
    threads_per_block: i32,
    threads_per_multiprocessor: i32,
    block: [i32; 3],
    grid: [i32; 3],
    /// Shared memory of a block without, and with, asking for more.
    shared: i32,
    shared_opt_in: i32,
    /// Of kernels that go before all others.
    priority: i32,
}

/// A CUDA device in use.
pub struct Device {
    ordinal: u32,
    name: String,
    total_memory: u64,
    capability: (u32, u32),
    limits: Limits,
    context: Arc<Context>,
    memory: cuda::memory::Memory,
    textures: cuda::texture::Textures,
    buffers: cuda::buffer_pool::Buffers,
    rail_cache: cache::rail_cache::RailCache,
    faults: launch::check_failure::Faults,
    mailboxes: mailbox::Mailboxes,
    modules: launch::module::Modules,
    kernels: cuda::stream::StreamPool,
    sync_copies: copy::sync_copy::SyncCopies,
    speculative_reads: copy::speculative_read::SpeculativeReads,
    uploads: copy::engine::CopyEngine,
    downloads: copy::engine::CopyEngine,
}

impl Device {
    /// How many multiprocessors it has.
    pub(crate) fn multiprocessors(&self) -> usize {
        usize::try_from(self.limits.multiprocessors).unwrap_or(1)
    }

    /// Takes a device into use. Compiled kernels are stored in `cache` if given.
    pub fn open(ordinal: u32, cache: Option<crate::cache::Cache>) -> Result<Arc<Device>, DeviceError> {
        cuda::driver::ready().map_err(DeviceError::unavailable)?;
        let context = Arc::new(Context::retain(ordinal)?);
        let device = context.device();
        let attribute = |attribute| device.attribute(attribute);
        let limits = Limits {
            multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            threads_per_block: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            threads_per_multiprocessor: attribute(
                Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
            )?,
            block: [
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
            ],
            grid: [
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
            ],
            shared: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
            shared_opt_in: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            priority: context.greatest_priority()?,
        };
        Ok(Arc::new(Device {
            ordinal,
            name: device.device_name()?,
            total_memory: device.total_memory()?,
            capability: device.capability()?,
            limits,
            memory: cuda::memory::Memory::default(),
            textures: cuda::texture::Textures::default(),
            buffers: cuda::buffer_pool::Buffers::default(),
            rail_cache: cache::rail_cache::RailCache::default(),
            faults: launch::check_failure::Faults::default(),
            mailboxes: mailbox::Mailboxes::default(),
            modules: launch::module::Modules::new(cache),
            kernels: cuda::stream::StreamPool::new(&context, ordinal, "gpu", MAX_CONCURRENT_KERNELS)?,
            sync_copies: copy::sync_copy::SyncCopies::new(&context, ordinal)?,
            speculative_reads: copy::speculative_read::SpeculativeReads::default(),
            uploads: copy::engine::CopyEngine::new(&context, format!("apg-gpu{ordinal}-in"))?,
            downloads: copy::engine::CopyEngine::new(&context, format!("apg-gpu{ordinal}-out"))?,
            context,
        }))
    }

    /// What it is, for the topology.
    pub fn describe(&self) -> Accelerator {
        Accelerator {
            ordinal: self.ordinal,
            name: self.name.clone(),
            memory: self.total_memory,
            capability: self.capability,
        }
    }

    /// "CUDA0 (NVIDIA H200)".
    pub fn label(&self) -> String {
        self.to_string()
    }

    /// Compute capability of the device.
    pub fn capability(&self) -> (u32, u32) {
        self.capability
    }

    /// Calls `done` when all work that has been given to the device is done (`CUDAUtilities.syncDevice`).
    pub fn synchronize(&self, done: OnComplete) {
        self.downloads.wait_for_all(done);
    }

    fn check(&self, result: sys::CUresult, what: &str) -> Result<(), DeviceError> {
        cuda::driver::check(result).map_err(|failure| DeviceError::driver(&self.label(), what, &failure))
    }
}

/// As in messages: [`Device::label`].
impl std::fmt::Display for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CUDA{} ({})", self.ordinal, self.name)
    }
}
