//! The language server: protocol only.

pub mod document;
pub mod position;
