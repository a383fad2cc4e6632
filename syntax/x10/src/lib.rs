//! Syntax of X10 2.6: lexer, parser, lossless tree, typed syntax tree and formatter. One file at a time,
//! without names and types.
//!
//! [`parse`] makes of any text a tree, whose text is the input, and a list of errors. The tree is read
//! through the types of [`ast`].

#![warn(clippy::print_stderr)]

// First: its macro `T!` is used by name below.
#[macro_use]
#[doc(hidden)]
pub mod syntax_kind;

pub mod ast;
mod foreign_types;
mod format;
mod lexer;
mod merge_errors;
mod parse;
mod parser;
mod ptr;
mod reparse;
pub mod services;
mod skeleton;
mod syntax_error;
mod syntax_node;
mod token_at_offset;
mod tree;
mod validation;

pub use apg_source::{Edit, TextRange, TextSize, closest};
pub use rowan::{Direction, NodeOrToken, TokenAtOffset, WalkEvent};

pub use crate::ast::{AstNode, SourceFile};
pub use crate::format::{format, format_on_type, format_parsed, formatted};
#[doc(hidden)]
pub use crate::parse::parse_stages;
pub use crate::parse::{Parse, parse, parse_header, tokens};
pub use crate::ptr::{AstPtr, SyntaxNodePtr};
#[doc(hidden)]
pub use crate::reparse::is_local;
pub use crate::skeleton::{CodeChange, Skeleton, code_change, declares, label, same_tree};
pub use crate::syntax_error::SyntaxError;
pub use crate::syntax_kind::SyntaxKind;
pub use crate::syntax_node::{
    GreenNode, SyntaxElement, SyntaxElementChildren, SyntaxNode, SyntaxNodeChildren, SyntaxToken, X10,
};
pub use crate::token_at_offset::token_at_offset;
