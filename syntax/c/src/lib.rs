//! Syntax of C17 with the GNU extensions, and of OpenMP, OpenACC and XcalableMP directives: lexer,
//! preprocessor, parser and typed syntax tree.
//!
//! [`preprocess`] makes of a file and its headers a [`Unit`]: expanded tokens, each with the range where it
//! is spelled and its macro expansions. [`parse_unit`] makes of a unit two syntax trees, one of the
//! preamble's declarations and one of the rest, with the errors. Trees are read through the types of [`ast`];
//! [`Parse::span`] leads from a range of a tree to where it is spelled.

#![warn(clippy::print_stderr)]

// First: its macro `T!` is used by name below.
#[macro_use]
#[doc(hidden)]
pub mod syntax_kind;

pub mod ast;
mod files;
pub mod lexer;
pub mod literal;
mod parse;
mod parser;
mod preprocessor;
mod reparse;
mod symbol;
mod syntax_error;
mod syntax_node;
mod toolchain;
mod tree;

pub use apg_source::{TextRange, TextSize};

pub use crate::ast::AstNode;
pub use crate::files::{Disk, FileId, FileSystem, SourceFile, Span, decode};
pub use crate::parse::{Parse, ParsedPreamble, ParsedUnit, parse_unit};
pub use crate::parser::directive_table::{Association, Family, clauses, directives};
pub use crate::preprocessor::{
    Expansion, ExpansionId, OtherPragma, Preamble, PreprocessError, Severity, Token, Unit, preprocess,
};
pub use crate::reparse::reparse;
pub use crate::symbol::{Interner, Symbol};
pub use crate::syntax_error::SyntaxError;
pub use crate::syntax_kind::SyntaxKind;
pub use crate::syntax_node::{
    C, GreenNode, SyntaxElement, SyntaxElementChildren, SyntaxNode, SyntaxNodeChildren, SyntaxToken,
};
pub use crate::toolchain::{IncludeDir, Toolchain};
