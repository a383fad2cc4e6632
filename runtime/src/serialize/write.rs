//! Writes a graph as bytes.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::custom_serialization::{CustomValue, Saved};
use crate::heap::Ref;
use crate::heap::global_refs;
use crate::heap::global_refs::{Copies, Sent};
use crate::layout::{Object, Type, custom};
use crate::serialize::out_of_band;
use crate::serialize::out_of_band::Part;
use crate::serialize::visit;
use crate::serialize::visit::Slot;

/// Appends a number in LEB128.
#[inline]
pub fn number(out: &mut Vec<u8>, value: u64) {
    if value < 0x80 { out.push(value as u8) } else { long_number(out, value) }
}

/// Appends all eight bytes of a number that is hardly ever small.
#[inline]
pub fn whole_number(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn long_number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a number that may be negative: zigzag, then LEB128.
pub fn signed(out: &mut Vec<u8>, value: i64) {
    number(out, ((value << 1) ^ (value >> 63)) as u64);
}

/// Appends the graph that is reachable from `root`. `saved` are the rails of values with custom
/// serialization; `copies` says how often the graph may be read.
///
/// # Errors
/// What is not in `saved` and should be; what was appended is of no use then.
///
/// # Safety
/// `root` is null or an object whose reachable graph stays alive during the call.
pub unsafe fn graph(
    out: &mut Vec<u8>,
    root: *mut Object,
    saved: &Saved,
    copies: Copies,
) -> Result<(), Vec<CustomValue>> {
    // SAFETY: the caller gives null or an object whose graph is alive.
    match unsafe { graph_in_parts(out, None, root, saved, copies, usize::MAX) } {
        Err(Unwritten::Missing(places)) => Err(places),
        _ => Ok(()),
    }
}

/// Why a graph is not written; what was appended is of no use then.
#[derive(Debug)]
pub enum Unwritten {
    /// This is not in `saved` and should be.
    Missing(Vec<CustomValue>),
    /// It has more bytes than allowed.
    TooLong,
}

/// The same, with at max_bytes about `max_bytes` bytes; long plain elements go to `parts`, if there are any.
///
/// # Errors
/// See [`Unwritten`].
///
/// # Safety
/// As [`graph`].
pub unsafe fn graph_in_parts(
    out: &mut Vec<u8>,
    parts: Option<&mut Vec<Part>>,
    root: *mut Object,
    saved: &Saved,
    copies: Copies,
    max_bytes: usize,
) -> Result<(), Unwritten> {
    let max_bytes = out.len().saturating_add(max_bytes);
    let mut writer = Writer {
        out,
        parts,
        saved,
        copies,
        missing: Vec::new(),
        indices: None,
        objects: SmallVec::new(),
        given: Vec::new(),
    };
    writer.reference(root);
    let mut next = 0;
    let mut fits = true;
    while fits && let Some(&object) = writer.objects.get(next) {
        // SAFETY: only objects are queued.
        unsafe {
            fits = max_bytes == usize::MAX || writer.out.len() + writer.inline_bytes(object) <= max_bytes;
            if fits {
                writer.object(object);
            }
        }
        next += 1;
    }
    writer.out.push(0);
    if fits && writer.missing.is_empty() {
        return Ok(());
    }
    writer.given.into_iter().for_each(global_refs::undo);
    Err(if fits { Unwritten::Missing(writer.missing) } else { Unwritten::TooLong })
}

/// Objects up to this number are searched linearly.
const MAX_LINEAR_SEARCH: usize = 8;

struct Writer<'a> {
    out: &'a mut Vec<u8>,
    parts: Option<&'a mut Vec<Part>>,
    saved: &'a Saved,
    copies: Copies,
    missing: Vec<CustomValue>,
    /// Of all objects, once there are more than a few.
    indices: Option<FxHashMap<*mut Object, u64>>,
    /// In the order of their indices.
    objects: SmallVec<[*mut Object; MAX_LINEAR_SEARCH]>,
    /// What goes with the graph.
    given: Vec<Sent>,
}

impl Writer<'_> {
    fn reference(&mut self, object: *mut Object) {
        if object.is_null() {
            return self.out.push(0);
        }
        let index = self.index(object);
        number(self.out, index);
    }

    /// The index of an object, from 1; a new one if it was not met before.
    fn index(&mut self, object: *mut Object) -> u64 {
        let objects = &mut self.objects;
        if objects.len() < MAX_LINEAR_SEARCH {
            let known = objects.iter().position(|it| *it == object);
            return known.unwrap_or_else(|| {
                objects.push(object);
                objects.len() - 1
            }) as u64
                + 1;
        }
        let all = || objects.iter().zip(1..).map(|(object, index)| (*object, index)).collect();
        let indices = self.indices.get_or_insert_with(all);
        *indices.entry(object).or_insert_with(|| {
            objects.push(object);
            objects.len() as u64
        })
    }

    /// About how many bytes an object adds to the graph.
    ///
    /// # Safety
    /// `object` is an object.
    unsafe fn inline_bytes(&self, object: *mut Object) -> usize {
        // SAFETY: the caller gives an object; descriptors are static.
        let (ty, length) = unsafe {
            let ty: &'static Type = &*(*object).ty;
            (ty, visit::length_of(object, ty))
        };
        let header = ty.size as usize;
        // No more than there is room for in memory.
        let bytes = ty.instance_size(length).unwrap_or(header);
        if ty.is_counted() && self.is_part(ty, bytes - header) { header } else { bytes }
    }

    /// Whether such elements go beside the bytes.
    fn is_part(&self, ty: &Type, bytes: usize) -> bool {
        self.parts.as_ref().is_some_and(|it| it.len() < out_of_band::MAX_PARTS)
            && out_of_band::is_part(ty, bytes)
    }

    /// The rail of a value with custom serialization.
    fn custom(&mut self, place: CustomValue) {
        match self.saved.get(&place.at) {
            Some(rail) => self.reference(rail.get().0),
            None => self.missing.push(place),
        }
    }

    /// The token of a `GlobalRef`.
    fn global(&mut self, token: *mut Object) {
        let sent = global_refs::give(Ref(token), self.copies);
        for part in [u64::from(sent.home), sent.number, sent.account, sent.weight] {
            number(self.out, part);
        }
        self.given.push(sent);
    }

    /// # Safety
    /// `object` is an object.
    unsafe fn object(&mut self, object: *mut Object) {
        // SAFETY: the caller gives an object; slots point into the object.
        unsafe {
            let ty: &'static Type = &*(*object).ty;
            number(self.out, u64::from(ty.id) + 1);
            if ty.is_sent_whole() {
                return self.custom(CustomValue { at: object.cast(), ty, owner: object });
            }
            if ty.custom == custom::GLOBAL {
                return self.global(object);
            }
            let length = visit::length_of(object, ty);
            if ty.is_counted() {
                number(self.out, length as u64);
            }
            let Ok(()) = visit::visit::<std::convert::Infallible>(object, ty, length, &mut |slot| {
                match slot {
                    Slot::Plain(at, size) if ty.is_counted() && self.is_part(ty, size) => {
                        if let Some(parts) = self.parts.as_deref_mut() {
                            parts.push(Part::new(Ref(object), ty, length, at, size));
                        }
                    }
                    Slot::Plain(at, size) => {
                        self.out.extend_from_slice(std::slice::from_raw_parts(at, size));
                    }
                    Slot::Reference(at, _) => self.reference(at.read()),
                    Slot::Custom(at, ty) => self.custom(CustomValue { at, ty, owner: object }),
                    Slot::Transient(..) | Slot::Restored(..) => {}
                }
                Ok(())
            });
        }
    }
}
