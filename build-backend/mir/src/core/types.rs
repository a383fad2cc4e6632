//! Machine types, and the table of those that are made of others.
//!
//! A type is a small value that is copied freely. Pointers, arrays and functions are interned (hash-consed)
//! in a [`TypeTable`], so that equal types have equal ids.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::{ArrayId, ClassId, PointerId, SignatureId, StructId};

/// A machine type.
#[allow(missing_docs, reason = "variants are named by kind and width")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// No value.
    Void,
    /// 0 or 1, one byte.
    Bool,
    /// Integers.
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    /// IEEE 754.
    F32,
    F64,
    /// A Unicode code point, 4 bytes.
    Char,
    /// A reference to a heap object of this class or a subclass, or null.
    Ref(ClassId),
    /// A reference to a heap object of any class, or null.
    Any,
    /// A value of a struct or union.
    Struct(StructId),
    /// The address of something in memory, or null.
    Pointer(PointerId),
    /// Elements in memory, one after the other. It is the type of places and fields, and of no value.
    Array(ArrayId),
    /// Code. Only pointers point to it.
    Function(SignatureId),
}

/// What a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PointerType {
    /// The type there; [`Ty::Void`] if it is not known.
    pub pointee: Ty,
    /// The memory.
    pub space: AddressSpace,
}

/// The memory that a pointer leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressSpace {
    /// Any memory.
    #[default]
    Generic,
    /// Memory of the device, seen by all of its threads.
    Global,
    /// Memory of a block of threads; only threads access it.
    Shared,
    /// Memory that no code changes.
    Constant,
}

impl AddressSpace {
    /// All, with their names in MIR text.
    pub const ALL: [(AddressSpace, &str); 4] = [
        (AddressSpace::Generic, "generic"),
        (AddressSpace::Global, "global"),
        (AddressSpace::Shared, "shared"),
        (AddressSpace::Constant, "constant"),
    ];
}

/// An array of a fixed length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArrayType {
    /// The type of an element.
    pub element: Ty,
    /// The number of elements.
    pub length: u64,
}

/// The type of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// The types of its parameters.
    pub params: Vec<Ty>,
    /// The type of its result.
    pub result: Ty,
    /// Whether more arguments may follow the parameters (C17, 6.5.2.2): integers of at least 32 bits, `F64`
    /// and pointers.
    pub is_variadic: bool,
}

/// The types of a program that are made of other types.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TypeTable {
    pointers: Interner<PointerType>,
    arrays: Interner<ArrayType>,
    signatures: Interner<Signature>,
}

impl TypeTable {
    /// The type of a pointer, which becomes part of the table.
    pub fn pointer_to(&mut self, pointee: Ty, space: AddressSpace) -> Ty {
        Ty::Pointer(PointerId(self.pointers.intern(PointerType { pointee, space })))
    }

    /// The type of an array, which becomes part of the table.
    pub fn array_of(&mut self, element: Ty, length: u64) -> Ty {
        Ty::Array(ArrayId(self.arrays.intern(ArrayType { element, length })))
    }

    /// The type of a function, which becomes part of the table.
    pub fn function(&mut self, signature: Signature) -> SignatureId {
        SignatureId(self.signatures.intern(signature))
    }

    /// The type of a pointer if the table contains it.
    pub fn find_pointer_to(&self, pointee: Ty, space: AddressSpace) -> Option<Ty> {
        self.pointers.find(&PointerType { pointee, space }).map(|it| Ty::Pointer(PointerId(it)))
    }

    /// The type of a function if the table contains it.
    pub fn find_signature(&self, signature: &Signature) -> Option<SignatureId> {
        self.signatures.find(signature).map(SignatureId)
    }

    /// A pointer type; `None` for other types, and ids of other tables.
    pub fn pointer(&self, ty: Ty) -> Option<PointerType> {
        let Ty::Pointer(id) = ty else { return None };
        self.pointers.items.get(id.index()).copied()
    }

    /// An array type; `None` for other types, and ids of other tables.
    pub fn array(&self, ty: Ty) -> Option<ArrayType> {
        let Ty::Array(id) = ty else { return None };
        self.arrays.items.get(id.index()).copied()
    }

    /// A function type.
    pub fn signature(&self, id: SignatureId) -> Option<&Signature> {
        self.signatures.items.get(id.index())
    }

    /// The function type that a pointer points to.
    pub fn pointed_signature(&self, pointer: Ty) -> Option<&Signature> {
        match self.pointer(pointer)?.pointee {
            Ty::Function(id) => self.signature(id),
            _ => None,
        }
    }

    /// All types that the types of the table are made of, those of functions included.
    pub fn parts(&self) -> impl Iterator<Item = Ty> {
        let functions = self.signatures.items.iter();
        let functions = functions.flat_map(|it| it.params.iter().copied().chain([it.result]));
        self.pointed().chain(self.arrays.items.iter().map(|it| it.element)).chain(functions)
    }

    /// What the pointers of the table point to.
    pub fn pointed(&self) -> impl Iterator<Item = Ty> {
        self.pointers.items.iter().map(|it| it.pointee)
    }

    /// The array types of the table.
    pub fn arrays(&self) -> impl Iterator<Item = Ty> {
        (0..self.arrays.items.len()).map(|it| Ty::Array(ArrayId(it as u32)))
    }

    /// The function types of the table.
    pub fn signatures(&self) -> &[Signature] {
        &self.signatures.items
    }

    /// The type of the innermost elements of an array, or the type itself.
    pub fn innermost(&self, mut ty: Ty) -> Ty {
        while let Some(array) = self.array(ty) {
            ty = array.element;
        }
        ty
    }
}

/// Values by index, each once.
#[derive(Clone, Debug, PartialEq)]
struct Interner<T: Eq + Hash> {
    items: Vec<T>,
    indices: FxHashMap<T, u32>,
}

impl<T: Eq + Hash> Default for Interner<T> {
    fn default() -> Self {
        Interner { items: Vec::new(), indices: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    fn intern(&mut self, item: T) -> u32 {
        if let Some(index) = self.indices.get(&item) {
            return *index;
        }
        let index = self.items.len() as u32;
        self.items.push(item.clone());
        self.indices.insert(item, index);
        index
    }

    fn find(&self, item: &T) -> Option<u32> {
        self.indices.get(item).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_types_have_equal_ids() {
        let mut types = TypeTable::default();
        let pointer = types.pointer_to(Ty::I32, AddressSpace::Generic);
        let nested = types.pointer_to(pointer, AddressSpace::Generic);
        assert_ne!(pointer, nested);
        assert_ne!(pointer, types.pointer_to(Ty::I32, AddressSpace::Shared));
        assert_eq!(nested, types.pointer_to(pointer, AddressSpace::Generic));
        assert_eq!(types.find_pointer_to(Ty::I64, AddressSpace::Generic), None);
        let rows = types.array_of(Ty::F32, 4);
        let table = types.array_of(rows, 3);
        assert_eq!(types.innermost(table), Ty::F32);
        assert_eq!(types.array(table), Some(ArrayType { element: rows, length: 3 }));
        let signature = Signature { params: vec![pointer], result: Ty::Void, is_variadic: true };
        let function = types.function(signature.clone());
        let address = types.pointer_to(Ty::Function(function), AddressSpace::Generic);
        assert_eq!(types.find_signature(&signature), Some(function));
        assert_eq!(types.pointed_signature(address), Some(&signature));
    }
}
