//! Members of structs and unions. Bit-fields (C17 6.7.2.1), in the layout of the C compiler (System V ABI,
//! AMD64 supplement, 3.1.2), are read and stored by the bytes that they share with no other member.

use apg_c_analysis::hir::{ExprId, ExprKind, RecordId, Type};
use apg_c_syntax::TextRange;
use apg_mir::{AddressSpace, Expr, Operation, Place, PlaceKind, Ty};

use crate::body::{Body, binary, int, operation};
use crate::conversion::is_signed;
use crate::lvalue::{BitField, Lvalue};
use crate::types::{Part, record_parts};
use crate::unsupported::{Lowered, unsupported};

/// An operation on numbers of 64 bits.
fn bits(op: Operation, a: Expr, b: Expr) -> Expr {
    binary(Ty::U64, op, a, b)
}

/// A number of 64 bits.
fn number(value: u64) -> Expr {
    int(Ty::U64, value as i64)
}

impl Body<'_, '_> {
    /// A member of an object: a bit-field, or a part of it that has a place.
    pub(crate) fn member_of(
        &mut self,
        object: Place,
        (record, field): (RecordId, u32),
        range: TextRange,
    ) -> Lowered<Lvalue> {
        let of = self.unit.hir.record(record).fields.as_ref().and_then(|it| it.get(field as usize));
        let Some(of) = of else {
            return unsupported(range, "this member has no device form", "declare the struct");
        };
        if let Some(width) = of.bits {
            return self.bit_field(object, (record, field), width, &of.ty, range);
        }
        let fields = self.unit.hir.record(record).fields.as_deref().unwrap_or_default();
        let parts = record_parts(fields, self.unit.hir.members(record).as_ref());
        let number = parts.iter().position(|it| *it == Part::Member(field as usize));
        let fields = self.unit.known_struct(record).map(|it| &self.unit.program.structs[it.index()].fields);
        let ty = number.and_then(|number| Some((number, fields?.get(number)?.ty)));
        match ty {
            Some((number, ty)) => {
                let kind = PlaceKind::Field { base: Box::new(object), field: number as u32 };
                Ok(Lvalue::Place(Place::new(ty, kind)))
            }
            None => unsupported(range, "this member has no device form", "declare the struct"),
        }
    }

    /// Refuses a bit-field with more bits than an `int` has and fewer than a `long` as an operand: compilers
    /// compute with as many bits as it has (GNU C) or with those of its type (Clang).
    pub(crate) fn check_width(&self, operand: ExprId) -> Lowered<()> {
        let hir = self.unit.hir;
        let expr = hir.expr(operand);
        match &expr.kind {
            ExprKind::Member { base, field, is_arrow } => {
                let of = &hir.expr(*base).ty;
                let record = if *is_arrow { of.element() } else { Some(of) };
                let Some(Type::Record(record)) = record else { return Ok(()) };
                let last = hir.member_path(*record, field).and_then(|mut it| it.pop());
                let found = last.and_then(|it| hir.record(it.0).fields.as_ref()?.get(it.1 as usize));
                if !matches!(found.and_then(|it| it.bits), Some(33..=63)) {
                    return Ok(());
                }
                let message = format!("C does not say how many bits the type of the bit-field `{field}` has");
                unsupported(expr.range, message, "convert it to its type: `(long)`, `(unsigned long)`")
            }
            ExprKind::Assign(_, of, _) | ExprKind::Increment { target: of, .. } | ExprKind::Comma(_, of) => {
                self.check_width(*of)
            }
            ExprKind::Conditional(_, then, otherwise) => {
                then.map_or(Ok(()), |it| self.check_width(it))?;
                self.check_width(*otherwise)
            }
            _ => Ok(()),
        }
    }

    fn bit_field(
        &mut self,
        object: Place,
        (record, field): (RecordId, u32),
        width: u64,
        ty: &Type,
        range: TextRange,
    ) -> Lowered<Lvalue> {
        let start = self.unit.hir.members(record).and_then(|it| it.starts.get(field as usize).copied());
        let ty = self.unit.ty(ty, range)?;
        let (Some(start), 1..=64) = (start, width) else {
            return unsupported(range, "this bit-field has no place in its struct", "declare its members");
        };
        let address = self.address_of(object);
        let to_bytes = self.unit.program.types.pointer_to(Ty::U8, AddressSpace::Generic);
        let bytes = operation(to_bytes, Operation::Convert, vec![address]);
        let first = operation(to_bytes, Operation::Offset, vec![bytes, int(Ty::I64, (start / 8) as i64)]);
        let address = self.temporary(first);
        let (shift, is_signed) = (start % 8, is_signed(ty));
        let ty = if ty != Ty::Bool && width < 32 { Ty::I32 } else { ty };
        Ok(Lvalue::Bits(Box::new(BitField { address, shift, width, is_signed, ty })))
    }

    /// A byte of a bit-field.
    fn byte(of: &BitField, number: u64) -> Place {
        let index = int(Ty::I64, number as i64);
        let address = operation(of.address.ty, Operation::Offset, vec![of.address.clone(), index]);
        Place::new(Ty::U8, PlaceKind::Deref(Box::new(address)))
    }

    /// The value of a bit-field.
    pub(crate) fn load_bits(&mut self, of: &BitField) -> Expr {
        let mut all = number(0);
        for index in 0..of.bytes() {
            let byte = self.load(Lvalue::Place(Self::byte(of, index)));
            let byte = operation(Ty::U64, Operation::Convert, vec![byte]);
            all = bits(Operation::Or, all, bits(Operation::ShlUndefined, byte, number(8 * index)));
        }
        let unused = 64 - of.width;
        let value = match of.is_signed {
            true => {
                let high = bits(Operation::ShlUndefined, all, number(unused - of.shift));
                let high = operation(Ty::I64, Operation::Convert, vec![high]);
                let unused = int(Ty::U64, unused as i64);
                operation(Ty::I64, Operation::ShrUndefined, vec![high, unused])
            }
            false => {
                bits(Operation::And, bits(Operation::ShrUndefined, all, number(of.shift)), number(of.mask()))
            }
        };
        let value = match of.ty {
            Ty::Bool => binary(Ty::Bool, Operation::Ne, value, number(0)),
            ty => operation(ty, Operation::Convert, vec![value]),
        };
        self.temporary(value)
    }

    /// Stores a value: as many of its bits as there are.
    pub(crate) fn store_bits(&mut self, of: &BitField, value: Expr) {
        let value = operation(Ty::U64, Operation::Convert, vec![value]);
        let value = bits(Operation::And, value, number(of.mask()));
        let value = self.temporary(bits(Operation::ShlUndefined, value, number(of.shift)));
        for index in 0..of.bytes() {
            let own = ((of.mask() << of.shift) >> (8 * index)) & 0xff;
            let place = Self::byte(of, index);
            let part = bits(Operation::ShrUndefined, value.clone(), number(8 * index));
            let stored = match own {
                0xff => part,
                own => {
                    let before = self.load(Lvalue::Place(place.clone()));
                    let before = operation(Ty::U64, Operation::Convert, vec![before]);
                    let kept = bits(Operation::And, before, number(!own & 0xff));
                    bits(Operation::Or, kept, bits(Operation::And, part, number(own)))
                }
            };
            self.store(place, operation(Ty::U8, Operation::Convert, vec![stored]));
        }
    }
}
