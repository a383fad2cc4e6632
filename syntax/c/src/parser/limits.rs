//! Limits of the parser.

/// How deep expressions, statements and declarators may be nested; a parenthesis, and a loop with its block,
/// take three levels.
pub(crate) const MAX_DEPTH: u32 = 800;
/// How deep the tree may be: operators of equal rank nest to the left.
pub(crate) const MAX_TREE_DEPTH: usize = 2000;
/// What an error says of nesting that is too deep to parse.
pub(crate) const TOO_DEEP: &str = "this is nested deeper than the parser goes";
/// What an error says of nodes that are left out.
pub(crate) const TREE_TOO_DEEP: &str = "this has more operators or levels than the tree of the parser";
/// How many errors are kept.
pub(crate) const MAX_ERRORS: usize = 100;
