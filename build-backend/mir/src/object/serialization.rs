//! Serialisation policies of types.

use crate::FunctionId;

/// Serialisation policy of a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Serialization {
    /// Field by field.
    #[default]
    FieldByField,
    /// By the type's own code. The function deserialises from its last parameter: it fills an object, its
    /// first parameter, or returns a struct. Without it instances cannot be received.
    Custom(Option<FunctionId>),
    /// Field by field. The function then sets transient fields of an object, its first parameter, or of a
    /// struct that it takes and returns.
    RestoreTransient(FunctionId),
    /// An error.
    NotSerializable,
    /// By home, id and weight: the shared object of GlobalRefs.
    GlobalRef,
}
