//! Operands of expressions, which may turn out to be types.

use crate::parser::event::Event;
use crate::parser::state::{Completed, Parser};
use crate::syntax_kind::SyntaxKind::*;

/// An operand: an expression, or what can only be a type.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub node: Completed,
    /// The node is a type, not yet wrapped to be an expression.
    pub is_type: bool,
    /// Where a (qualified) name starts that the node is, and nothing else: it may turn out to be a type.
    pub path: Option<usize>,
}

impl Operand {
    pub(super) fn expr(node: Completed) -> Operand {
        Operand { node, is_type: false, path: None }
    }

    /// As an expression.
    pub(super) fn into_expr(self, p: &mut Parser<'_>) -> Completed {
        if !self.is_type {
            return self.node;
        }
        let m = self.node.precede(p);
        m.complete(p, TYPE_EXPR)
    }

    /// Whether it could be the name of a type.
    pub(super) fn may_be_type(&self) -> bool {
        self.is_type || self.path.is_some() || self.node.kind == FIELD_EXPR
    }

    /// As a type: the nodes of a qualified name become those of a named type, which are of the same shape.
    pub(super) fn into_type(self, p: &mut Parser<'_>) -> Option<Completed> {
        if self.is_type {
            return Some(self.node);
        }
        let mut node = self.node;
        if let Some(mut at) = self.path {
            while let Event::Start { kind, parent } = &mut p.events[at] {
                *kind = NAMED_TYPE;
                if *parent == 0 {
                    break;
                }
                at += *parent as usize;
            }
        } else if node.kind != FIELD_EXPR {
            return None;
        }
        node.change_kind(p, NAMED_TYPE);
        Some(node)
    }
}
