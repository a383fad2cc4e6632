//! Textures: rails that kernels read at any point, with an answer for points between and outside of the
//! elements. On a device they are arrays of the driver with a texture object, on a host plain memory that
//! generated code samples.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::mem::MaybeUninit;

use parking_lot::Mutex;

use crate::device::Device;
use crate::device::cuda::driver;
use crate::device::cuda::driver::{Attribute, sys};
use crate::device::error::{DeviceError, Kind};
use crate::layout::slot;

/// Bits of a texture's mode, as `x10.util.CUDATextureRail` has them.
mod mode {
    pub(super) const FILTERED: u32 = 1;
    pub(super) const NORMALIZED: u32 = 2;
    pub(super) const BORDER: u32 = 4;
    pub(super) const WRAP: u32 = 8;
    pub(super) const MIRROR: u32 = 12;
    /// Of the three above.
    pub(super) const ADDRESS: u32 = 12;
    pub(super) const ALL: u32 = 15;
}

/// What a texture is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    slot: u8,
    /// 1 to 3.
    rank: usize,
    /// Elements along x, y and z; 1 for what the rank leaves out.
    extent: [usize; 3],
    mode: u32,
    bytes: usize,
}

impl Form {
    /// An error says which of its properties no texture can have.
    pub fn new(slot: u8, extents: &[i64], mode: i32) -> Result<Form, DeviceError> {
        let illegal = |text: String| Err(DeviceError::new(Kind::IllegalArgument, text));
        if format(slot).is_none() {
            return Err(DeviceError::new(
                Kind::Unsupported,
                "a texture has elements of Byte, UByte, Short, UShort, Int, UInt or Float: other types have no texture format",
            ));
        }
        let mode = mode as u32;
        if mode & !mode::ALL != 0 {
            return illegal(format!("a texture has no mode {mode}: add up the constants of CUDATextureRail"));
        }
        if mode & mode::FILTERED != 0 && slot != slot::F32 {
            return illegal(
                "only a texture of Floats can be FILTERED: other elements have no values between them"
                    .to_owned(),
            );
        }
        if mode & mode::WRAP != 0 && mode & mode::NORMALIZED == 0 {
            return illegal("a texture that is WRAP or MIRROR must be NORMALIZED as well".to_owned());
        }
        let mut extent = [1; 3];
        for (axis, wanted) in extent.iter_mut().zip(extents) {
            let Some(size) = i32::try_from(*wanted).ok().filter(|it| *it > 0) else {
                return illegal(format!("a texture of {wanted} elements along an axis"));
            };
            *axis = size as usize;
        }
        let element = slot::size(slot).unwrap_or(1);
        let bytes = extent.iter().try_fold(element, |all, axis| all.checked_mul(*axis));
        let Some(bytes) = bytes.filter(|it| i64::try_from(*it).is_ok()) else {
            return Err(DeviceError::new(Kind::OutOfMemory, "a texture longer than any memory"));
        };
        Ok(Form { slot, rank: extents.len().clamp(1, 3), extent, mode, bytes })
    }

    /// Of all its elements.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many elements.
    pub fn count(&self) -> usize {
        self.extent.iter().product()
    }
}

/// The driver's name for a type of elements.
fn format(slot: u8) -> Option<sys::CUarray_format> {
    use sys::CUarray_format_enum::*;
    // Slots are numbered signed first, then unsigned, each by size.
    match slot {
        1 => Some(CU_AD_FORMAT_SIGNED_INT8),
        2 => Some(CU_AD_FORMAT_SIGNED_INT16),
        slot::I32 => Some(CU_AD_FORMAT_SIGNED_INT32),
        5 => Some(CU_AD_FORMAT_UNSIGNED_INT8),
        6 => Some(CU_AD_FORMAT_UNSIGNED_INT16),
        7 => Some(CU_AD_FORMAT_UNSIGNED_INT32),
        slot::F32 => Some(CU_AD_FORMAT_FLOAT),
        _ => None,
    }
}

/// A texture of a host as generated code reads it (`apg_texture`).
#[repr(C)]
struct Sampled {
    data: *const c_void,
    extent: [i32; 3],
    mode: u32,
}

/// A texture of a host.
pub(crate) struct HostTexture {
    sampled: Sampled,
    form: Form,
    memory: Vec<u64>,
}

// SAFETY: the pointer is to memory of the same struct.
unsafe impl Send for HostTexture {}

/// The textures of this host, by address.
static OF_HOST: Mutex<BTreeMap<i64, Box<HostTexture>>> = Mutex::new(BTreeMap::new());

fn unknown() -> DeviceError {
    DeviceError::new(Kind::IllegalArgument, "this texture is not known here: was it deleted?")
}

/// A texture of zeros on this host: its number.
pub fn make_here(form: Form) -> Result<i64, DeviceError> {
    let words = form.bytes.div_ceil(size_of::<u64>()).max(1);
    let mut memory = Vec::new();
    memory.try_reserve_exact(words).map_err(|_| {
        DeviceError::new(Kind::OutOfMemory, format!("no memory for a texture of {} bytes", form.bytes))
    })?;
    memory.resize(words, 0_u64);
    let sampled =
        Sampled { data: memory.as_ptr().cast(), extent: form.extent.map(|it| it as i32), mode: form.mode };
    let texture = Box::new(HostTexture { sampled, form, memory });
    let number = std::ptr::from_ref(&texture.sampled) as i64;
    OF_HOST.lock().insert(number, texture);
    Ok(number)
}

/// Whether a texture of this host has that number.
pub fn is_here(number: i64) -> bool {
    OF_HOST.lock().contains_key(&number)
}

/// Sets the elements of a texture of this host.
///
/// # Safety
/// `source` has `count` elements of the texture's type.
pub unsafe fn fill_here(number: i64, source: *const u8, count: i64) -> Result<(), DeviceError> {
    let mut textures = OF_HOST.lock();
    let texture = textures.get_mut(&number).ok_or_else(unknown)?;
    check_count(&texture.form, count)?;
    // SAFETY: both have that many bytes.
    unsafe { std::ptr::copy_nonoverlapping(source, texture.memory.as_mut_ptr().cast(), texture.form.bytes) };
    Ok(())
}

/// Ends a texture of this host.
pub fn free_here(number: i64) -> Result<(), DeviceError> {
    OF_HOST.lock().remove(&number).map(drop).ok_or_else(unknown)
}

fn check_count(form: &Form, count: i64) -> Result<(), DeviceError> {
    let wanted = form.count();
    if count >= wanted as i64 {
        return Ok(());
    }
    Err(DeviceError::new(
        Kind::IllegalArgument,
        format!("a rail of {count} elements for a texture of {wanted}"),
    ))
}

/// A texture of a device.
pub(crate) struct DeviceTexture {
    array: sys::CUarray,
    form: Form,
}

// SAFETY: arrays of the driver may be used from any thread.
unsafe impl Send for DeviceTexture {}

/// The textures of a device, by texture object.
#[derive(Default)]
pub(crate) struct Textures(Mutex<BTreeMap<u64, DeviceTexture>>);

impl Textures {
    /// How many there are, and their bytes.
    pub(crate) fn held(&self) -> (usize, u64) {
        let textures = self.0.lock();
        (textures.len(), textures.values().map(|it| it.form.bytes as u64).sum())
    }
}

impl Device {
    /// A texture of the device with nothing in it: its texture object.
    pub fn make_texture(&self, form: Form) -> Result<i64, DeviceError> {
        self.context.enter()?;
        self.check_texture_limits(&form)?;
        let Some(format) = format(form.slot) else { return Err(unknown()) };
        let [width, height, depth] = form.extent;
        let descriptor = sys::CUDA_ARRAY3D_DESCRIPTOR {
            Width: width,
            Height: if form.rank > 1 { height } else { 0 },
            Depth: if form.rank > 2 { depth } else { 0 },
            Format: format,
            NumChannels: 1,
            Flags: 0,
        };
        let mut array = std::ptr::null_mut();
        let mut attempt = || {
            // SAFETY: a context of this device is current; the result goes to a local.
            driver::check(unsafe { sys::cuArray3DCreate_v2(&mut array, &descriptor) })
        };
        let made = match attempt() {
            Err(failure) if failure.is_out_of_memory() && self.release_buffers() => attempt(),
            other => other,
        };
        made.map_err(|failure| DeviceError::driver(&self.label(), "make a texture", &failure))?;
        match self.texture_object(array, &form) {
            Ok(object) => {
                self.textures.0.lock().insert(object, DeviceTexture { array, form });
                Ok(object as i64)
            }
            Err(error) => {
                // SAFETY: made above and used by nobody.
                unsafe { sys::cuArrayDestroy(array) };
                Err(error)
            }
        }
    }

    fn texture_object(&self, array: sys::CUarray, form: &Form) -> Result<u64, DeviceError> {
        use sys::CUaddress_mode_enum::*;
        let address = match form.mode & mode::ADDRESS {
            mode::BORDER => CU_TR_ADDRESS_MODE_BORDER,
            mode::WRAP => CU_TR_ADDRESS_MODE_WRAP,
            mode::MIRROR => CU_TR_ADDRESS_MODE_MIRROR,
            _ => CU_TR_ADDRESS_MODE_CLAMP,
        };
        let filter = match form.mode & mode::FILTERED {
            0 => sys::CUfilter_mode_enum::CU_TR_FILTER_MODE_POINT,
            _ => sys::CUfilter_mode_enum::CU_TR_FILTER_MODE_LINEAR,
        };
        let mut flags = if form.slot == slot::F32 { 0 } else { sys::CU_TRSF_READ_AS_INTEGER };
        if form.mode & mode::NORMALIZED != 0 {
            flags |= sys::CU_TRSF_NORMALIZED_COORDINATES;
        }
        // SAFETY: plain data for which zeros mean "none".
        let (mut resource, mut texture): (sys::CUDA_RESOURCE_DESC, sys::CUDA_TEXTURE_DESC) =
            unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
        resource.resType = sys::CUresourcetype_enum::CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = array;
        // An axis that the texture does not have is sampled at an edge: a border there would take half of
        // every value.
        texture.addressMode = [CU_TR_ADDRESS_MODE_CLAMP; 3];
        texture.addressMode[..form.rank].fill(address);
        texture.filterMode = filter;
        texture.flags = flags;
        let mut object = 0;
        // SAFETY: descriptors of an array of this device; the result goes to a local.
        let made = unsafe { sys::cuTexObjectCreate(&mut object, &resource, &texture, std::ptr::null()) };
        self.check(made, "make a texture").map(|()| object)
    }

    fn check_texture_limits(&self, form: &Form) -> Result<(), DeviceError> {
        use Attribute::*;
        let limits: &[_] = match form.rank {
            1 => &[CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH],
            2 => &[CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT],
            _ => &[
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH,
            ],
        };
        for ((limit, extent), axis) in limits.iter().zip(form.extent).zip(["x", "y", "z"]) {
            let most = self.context.device().attribute(*limit)?;
            if extent > most as usize {
                let rank = form.rank;
                let message = format!(
                    "a texture of {rank} axes with {extent} elements along {axis}; {self} has at most {most} there"
                );
                return Err(DeviceError::new(Kind::IllegalArgument, message));
            }
        }
        Ok(())
    }

    /// Whether it is a texture of this device.
    pub fn has_texture(&self, object: i64) -> bool {
        self.textures.0.lock().contains_key(&(object as u64))
    }

    /// The bytes of a texture that is to be filled from `count` elements.
    pub fn texture_bytes(&self, object: i64, count: i64) -> Result<u64, DeviceError> {
        let textures = self.textures.0.lock();
        let texture = textures.get(&(object as u64)).ok_or_else(unknown)?;
        check_count(&texture.form, count).map(|()| texture.form.bytes as u64)
    }

    /// Sets the elements of a texture from memory of the device, which has as many.
    pub fn fill_texture(&self, object: i64, source: u64) -> Result<(), DeviceError> {
        self.context.enter()?;
        let textures = self.textures.0.lock();
        let texture = textures.get(&(object as u64)).ok_or_else(unknown)?;
        let [width, height, depth] = texture.form.extent;
        let row = width * slot::size(texture.form.slot).unwrap_or(1);
        let mut copy = MaybeUninit::<sys::CUDA_MEMCPY3D>::zeroed();
        // SAFETY: plain data for which zeros mean "none", but for the two types of memory, which are set
        // first.
        let copy = unsafe {
            let described = copy.as_mut_ptr();
            (&raw mut (*described).srcMemoryType).write(sys::CUmemorytype_enum::CU_MEMORYTYPE_DEVICE);
            (&raw mut (*described).dstMemoryType).write(sys::CUmemorytype_enum::CU_MEMORYTYPE_ARRAY);
            copy.assume_init_mut()
        };
        copy.srcDevice = source;
        (copy.srcPitch, copy.srcHeight) = (row, height);
        copy.dstArray = texture.array;
        (copy.WidthInBytes, copy.Height, copy.Depth) = (row, height, depth);
        // SAFETY: both are memory of this device with as many bytes. Inside of the device this takes little
        // time.
        let copied = unsafe {
            match sys::cuMemcpy3D_v2(copy) {
                sys::CUresult::CUDA_SUCCESS => sys::cuStreamSynchronize(std::ptr::null_mut()),
                failed => failed,
            }
        };
        self.check(copied, "fill a texture")
    }

    /// Ends a texture; no kernel that reads it may be on its way.
    pub fn free_texture(&self, object: i64) -> Result<(), DeviceError> {
        self.context.enter()?;
        let texture = self.textures.0.lock().remove(&(object as u64)).ok_or_else(unknown)?;
        // SAFETY: made by `make_texture` and ended once.
        let freed = unsafe {
            match sys::cuTexObjectDestroy(object as u64) {
                sys::CUresult::CUDA_SUCCESS => sys::cuArrayDestroy(texture.array),
                failed => failed,
            }
        };
        self.check(freed, "end a texture")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(slot: u8, extents: &[i64], mode: u32) -> Kind {
        Form::new(slot, extents, mode as i32).expect_err("no such texture").kind
    }

    #[test]
    fn invalid_textures_are_errors() {
        assert_eq!(refused(slot::F64, &[4], 0), Kind::Unsupported);
        assert_eq!(refused(slot::I32, &[4], mode::FILTERED), Kind::IllegalArgument);
        assert_eq!(refused(slot::F32, &[4], mode::WRAP), Kind::IllegalArgument);
        assert_eq!(refused(slot::F32, &[4], 16), Kind::IllegalArgument);
        assert_eq!(refused(slot::F32, &[4, 0], 0), Kind::IllegalArgument);
        assert_eq!(refused(slot::F32, &[1 << 30, 1 << 30, 1 << 30], 0), Kind::OutOfMemory);
    }

    #[test]
    fn zeroed_descriptor_is_valid() {
        // Where a field has no zero, this panics.
        let zeros = || -> (sys::CUDA_RESOURCE_DESC, sys::CUDA_TEXTURE_DESC) {
            // SAFETY: plain data for which zeros mean "none".
            unsafe { (std::mem::zeroed(), std::mem::zeroed()) }
        };
        let (resource, texture) = zeros();
        assert_eq!((resource.flags, texture.flags), (0, 0));
    }

    #[test]
    fn host_textures_exist_until_freed() {
        let form = Form::new(slot::F32, &[3, 2], (mode::FILTERED | mode::BORDER) as i32).expect("a texture");
        let number = make_here(form).expect("memory");
        let source = [1.0_f32; 6];
        // SAFETY: that many elements.
        let filled = |count| unsafe { fill_here(number, source.as_ptr().cast(), count) };
        assert!(is_here(number) && filled(6).is_ok() && filled(5).is_err());
        assert!(free_here(number).is_ok() && !is_here(number) && free_here(number).is_err());
    }
}
