//! `CustomSerialization`: the program's own code decides what is sent of an object, and makes it again from
//! that.

use super::loaded::{loaded, types};
use super::objects::{allocate, exception};
use crate::heap::Ref;
use crate::layout::{ExceptionKind, Kind, Type, custom};
use crate::serialize::custom_serialization::CustomValue;

/// What an object, or a struct inside one, sends of itself: a rail; or an exception.
pub fn saved(place: &CustomValue) -> Result<Ref, Ref> {
    let Some(save) = loaded().table.saved.filter(|_| place.ty.custom == custom::OWN) else {
        let message = format!("a {} cannot be sent to another place", place.ty.name());
        return Err(exception(ExceptionKind::NotSerializable, &message).0);
    };
    let value = if place.ty.kind == Kind::Struct as u32 { boxed(place)? } else { Ref(place.at.cast()) };
    let mut rail = Ref::NULL;
    // SAFETY: the program's own entry.
    let failure = unsafe { save(value, &mut rail) };
    if failure.is_null() { Ok(rail) } else { Err(failure) }
}

/// A struct in a box.
fn boxed(place: &CustomValue) -> Result<Ref, Ref> {
    let holds = |ty: &&&'static Type| {
        ty.kind == Kind::Boxed as u32 && ty.fields().first().is_some_and(|it| std::ptr::eq(it.ty, place.ty))
    };
    let Some(ty) = types().iter().find(holds) else {
        let message = format!("the program has no box for {}", place.ty.name());
        return Err(exception(ExceptionKind::Internal, &message).0);
    };
    let object = allocate(ty).map_err(|raised| raised.0)?;
    // SAFETY: the struct is alive, since its owner is; the box has room for it.
    unsafe {
        let target = object.at(ty.fields()[0].offset as usize);
        target.copy_from_nonoverlapping(place.at, place.ty.size as usize);
    }
    Ok(object)
}

/// Makes what was sent anew, from the rail that it sent of itself; or gives an exception.
pub fn restore(place: &CustomValue, rail: Ref) -> Result<(), Ref> {
    if let (custom::RESTORED, Some(restore)) = (place.ty.custom, place.ty.restore) {
        // SAFETY: the program's own code; the place is inside an object that is alive.
        let failure = unsafe { restore(place.at.cast(), Ref::NULL) };
        return if failure.is_null() { Ok(()) } else { Err(failure) };
    }
    let (Some(restore), Some(deserializer)) = (place.ty.restore, loaded().table.deserializer) else {
        let message = format!(
            "a {} cannot be made here: it implements CustomSerialization, but has no constructor `this(Deserializer)`",
            place.ty.name()
        );
        return Err(exception(ExceptionKind::NotSerializable, &message).0);
    };
    let mut source = Ref::NULL;
    // SAFETY: the program's own entries; the place is inside an object that is alive.
    let failure = unsafe {
        match deserializer(rail, &mut source) {
            Ref::NULL => restore(place.at.cast(), source),
            failure => failure,
        }
    };
    if failure.is_null() { Ok(()) } else { Err(failure) }
}
