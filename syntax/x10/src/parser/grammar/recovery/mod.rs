//! Error recovery: what other languages, older X10 and slips of the keyboard look like. Each mistake is parsed as what it means,
//! with one error that says what X10 writes; the grammar of X10 itself is beside this folder.

pub(in crate::parser::grammar) mod angle_brackets;
pub(in crate::parser::grammar) mod cuda;
pub(in crate::parser::grammar) mod foreign_declarations;
pub(in crate::parser::grammar) mod foreign_syntax;
pub(in crate::parser::grammar) mod foreign_values;
pub(in crate::parser::grammar) mod foreign_words;
pub(in crate::parser::grammar) mod misplaced;
pub(in crate::parser::grammar) mod reserved_words;
pub(in crate::parser::grammar) mod typos;

use super::*;
