//! Textures.

use super::devices::{device, raised, wait};
use crate::abi::{ExceptionKind, Outcome, Raised};
use crate::apgas::system::system;
use crate::base::place::here;
use crate::device::{self, DeviceError, Kind, TextureForm, Upload};
use crate::heap;
use crate::heap::Ref;

/// A texture at a place, this host or an accelerator of it, with elements like those of the rail `sample`:
/// its number.
pub(crate) fn texture_make(
    place: i64,
    sample: Ref,
    rank: i64,
    width: i64,
    height: i64,
    depth: i64,
    mode: i32,
) -> Outcome<i64> {
    if !sample.is_rail() {
        let message = "no rail to take the type of elements from";
        return Err(Raised(system().engine().exception(ExceptionKind::NullPointer, message)));
    }
    let extents = [width, height, depth];
    let rank = usize::try_from(rank).unwrap_or(1).clamp(1, 3);
    let form = TextureForm::new(sample.ty().element_slot, &extents[..rank], mode);
    let made = form.and_then(|form| match place == i64::from(here()) {
        true => device::make_texture_here(form),
        false => system().device(place)?.make_texture(form),
    });
    made.map_err(|error| raised(&error))
}

/// Sets the elements of a texture from a rail of this host.
pub(crate) fn texture_fill(place: i64, number: i64, source: Ref) -> Outcome<()> {
    if !source.is_rail() {
        let message = "no rail to fill a texture from";
        return Err(Raised(system().engine().exception(ExceptionKind::NullPointer, message)));
    }
    if place == i64::from(here()) {
        // SAFETY: a rail of the texture's type, by the type of the member that calls this.
        let filled = unsafe { device::fill_texture_here(number, source.elements(), source.length() as i64) };
        return filled.map_err(|error| raised(&error));
    }
    let device = device(place)?;
    let bytes = device.texture_bytes(number, source.length() as i64).map_err(|error| raised(&error))?;
    let staged = device.allocate(bytes).map_err(|error| raised(&error))?;
    let upload = Upload { source: source.elements(), target: staged, bytes };
    let filled = wait(|done| {
        // SAFETY: the caller's rail is alive, and stays where it is, until the wait has ended.
        unsafe { device.upload(vec![upload], done) };
        Ok(())
    })
    .and_then(|()| device.fill_texture(number, staged).map_err(|error| raised(&error)));
    device.free(staged).map_err(|error| raised(&error))?;
    filled
}

/// Sets the elements of a texture from a global rail of the same place: `count` elements at `handle`.
pub(crate) fn texture_copy(place: i64, number: i64, handle: i64, count: i64) -> Outcome<()> {
    if place == i64::from(here()) {
        let rail = heap::global(handle).filter(|rail| rail.is_rail());
        let filled = rail.ok_or_else(|| {
            DeviceError::new(Kind::IllegalArgument, "the global rail is not known here: was it forgotten?")
        });
        // SAFETY: as in `texture_fill`.
        let filled = filled.and_then(|rail| unsafe {
            device::fill_texture_here(number, rail.elements(), rail.length() as i64)
        });
        return filled.map_err(|error| raised(&error));
    }
    let device = device(place)?;
    let filled = device.texture_bytes(number, count).and_then(|bytes| {
        device.check_range(handle as u64, bytes)?;
        device.fill_texture(number, handle as u64)
    });
    filled.map_err(|error| raised(&error))
}

/// Ends a texture.
pub(crate) fn texture_free(place: i64, number: i64) -> Outcome<()> {
    let freed = match place == i64::from(here()) {
        true => device::free_texture_here(number),
        false => system().device(place).and_then(|device| device.free_texture(number)),
    };
    freed.map_err(|error| raised(&error))
}

/// An exception unless code of this host may read the texture.
pub(crate) fn texture_check(place: i64, number: i64) -> Outcome<()> {
    let here = i64::from(here());
    let error = if place != here {
        let message =
            format!("this texture lives at Place({place}), not Place({here}): only kernels there read it");
        DeviceError::new(Kind::BadPlace, message)
    } else if !device::is_texture_here(number) {
        DeviceError::new(Kind::IllegalArgument, "this texture is not known here: was it deleted?")
    } else {
        return Ok(());
    };
    Err(raised(&error))
}
