//! Attributes of types and their fields: what the object dialect knows of a class or struct besides names and
//! types of fields.

use super::serialization::Serialization;

/// Attributes of a class or struct.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TypeAttributes {
    /// Serialisation of objects and values.
    pub serialization: Serialization,
    /// Whether objects of this class and its subclasses record the stack trace where they are constructed.
    pub records_stack_trace: bool,
    /// Attributes of the fields, without those at the end that have none: equal types have equal lists.
    fields: Vec<FieldAttributes>,
}

/// Attributes of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldAttributes {
    /// Not serialised.
    pub transient: bool,
    /// Sequentially consistent; of classes only.
    pub volatile: bool,
    /// Declared non-null.
    pub non_null: bool,
    /// Assigned by constructors only, and not in loops.
    pub immutable: bool,
}

impl FieldAttributes {
    /// Those of a field that is assigned by constructors only.
    pub const IMMUTABLE: FieldAttributes =
        FieldAttributes { transient: false, volatile: false, non_null: false, immutable: true };
}

impl TypeAttributes {
    /// The attributes of an own field.
    pub fn field(&self, index: u32) -> FieldAttributes {
        self.fields.get(index as usize).copied().unwrap_or_default()
    }

    /// Sets the attributes of an own field.
    pub fn set_field(&mut self, index: u32, attributes: FieldAttributes) {
        let index = index as usize;
        let count = self.fields.len().max(index + 1);
        self.fields.resize(count, FieldAttributes::default());
        self.fields[index] = attributes;
        self.trim();
    }

    /// Sets the attributes of all own fields, in order.
    pub fn set_fields(&mut self, attributes: Vec<FieldAttributes>) {
        self.fields = attributes;
        self.trim();
    }

    fn trim(&mut self) {
        while self.fields.last() == Some(&FieldAttributes::default()) {
            self.fields.pop();
        }
    }

    /// How many fields have attributes, counted up to the last one.
    pub fn field_count(&self) -> usize {
        self.fields.len()
    }
}
