//! The layout of heap objects and of the descriptors that generated code gives them (`runtime/include/apg.h`).

use std::ffi::{CStr, c_void};
use std::os::raw::c_char;

use crate::abi::layout::slice;

/// What a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// An object with fields.
    Object,
    /// Header, length, elements.
    Rail,
    /// Header, length in bytes, UTF-8.
    String,
    /// A struct or primitive in a box.
    Boxed,
    /// A closure; captures are fields.
    Closure,
    /// A shared variable.
    Cell,
    /// A struct: never a heap object by itself.
    Struct,
}

/// What a field or element holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Slot {
    /// `Boolean`.
    Bool,
    /// `Byte`.
    I8,
    /// `Short`.
    I16,
    /// `Int`.
    I32,
    /// `Long`.
    I64,
    /// `UByte`.
    U8,
    /// `UShort`.
    U16,
    /// `UInt`.
    U32,
    /// `ULong`.
    U64,
    /// `Float`.
    F32,
    /// `Double`.
    F64,
    /// `Char`.
    Char,
    /// A reference.
    Ref,
    /// A struct by value.
    Value,
}

impl Slot {
    const ALL: [Slot; 14] = [
        Slot::Bool,
        Slot::I8,
        Slot::I16,
        Slot::I32,
        Slot::I64,
        Slot::U8,
        Slot::U16,
        Slot::U32,
        Slot::U64,
        Slot::F32,
        Slot::F64,
        Slot::Char,
        Slot::Ref,
        Slot::Value,
    ];

    /// From its number in a descriptor.
    pub fn from_number(number: u8) -> Option<Slot> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// Bytes; a struct's come from its descriptor.
    pub fn size(self) -> Option<usize> {
        Some(match self {
            Slot::Bool | Slot::I8 | Slot::U8 => 1,
            Slot::I16 | Slot::U16 => 2,
            Slot::I32 | Slot::U32 | Slot::F32 | Slot::Char => 4,
            Slot::I64 | Slot::U64 | Slot::F64 | Slot::Ref => 8,
            Slot::Value => return None,
        })
    }
}

/// A field of a type.
#[derive(Debug)]
#[repr(C)]
pub struct FieldDescriptor {
    /// Source name.
    pub name: *const c_char,
    /// From the start of the object (of the value, in a struct).
    pub offset: u32,
    /// A [`Slot`].
    pub slot: u8,
    /// Not sent to other places.
    pub transient: u8,
    /// The struct's descriptor, for [`Slot::Value`].
    pub ty: *const TypeDescriptor,
}

/// The methods of one interface.
#[derive(Debug)]
#[repr(C)]
pub struct InterfaceTable {
    /// Its id.
    pub interface: u32,
    /// Code of each slot.
    pub methods: *const *const c_void,
}

/// A type of the program.
#[derive(Debug)]
#[repr(C)]
pub struct TypeDescriptor {
    /// Index in the program's table.
    pub id: u32,
    /// A [`Kind`].
    pub kind: u32,
    /// X10 name with type arguments.
    pub name: *const c_char,
    /// Superclass.
    pub superclass: *const TypeDescriptor,
    /// Bytes of an instance with its header; of a rail or string, of the header; of a struct, of the value.
    pub size: u64,
    /// Number of fields.
    pub field_count: u32,
    /// Fields, inherited first.
    pub fields: *const FieldDescriptor,
    /// A rail's element: a [`Slot`].
    pub element_slot: u8,
    /// Bytes of an element.
    pub element_size: u32,
    /// The element's struct.
    pub element: *const TypeDescriptor,
    /// Number of interfaces.
    pub interface_count: u32,
    /// Interfaces, sorted by id.
    pub interfaces: *const InterfaceTable,
    /// Virtual methods.
    pub vtable: *const *const c_void,
    /// Number of virtual methods.
    pub vtable_length: u32,
}

// Descriptors are constants of the program.
unsafe impl Send for TypeDescriptor {}
unsafe impl Sync for TypeDescriptor {}

impl TypeDescriptor {
    /// What it is.
    pub fn kind(&self) -> Kind {
        match self.kind {
            1 => Kind::Rail,
            2 => Kind::String,
            3 => Kind::Boxed,
            4 => Kind::Closure,
            5 => Kind::Cell,
            6 => Kind::Struct,
            _ => Kind::Object,
        }
    }

    /// X10 name.
    pub fn name(&self) -> &str {
        if self.name.is_null() {
            return "?";
        }
        unsafe { CStr::from_ptr(self.name) }.to_str().unwrap_or("?")
    }

    /// Fields, inherited first.
    pub fn fields(&self) -> &[FieldDescriptor] {
        unsafe { slice(self.fields, self.field_count) }
    }

    /// The field of that name; the most derived one when names repeat.
    pub fn field(&self, name: &str) -> Option<&FieldDescriptor> {
        self.fields().iter().rev().find(|field| field.name() == name)
    }

    /// What a rail's elements are.
    pub fn element_slot(&self) -> Slot {
        Slot::from_number(self.element_slot).unwrap_or(Slot::I8)
    }

    /// Whether instances are `other` or a subclass.
    pub fn is_subclass_of(&self, other: *const TypeDescriptor) -> bool {
        let mut at: *const TypeDescriptor = self;
        while !at.is_null() {
            if at == other {
                return true;
            }
            at = unsafe { (*at).superclass };
        }
        false
    }
}

impl FieldDescriptor {
    /// Source name.
    pub fn name(&self) -> &str {
        if self.name.is_null() {
            return "?";
        }
        unsafe { CStr::from_ptr(self.name) }.to_str().unwrap_or("?")
    }

    /// What it holds.
    pub fn slot(&self) -> Slot {
        Slot::from_number(self.slot).unwrap_or(Slot::I8)
    }
}

/// The header of every heap object.
#[derive(Debug)]
#[repr(C)]
pub struct Object {
    /// Its type.
    pub ty: *const TypeDescriptor,
}

/// A rail; elements follow.
#[derive(Debug)]
#[repr(C)]
pub struct Rail {
    /// Its type.
    pub ty: *const TypeDescriptor,
    /// Number of elements.
    pub length: i64,
}

/// A string; bytes follow.
#[derive(Debug)]
#[repr(C)]
pub struct XString {
    /// Its type.
    pub ty: *const TypeDescriptor,
    /// Number of bytes.
    pub length: i64,
}

/// Bytes before the elements of a rail and the text of a string.
pub const ARRAY_HEADER: usize = std::mem::size_of::<Rail>();

/// A reference to a heap object, or null. The collector keeps alive whatever a stack, a register or a registered root
/// refers to; a `Ref` in other Rust memory does not keep its object alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Ref(pub *mut Object);

// The objects are shared memory of the program; X10's own rules order accesses to them.
unsafe impl Send for Ref {}
unsafe impl Sync for Ref {}

impl Ref {
    /// `null`.
    pub const NULL: Ref = Ref(std::ptr::null_mut());

    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// As a number.
    pub fn address(self) -> usize {
        self.0 as usize
    }

    /// Its type; it must not be null.
    pub fn ty(self) -> &'static TypeDescriptor {
        debug_assert!(!self.is_null());
        unsafe { &*(*self.0).ty }
    }

    /// The length of a rail or string.
    pub fn length(self) -> usize {
        unsafe { (*self.0.cast::<Rail>()).length as usize }
    }

    /// The text of a string as bytes.
    pub fn bytes(&self) -> &[u8] {
        unsafe { std::slice::from_raw_parts(self.elements().cast(), self.length()) }
    }

    /// The text of a string; bytes that are not UTF-8 become replacement characters.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.bytes())
    }

    /// The first element of a rail, or byte of a string.
    pub fn elements(self) -> *mut u8 {
        unsafe { self.0.cast::<u8>().add(ARRAY_HEADER) }
    }

    /// The address of a field.
    pub fn at(self, offset: usize) -> *mut u8 {
        unsafe { self.0.cast::<u8>().add(offset) }
    }

    /// Bytes of this object, header included.
    pub fn size(self) -> usize {
        let ty = self.ty();
        match ty.kind() {
            Kind::Rail => ty.size as usize + self.length() * ty.element_size as usize,
            Kind::String => ty.size as usize + self.length(),
            _ => ty.size as usize,
        }
    }
}
