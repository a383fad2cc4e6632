//! Node types of the syntax tree, which is rowan's. No other file depends on that choice.

use crate::syntax_kind::SyntaxKind;

/// The language, as rowan wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum C {}

impl rowan::Language for C {
    type Kind = SyntaxKind;
    fn kind_from_raw(raw: rowan::SyntaxKind) -> SyntaxKind {
        SyntaxKind::from_raw(raw.0)
    }
    fn kind_to_raw(kind: SyntaxKind) -> rowan::SyntaxKind {
        rowan::SyntaxKind(kind as u16)
    }
}

/// A node with its position.
pub type SyntaxNode = rowan::SyntaxNode<C>;
/// A token with its position.
pub type SyntaxToken = rowan::SyntaxToken<C>;
/// Either.
pub type SyntaxElement = rowan::SyntaxElement<C>;
/// The child nodes of a node.
pub type SyntaxNodeChildren = rowan::SyntaxNodeChildren<C>;
/// The children of a node, tokens too.
pub type SyntaxElementChildren = rowan::SyntaxElementChildren<C>;
/// A tree without positions: cheap to copy, compared by content, sent between threads.
pub type GreenNode = rowan::GreenNode;
