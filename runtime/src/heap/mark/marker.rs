//! Marking: finds all reachable objects, depth first with an explicit stack.

use crate::heap::alloc::blocks::{Region, kind};
use crate::layout::Ref;
use crate::layout::{Kind, Type, slot};

/// Mark stack: objects found alive whose fields are not traced yet. Its memory is reserved once: the system's
/// allocator must not be called while threads are stopped, and each object is pushed at most once.
pub(crate) struct Marker<'a> {
    region: &'a Region,
    stack: *mut Ref,
    depth: usize,
}

impl<'a> Marker<'a> {
    /// For a region.
    pub(crate) fn new(region: &'a Region) -> Marker<'a> {
        Marker { region, stack: region.work, depth: 0 }
    }

    /// Marks what an arbitrary word may refer to.
    pub(crate) fn word(&mut self, word: usize) {
        if let Some((start, block, cell)) = self.region.find(word) {
            self.found(start, block, cell);
        }
    }

    /// Marks every object that a word in this range of memory may refer to.
    pub(crate) fn range(&mut self, low: usize, high: usize) {
        let mut at = low.next_multiple_of(8);
        while at + 8 <= high {
            // SAFETY: the caller's range is mapped; the value is only compared.
            let word = unsafe { (at as *const usize).read_volatile() };
            self.word(word);
            at += 8;
        }
    }

    /// Marks an object and all that it reaches later.
    pub(crate) fn reference(&mut self, object: Ref) {
        if !object.is_null() {
            self.word(object.address());
        }
    }

    fn found(&mut self, start: usize, block: u32, cell: usize) {
        // SAFETY: the block is in use, and all threads are stopped.
        let meta = unsafe { &mut *self.region.meta(block) };
        let new = if kind::has_bits(self.region.kind(block)) {
            let bit = 1 << (cell % 64);
            let word = &mut meta.marks[cell / 64];
            let new = *word & bit == 0;
            *word |= bit;
            new
        } else {
            !std::mem::replace(&mut meta.marked, true)
        };
        if new {
            // SAFETY: fewer objects than the stack has room for.
            unsafe { self.stack.add(self.depth).write(Ref(start as *mut _)) };
            self.depth += 1;
        }
    }

    /// Whether the object was found.
    pub(crate) fn is_marked(&self, object: Ref) -> bool {
        self.region.find(object.address()).is_some_and(|(_, block, cell)| {
            // SAFETY: the block is in use, and all threads are stopped.
            let meta = unsafe { &*self.region.meta(block) };
            if kind::has_bits(self.region.kind(block)) {
                meta.marks[cell / 64] & (1 << (cell % 64)) != 0
            } else {
                meta.marked
            }
        })
    }

    /// Follows all references.
    pub(crate) fn drain(&mut self) {
        while self.depth > 0 {
            self.depth -= 1;
            // SAFETY: was pushed.
            let object = unsafe { self.stack.add(self.depth).read() };
            self.trace(object);
        }
    }

    fn trace(&mut self, object: Ref) {
        // SAFETY: an object of the heap; its header is null only between the two halves of an allocation.
        let Some(ty) = (unsafe { (*object.0).ty.as_ref() }) else { return };
        match ty.kind {
            k if k == Kind::String as u32 => {}
            k if k == Kind::Rail as u32 => self.trace_rail(object, ty),
            _ => self.fields(object.at(0), ty),
        }
    }

    fn trace_rail(&mut self, rail: Ref, ty: &Type) {
        let start = rail.at(ty.size as usize);
        match ty.element_slot {
            slot::REF => {
                for index in 0..rail.length() {
                    // SAFETY: an element.
                    let element = unsafe { start.cast::<Ref>().add(index).read() };
                    self.reference(element);
                }
            }
            slot::VALUE => {
                // SAFETY: descriptors are static.
                let Some(element) = (unsafe { ty.element.as_ref() }) else { return };
                if has_references(element) {
                    for index in 0..rail.length() {
                        self.fields(start.wrapping_add(index * ty.element_size as usize), element);
                    }
                }
            }
            _ => {}
        }
    }

    /// Marks what the fields of an object or struct refer to.
    pub(crate) fn fields(&mut self, start: *mut u8, ty: &Type) {
        for field in ty.fields() {
            let at = start.wrapping_add(field.offset as usize);
            match field.slot {
                // SAFETY: a field.
                slot::REF => self.reference(unsafe { at.cast::<Ref>().read() }),
                slot::VALUE => {
                    // SAFETY: descriptors are static.
                    if let Some(inner) = unsafe { field.ty.as_ref() } {
                        self.fields(at, inner);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether the elements of a rail are or have references.
pub(crate) fn elements_have_references(ty: &Type) -> bool {
    match ty.element_slot {
        slot::REF => true,
        // SAFETY: descriptors are static.
        slot::VALUE => unsafe { ty.element.as_ref() }.is_none_or(has_references),
        _ => false,
    }
}

/// Whether a struct has references.
fn has_references(ty: &Type) -> bool {
    ty.fields().iter().any(|field| match field.slot {
        slot::REF => true,
        // SAFETY: descriptors are static.
        slot::VALUE => unsafe { field.ty.as_ref() }.is_some_and(has_references),
        _ => false,
    })
}
