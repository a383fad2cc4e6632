//! Source code of any language: byte ranges, the line index, text edits, and corrections of names.
//!
//! All crates count positions with the one [`LineIndex`] of this crate, so that diagnostics, generated
//! `#line` directives and the language server agree on what ends a line.

#![warn(clippy::print_stderr)]

mod edit;
mod line_index;
mod suggest;

pub use text_size::{TextRange, TextSize};

pub use crate::edit::Edit;
pub use crate::line_index::{ColumnUnit, LineColumn, LineIndex};
pub use crate::suggest::closest;
