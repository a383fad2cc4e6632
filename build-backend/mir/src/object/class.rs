//! Classes, interfaces and static fields.

use super::attributes::{FieldAttributes, TypeAttributes};
use crate::{ClassId, Field, FunctionId, InterfaceId, Ty};

/// The kind of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum ClassKind {
    /// An object with fields.
    Object,
    /// `x10.lang.Rail[T]`: header, length, elements inline.
    Rail { element: Ty },
    /// `x10.lang.String`: header, length in bytes, UTF-8.
    String,
    /// A struct or primitive in a box: one field `value`.
    Boxed { value: Ty },
    /// A closure, its captures as fields; its code is vtable slot [`slot::CLOSURE_APPLY`].
    Closure,
    /// A heap cell for a `var` shared between activities: one field `value`.
    Cell { value: Ty },
}

/// The vtable slots that every object has, boxes and closures included.
pub mod slot {
    /// `toString():String`
    pub const TO_STRING: u32 = 0;
    /// `equals(Any):Boolean`
    pub const EQUALS: u32 = 1;
    /// `hashCode():Int`
    pub const HASH_CODE: u32 = 2;
    /// `typeName():String`
    pub const TYPE_NAME: u32 = 3;
    /// A closure's code. Classes that implement a function type are called through its interface.
    pub const CLOSURE_APPLY: u32 = 4;
    /// First slot of a class's own methods.
    pub const FIRST_FREE: u32 = 4;
}

/// A heap class.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// X10 name with type arguments, for `typeName()`, traces and errors.
    pub name: String,
    /// Its kind.
    pub kind: ClassKind,
    /// Superclass.
    pub superclass: Option<ClassId>,
    /// Own fields (inherited ones come first in memory).
    pub fields: Vec<Field>,
    /// What is known of the class and its own fields besides.
    pub attributes: TypeAttributes,
    /// The code for each virtual slot, inherited slots first; `None` is abstract, or never called.
    pub vtable: Vec<Option<FunctionId>>,
    /// Implemented interfaces with the code for each of their slots; `None` is never called.
    pub interfaces: Vec<(InterfaceId, Vec<Option<FunctionId>>)>,
}

impl Class {
    /// The attributes of an own field.
    pub fn field_attributes(&self, field: u32) -> FieldAttributes {
        self.attributes.field(field)
    }
}

/// An interface (also used for `instanceof` and casts to it).
#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    /// X10 name with type arguments.
    pub name: String,
    /// Number of slots.
    pub slots: u32,
}

/// A static field.
#[derive(Clone, Debug, PartialEq)]
pub struct Static {
    /// Qualified X10 name.
    pub name: String,
    /// Type.
    pub ty: Ty,
    /// Computes the first value, with no parameters; run once, on first use.
    pub init: FunctionId,
}

/// The target of a cast or type test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastTarget {
    /// A class.
    Class(ClassId),
    /// An interface.
    Interface(InterfaceId),
}
