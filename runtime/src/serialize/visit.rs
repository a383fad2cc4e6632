//! Visitor of an object's slots, driven by its type descriptor.

use crate::layout::{Counted, Kind, Object, Type, custom, slot};

/// A run of memory inside an object, as the copiers see it.
#[derive(Clone, Copy, Debug)]
pub enum Slot {
    /// Bytes without references: address and length.
    Plain(*mut u8, usize),
    /// A reference, and the class that it must be of (null: any).
    Reference(*mut *mut Object, *const Type),
    /// A transient field: not copied, zero in the copy.
    Transient(*mut u8, usize),
    /// A struct with custom serialization.
    Custom(*mut u8, &'static Type),
    /// An object or struct whose transient fields its own code sets; its fields follow.
    Restored(*mut u8, &'static Type),
}

/// The number of elements of a rail or string; 0 for anything else.
///
/// # Safety
/// `object` is an object of type `ty`.
pub unsafe fn length_of(object: *mut Object, ty: &Type) -> i64 {
    // SAFETY: counted objects start with `Counted`.
    if ty.is_counted() { unsafe { (*object.cast::<Counted>()).length } } else { 0 }
}

/// Whether values of this struct hold neither references nor transient fields, so that their bytes can be
/// copied whole.
pub fn is_flat(ty: &Type) -> bool {
    ty.custom == custom::NONE
        && ty.fields().iter().all(|field| {
            field.transient == 0
                && match field.slot {
                    slot::REF => false,
                    slot::VALUE => nested(field.ty).is_none_or(is_flat),
                    _ => true,
                }
        })
}

/// Whether the elements of rails of this type can be copied whole.
pub fn is_flat_rail(ty: &Type) -> bool {
    match ty.element_slot {
        slot::REF => false,
        slot::VALUE => nested(ty.element).is_none_or(is_flat),
        _ => true,
    }
}

/// Calls `visit` for every slot of `object`, in the order of its type's fields or its elements. Stops at the
/// first error.
///
/// # Safety
/// `object` is an object of type `ty` with `length` elements.
pub unsafe fn visit<E>(
    object: *mut Object,
    ty: &'static Type,
    length: i64,
    visit: &mut dyn FnMut(Slot) -> Result<(), E>,
) -> Result<(), E> {
    let base = object.cast::<u8>();
    if !ty.is_counted() {
        // SAFETY: fields lie inside the object.
        return unsafe { visit_fields(base, ty, visit) };
    }
    // SAFETY: elements follow the header.
    let first = unsafe { base.add(ty.size as usize) };
    let count = length as usize;
    if ty.kind == Kind::Rail as u32 && ty.element_slot == slot::REF {
        for index in 0..count {
            // SAFETY: the index is below the length.
            visit(Slot::Reference(unsafe { first.cast::<*mut Object>().add(index) }, ty.element))?;
        }
        return Ok(());
    }
    match nested(ty.element) {
        Some(element) if ty.element_slot == slot::VALUE && !is_flat(element) => {
            for index in 0..count {
                // SAFETY: the index is below the length.
                unsafe { visit_struct(first.add(index * ty.element_bytes()), element, visit)? };
            }
            Ok(())
        }
        _ if count == 0 => Ok(()),
        _ => visit(Slot::Plain(first, count * ty.element_bytes())),
    }
}

/// # Safety
/// `at` is the address of a struct of type `ty`.
unsafe fn visit_struct<E>(
    at: *mut u8,
    ty: &'static Type,
    visit: &mut dyn FnMut(Slot) -> Result<(), E>,
) -> Result<(), E> {
    if ty.is_sent_whole() {
        return visit(Slot::Custom(at, ty));
    }
    // SAFETY: the caller gives the address of a struct of that type.
    unsafe { visit_fields(at, ty, visit) }
}

/// # Safety
/// `base` is the address of an object or struct with the fields of `ty`.
unsafe fn visit_fields<E>(
    base: *mut u8,
    ty: &'static Type,
    visit: &mut dyn FnMut(Slot) -> Result<(), E>,
) -> Result<(), E> {
    if ty.custom == custom::RESTORED {
        visit(Slot::Restored(base, ty))?;
    }
    for field in ty.fields() {
        // SAFETY: offsets lie inside the object.
        let at = unsafe { base.add(field.offset as usize) };
        let size = match field.slot {
            slot::VALUE => nested(field.ty).map_or(0, |ty| ty.size as usize),
            other => slot::size(other).unwrap_or(0),
        };
        match (field.slot, nested(field.ty)) {
            _ if field.transient != 0 => visit(Slot::Transient(at, size))?,
            (slot::REF, _) => visit(Slot::Reference(at.cast(), field.ty))?,
            // SAFETY: a struct lies whole inside the object.
            (slot::VALUE, Some(inner)) => unsafe { visit_struct(at, inner, visit)? },
            _ => visit(Slot::Plain(at, size))?,
        }
    }
    Ok(())
}

fn nested(ty: *const Type) -> Option<&'static Type> {
    // SAFETY: descriptors are static data of the program.
    unsafe { ty.as_ref() }
}
