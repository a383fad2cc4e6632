//! Diagnostics of any language as plain data: findings with notes and fixes, the rules that document their
//! codes, and printers for people and tools.
//!
//! A language's analysis reports [`Diagnostic`]s of its [`Rule`]s. To print one it is resolved to a
//! [`render::Finding`], which has the sources at hand.

#![warn(clippy::print_stderr)]

mod diagnostic;
pub mod render;
mod rule;

pub use crate::diagnostic::{Diagnostic, Fix, Related, Severity, TextEdit};
pub use crate::rule::{DEFAULT_FILE, Rule, example_files};
