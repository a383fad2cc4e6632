//! The textual form of MIR: a printer and a parser that are inverse to each other.
//!
//! A program is a sequence of declarations: files, structs, interfaces, classes, statics, kernels, functions
//! and entry points. They refer to each other by name, in any order, and are numbered in the order of the
//! text. The grammar is in `docs/contributing/mir.md`.
//!
//! Globals begin with `@`, locals with `%`. Of several declarations with one name, the second is `@name#1`,
//! the third `@name#2`. The type of an expression is behind it (`3:i32`) unless [`types::derive`] finds it.

mod error;
mod lexer;
mod names;
mod parser;
mod printer;
mod types;

pub use error::TextError;
pub use parser::parse;
pub use printer::{FragmentPrinter, SpanDetail, print, print_function, print_kernel, print_with_lines};

use crate::{FileId, LineColumn, Span};

/// Blanks that a nested line begins with.
const INDENT: usize = 2;

/// The source of a declaration without a position: the start of the first file.
const DEFAULT_SPAN: Span = Span {
    file: FileId(0),
    start: LineColumn { line: 1, column: 1 },
    end: LineColumn { line: 1, column: 1 },
};

#[cfg(test)]
mod tests;
