//! Editor services that need the syntax of one file only.

mod brackets;
mod comments;
mod folding;
mod highlight;
mod selection;
mod symbols;

pub use self::brackets::matching_bracket;
pub use self::comments::comment_continuation;
pub use self::folding::{Fold, FoldKind, folding_ranges};
pub use self::highlight::{Highlight, HighlightKind, highlight};
pub use self::selection::selection_ranges;
pub use self::symbols::{Symbol, SymbolKind, document_symbols};

#[cfg(test)]
mod tests;
