//! Limits of the parser.

/// How deep expressions, statements and declarators may be nested; a parenthesis, and a loop with its block,
/// take three levels.
pub(crate) const MAX_DEPTH: u32 = 800;
/// How deep the tree may be: operators of equal rank nest to the left.
pub(crate) const MAX_TREE_DEPTH: usize = 2000;
/// How many errors are kept.
pub(crate) const MAX_ERRORS: usize = 100;
