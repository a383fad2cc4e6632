//! Slots of classes, and functions that every class has.

pub(crate) mod defaults;
pub(crate) mod dispatch;
pub(crate) mod equality;
pub(crate) mod serialization;
pub(crate) mod slots;
