//! The trait of typed nodes.

use apg_source::TextRange;

use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::{GreenNode, SyntaxNode};

/// A typed view of a syntax node.
pub trait AstNode: Sized {
    /// Whether nodes of this kind have this type.
    fn can_cast(kind: SyntaxKind) -> bool;
    /// The typed view of `node`; `None` if it has another type.
    fn cast(node: SyntaxNode) -> Option<Self>;
    /// The untyped node.
    fn syntax(&self) -> &SyntaxNode;

    /// The typed view of a detached tree; its positions start at 0. Analyses of one declaration work on
    /// such a tree, so that nothing outside the declaration invalidates them.
    fn from_green(green: GreenNode) -> Option<Self> {
        Self::cast(SyntaxNode::new_root(green))
    }
    /// The tree below, without positions.
    fn green(&self) -> GreenNode {
        self.syntax().green().into_owned()
    }
    /// The same node as the root of a tree of its own; its positions start at 0.
    fn detached(&self) -> Self {
        Self::from_green(self.green()).expect("the kind is the same")
    }
    /// The text range.
    fn range(&self) -> TextRange {
        self.syntax().text_range()
    }
}
