//! Types (C17 6.2.5), with sizes and alignments of the System V ABI for x86-64 and AArch64 (LP64).

use std::sync::Arc;

use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use super::{ExprId, Program, RecordId};

/// Maximum nesting of arrays and structs.
const MAX_DEPTH: u32 = 64;

/// A type. What is not known stays [`Type::Unknown`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Type {
    /// Not known.
    #[default]
    Unknown,
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// An integer or enumeration.
    Integer {
        /// Its size in bytes.
        bytes: u8,
        /// Whether it has negative values.
        is_signed: bool,
    },
    /// A real floating type, of this many bytes.
    Float(u8),
    /// A complex type whose parts have this many bytes.
    Complex(u8),
    /// A pointer.
    Pointer(Arc<Type>),
    /// An array.
    Array(Arc<Type>, Length),
    /// A struct or union.
    Record(RecordId),
    /// A function that returns this.
    Function(Arc<Type>),
}

/// The number of elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// A constant.
    Constant(u64),
    /// An expression that is evaluated when the program runs.
    Variable(ExprId),
    /// Not written.
    Unknown,
}

/// A struct or union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its tag.
    pub tag: Option<SmolStr>,
    /// A union.
    pub is_union: bool,
    /// Its members; `None` if it is only declared.
    pub fields: Option<Vec<Field>>,
    /// `packed`
    pub is_packed: bool,
}

/// A member of a struct or union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name; `None` of an anonymous struct or union.
    pub name: Option<SmolStr>,
    /// The type.
    pub ty: Type,
    /// The width of a bit-field.
    pub bits: Option<u64>,
    /// `_Atomic`, of an array the elements.
    pub is_atomic: bool,
}

/// The layout of a struct or union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members {
    /// Where each member begins, in bits.
    pub starts: Vec<u64>,
    /// The size of the whole in bytes.
    pub size: u64,
    /// Its alignment in bytes.
    pub align: u64,
}

impl Type {
    /// `int`
    pub const INT: Type = Type::Integer { bytes: 4, is_signed: true };
    /// `unsigned long`
    pub const SIZE: Type = Type::Integer { bytes: 8, is_signed: false };
    /// `double`
    pub const DOUBLE: Type = Type::Float(8);

    /// A pointer to this type.
    pub fn pointer(self) -> Type {
        Type::Pointer(Arc::new(self))
    }

    /// What a pointer points to, or an array has.
    pub fn element(&self) -> Option<&Type> {
        match self {
            Type::Pointer(it) | Type::Array(it, _) => Some(it),
            _ => None,
        }
    }

    /// An integer or `_Bool`.
    pub fn is_integer(&self) -> bool {
        matches!(self, Type::Integer { .. } | Type::Bool)
    }

    /// An integer, a floating or a complex number.
    pub fn is_arithmetic(&self) -> bool {
        self.is_integer() || matches!(self, Type::Float(_) | Type::Complex(_))
    }

    /// The type of a value of this type in an expression: arrays and functions become pointers.
    pub fn decayed(self) -> Type {
        match self {
            Type::Array(element, _) => Type::Pointer(element),
            Type::Function(_) => self.pointer(),
            it => it,
        }
    }
}

impl Program {
    /// The size of a type in bytes; `None` if it is not known or not constant.
    pub fn size_of(&self, ty: &Type) -> Option<u64> {
        Some(self.layout(ty, 0)?.0)
    }

    /// Size and alignment.
    fn layout(&self, ty: &Type, depth: u32) -> Option<(u64, u64)> {
        // A wrong program may have a struct that contains itself.
        if depth > MAX_DEPTH {
            return None;
        }
        let scalar = |bytes: u64| Some((bytes, bytes));
        match ty {
            Type::Unknown => None,
            // GNU: `sizeof(void)` and of functions.
            Type::Void | Type::Function(_) | Type::Bool => scalar(1),
            Type::Integer { bytes, .. } | Type::Float(bytes) => scalar((*bytes).into()),
            Type::Complex(bytes) => Some((u64::from(*bytes) * 2, (*bytes).into())),
            Type::Pointer(_) => scalar(8),
            Type::Array(element, Length::Constant(length)) => {
                let (size, align) = self.layout(element, depth + 1)?;
                Some((size.checked_mul(*length)?, align))
            }
            Type::Array(..) => None,
            Type::Record(id) => self.record_layout(self.record(*id), depth + 1),
        }
    }

    fn record_layout(&self, record: &Record, depth: u32) -> Option<(u64, u64)> {
        self.members_layout(record, depth).map(|it| (it.size, it.align))
    }

    /// Where the members of a struct or union lie (System V ABI, AMD64 supplement, 3.1.2); `None` if it is
    /// not declared or a member has no size.
    pub fn members(&self, id: RecordId) -> Option<Members> {
        self.members_layout(self.record(id), 1)
    }

    fn members_layout(&self, record: &Record, depth: u32) -> Option<Members> {
        let (mut bits, mut align) = (0_u64, 1_u64);
        let (mut largest, mut starts) = (0, Vec::new());
        for field in record.fields.as_ref()? {
            let (size, own) = match &field.ty {
                // A flexible array member.
                Type::Array(element, Length::Unknown) => (0, self.layout(element, depth + 1)?.1),
                ty => self.layout(ty, depth + 1)?,
            };
            let own = if record.is_packed { 1 } else { own };
            // A wrong program may have bit-fields that no unit holds.
            if field.bits.is_some_and(|it| !field.ty.is_integer() || it > size * 8) {
                return None;
            }
            let next_unit = bits.checked_next_multiple_of(own.checked_mul(8)?)?;
            let start = match (field.bits, record.is_union) {
                (_, true) => 0,
                // A bit-field does not cross a unit of its type.
                (Some(width), false) if width > 0 => match bits % (size * 8) + width > size * 8 {
                    true => next_unit,
                    false => bits,
                },
                (_, false) => next_unit,
            };
            starts.push(start);
            bits = start.checked_add(field.bits.unwrap_or(size.checked_mul(8)?))?;
            largest = largest.max(bits);
            // Bit-fields without a name align nothing.
            if field.bits.is_none() || field.name.is_some() {
                align = align.max(own);
            }
        }
        Some(Members { starts, size: largest.div_ceil(8).checked_next_multiple_of(align)?, align })
    }

    /// The type of a member, of anonymous structs and unions too. A bit-field with fewer bits than an `int`
    /// is one in expressions (C17 6.3.1.1, paragraph 2).
    pub fn field_type(&self, ty: &Type, name: &str) -> Option<Type> {
        let Type::Record(id) = ty else { return None };
        let (of, index) = self.member_path(*id, name)?.pop()?;
        let field = self.record(of).fields.as_ref()?.get(index as usize)?;
        match (field.bits, &field.ty) {
            (Some(..32), Type::Integer { .. }) => Some(Type::INT),
            (_, ty) => Some(ty.clone()),
        }
    }

    /// The records and positions that lead to a member, through anonymous structs and unions. Each record is
    /// examined once: a record of a wrong program may contain itself.
    pub fn member_path(&self, id: RecordId, name: &str) -> Option<Vec<(RecordId, u32)>> {
        // The records, each with the number of its container and the position there.
        let mut records = vec![(id, None)];
        let mut seen = FxHashSet::from_iter([id]);
        let mut at = 0;
        while let Some((of, _)) = records.get(at).copied() {
            for (index, field) in self.record(of).fields.iter().flatten().enumerate() {
                let index = index as u32;
                match (&field.name, &field.ty) {
                    (Some(found), _) if found == name => {
                        let mut path = vec![(of, index)];
                        let mut outer: Option<(usize, u32)> = records[at].1;
                        while let Some((container, index)) = outer {
                            path.push((records[container].0, index));
                            outer = records[container].1;
                        }
                        path.reverse();
                        return Some(path);
                    }
                    (None, Type::Record(inner)) if seen.insert(*inner) => {
                        records.push((*inner, Some((at, index))));
                    }
                    _ => {}
                }
            }
            at += 1;
        }
        None
    }
}
