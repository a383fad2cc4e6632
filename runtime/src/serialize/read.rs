//! Reads a graph from bytes. The bytes come from another process and are not trusted: anything that is not a
//! graph of this program's types is an error, and nothing outside the new objects is ever written.

use smallvec::SmallVec;

use super::custom_serialization::{CustomValue, Restored};
use super::{Error, Heap, TypeTable, allocate, allocate_unwritten};
use crate::base::place::PlaceId;
use crate::heap::Ref;
use crate::heap::global_refs;
use crate::heap::global_refs::Sent;
use crate::layout::{Kind, Object, Type, custom};
use crate::serialize::out_of_band;
use crate::serialize::out_of_band::Received;
use crate::serialize::visit;
use crate::serialize::visit::Slot;

/// A position in received bytes.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Out-of-band parts that were not read yet.
    parts: &'a [Received],
}

impl<'a> Input<'a> {
    /// At the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { bytes, at: 0, parts: &[] }
    }

    /// At the start of `bytes`, with these out-of-band parts.
    pub fn with_parts(bytes: &'a [u8], parts: &'a [Received]) -> Input<'a> {
        Input { bytes, at: 0, parts }
    }

    /// Bytes not yet read.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// An error at this position.
    pub fn malformed<T>(&self, expected: &'static str) -> Result<T, Error> {
        Err(Error::Malformed { expected, offset: self.at })
    }

    /// The next `count` bytes.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], Error> {
        if count > self.remaining() {
            return self.malformed("more bytes");
        }
        let bytes = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(bytes)
    }

    /// A number in LEB128.
    #[inline]
    pub fn number(&mut self) -> Result<u64, Error> {
        match self.bytes.get(self.at) {
            Some(&byte) if byte < 0x80 => {
                self.at += 1;
                Ok(u64::from(byte))
            }
            _ => self.long_number(),
        }
    }

    fn long_number(&mut self) -> Result<u64, Error> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.bytes(1)?[0];
            let part = u64::from(byte & 0x7f);
            if shift == 63 && part > 1 {
                break;
            }
            value |= part << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        self.malformed("a number below 2^64")
    }

    /// A number that [`super::write::whole_number`] wrote.
    #[inline]
    pub fn whole_number(&mut self) -> Result<u64, Error> {
        let Some((bytes, _)) = self.bytes[self.at..].split_first_chunk() else {
            return self.malformed("eight bytes of a number");
        };
        self.at += bytes.len();
        Ok(u64::from_le_bytes(*bytes))
    }

    /// A number that [`super::write::signed`] wrote.
    pub fn signed(&mut self) -> Result<i64, Error> {
        let value = self.number()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// An error unless all has been read.
    pub fn end(&self) -> Result<(), Error> {
        if self.remaining() == 0 { Ok(()) } else { self.malformed("the end of the message") }
    }
}

/// Reads one graph and returns its root. The objects are unknown to the collector until then, see [`Heap`].
/// Values with custom serialization are still zero.
pub fn graph(input: &mut Input<'_>, types: TypeTable, heap: &dyn Heap) -> Result<Restored, Error> {
    let mut reader = Reader {
        types,
        heap,
        objects: SmallVec::new(),
        references: SmallVec::new(),
        customs: Vec::new(),
        received: Vec::new(),
    };
    let result = reader.graph(input);
    if result.is_err() {
        reader.received.into_iter().for_each(global_refs::undo_receive);
    }
    result
}

/// Whether instances are rails of any references, as custom serialization sends.
fn is_any_rail(ty: &Type) -> bool {
    ty.kind == Kind::Rail as u32 && ty.element_slot == crate::layout::slot::REF && ty.element.is_null()
}

struct Reader<'a> {
    types: TypeTable,
    heap: &'a dyn Heap,
    objects: SmallVec<[*mut Object; 8]>,
    /// Slots that wait for their object: address, reference, declared class.
    references: SmallVec<[(*mut *mut Object, u64, *const Type); 8]>,
    /// Values with custom serialization and the references of their rails; and values that set transient
    /// fields, without.
    customs: Vec<(CustomValue, u64)>,
    /// Out-of-band parts.
    received: Vec<Sent>,
}

impl Reader<'_> {
    fn graph(&mut self, input: &mut Input<'_>) -> Result<Restored, Error> {
        let root = input.number()?;
        loop {
            match input.number()? {
                0 => break,
                id => self.object(input, id - 1)?,
            }
        }
        self.link(input)?;
        let root = self.resolve(input, root, std::ptr::null())?;
        if self.customs.is_empty() {
            return Ok(Restored { root, customs: Vec::new() });
        }
        let customs = self.customs.iter().map(|(place, rail)| {
            let rail = self.resolve(input, *rail, std::ptr::null())?;
            // SAFETY: an object of this graph has a valid header.
            let is_known = rail.is_null() || is_any_rail(unsafe { &*(*rail).ty });
            if rail.is_null() && place.ty.is_sent_whole() || !is_known {
                input.malformed("what an object sent of itself")
            } else {
                Ok((*place, rail))
            }
        });
        let customs = customs.collect::<Result<_, Error>>()?;
        Ok(Restored { root, customs })
    }

    fn object(&mut self, input: &mut Input<'_>, id: u64) -> Result<(), Error> {
        let Some(ty) = self.types.get(id).filter(|ty| ty.kind != Kind::Struct as u32) else {
            return input.malformed("the number of a class of this program");
        };
        if ty.custom == custom::GLOBAL {
            return self.global(input, ty);
        }
        let is_custom = ty.is_sent_whole();
        if ty.is_counted() && !is_custom && !input.parts.is_empty() {
            let start = input.at;
            let length = input.number()?;
            if out_of_band::is_part(
                ty,
                usize::try_from(length).unwrap_or(0).saturating_mul(ty.element_bytes()),
            ) {
                return self.part(input, ty, length as i64);
            }
            input.at = start;
        }
        let length = if ty.is_counted() && !is_custom { self.length(input, ty)? } else { 0 };
        let whole = ty.is_counted() && !is_custom && out_of_band::is_flat(ty);
        let allocate = if whole { allocate_unwritten } else { allocate };
        let object = allocate(self.heap, ty, length)?;
        self.objects.push(object);
        if is_custom {
            self.customs.push((CustomValue { at: object.cast(), ty, owner: object }, input.number()?));
            return Ok(());
        }
        let (references, customs) = (&mut self.references, &mut self.customs);
        // SAFETY: the object has just been made with this type and length; its slots are written inside it
        // only.
        unsafe {
            visit::visit(object, ty, length, &mut |slot| {
                match slot {
                    Slot::Plain(at, size) => {
                        std::ptr::copy_nonoverlapping(input.bytes(size)?.as_ptr(), at, size);
                    }
                    Slot::Reference(at, class) => references.push((at, input.number()?, class)),
                    Slot::Custom(at, ty) => {
                        customs.push((CustomValue { at, ty, owner: object }, input.number()?))
                    }
                    Slot::Restored(at, ty) => customs.push((CustomValue { at, ty, owner: object }, 0)),
                    Slot::Transient(..) => {}
                }
                Ok(())
            })
        }
    }

    /// An object whose elements are the next part.
    fn part(&mut self, input: &mut Input<'_>, ty: &'static Type, length: i64) -> Result<(), Error> {
        let Some((part, rest)) = input.parts.split_first() else { return input.malformed("one more part") };
        let object = match part {
            Received::Object(object) => {
                let object = object.get();
                if !std::ptr::eq(object.ty(), ty) || object.length() as i64 != length {
                    return input.malformed("a part of that type and length");
                }
                object.0
            }
            Received::Bytes(bytes) => {
                if Some(bytes.len())
                    != usize::try_from(length).ok().and_then(|it| it.checked_mul(ty.element_bytes()))
                {
                    return input.malformed("a part of that length");
                }
                let object = allocate_unwritten(self.heap, ty, length)?;
                // SAFETY: a new object with that many bytes of elements.
                unsafe {
                    let elements = object.cast::<u8>().add(ty.size as usize);
                    elements.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                }
                object
            }
        };
        input.parts = rest;
        self.objects.push(object);
        Ok(())
    }

    /// The token of a `GlobalRef`.
    fn global(&mut self, input: &mut Input<'_>, ty: &'static Type) -> Result<(), Error> {
        let home = input.number()?;
        let (number, account, weight) = (input.number()?, input.number()?, input.number()?);
        let (Ok(home), true) = (u32::try_from(home), weight <= i64::MAX as u64) else {
            return input.malformed("an object of a place");
        };
        let sent = Sent { home: PlaceId(home), number, account, weight };
        let token = global_refs::receive(sent, || allocate(self.heap, ty, 0).map(Ref))?;
        self.objects.push(token.0);
        self.received.push(sent);
        Ok(())
    }

    /// A length, checked against what is left to read before memory is allocated.
    fn length(&self, input: &mut Input<'_>, ty: &Type) -> Result<i64, Error> {
        let length = input.number()?;
        let least = match (ty.kind == Kind::String as u32, ty.element_slot) {
            (true, _) => 1,
            (false, crate::layout::slot::REF) => 1,
            (false, crate::layout::slot::VALUE) => 0,
            (false, _) => ty.element_bytes(),
        };
        match length.checked_mul(least as u64) {
            Some(bytes) if bytes <= input.remaining() as u64 && length <= i64::MAX as u64 => {
                Ok(length as i64)
            }
            _ => input.malformed("a length that the message can hold"),
        }
    }

    fn link(&self, input: &Input<'_>) -> Result<(), Error> {
        for &(slot, reference, class) in &self.references {
            let object = self.resolve(input, reference, class)?;
            // SAFETY: the slot lies inside an object of this graph.
            unsafe { slot.write(object) };
        }
        Ok(())
    }

    fn resolve(&self, input: &Input<'_>, reference: u64, class: *const Type) -> Result<*mut Object, Error> {
        if reference == 0 {
            return Ok(std::ptr::null_mut());
        }
        let Some(&object) = usize::try_from(reference - 1).ok().and_then(|index| self.objects.get(index))
        else {
            return input.malformed("a reference to an object of the message");
        };
        // SAFETY: objects of this graph have valid headers.
        if class.is_null() || unsafe { (*(*object).ty).is_subclass_of(class) } {
            Ok(object)
        } else {
            input.malformed("an object of the field's class")
        }
    }
}
