//! Device memory and kernels.

use std::ffi::c_void;
use std::sync::Arc;

use parking_lot::Mutex;

use super::activities;
use crate::abi::{Bytes, ExceptionKind, KernelPointer, Outcome, Raised};
use crate::apgas::cancellation;
use crate::apgas::engine::{FinishScope, Waiter};
use crate::apgas::marshal;
use crate::apgas::slots;
use crate::apgas::system::{device_exception, system};
use crate::base::place::here;
use crate::device::{
    self, Device, DeviceError, DeviceSlots, Extents, LaunchError, LaunchOptions, OnComplete,
};
use crate::heap;
use crate::heap::{Handle, Ref};
use crate::layout::{Fault, Kernel, Launch, launch};
use crate::profile;

pub(super) fn raised(error: &DeviceError) -> Raised {
    Raised(device_exception(error))
}

pub(super) fn device(place: i64) -> Outcome<&'static Arc<Device>> {
    system().device(place).map_err(|error| raised(&error))
}

/// Suspends the activity while a device works. `start` says at once if it could not begin: then it has not
/// kept `OnComplete`.
pub(super) fn wait(start: impl FnOnce(OnComplete) -> Outcome<()>) -> Outcome<()> {
    // Activities that all wait are no deadlock meanwhile.
    let _external = crate::scheduler::ExternalEventGuard::new();
    let waiter = system().engine().waiter();
    let ended = Arc::new(Mutex::new(Ok(())));
    let (wake, result) = (Arc::clone(&waiter), Arc::clone(&ended));
    start(Box::new(move |outcome| {
        *result.lock() = outcome;
        wake.wake();
    }))?;
    waiter.wait();
    let outcome = std::mem::replace(&mut *ended.lock(), Ok(()));
    outcome.map_err(|error| raised(&error))
}

/// Zeroed memory of an accelerator for `count` elements like those of the rail `sample`: its address.
pub(crate) fn device_allocate(place: i64, sample: Ref, count: i64) -> Outcome<i64> {
    let raise = |kind, message: &str| Err(Raised(system().engine().exception(kind, message)));
    if !sample.is_rail() {
        return raise(ExceptionKind::NullPointer, "no rail to take the type of elements from");
    }
    let ty = sample.ty();
    if !crate::serialize::visit::is_flat_rail(ty) {
        let message = format!("a {} holds references, which an accelerator cannot follow", ty.name());
        return raise(ExceptionKind::UnsupportedOperation, &message);
    }
    let Ok(elements) = u64::try_from(count) else {
        return raise(ExceptionKind::NegativeArraySize, &format!("a rail of {count} elements"));
    };
    let Some(bytes) = elements.checked_mul(ty.element_bytes() as u64) else {
        return raise(
            ExceptionKind::OutOfMemory,
            &format!("a rail of {count} elements is longer than any memory"),
        );
    };
    let device = device(place)?;
    let address = device.allocate(bytes).map_err(|error| raised(&error))?;
    wait(|done| {
        device.clear(address, bytes, done);
        Ok(())
    })?;
    Ok(address as i64)
}

/// Frees memory of an accelerator.
pub(crate) fn device_free(place: i64, address: i64) -> Outcome<()> {
    device(place)?.free(address as u64).map_err(|error| raised(&error))
}

/// Waits for all work of an accelerator.
pub(crate) fn device_synchronise(place: i64) -> Outcome<()> {
    let device = device(place)?;
    wait(|done| {
        device.synchronize(done);
        Ok(())
    })
}

/// A kernel and the bytes of its environment.
///
/// # Safety
/// Kernels are static data of the program, which passes an environment of this kernel.
unsafe fn described<'a>(kernel: KernelPointer, environment: Bytes) -> (&'static Kernel, &'a [u8]) {
    // SAFETY: by the caller.
    unsafe {
        let kernel = &*kernel;
        let bytes: &[u8] = match kernel.env_size {
            0 => &[],
            size => std::slice::from_raw_parts(environment.cast(), size as usize),
        };
        (kernel, bytes)
    }
}

/// Starts a kernel as an activity of the innermost finish. There is nothing to run on this side, so that no
/// activity is made: the finish counts the kernel, and its end is reported to the finish.
///
/// The kernel sees captured rails as they are now. Unless the activity is known to leave them alone until the
/// kernel has ended, they are copied for a kernel that runs here, and the activity waits until a device has
/// them.
pub(crate) fn kernel_start(
    place: i64,
    kernel: KernelPointer,
    environment: Bytes,
    closure: Ref,
    about: i32,
) -> Outcome<()> {
    activities::not_in_atomic("async")?;
    cancellation::check()?;
    let finish = activities::with_activity(|activity| Ok(activity.innermost_open()))?;
    let settled = about & launch::SETTLED != 0;
    let Some(finish) = finish.filter(|_| place != i64::from(here())) else {
        return activities::async_here(if settled {
            closure
        } else {
            marshal::copied(closure).map_err(Raised)?
        });
    };
    let mut gate: Option<Arc<dyn Waiter>> = None;
    let mut when_read = || -> Box<dyn FnOnce() + Send> {
        let waiter = gate.insert(system().engine().waiter());
        let waiter = Arc::clone(waiter);
        Box::new(move || waiter.wake())
    };
    // SAFETY: passed by the program.
    let (kernel, bytes) = unsafe { described(kernel, environment) };
    finish.enter();
    let started = device(place).and_then(|device| {
        // The rails that the environment names are captured by the closure as well.
        let (alive, external) = (Handle::new(closure), crate::scheduler::ExternalEventGuard::new());
        let scope = Arc::clone(&finish);
        let done: OnComplete = Box::new(move |outcome| {
            drop(alive);
            match outcome {
                Ok(()) => scope.leave(Ref::NULL),
                // Exceptions are made by activities.
                Err(error) => {
                    let work = Box::new(move || device_exception(&error));
                    system().engine().spawn(scope, work);
                }
            }
            drop(external);
        });
        let when_read: Option<&mut dyn FnMut() -> _> = if settled { None } else { Some(&mut when_read) };
        let terms = LaunchOptions { may_watch: may_watch(about), when_read, slots: slots_for(kernel) };
        let _launch = terms.slots.is_some().then(|| slots::launches().begin());
        // SAFETY: the environment is the kernel's, and its rails are alive until `done` is called.
        unsafe { device.launch(place, kernel, bytes, terms, done) }.map_err(|error| launch_exception(&error))
    });
    match started {
        Ok(Some(flight)) => finish.watch(flight),
        Ok(None) => {}
        Err(exception) => finish.leave(exception.0),
    }
    if let Some(gate) = gate {
        let _external = crate::scheduler::ExternalEventGuard::new();
        gate.wait();
    }
    Ok(())
}

/// The slots of this place, for a kernel that makes calls of them.
fn slots_for(kernel: &Kernel) -> Option<Arc<dyn DeviceSlots>> {
    (kernel.communicates != 0).then(slots::of_blocks)
}

/// Other processes and foreign code write to memory in ways that raise no faults which could be handled.
fn may_watch(about: i32) -> bool {
    about & launch::FOREIGN == 0 && system().hosts() == 1
}

/// Runs a kernel at a place (this host or an accelerator of it) and waits for it.
pub(crate) fn kernel_launch(
    place: i64,
    kernel: KernelPointer,
    environment: Bytes,
    about: i32,
) -> Outcome<()> {
    // SAFETY: passed by the program.
    let (kernel, bytes) = unsafe { described(kernel, environment) };
    if place == i64::from(here()) {
        return launch_here(place, kernel, bytes);
    }
    let device = device(place)?;
    wait(|done| {
        let terms = LaunchOptions { may_watch: may_watch(about), when_read: None, slots: slots_for(kernel) };
        let launch = terms.slots.is_some().then(|| slots::launches().begin());
        // SAFETY: the environment is the kernel's, and the activity holds its rails until the wait has ended.
        let flight = unsafe { device.launch(place, kernel, bytes, terms, done) };
        drop(launch);
        if let Some(flight) = flight.map_err(|error| launch_exception(&error))? {
            flight.poll(crate::apgas::device_wait::DEVICE_WAIT_POLICY);
        }
        Ok(())
    })
}

fn launch_exception(error: &LaunchError) -> Raised {
    match error {
        LaunchError::Raised(object) => Raised(Ref(*object)),
        LaunchError::Device(error) => raised(error),
    }
}

/// The processor's form: as many blocks as `autoBlocks()` promises X10's programs, or the first choice,
/// spread over the threads of the place.
fn launch_here(place: i64, kernel: &'static Kernel, bytes: &[u8]) -> Outcome<()> {
    let mut plan = device::Plan::default();
    // SAFETY: see `kernel_launch`.
    unsafe {
        device::configure(
            kernel,
            bytes.as_ptr().cast(),
            *kernel.block_choices().first().unwrap_or(&device::HOST_BLOCKS),
            *kernel.thread_choices().first().unwrap_or(&device::HOST_THREADS),
            &mut plan,
        )
        .map_err(|error| launch_exception(&error))?;
    }
    if plan.is_empty() {
        return Ok(());
    }
    let resolve = |handle| heap::global(handle).filter(|rail| rail.is_rail()).map(Ref::elements);
    let prepared = device::prepare_host(place, kernel, bytes, &resolve).map_err(|error| raised(&error))?;
    // Three extents below 2^31: their product may need more than 64 bits, which no machine counts to.
    let launch = &mut plan.launch;
    let extents = Extents::of(launch);
    let mut fault = Fault::default();
    launch.fault = &raw mut fault;
    if let Some(proven) = kernel.proven {
        // SAFETY: the kernel's own function, with its environment.
        launch.proven = unsafe { proven(bytes.as_ptr().cast(), launch) } as u32;
    }
    let blocks = launch.blocks.iter().try_fold(1_i64, |all, extent| all.checked_mul(i64::from(*extent)));
    let environment = Environment(prepared.bytes().as_ptr().cast());
    let began = profile::on().then(profile::now);
    let run = |first: i64, last: i64| {
        let environment = &environment;
        // SAFETY: the kernel's own function, with its environment and blocks of the grid.
        Ref(unsafe { (kernel.cpu)(environment.0, launch, first, last) })
    };
    let blocks = blocks.unwrap_or(i64::MAX);
    let ended = match kernel.communicates {
        0 => crate::scheduler::parallel_loop::parallel_for(blocks, &run),
        _ => super::slots::run_blocks(blocks, &|block| run(block, block + 1), &|| has_fault(launch))?,
    };
    if let Some(began) = began {
        profile::kernel(place, kernel, (extents.blocks, extents.threads), began, profile::now());
    }
    match ended {
        Ref::NULL => device::fault_error(&fault, &extents).map_or(Ok(()), |error| Err(raised(&error))),
        exception => Err(Raised(exception)),
    }
}

/// Whether some check of a launch has failed. Blocks record that while others run.
fn has_fault(launch: &Launch) -> bool {
    // SAFETY: the launch's own, which outlives its blocks; they write the kind as an atomic number.
    let kind = unsafe { std::sync::atomic::AtomicU32::from_ptr(&raw mut (*launch.fault).kind) };
    kind.load(std::sync::atomic::Ordering::Acquire) != 0
}

/// An environment that the threads of a launch read.
struct Environment(*const c_void);

// SAFETY: read-only while the launch lasts.
unsafe impl Sync for Environment {}
