//! Distributed collection: what places tell the homes of objects that they name.

pub mod messages;
