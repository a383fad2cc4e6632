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
        for field in fields {
            // They are reached by the bytes that they are in.
            if field.bits.is_some() {
                continue;
            }
            let ty = self.incomplete_ty(&field.ty, range)?;
            lowered.push(Field {
                name: field.name.clone().unwrap_or_else(|| format!("anonymous{}", lowered.len()).into()),
                ty,
            });
        }
        self.program.structs[index].fields = lowered;
        let item = self.program.structs[index].clone();
        let layout = match fields.iter().any(|it| it.bits.is_some()) {
            true => self.hir.members(id).map(|it| without_bit_fields(record, fields, &it)),
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

/// The layout of a struct or union whose bit-fields are gaps.
fn without_bit_fields(record: &Record, fields: &[hir::Field], members: &Members) -> MemoryLayout {
    let starts = members.starts.iter().zip(fields).filter(|it| it.1.bits.is_none());
    MemoryLayout {
        is_union: record.is_union,
        size: SizeAlign { size: members.size, align: members.align },
        offsets: starts.map(|it| it.0 / 8).collect(),
    }
}
