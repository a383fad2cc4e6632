//! Layout of classes: slots of tables, and universal methods.

pub(crate) mod defaults;
pub(crate) mod dispatch;
pub(crate) mod equality;
pub(crate) mod serialization;
pub(crate) mod slots;
