//! Node pointers: kind and range of a node, which outlive the tree and find the node again in an equal one.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use crate::ast::AstNode;
use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::SyntaxNode;
use apg_source::TextRange;

/// A node's kind and range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SyntaxNodePtr {
    kind: SyntaxKind,
    range: TextRange,
}

impl SyntaxNodePtr {
    /// The pointer to `node`, relative to the root of its tree.
    pub fn new(node: &SyntaxNode) -> SyntaxNodePtr {
        SyntaxNodePtr { kind: node.kind(), range: node.text_range() }
    }

    /// The node in the tree of `root`, if there is one.
    pub fn to_node(&self, root: &SyntaxNode) -> Option<SyntaxNode> {
        std::iter::successors(Some(root.clone()), |node| {
            let child = node.child_or_token_at_range(self.range)?;
            child.into_node()
        })
        .find(|it| it.kind() == self.kind && it.text_range() == self.range)
    }

    /// The range.
    pub fn range(&self) -> TextRange {
        self.range
    }

    /// The pointer to a node of the same kind in another place.
    pub fn at(&self, range: TextRange) -> SyntaxNodePtr {
        SyntaxNodePtr { kind: self.kind, range }
    }

    /// The kind.
    pub fn kind(&self) -> SyntaxKind {
        self.kind
    }
}

/// A typed [`SyntaxNodePtr`].
pub struct AstPtr<N> {
    raw: SyntaxNodePtr,
    node: PhantomData<fn() -> N>,
}

impl<N: AstNode> AstPtr<N> {
    /// The pointer to `node`.
    pub fn new(node: &N) -> AstPtr<N> {
        AstPtr { raw: SyntaxNodePtr::new(node.syntax()), node: PhantomData }
    }

    /// The node in the tree of `root`, if there is one.
    pub fn to_node(&self, root: &SyntaxNode) -> Option<N> {
        self.raw.to_node(root).and_then(N::cast)
    }

    /// Without the type.
    pub fn raw(&self) -> SyntaxNodePtr {
        self.raw
    }
}

impl<N> Clone for AstPtr<N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<N> Copy for AstPtr<N> {}
impl<N> PartialEq for AstPtr<N> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}
impl<N> Eq for AstPtr<N> {}
impl<N> Hash for AstPtr<N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}
impl<N> fmt::Debug for AstPtr<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}
