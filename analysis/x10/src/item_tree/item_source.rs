//! Position-independent declarations.

use apg_syntax::{GreenNode, SyntaxNode};

/// A declaration's text and tree, without its position: equal after any edit elsewhere in the file, so
/// that what was computed from it stays.
#[derive(Clone, Debug, Eq)]
pub struct ItemSource {
    green: GreenNode,
}

impl PartialEq for ItemSource {
    fn eq(&self, other: &ItemSource) -> bool {
        apg_syntax::same_tree(&self.green, &other.green)
    }
}

impl ItemSource {
    /// Of a declaration.
    pub fn new(green: GreenNode) -> ItemSource {
        ItemSource { green }
    }

    /// The declaration.
    pub fn green(&self) -> &GreenNode {
        &self.green
    }

    /// The declaration as a tree of its own; its positions start at 0.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.green.clone())
    }

    /// The declaration as a typed node.
    pub fn ast<N: apg_syntax::AstNode>(&self) -> Option<N> {
        N::cast(self.syntax())
    }
}
