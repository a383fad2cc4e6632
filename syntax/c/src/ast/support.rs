//! Support of generated accessors: search among children, macros for nodes and enums.

use std::iter::FusedIterator;
use std::marker::PhantomData;

use crate::ast::node::AstNode;
use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::{SyntaxNode, SyntaxToken};

// Rowan makes an object for each element that it hands out: elements of other kinds are passed over without.

/// The children of a node that are of one type.
#[derive(Clone, Debug)]
pub struct AstChildren<N> {
    next: Option<SyntaxNode>,
    node: PhantomData<N>,
}

impl<N: AstNode> Iterator for AstChildren<N> {
    type Item = N;
    fn next(&mut self) -> Option<N> {
        let found = self.next.take()?;
        self.next = found.next_sibling_by_kind(&N::can_cast);
        N::cast(found)
    }
}

impl<N: AstNode> FusedIterator for AstChildren<N> {}

/// The first child of type `N`.
pub fn child<N: AstNode>(parent: &SyntaxNode) -> Option<N> {
    parent.first_child_by_kind(&N::can_cast).and_then(N::cast)
}

/// All children of type `N`.
pub fn children<N: AstNode>(parent: &SyntaxNode) -> AstChildren<N> {
    AstChildren { next: parent.first_child_by_kind(&N::can_cast), node: PhantomData }
}

/// The first child of type `N` after the token `after` and before the next token `before`.
pub fn child_between<N: AstNode>(
    parent: &SyntaxNode,
    after: Option<SyntaxKind>,
    before: Option<SyntaxKind>,
) -> Option<N> {
    let mut inside = after.is_none();
    let concerns = |kind| Some(kind) == after || Some(kind) == before || N::can_cast(kind);
    for element in parent.children_with_tokens().by_kind(concerns) {
        match element {
            rowan::NodeOrToken::Token(token) if inside && Some(token.kind()) == before => return None,
            rowan::NodeOrToken::Token(token) if Some(token.kind()) == after => inside = true,
            rowan::NodeOrToken::Node(node) if inside => return N::cast(node),
            _ => {}
        }
    }
    None
}

/// The first token of this kind directly below `parent`.
pub fn token(parent: &SyntaxNode, kind: SyntaxKind) -> Option<SyntaxToken> {
    parent.first_child_or_token_by_kind(&|it| it == kind)?.into_token()
}

macro_rules! ast_node {
    ($(#[$doc:meta])* $name:ident, $kind:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub struct $name(pub(crate) SyntaxNode);
        impl $crate::ast::node::AstNode for $name {
            fn can_cast(kind: SyntaxKind) -> bool {
                kind == SyntaxKind::$kind
            }
            fn cast(node: SyntaxNode) -> Option<Self> {
                (node.kind() == SyntaxKind::$kind).then_some(Self(node))
            }
            fn syntax(&self) -> &SyntaxNode {
                &self.0
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}
pub(crate) use ast_node;

macro_rules! ast_enum {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $kind:ident,)* $(; $nested:ident)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $name {
            $(#[doc = concat!("See [`", stringify!($variant), "`](struct@", stringify!($variant), ").")] $variant($variant),)*
            $(#[doc = concat!("See [`", stringify!($nested), "`](enum@", stringify!($nested), ").")] $nested($nested),)*
        }
        impl $crate::ast::node::AstNode for $name {
            fn can_cast(kind: SyntaxKind) -> bool {
                matches!(kind, $(SyntaxKind::$kind)|*) $(|| $nested::can_cast(kind))*
            }
            fn cast(node: SyntaxNode) -> Option<Self> {
                match node.kind() {
                    $(SyntaxKind::$kind => Some(Self::$variant($variant(node))),)*
                    $(kind if $nested::can_cast(kind) => $nested::cast(node).map(Self::$nested),)*
                    _ => None,
                }
            }
            fn syntax(&self) -> &SyntaxNode {
                match self {
                    $(Self::$variant(it) => &it.0,)*
                    $(Self::$nested(it) => it.syntax(),)*
                }
            }
        }
        $(impl From<$variant> for $name {
            fn from(node: $variant) -> $name {
                $name::$variant(node)
            }
        })*
        $(impl From<$nested> for $name {
            fn from(node: $nested) -> $name {
                $name::$nested(node)
            }
        })*
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::ast::node::AstNode::syntax(self).fmt(f)
            }
        }
    };
}
pub(crate) use ast_enum;
