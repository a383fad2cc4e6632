//! Types (C17 6.2.5), with the layout of the C compiler (System V ABI).

use apg_c_analysis::hir::{self, Length, Members, Record, RecordId, Type};
use apg_c_syntax::TextRange;
use apg_mir::{AddressSpace, Field, Layouts, MemoryLayout, SizeAlign, Struct, StructId, Ty};

use crate::unit::Unit;
use crate::unsupported::{Lowered, unsupported};

impl Unit<'_> {
    /// The machine type of objects and values of a type; `range` is where one is used.
    pub(crate) fn ty(&mut self, ty: &Type, range: TextRange) -> Lowered<Ty> {
        let found = self.incomplete_ty(ty, range)?;
        while let Some(record) = self.pending_records.pop() {
            self.complete(record, range)?;
        }
        Ok(found)
    }

    /// The type; structs behind pointers may have no fields yet.
    fn incomplete_ty(&mut self, ty: &Type, range: TextRange) -> Lowered<Ty> {
        Ok(match ty {
            Type::Void => Ty::Void,
            Type::Bool => Ty::Bool,
            Type::Integer { bytes, is_signed } => match (bytes, is_signed) {
                (1, true) => Ty::I8,
                (2, true) => Ty::I16,
                (4, true) => Ty::I32,
                (8, true) => Ty::I64,
                (1, false) => Ty::U8,
                (2, false) => Ty::U16,
                (4, false) => Ty::U32,
                (8, false) => Ty::U64,
                _ => return unsupported(range, "integers of 128 bits have no device form", "write `long`"),
            },
            Type::Float(4) => Ty::F32,
            Type::Float(8) => Ty::F64,
            Type::Float(_) => {
                return unsupported(range, "devices have no `long double`", "write `double`");
            }
            Type::Complex(_) => {
                let advice = "write a struct of its two parts";
                return unsupported(range, "complex numbers have no device form", advice);
            }
            Type::Pointer(to) => {
                let pointee = self.pointee(to, range)?;
                self.program.types.pointer_to(pointee, AddressSpace::Generic)
            }
            Type::Array(element, Length::Constant(length)) => {
                let element = self.incomplete_ty(element, range)?;
                self.program.types.array_of(element, *length)
            }
            Type::Array(..) => {
                let message = "the length of this array is not a constant";
                return unsupported(range, message, "write a constant, or a pointer to elements");
            }
            Type::Record(id) => {
                let found = self.reserve(*id);
                self.complete(*id, range)?;
                Ty::Struct(found)
            }
            Type::Function(_) => {
                return unsupported(range, "a function is no object", "declare a pointer to it");
            }
            Type::Unknown => {
                let message = "the type of this is not known";
                return unsupported(
                    range,
                    message,
                    "declare it in this file or in a header that is included",
                );
            }
        })
    }

    fn pointee(&mut self, ty: &Type, range: TextRange) -> Lowered<Ty> {
        match ty {
            Type::Record(id) if self.hir.record(*id).fields.is_some() => {
                if self.known_struct(*id).is_none() {
                    self.pending_records.push(*id);
                }
                Ok(Ty::Struct(self.reserve(*id)))
            }
            // A function is known by its address alone.
            Type::Record(_) | Type::Function(_) => Ok(Ty::Void),
            // Rows of an array whose length is not a constant: a pointer to its first element.
            Type::Array(element, Length::Variable(_) | Length::Unknown) => self.pointee(element, range),
            ty => self.incomplete_ty(ty, range),
        }
    }

    /// The number of a struct, without fields at first.
    fn reserve(&mut self, id: RecordId) -> StructId {
        if let Some(known) = self.known_struct(id) {
            return known;
        }
        let next = StructId(self.program.structs.len() as u32);
        let found = self.number_record(id, next);
        if found != next {
            return found;
        }
        let tag = self.hir.record(id).tag.as_ref();
        self.program.structs.push(Struct {
            name: tag.map_or_else(|| format!("struct{}", id.index()), |it| it.to_string()),
            fields: Vec::new(),
            layout: None,
        });
        found
    }

    /// Gives a struct its fields.
    fn complete(&mut self, id: RecordId, range: TextRange) -> Lowered<()> {
        let index = self.reserve(id).index();
        if self.program.structs[index].layout.is_some() {
            return Ok(());
        }
        let record: &Record = self.hir.record(id);
        let what = if record.is_union { "union" } else { "struct" };
        let Some(fields) = &record.fields else {
            let message = format!("the members of this {what} are not declared");
            return unsupported(range, message, "include the header that declares them");
        };
        if record.is_packed {
            let message = format!("a packed {what} has no device form");
            return unsupported(range, message, "leave `packed` out");
        }
        let mut lowered = Vec::new();
        let has_bit_fields = fields.iter().any(|it| it.bits.is_some());
        let members = self.hir.members(id).filter(|_| has_bit_fields);
        let mut offsets = Vec::new();
        for part in record_parts(fields, members.as_ref()) {
            let (name, ty) = match part {
                Part::Member(field) => {
                    let name = fields[field].name.clone();
                    let name = name.unwrap_or_else(|| format!("anonymous{}", lowered.len()).into());
                    offsets.extend(members.as_ref().map(|it| it.starts[field] / 8));
                    (name, self.incomplete_ty(&fields[field].ty, range)?)
                }
                Part::BitFields { first, bytes } => {
                    offsets.push(first);
                    let name = format!("bits{}", lowered.len()).into();
                    (name, self.program.types.array_of(Ty::U8, bytes))
                }
            };
            lowered.push(Field { name, ty });
        }
        self.program.structs[index].fields = lowered;
        let item = self.program.structs[index].clone();
        let layout = match has_bit_fields {
            true => members.map(|it| MemoryLayout {
                is_union: record.is_union,
                size: SizeAlign { size: it.size, align: it.align },
                offsets,
            }),
            false => Layouts::new(&self.program).natural(&item, record.is_union),
        };
        let Some(layout) = layout else {
            let message = format!("the size of this {what} is not known");
            return unsupported(range, message, "declare its members with constant lengths");
        };
        self.program.structs[index].layout = Some(layout);
        Ok(())
    }
}

/// A part of a struct or union on devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The member with this number.
    Member(usize),
    /// The bytes of bit-fields that no other member is between.
    BitFields { first: u64, bytes: u64 },
}

/// The parts of a struct or union. Bit-fields are reached by the bytes that they are in, which are a part of
/// their own: copies of the whole keep them.
pub(crate) fn record_parts(fields: &[hir::Field], members: Option<&Members>) -> Vec<Part> {
    let mut parts = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        let Some(width) = field.bits else {
            parts.push(Part::Member(index));
            continue;
        };
        let Some(start) = members.and_then(|it| it.starts.get(index)).filter(|_| width > 0) else { continue };
        let (from, to) = (start / 8, (start + width).div_ceil(8));
        match parts.last_mut() {
            Some(Part::BitFields { first, bytes }) => *bytes = to.max(*first + *bytes) - *first,
            _ => parts.push(Part::BitFields { first: from, bytes: to - from }),
        }
    }
    parts
}
