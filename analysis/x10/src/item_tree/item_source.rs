//! The position-independent source of a declaration.

use apg_syntax::{GreenNode, SyntaxNode};

/// The text and tree of a declaration without its position. It stays equal after an edit elsewhere in the
/// file, so queries computed from it stay valid.
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
    /// The source of a declaration, from its green node.
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
