//! Fast path for graphs that consist of one object without references, such as most closures that are sent to
//! another place. The encoding is the same as for other graphs, but no table of visited
//! objects is needed, and collections are not held off: the caller keeps the object alive.

use crate::layout::{Field, Kind, Object, Type, custom, slot};
use crate::serialize::read::Input;
use crate::serialize::{Heap, TypeTable, write};

/// Whether the object's slots can only be fields.
fn has_only_fields(ty: &Type) -> bool {
    ty.custom == custom::NONE && !ty.is_counted() && ty.kind != Kind::Struct as u32
}

/// Size of a field that is copied bytewise; `None` for a reference, a struct or a transient field.
fn plain_size(field: &Field) -> Option<usize> {
    match field.slot {
        slot::REF | slot::VALUE => None,
        _ if field.transient != 0 => None,
        other => slot::size(other),
    }
}

/// Appends the graph of the object; false, with nothing appended, if the fast path does not apply.
///
/// # Safety
/// `object` is null or an object that stays alive during the call.
pub unsafe fn write(out: &mut Vec<u8>, object: *mut Object) -> bool {
    // SAFETY: the caller gives null or a live object; descriptors are static.
    let Some(ty) = (unsafe { object.as_ref().map(|it| &*it.ty) }).filter(|ty| has_only_fields(ty)) else {
        return false;
    };
    let start = out.len();
    out.push(1);
    write::number(out, u64::from(ty.id) + 1);
    for field in ty.fields() {
        let Some(size) = plain_size(field) else {
            out.truncate(start);
            return false;
        };
        // SAFETY: a field lies inside its object.
        out.extend_from_slice(unsafe {
            std::slice::from_raw_parts(object.cast::<u8>().add(field.offset as usize), size)
        });
    }
    out.push(0);
    true
}

/// Reads a graph of one object; `None`, with nothing read, if the fast path does not apply, or the heap is
/// full.
pub fn read(input: &mut Input<'_>, types: TypeTable, heap: &dyn Heap) -> Option<*mut Object> {
    let mut rest = input.clone();
    if rest.number().ok()? != 1 {
        return None;
    }
    let ty = types.get(rest.number().ok()?.checked_sub(1)?).filter(|ty| has_only_fields(ty))?;
    let size = ty.fields().iter().map(plain_size).sum::<Option<usize>>()?;
    let bytes = rest.bytes(size).ok()?;
    if rest.number() != Ok(0) {
        return None;
    }
    let object = heap.allocate(ty, 0)?;
    let mut at = bytes.as_ptr();
    for field in ty.fields() {
        let size = plain_size(field).unwrap_or(0);
        // SAFETY: a field lies inside its object, and `bytes` holds all of them.
        unsafe {
            object.cast::<u8>().add(field.offset as usize).copy_from_nonoverlapping(at, size);
            at = at.add(size);
        }
    }
    *input = rest;
    Some(object)
}
