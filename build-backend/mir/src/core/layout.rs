//! Layout of types in memory: sizes, alignments and offsets in bytes (System V ABI, AMD64 supplement, 3.1.2).

use crate::{Field, Program, Struct, StructId, Ty};

/// Where the fields of a struct or union lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryLayout {
    /// All fields begin at offset 0, and at most one of them has a value.
    pub is_union: bool,
    /// Size and alignment of the whole.
    pub size: SizeAlign,
    /// The offset of each field, in order.
    pub offsets: Vec<u64>,
}

/// Size and alignment, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeAlign {
    /// The size, a multiple of the alignment.
    pub size: u64,
    /// The alignment, a power of two.
    pub align: u64,
}

/// Upper limit of the size of a type.
const MAX_TYPE_BYTES: u64 = 1 << 47;

impl SizeAlign {
    fn scalar(bytes: u64) -> SizeAlign {
        SizeAlign { size: bytes, align: bytes }
    }
}

/// The layout of fields as a C compiler chooses it; `None` if it is too large.
fn natural_layout(fields: &[SizeAlign], is_union: bool) -> Option<MemoryLayout> {
    let align = fields.iter().map(|it| it.align).max().unwrap_or(1);
    let mut end: u64 = 0;
    let mut size: u64 = 0;
    let mut offsets = Vec::new();
    for field in fields {
        let start = if is_union { 0 } else { end.checked_next_multiple_of(field.align)? };
        offsets.push(start);
        end = start.checked_add(field.size)?;
        size = size.max(end);
    }
    let size = size.checked_next_multiple_of(align).filter(|it| *it <= MAX_TYPE_BYTES)?;
    Some(MemoryLayout { is_union, size: SizeAlign { size, align }, offsets })
}

/// The sizes of the structs of a program.
pub struct Layouts<'p> {
    program: &'p Program,
    /// By struct: `None` before its analysis, and during it.
    structs: Vec<Option<Option<SizeAlign>>>,
}

impl<'p> Layouts<'p> {
    /// The sizes of a program's structs.
    pub fn new(program: &'p Program) -> Layouts<'p> {
        Layouts { program, structs: vec![None; program.structs.len()] }
    }

    /// The size of a type; `None` if values of it have none, or it is too large, or contains itself.
    pub fn size(&mut self, ty: Ty) -> Option<SizeAlign> {
        match ty {
            Ty::Void | Ty::Function(_) => None,
            Ty::Bool | Ty::I8 | Ty::U8 => Some(SizeAlign::scalar(1)),
            Ty::I16 | Ty::U16 => Some(SizeAlign::scalar(2)),
            Ty::I32 | Ty::U32 | Ty::F32 | Ty::Char => Some(SizeAlign::scalar(4)),
            Ty::I64 | Ty::U64 | Ty::F64 => Some(SizeAlign::scalar(8)),
            Ty::Ref(_) | Ty::Any | Ty::Pointer(_) => Some(SizeAlign::scalar(8)),
            Ty::Array(_) => {
                let array = self.program.types.array(ty)?;
                let element = self.size(array.element)?;
                let size = element.size.checked_mul(array.length).filter(|it| *it <= MAX_TYPE_BYTES)?;
                Some(SizeAlign { size, align: element.align })
            }
            Ty::Struct(id) => self.size_of_struct(id),
        }
    }

    fn size_of_struct(&mut self, id: StructId) -> Option<SizeAlign> {
        if let Some(known) = *self.structs.get(id.index())? {
            return known;
        }
        // A struct that contains itself has no size.
        self.structs[id.index()] = Some(None);
        let item = &self.program.structs[id.index()];
        let size = match &item.layout {
            Some(layout) => Some(layout.size),
            None => self.natural(item, false).map(|it| it.size),
        };
        self.structs[id.index()] = Some(size);
        size
    }

    /// The layout of a struct as a C compiler chooses it.
    pub fn natural(&mut self, item: &Struct, is_union: bool) -> Option<MemoryLayout> {
        let sizes = item.fields.iter().map(|it: &Field| self.size(it.ty)).collect::<Option<Vec<_>>>()?;
        natural_layout(&sizes, is_union)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_aligned_as_in_c() {
        let [byte, int, long] = [1, 4, 8].map(SizeAlign::scalar);
        let layout = natural_layout(&[byte, int, byte, long], false).expect("it is small");
        assert_eq!(layout.offsets, [0, 4, 8, 16]);
        assert_eq!(layout.size, SizeAlign { size: 24, align: 8 });
        let layout =
            natural_layout(&[byte, int, SizeAlign { size: 9, align: 1 }], true).expect("it is small");
        assert_eq!(layout.offsets, [0, 0, 0]);
        assert_eq!(layout.size, SizeAlign { size: 12, align: 4 });
        assert_eq!(natural_layout(&[], false).map(|it| it.size.size), Some(0));
        let huge = SizeAlign { size: u64::MAX - 7, align: 8 };
        assert_eq!(natural_layout(&[byte, huge], false), None);
    }
}
