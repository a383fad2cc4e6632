//! Kernel arguments: a kernel's environment as the device sees it, a copy of the program's struct in which
//! rails have device addresses.

use std::ffi::CStr;
use std::ops::Range;
use std::sync::Arc;

use crate::device::Device;
use crate::device::cache::constants::Part;
use crate::device::cache::rail_cache::{Arrival, Sent};
use crate::device::copy::auto_pin;
use crate::device::copy::request::Upload;
use crate::device::copy::sync_copy::StagingBuffer;
use crate::device::cuda::buffer_pool::Buffer;
use crate::device::error::{DeviceError, Kind};
use crate::device::launch::captures::captures;
use crate::layout::{Capture, GlobalRail, Kernel, KernelRail, TextureRail, capture_kind};

/// What a launch needs on the device. It lives until the kernel has ended.
pub struct Prepared {
    /// The environment; `u128` for its alignment.
    memory: Vec<u128>,
    size: usize,
    /// To be copied before the launch.
    pub uploads: Vec<Upload>,
    /// Copies of sources that the program may write to before they are read.
    copies: Vec<Arc<[u8]>>,
    stagings: Vec<StagingBuffer>,
    /// Captured rails on the device.
    rails: Vec<Arc<Buffer>>,
    /// Completed when all uploads have ended.
    arrivals: Vec<Arrival>,
    /// Released after the kernel.
    pub buffers: Vec<Buffer>,
    /// Released after the kernel.
    constants: Option<Part>,
}

// SAFETY: the addresses in `uploads` are valid until the launch has ended; the caller of the launch vouches
// for it.
unsafe impl Send for Prepared {}

impl Prepared {
    /// The bytes of the environment.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `memory` holds at least `size` bytes, all initialised.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), self.size) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: `memory` holds at least `size` bytes, all initialised.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast(), self.size) }
    }

    /// A copy of the environment.
    pub fn copy_of(environment: &[u8]) -> Prepared {
        let mut prepared = Prepared {
            // Never empty: the device's empty struct has a byte, which the driver reads.
            memory: vec![0; environment.len().div_ceil(16).max(1)],
            size: environment.len(),
            uploads: Vec::new(),
            copies: Vec::new(),
            stagings: Vec::new(),
            rails: Vec::new(),
            arrivals: Vec::new(),
            buffers: Vec::new(),
            constants: None,
        };
        prepared.bytes_mut().copy_from_slice(environment);
        prepared
    }

    /// Makes copies of pinned sources. The driver takes a copy of other memory before it returns,
    /// but the device reads pinned memory later, when the program may have written to it again.
    pub fn copy_pinned(&mut self) {
        for upload in &mut self.uploads {
            if self.copies.iter().any(|copy| copy.as_ptr() == upload.source) {
                continue;
            }
            if auto_pin::touches(upload.source as usize, upload.bytes as usize) {
                // SAFETY: memory of a captured rail, which is valid until the launch has ended.
                let source = unsafe { std::slice::from_raw_parts(upload.source, upload.bytes as usize) };
                let copy: Arc<[u8]> = source.into();
                upload.source = copy.as_ptr();
                self.copies.push(copy);
            }
        }
    }

    /// Copies all sources to staging buffers; false if there are too few.
    pub fn copy_to_staging(&mut self, device: &Arc<Device>) -> bool {
        for upload in &mut self.uploads {
            // SAFETY: memory of a captured rail or a copy of it.
            let Some((staging, source)) = (unsafe { device.stage(upload.source, upload.bytes) }) else {
                return false;
            };
            upload.source = source;
            self.stagings.push(staging);
        }
        true
    }

    /// Copies captured rails of the host that a global rail aliases: the kernel sees them as they are now,
    /// whatever it writes to the global rail.
    fn part(&mut self, captures: &[Capture]) {
        for capture in captures.iter().filter(|it| is_captured_rail(it)) {
            let mut rail: KernelRail = self.read(capture);
            let bytes = rail.length as usize * capture.element_size as usize;
            let start = rail.data as usize;
            let overlaps = captures.iter().any(|other| {
                if other.kind != capture_kind::GLOBAL_RAIL {
                    return false;
                }
                let global: GlobalRail = self.read(other);
                let end = global.handle as usize + global.size as usize * other.element_size as usize;
                start < end && (global.handle as usize) < start + bytes
            });
            if overlaps {
                // SAFETY: the caller of the launch vouches for the rail.
                let copy: Arc<[u8]> = unsafe { std::slice::from_raw_parts(rail.data.cast(), bytes) }.into();
                rail.data = copy.as_ptr().cast_mut().cast();
                self.copies.push(copy);
                self.write(capture, rail);
            }
        }
    }

    /// Completes the uploads, while the captured rails are still alive.
    pub fn arrived(&mut self) {
        self.arrivals.drain(..).for_each(Arrival::arrived);
        if let Some(part) = &mut self.constants {
            part.arrived();
        }
    }

    fn read<T: Copy>(&self, capture: &Capture) -> T {
        let at = &self.bytes()[capture.offset as usize..][..size_of::<T>()];
        // SAFETY: the bytes are there; only plain data is read.
        unsafe { at.as_ptr().cast::<T>().read_unaligned() }
    }

    fn write<T: Copy>(&mut self, capture: &Capture, value: T) {
        let at = &mut self.bytes_mut()[capture.offset as usize..][..size_of::<T>()];
        // SAFETY: the bytes are there.
        unsafe { at.as_mut_ptr().cast::<T>().write_unaligned(value) };
    }
}

fn is_captured_rail(capture: &Capture) -> bool {
    matches!(capture.kind, capture_kind::HOST_RAIL | capture_kind::CONSTANT_RAIL)
}

fn name(capture: &Capture) -> String {
    if capture.name.is_null() {
        return "?".to_owned();
    }
    // SAFETY: names are C strings of the program.
    unsafe { CStr::from_ptr(capture.name) }.to_string_lossy().into_owned()
}

/// The memory of the kernel's global rails.
pub(crate) fn global_rails(kernel: &Kernel, environment: &[u8]) -> impl Iterator<Item = Range<u64>> + Clone {
    captures(kernel).iter().filter(|capture| capture.kind == capture_kind::GLOBAL_RAIL).map(|capture| {
        let bytes = &environment[capture.offset as usize..][..size_of::<GlobalRail>()];
        // SAFETY: the bytes are there; only plain data is read.
        let rail = unsafe { bytes.as_ptr().cast::<GlobalRail>().read_unaligned() };
        let start = rail.handle as u64;
        start..start.saturating_add((rail.size as u64).saturating_mul(u64::from(capture.element_size)))
    })
}

/// Whether two of the kernel's global rails have memory in common. Code that is compiled without
/// `APG_OVERLAP` relies on the opposite.
pub(crate) fn overlap(kernel: &Kernel, environment: &[u8]) -> bool {
    let ranges = global_rails(kernel, environment);
    ranges.clone().enumerate().any(|(index, rail)| {
        ranges.clone().skip(index + 1).any(|other| rail.start < other.end && other.start < rail.end)
    })
}

/// Allocates captured rails on the device and writes their addresses to a copy of the environment.
pub(crate) fn prepare(
    device: &Arc<Device>,
    place: i64,
    kernel: &Kernel,
    environment: &[u8],
    mut constants: Option<Part>,
    may_watch: bool,
) -> Result<Prepared, DeviceError> {
    let mut prepared = Prepared::copy_of(environment);
    for capture in captures(kernel) {
        match capture.kind {
            capture_kind::HOST_RAIL | capture_kind::CONSTANT_RAIL => {
                let mut rail: KernelRail = prepared.read(capture);
                let bytes = rail.length as u64 * u64::from(capture.element_size);
                let part = constants.as_mut().filter(|_| capture.kind == capture_kind::CONSTANT_RAIL);
                if let Some(part) = part {
                    // The code counts from the start of its constant memory.
                    rail.data = part.place(bytes) as *mut _;
                    prepared.write(capture, rail);
                } else if bytes > 0 {
                    let start: *const u8 = rail.data.cast();
                    // SAFETY: the caller of the launch vouches for the rail.
                    let Sent { buffer, upload } = unsafe { device.send_rail(start, bytes, may_watch)? };
                    if let Some(needed) = upload {
                        let source = needed.copy.as_ref().map_or(start, |copy| copy.as_ptr());
                        prepared.uploads.push(Upload { source, target: buffer.address(), bytes });
                        prepared.copies.extend(needed.copy);
                        prepared.arrivals.extend(needed.arrival);
                    }
                    rail.data = buffer.address() as *mut _;
                    prepared.rails.push(buffer);
                    prepared.write(capture, rail);
                }
            }
            capture_kind::GLOBAL_RAIL => {
                let rail: GlobalRail = prepared.read(capture);
                check_home("global rail", rail.home, place, capture)?;
                let bytes = rail.size as u64 * u64::from(capture.element_size);
                device.check_range(rail.handle as u64, bytes).map_err(|mut error| {
                    error.message = format!("the global rail `{}`: {}", name(capture), error.message);
                    error
                })?;
            }
            capture_kind::TEXTURE => {
                let texture: TextureRail = prepared.read(capture);
                check_home("texture", texture.home, place, capture)?;
                check_texture(device.has_texture(texture.object), capture)?;
            }
            _ => {}
        }
    }
    if let Some((contents, target)) = constants.as_ref().and_then(Part::upload) {
        let (source, bytes) = (contents.as_ptr(), contents.len() as u64);
        prepared.uploads.push(Upload { source, target, bytes });
        prepared.copies.push(contents);
    }
    prepared.constants = constants;
    Ok(prepared)
}

/// The same for a kernel that runs at a host place: `resolve` finds the elements of a global rail by its
/// handle.
pub fn prepare_host(
    place: i64,
    kernel: &Kernel,
    environment: &[u8],
    resolve: &dyn Fn(i64) -> Option<*mut u8>,
) -> Result<Prepared, DeviceError> {
    let mut prepared = Prepared::copy_of(environment);
    for capture in captures(kernel) {
        if capture.kind == capture_kind::TEXTURE {
            let texture: TextureRail = prepared.read(capture);
            check_home("texture", texture.home, place, capture)?;
            check_texture(crate::device::is_texture_here(texture.object), capture)?;
        }
        if capture.kind != capture_kind::GLOBAL_RAIL {
            continue;
        }
        let mut rail: GlobalRail = prepared.read(capture);
        check_home("global rail", rail.home, place, capture)?;
        let address = resolve(rail.handle).ok_or_else(|| {
            let message = format!("the global rail `{}` is not known here: was it forgotten?", name(capture));
            DeviceError::new(Kind::IllegalArgument, message)
        })?;
        rail.handle = address as i64;
        prepared.write(capture, rail);
    }
    prepared.part(captures(kernel));
    Ok(prepared)
}

fn check_home(what: &str, home: i64, place: i64, capture: &Capture) -> Result<(), DeviceError> {
    if home == place {
        return Ok(());
    }
    let copy = if what == "texture" { "" } else { "copy it there with Rail.asyncCopy, or " };
    let message = format!(
        "the {what} `{}` is at Place({home}), and the kernel runs at Place({place}): {copy}make it there",
        name(capture),
    );
    Err(DeviceError::new(Kind::BadPlace, message))
}

fn check_texture(known: bool, capture: &Capture) -> Result<(), DeviceError> {
    if known {
        return Ok(());
    }
    let message = format!("the texture `{}` is not known here: was it deleted?", name(capture));
    Err(DeviceError::new(Kind::IllegalArgument, message))
}
