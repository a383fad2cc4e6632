//! The typed tree: every node of `x10.ungram` as a type, whose accessors give its parts. Any part may
//! be absent in a broken program. Made from the grammar; what the grammar cannot say stands in `ext`.

mod ext;
mod generated;
pub mod support;

pub use self::ext::*;
pub use self::generated::*;
pub use self::support::AstChildren;

use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::{GreenNode, SyntaxNode};

/// A typed view of a syntax node.
pub trait AstNode: Sized {
    /// Whether a node of this kind is one.
    fn can_cast(kind: SyntaxKind) -> bool;
    /// The typed view of `node`, if it is one.
    fn cast(node: SyntaxNode) -> Option<Self>;
    /// The node.
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
    fn range(&self) -> apg_source::TextRange {
        self.syntax().text_range()
    }
}
