//! Limits of the depth of trees.

/// Nesting of declarations, statements, types and expressions. Everything that walks the tree recurses, here
/// and in the layers above; the limit keeps it within the smallest usual stack.
pub(crate) const DEPTH_LIMIT: u32 = 256;
/// Length of a chain of binary operators or selections: chains parse in a loop but make deep trees.
pub(crate) const CHAIN_LIMIT: u32 = 512;
/// Depth of a tree, for chains within chains. The deepest of X10's own files has 53 levels.
pub(crate) const TREE_LIMIT: u32 = 1024;
