//! Syntax.
pub use rowan::{TextRange, TextSize};
