//! Copies a graph within a place.

use rustc_hash::FxHashMap;

use super::{Error, Heap, allocate};
use crate::layout::{Kind, Object, Type, custom};
use crate::serialize::visit;
use crate::serialize::visit::Slot;

/// Copies all that is reachable from `root`. Strings are immutable, so that the copy shares them.
///
/// # Safety
/// `root` is null or an object whose reachable graph stays alive during the call, see [`Heap`].
pub unsafe fn copy(root: *mut Object, heap: &dyn Heap) -> Result<*mut Object, Error> {
    let mut copier = Copier { heap, copies: FxHashMap::default(), pending: Vec::new() };
    let result = copier.copy_of(root)?;
    while let Some((from, to)) = copier.pending.pop() {
        // SAFETY: both are objects of one type; `to` has as many elements.
        unsafe { copier.fill(from, to)? };
    }
    Ok(result)
}

struct Copier<'a> {
    heap: &'a dyn Heap,
    copies: FxHashMap<*mut Object, *mut Object>,
    /// Copies whose slots have not been filled yet.
    pending: Vec<(*mut Object, *mut Object)>,
}

impl Copier<'_> {
    fn copy_of(&mut self, from: *mut Object) -> Result<*mut Object, Error> {
        if from.is_null() {
            return Ok(from);
        }
        if let Some(&done) = self.copies.get(&from) {
            return Ok(done);
        }
        // SAFETY: a non-null reference is an object, its type static data of the program.
        let ty: &'static Type = unsafe { &*(*from).ty };
        if ty.kind == Kind::String as u32 || ty.custom == custom::GLOBAL {
            return Ok(from);
        }
        if ty.is_sent_whole() {
            return Err(Error::Custom);
        }
        // SAFETY: a non-null reference is an object, its type static data of the program.
        let to = allocate(self.heap, ty, unsafe { visit::length_of(from, ty) })?;
        self.copies.insert(from, to);
        self.pending.push((from, to));
        Ok(to)
    }

    /// # Safety
    /// Both are objects of one type, with as many elements.
    unsafe fn fill(&mut self, from: *mut Object, to: *mut Object) -> Result<(), Error> {
        // SAFETY: the caller gives two objects of one type; slots of `from` have their counterparts at the
        // same distance in `to`.
        unsafe {
            let ty: &'static Type = &*(*from).ty;
            let length = visit::length_of(to, ty);
            visit::visit(from, ty, length, &mut |slot| {
                match slot {
                    Slot::Plain(at, size) => {
                        std::ptr::copy_nonoverlapping(at, counterpart(at, from, to), size)
                    }
                    Slot::Reference(at, _) => {
                        let copy = self.copy_of(at.read())?;
                        counterpart(at, from, to).write(copy);
                    }
                    Slot::Custom(..) | Slot::Restored(..) => return Err(Error::Custom),
                    Slot::Transient(..) => {}
                }
                Ok(())
            })
        }
    }
}

/// # Safety
/// `at` lies inside `from`, and `to` is an object of the same size.
unsafe fn counterpart<T>(at: *mut T, from: *mut Object, to: *mut Object) -> *mut T {
    let distance = at as usize - from as usize;
    // SAFETY: `at` is inside `from`, and `to` has the same size, as the caller guarantees.
    unsafe { to.cast::<u8>().add(distance).cast() }
}
