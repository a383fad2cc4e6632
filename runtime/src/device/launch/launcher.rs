//! Kernel launches: extents and shared memory, checks against the device's limits, uploads of captured
//! values, the launch itself.

use std::ffi::c_void;
use std::sync::Arc;

use crate::device::cache::constants;
use crate::device::cache::constants::Part;
use crate::device::copy::request::Upload;
use crate::device::copy::speculative_read::{PendingRead, Reader};
use crate::device::copy::sync_copy::keeping;
use crate::device::cuda::buffer_pool::Buffer;
use crate::device::cuda::driver;
use crate::device::cuda::driver::sys;
use crate::device::cuda::failure::Failure;
use crate::device::cuda::stream::{Completion, EndSignal, KernelTimer, Stream, Submission};
use crate::device::error::{DeviceError, Kind};
use crate::device::launch::check_failure::Record;
use crate::device::launch::extents::Extents;
use crate::device::launch::kernel_args;
use crate::device::launch::kernel_args::Prepared;
use crate::device::launch::module::{Function, Variant, location_of};
use crate::device::launch::occupancy;
use crate::device::mailbox::{DeviceSlots, Session};
use crate::device::{Device, OnComplete};
use crate::layout::{Kernel, Launch, LaunchShared, MAX_SHARED, Object};
use crate::profile;

/// Shared rails start at multiples of this: the widest access of the device.
const SHARED_ALIGNMENT: u64 = 16;

/// Captured rails up to this size together are uploaded without pinned memory and without the copy thread.
const MAX_DIRECT_UPLOADS: u64 = 48 << 10;
/// Captured rails up to this size together are uploaded through staging buffers by the launching thread.
const MAX_STAGED_UPLOADS: u64 = 512 << 10;

/// Why a launch did not begin.
pub enum LaunchError {
    /// The program's own code for the extents raised this exception.
    Raised(*mut Object),
    /// The device cannot run the launch.
    Device(DeviceError),
}

impl From<DeviceError> for LaunchError {
    fn from(error: DeviceError) -> LaunchError {
        LaunchError::Device(error)
    }
}

/// Options of a launch.
#[derive(Default)]
pub struct LaunchOptions<'a> {
    /// Whether all writers of captured rails are known, so that the rails' memory may be watched.
    pub may_watch: bool,
    /// Given if the launching activity may write to captured rails before the kernel has ended. If the launch
    /// still reads them when it returns, this makes a callback, which is called when they are not read any
    /// more.
    pub when_read: Option<&'a mut dyn FnMut() -> Box<dyn FnOnce() + Send>>,
    /// The slots of the launching place, for a kernel that makes calls of slots.
    pub slots: Option<Arc<dyn DeviceSlots>>,
}

/// Extents of a launch, and offsets of shared rails. The plan is filled in place, since a copy of its
/// hundreds of bytes would be noticeable in a launch, which takes microseconds.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Extents that the program has computed.
    pub launch: Launch,
    shared: LaunchShared,
    shared_bytes: u64,
}

impl Default for Plan {
    fn default() -> Plan {
        let launch = Launch {
            blocks: [1; 3],
            threads: [1; 3],
            shared_lengths: [0; MAX_SHARED],
            fault: std::ptr::null_mut(),
            proven: 0,
        };
        let shared = LaunchShared { offset: [0; MAX_SHARED], length: [0; MAX_SHARED], fault: 0, mailbox: 0 };
        Plan { launch, shared, shared_bytes: 0 }
    }
}

impl Plan {
    /// Number of threads of a block.
    fn threads(&self) -> i64 {
        self.launch.threads.iter().map(|extent| i64::from(*extent)).product()
    }

    /// Number of blocks of the launch.
    fn blocks(&self) -> i64 {
        self.launch.blocks.iter().map(|extent| i64::from(*extent)).fold(1, i64::saturating_mul)
    }

    /// Offset of a shared rail in dynamic shared memory.
    pub fn shared_offset(&self, index: usize) -> u32 {
        self.shared.offset[index]
    }

    /// Whether there are no threads to run.
    pub fn is_empty(&self) -> bool {
        self.launch.blocks.iter().chain(&self.launch.threads).any(|extent| *extent == 0)
    }
}

/// Computes extents and shared lengths by calling the program's code.
///
/// # Safety
/// `environment` is an environment of the kernel.
pub unsafe fn configure(
    kernel: &Kernel,
    environment: *const c_void,
    blocks: i32,
    threads: i32,
    plan: &mut Plan,
) -> Result<(), LaunchError> {
    let launch = &mut plan.launch;
    (launch.blocks, launch.threads) = ([1; 3], [1; 3]);
    launch.shared_lengths[..kernel.shared_count as usize].fill(0);
    // SAFETY: the kernel's own function, with its environment.
    let raised = unsafe { (kernel.configure)(environment, blocks, threads, launch) };
    if !raised.is_null() {
        return Err(LaunchError::Raised(raised));
    }
    let axes = launch.blocks.iter().zip(["block"; 3]).chain(launch.threads.iter().zip(["thread"; 3]));
    for (extent, what) in axes {
        if *extent < 0 {
            let message = format!("the extent of a {what} loop is {extent}");
            return Err(DeviceError::new(Kind::IllegalOperation, message).at(&location_of(kernel)).into());
        }
    }
    if launch.blocks.contains(&0) {
        // Blocks allocate shared rails; there are none.
        return Ok(());
    }
    plan.lay_out_shared(kernel).map_err(|error| error.at(&location_of(kernel)).into())
}

impl Plan {
    fn lay_out_shared(&mut self, kernel: &Kernel) -> Result<(), DeviceError> {
        let count = kernel.shared_count as usize;
        let sizes: &[u32] = if count == 0 {
            &[]
        } else {
            // SAFETY: descriptors are static data of the program and say their own lengths.
            unsafe { std::slice::from_raw_parts(kernel.shared_element_sizes, count) }
        };
        let mut end = 0_u64;
        for (index, size) in sizes.iter().enumerate() {
            let length = self.launch.shared_lengths.get(index).copied().unwrap_or(-1);
            let (Ok(elements), Ok(offset)) = (i32::try_from(length), u32::try_from(end)) else {
                return Err(shared_error(length));
            };
            if elements < 0 {
                return Err(shared_error(length));
            }
            self.shared.offset[index] = offset;
            self.shared.length[index] = elements;
            end = (end + elements as u64 * u64::from(*size)).next_multiple_of(SHARED_ALIGNMENT);
        }
        self.shared_bytes = end;
        Ok(())
    }
}

fn shared_error(length: i64) -> DeviceError {
    let kind = if length < 0 { Kind::NegativeSize } else { Kind::IllegalOperation };
    DeviceError::new(kind, format!("a rail in shared memory has {length} elements"))
}

impl Device {
    /// Runs a kernel; `done` is called when it has ended, unless the launch fails at once. Returns a
    /// completion handle if the caller may poll for the end.
    ///
    /// # Safety
    /// `environment` is an environment of the kernel, and the rails it names are valid until `done` is
    /// called.
    pub unsafe fn launch(
        self: &Arc<Self>,
        place: i64,
        kernel: &'static Kernel,
        environment: &[u8],
        terms: LaunchOptions<'_>,
        done: OnComplete,
    ) -> Result<Option<Completion>, LaunchError> {
        // The location is formatted only for errors: a launch takes microseconds.
        let at = |error: DeviceError| error.at(&location_of(kernel));
        let mut plan = Plan::default();
        // SAFETY: the caller gives an environment of the kernel, whose rails are valid until `done` is
        // called.
        let (function, part) = unsafe { self.code(kernel, environment, &mut plan)? };
        if plan.is_empty() {
            done(Ok(()));
            return Ok(None);
        }
        self.check_limits(&function, &plan).map_err(at)?;
        let shared = plan.shared_bytes as i32;
        self.allow_shared(&function, shared).map_err(at)?;
        if kernel.communicates != 0 {
            self.check_residency(&function, &plan).map_err(at)?;
        }
        let mut prepared =
            kernel_args::prepare(self, place, kernel, environment, part, terms.may_watch).map_err(at)?;
        let by_pointer = if kernel.env_by_value == 0 && kernel.env_size > 0 {
            Some(self.upload_environment(&mut prepared).map_err(at)?)
        } else {
            None
        };
        let bytes: u64 = prepared.uploads.iter().map(|upload| upload.bytes).sum();
        let uploads = match bytes {
            // Uploaded on the kernel's own stream, from a copy made now.
            ..=MAX_DIRECT_UPLOADS => {
                prepared.copy_pinned();
                Vec::new()
            }
            ..=MAX_STAGED_UPLOADS if prepared.copy_to_staging(self) => Vec::new(),
            _ => std::mem::take(&mut prepared.uploads),
        };
        let slots = terms.slots.filter(|_| kernel.communicates != 0);
        let ready = Ready { device: Arc::clone(self), place, function, prepared, by_pointer, kernel, slots };
        if uploads.is_empty() {
            return Ok(ready.start(&mut plan, done));
        }
        let then = ready.when_uploaded(plan, terms.when_read.map(|ask| ask()), done);
        let then = profile::copied(place, "captured rails", bytes, then);
        // SAFETY: the program's rails are valid until `done`, the environment is in `ready`.
        unsafe { self.upload(uploads, then) };
        Ok(None)
    }

    /// Chooses the code to run, and computes the extents. Also returns the part of constant memory for its
    /// constant rails, if it has any and there is room.
    ///
    /// # Safety
    /// `environment` is an environment of the kernel, and the rails it names are valid.
    unsafe fn code(
        &self,
        kernel: &'static Kernel,
        environment: &[u8],
        plan: &mut Plan,
    ) -> Result<(Arc<Function>, Option<Part>), LaunchError> {
        let overlap = kernel_args::overlap(kernel, environment);
        // SAFETY: the caller gives an environment of the kernel, whose rails are valid.
        let mut variant =
            |constant| unsafe { self.variant(kernel, overlap, constant, environment.as_ptr().cast(), plan) };
        // Calls of slots take addresses of elements, which constant memory has not.
        let wanted = match kernel.communicates {
            // SAFETY: the caller gives an environment of the kernel, whose rails are valid.
            0 => unsafe { constants::wanted(kernel, environment) },
            _ => None,
        };
        let function = variant(wanted.is_some())?;
        let Some(rails) = wanted else { return Ok((function, None)) };
        match function.constants.as_ref().and_then(|area| area.take(&rails)) {
            Some(part) => Ok((function, Some(part))),
            None => Ok((variant(false)?, None)),
        }
    }

    /// Chooses the variant to run, and computes the extents. A variant without the checks that depend on the
    /// launch is chosen if the host proves them unnecessary. It may need fewer registers, so that automatic
    /// extents differ.
    ///
    /// # Safety
    /// `environment` is an environment of the kernel.
    unsafe fn variant(
        &self,
        kernel: &'static Kernel,
        overlap: bool,
        constant: bool,
        environment: *const c_void,
        plan: &mut Plan,
    ) -> Result<Arc<Function>, LaunchError> {
        let at = |error: DeviceError| error.at(&location_of(kernel));
        let plain = |proven, held, narrow, early, plan: &mut Plan| {
            let variant = Variant { overlap, proven, held, narrow, constant, early };
            let function = self.function(kernel, variant).map_err(at)?;
            self.context.enter()?;
            // SAFETY: the caller gives an environment of the kernel, whose rails are valid.
            unsafe { self.extents(kernel, &function, environment, plan)? };
            Ok(function)
        };
        // SAFETY: the caller gives an environment of the kernel, whose rails are valid.
        let reads_early = !overlap && unsafe { self.has_few_threads(kernel, environment, plan)? };
        let with = |proven, narrow, plan: &mut Plan| {
            let function = plain(proven, 0, narrow, proven && reads_early, plan)?;
            // It needs more registers: not if blocks would then have to wait for each other.
            match proven && reads_early && !self.holds_all(&function, plan).map_err(at)? {
                true => plain(proven, 0, narrow, false, plan),
                false => Ok(function),
            }
        };
        let Some(proven) = kernel.proven else { return with(false, false, plan) };
        let found = with(true, true, plan)?;
        // SAFETY: the kernel's own function, with its environment.
        let known = unsafe { proven(environment, &plan.launch) };
        match known & 7 {
            _ if plan.is_empty() => Ok(found),
            7 => Ok(found),
            3 => with(true, false, plan),
            // Proven conditions hold for their own accesses only.
            _ => match self.modules.held(kernel, (known >> 32) as u32) {
                0 => with(false, false, plan),
                held => plain(false, held, known & 4 != 0, false, plan),
            },
        }
    }

    /// Whether a launch has so few threads that the variant that loads ahead is better: at most three
    /// quarters of the threads that the device holds at once.
    ///
    /// # Safety
    /// `environment` is an environment of the kernel.
    unsafe fn has_few_threads(
        &self,
        kernel: &Kernel,
        environment: *const c_void,
        plan: &mut Plan,
    ) -> Result<bool, LaunchError> {
        // Automatic extents fill the device.
        if kernel.early == 0 || kernel.auto_threads != 0 || kernel.auto_blocks != 0 {
            return Ok(false);
        }
        // SAFETY: the caller gives an environment of the kernel, whose rails are valid.
        unsafe { configure(kernel, environment, 1, 1, plan)? };
        let most = i64::from(self.limits.multiprocessors) * i64::from(self.limits.threads_per_multiprocessor);
        Ok(plan.blocks().saturating_mul(plan.threads()) <= most / 4 * 3)
    }

    /// Refuses a launch whose blocks wait for each other and do not run at the same time.
    fn check_residency(&self, function: &Function, plan: &Plan) -> Result<(), DeviceError> {
        let resident = i64::from(self.resident(function, plan)?);
        let most = resident * i64::from(self.limits.multiprocessors);
        if plan.blocks() <= most {
            return Ok(());
        }
        let message = format!(
            "{} blocks that make calls of slots, and wait for each other; {self} runs at most {most} blocks of this \
             kernel at the same time: launch no more than these, for instance `CUDAUtilities.residentBlocks()`, each with \
             several parts of the work",
            plan.blocks()
        );
        Err(DeviceError::new(Kind::IllegalOperation, message))
    }

    /// Whether the device holds all blocks of a launch at once.
    fn holds_all(&self, function: &Function, plan: &Plan) -> Result<bool, DeviceError> {
        let resident = i64::from(self.resident(function, plan)?);
        Ok(plan.blocks() <= resident * i64::from(self.limits.multiprocessors))
    }

    /// Allocates device memory for an environment that is too long for a parameter, and queues its upload.
    fn upload_environment(self: &Arc<Self>, prepared: &mut Prepared) -> Result<u64, DeviceError> {
        let bytes = prepared.bytes().len() as u64;
        let buffer = Buffer::new(self, bytes)?;
        let address = buffer.address();
        // The environment's memory does not move when `prepared` does.
        prepared.uploads.push(Upload { source: prepared.bytes().as_ptr(), target: address, bytes });
        prepared.buffers.push(buffer);
        Ok(address)
    }

    /// # Safety
    /// `environment` is an environment of the kernel.
    unsafe fn extents(
        &self,
        kernel: &Kernel,
        function: &Function,
        environment: *const c_void,
        plan: &mut Plan,
    ) -> Result<(), LaunchError> {
        let at = |error: DeviceError| error.at(&location_of(kernel));
        let configured =
            // SAFETY: the caller gives an environment of the kernel, whose rails are valid until `done` is
            // called.
            |blocks, threads, plan: &mut Plan| unsafe { configure(kernel, environment, blocks, threads, plan) };
        let multiprocessors = self.limits.multiprocessors;
        let mut threads = 1;
        if kernel.auto_threads != 0 {
            let mut raised = None;
            let mut resident = |size| match configured(multiprocessors, size, plan) {
                Ok(()) => Ok(self.resident(function, plan)?.saturating_mul(plan.threads() as i32)),
                Err(LaunchError::Device(error)) => Err(error),
                Err(LaunchError::Raised(object)) => {
                    raised = Some(object);
                    Ok(0)
                }
            };
            let best = match kernel.thread_choices() {
                [] => occupancy::best_size(&mut resident),
                choices => occupancy::first_size(choices, &mut resident),
            };
            if let Some(object) = raised {
                return Err(LaunchError::Raised(object));
            }
            threads = best?.ok_or_else(|| {
                let which = match kernel.thread_choices() {
                    [] => "no block size fits".to_owned(),
                    choices => format!("none of the block sizes {choices:?} fits"),
                };
                let message =
                    format!("{}: {which}: too many registers or too much shared memory", self.label());
                at(DeviceError::new(Kind::IllegalOperation, message))
            })?;
        }
        configured(multiprocessors, threads, plan)?;
        if kernel.auto_blocks == 0 || plan.is_empty() {
            return Ok(());
        }
        self.check_limits(function, plan).map_err(at)?;
        let resident = self.resident(function, plan).map_err(at)?;
        let held = multiprocessors.saturating_mul(resident.max(1));
        configured(occupancy::block_count(kernel.block_choices(), held), threads, plan)
    }

    /// Number of blocks of this plan that a multiprocessor holds at once (occupancy); 0 if none fits.
    fn resident(&self, function: &Function, plan: &Plan) -> Result<i32, DeviceError> {
        let threads = plan.threads();
        let room = i64::from(self.limits.shared_opt_in - function.static_shared);
        if threads < 1 || threads > i64::from(function.max_threads) || plan.shared_bytes as i64 > room {
            return Ok(0);
        }
        self.resident_blocks(function, threads as i32, plan.shared_bytes as i32)
    }

    fn check_limits(&self, function: &Function, plan: &Plan) -> Result<(), DeviceError> {
        let refuse = |text: String| Err(DeviceError::new(Kind::IllegalOperation, text));
        let device = self;
        let threads = plan.threads();
        if threads > i64::from(self.limits.threads_per_block) {
            let most = self.limits.threads_per_block;
            return refuse(format!("{threads} threads a block; {device} runs at most {most}"));
        }
        if threads > i64::from(function.max_threads) {
            let most = function.max_threads;
            return refuse(format!(
                "{threads} threads a block; with the registers that this kernel needs {device} runs at most {most}"
            ));
        }
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let (block, grid) = (plan.launch.threads[axis], plan.launch.blocks[axis]);
            if block > self.limits.block[axis] {
                let most = self.limits.block[axis];
                return refuse(format!("{block} threads along {name}; {device} runs at most {most} there"));
            }
            if grid > self.limits.grid[axis] {
                let most = self.limits.grid[axis];
                return refuse(format!("{grid} blocks along {name}; {device} runs at most {most} there"));
            }
        }
        let shared = plan.shared_bytes + function.static_shared as u64;
        if shared > self.limits.shared_opt_in as u64 {
            let most = self.limits.shared_opt_in;
            return refuse(format!("{shared} bytes of shared memory a block; {device} has {most}"));
        }
        Ok(())
    }
}

/// A launch that is ready to start as soon as its data are on the device.
struct Ready {
    device: Arc<Device>,
    place: i64,
    function: Arc<Function>,
    prepared: Prepared,
    /// The environment's address on the device, unless it is the parameter.
    by_pointer: Option<u64>,
    kernel: &'static Kernel,
    slots: Option<Arc<dyn DeviceSlots>>,
}

impl Ready {
    /// Called when captured rails are on the device, or cannot be uploaded: starts the kernel. `read` is
    /// called when they are no longer read.
    fn when_uploaded(
        mut self,
        mut plan: Plan,
        read: Option<Box<dyn FnOnce() + Send>>,
        done: OnComplete,
    ) -> OnComplete {
        Box::new(move |result| {
            if result.is_ok() {
                self.prepared.arrived();
            }
            if let Some(read) = read {
                read();
            }
            match result {
                // This is the thread for copies, which must not poll for a kernel.
                Ok(()) => drop(self.start(&mut plan, done)),
                Err(error) => done(Err(error.at(&location_of(self.kernel)))),
            }
        })
    }

    fn start(mut self, plan: &mut Plan, done: OnComplete) -> Option<Completion> {
        let (device, function) = (Arc::clone(&self.device), Arc::clone(&self.function));
        let mut by_pointer = self.by_pointer;
        // The context is current: this is the thread that has configured the launch, or that of copies.
        let record = match Record::new(&device) {
            Ok(record) => record,
            Err(error) => {
                done(Err(error));
                return None;
            }
        };
        plan.shared.fault = record.address();
        let ended = record.ended();
        let session = match self.open_session(plan, &record) {
            Ok(session) => session,
            Err(error) => {
                done(Err(error));
                return None;
            }
        };
        let environment: *mut c_void = match &mut by_pointer {
            Some(address) => std::ptr::from_mut(address).cast(),
            None => self.prepared.bytes().as_ptr().cast_mut().cast(),
        };
        let mut parameters = [environment, std::ptr::from_mut(&mut plan.shared).cast()];
        let mut uploads = std::mem::take(&mut self.prepared.uploads);
        if let Some(session) = &session {
            plan.shared.mailbox = session.address();
            uploads.push(session.upload());
        }
        let is_cooperative = session.is_some();
        let stopwatch = if profile::on() { KernelTimer::new().map(Arc::new) } else { None };
        let writing = device.writing();
        let rails = kernel_args::global_rails(self.kernel, self.prepared.bytes());
        let reader = Reader::new(std::ptr::from_ref(self.kernel) as usize, &writing, rails);
        let done = keeping(writing, done);
        let (ahead, fetch) = device.start_speculative_read(reader).unzip();
        let finished =
            self.finished(Extents::of(&plan.launch), record, session, stopwatch.clone(), ahead, done);
        device.kernels.pick().submit(
            |stream| {
                // SAFETY: memory of captured rails or copies of it, and room for it on the device, which stay
                // until `finished`.
                unsafe { upload_on(stream, &uploads)? };
                if let Some(stopwatch) = &stopwatch {
                    stopwatch.start(stream)?;
                }
                // SAFETY: the function takes these two parameters; what the environment points to stays until
                // `finished`.
                unsafe { launch_on(stream, &function, plan, &mut parameters, is_cooperative)? };
                stopwatch.as_ref().map_or(Ok(()), |it| it.stop(stream))?;
                // SAFETY: a range of a rail that the kernel has, and a staging that stays until `finished`.
                fetch.as_ref().map_or(Ok(EndSignal::ByStream), |it| unsafe {
                    it.put(stream, ended).map(|()| EndSignal::ByWork)
                })
            },
            Submission { done: finished, ended, estimate: Arc::clone(&function.estimate), what: "kernel" },
            // `finished` says where.
            |failure| DeviceError::driver(&device.label(), "launch a kernel", &failure),
        )
    }

    /// Makes the mailbox of a kernel that makes calls of slots.
    fn open_session(&self, plan: &Plan, record: &Record) -> Result<Option<Session>, DeviceError> {
        let Some(slots) = self.slots.clone() else { return Ok(None) };
        let shape = (plan.blocks() as u32, plan.shared_bytes as usize);
        let location = location_of(self.kernel);
        let at = (self.place, location.clone());
        let opened = Session::open(&self.device, shape, at, record.address(), slots);
        opened.map(Some).map_err(|error| error.at(&location))
    }

    /// Called when the kernel has ended. All that it uses lives until then.
    fn finished(
        self,
        extents: Extents,
        record: Record,
        session: Option<Session>,
        stopwatch: Option<Arc<KernelTimer>>,
        ahead: Option<PendingRead>,
        done: OnComplete,
    ) -> OnComplete {
        let (device, mut prepared, kernel, place) = (self.device, self.prepared, self.kernel, self.place);
        let recorded = profile::on();
        let submitted = if recorded { profile::now() } else { 0 };
        Box::new(move |result| {
            if result.is_ok() {
                prepared.arrived();
                if let Some(ahead) = ahead {
                    device.arrived(ahead);
                }
            }
            drop(prepared);
            let found = match result {
                Ok(()) => record.error(&extents).map_or(Ok(()), Err),
                Err(error) => Err(error.at(&location_of(kernel))),
            };
            let closed = session
                .map_or(Ok(()), |it| it.close(found.as_ref().err().map(|error| error.message.as_str())));
            let found = found.and(closed);
            drop(record);
            if recorded {
                let ended = profile::now();
                let took = stopwatch.and_then(|it| it.nanoseconds()).unwrap_or(ended - submitted);
                profile::kernel(
                    place,
                    kernel,
                    (extents.blocks, extents.threads),
                    ended.saturating_sub(took),
                    ended,
                );
            }
            done(found);
        })
    }
}

/// Submits copies to the device to a stream.
///
/// # Safety
/// Sources and targets are valid until the copies have ended.
unsafe fn upload_on(stream: &Stream, uploads: &[Upload]) -> Result<(), Failure> {
    for piece in uploads {
        // SAFETY: the caller gives an environment of the kernel, whose rails are valid.
        driver::check(unsafe {
            sys::cuMemcpyHtoDAsync_v2(piece.target, piece.source.cast(), piece.bytes as usize, stream.0)
        })?;
    }
    Ok(())
}

/// Submits a kernel to a stream.
///
/// # Safety
/// The function takes these parameters, which the driver copies before it returns; what they point to is
/// valid until the kernel has ended.
unsafe fn launch_on(
    stream: &Stream,
    function: &Function,
    plan: &Plan,
    parameters: &mut [*mut c_void; 2],
    is_cooperative: bool,
) -> Result<(), Failure> {
    let [x, y, z] = plan.launch.blocks.map(|extent| extent as u32);
    let [tx, ty, tz] = plan.launch.threads.map(|extent| extent as u32);
    let (bytes, parameters) = (plan.shared_bytes as u32, parameters.as_mut_ptr());
    let raw = function.raw();
    if is_cooperative {
        // SAFETY: as below. All blocks run at the same time, and make progress.
        return driver::check(unsafe {
            sys::cuLaunchCooperativeKernel(raw, x, y, z, tx, ty, tz, bytes, stream.0, parameters)
        });
    }
    // SAFETY: the caller gives an environment of the kernel, whose rails are valid.
    driver::check(unsafe {
        sys::cuLaunchKernel(raw, x, y, z, tx, ty, tz, bytes, stream.0, parameters, std::ptr::null_mut())
    })
}
