//! Error recovery for the syntax of other languages, of older X10, and for typing errors. A mistake is parsed
//! as what it means, with one error that says what X10 writes; the grammar of X10 itself is beside this
//! folder.

pub(crate) mod angle_brackets;
pub(crate) mod cuda;
pub(crate) mod foreign_declarations;
pub(crate) mod foreign_lookahead;
pub(crate) mod foreign_syntax;
pub(crate) mod foreign_values;
pub(crate) mod foreign_words;
pub(crate) mod misplaced;
pub(crate) mod replacement;
pub(crate) mod reserved_words;
pub(crate) mod typos;
