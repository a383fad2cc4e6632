//! Rules for declarations and names of operators.

use super::{Node, error};
use crate::ast::{AstNode, OperatorDecl, OperatorKind, ThisOperand};
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::SyntaxNode;

pub(super) fn declaration(node: Node<'_>, errors: &mut Vec<SyntaxError>) {
    // Operators are few: the typed view of a detached tree is worth its cost here.
    let kind = OperatorDecl::cast(SyntaxNode::new_root(node.green.to_owned())).and_then(|it| it.kind());
    let Some(kind) = kind else { return };
    // `def operator +(x:T)` has its error.
    if node.token(T![def]).is_some() {
        return;
    }
    let keyword = node.token(T![operator]).map_or(node.range(), |it| it.range());
    let is_static = node.modifier(T![static]);
    let must_be_static = match kind {
        OperatorKind::Binary(_, this) | OperatorKind::Prefix(_, this) => Some(this == ThisOperand::None),
        OperatorKind::Apply | OperatorKind::Set => Some(false),
        OperatorKind::ExplicitConversion | OperatorKind::ImplicitConversion => Some(true),
        OperatorKind::Keyword(_) => None,
    };
    match (must_be_static, is_static) {
        (Some(true), None)
            if matches!(kind, OperatorKind::ExplicitConversion | OperatorKind::ImplicitConversion) =>
        {
            let message = "a conversion operator must be `static`";
            let hint = "what is converted is its argument: `static operator (x:T) as U = ...`, or `static operator (x:T):U = ...` for a conversion that needs no `as`";
            error(errors, keyword, message, hint);
        }
        (Some(true), None) => {
            let message = "an operator without `this` must be `static`";
            error(errors, keyword, message, "write `static operator ...`, or make an operand `this`");
        }
        (Some(false), Some(modifier)) => {
            let message = "an operator of `this` cannot be `static`";
            error(errors, modifier.range(), message, "remove `static`");
        }
        _ => {}
    }
    if let OperatorKind::Binary(op, _) = kind {
        not_equality(node, op.kind(), errors);
    }
    let lists = node.nodes().filter(|it| it.kind() == SyntaxKind::FORMAL_LIST);
    let one_each = !matches!(kind, OperatorKind::Apply | OperatorKind::Keyword(_));
    // Of a setting operator, only what is after `=` must be one formal.
    let skip = usize::from(matches!(kind, OperatorKind::Set));
    for list in lists.skip(skip).filter(|_| one_each) {
        if list.nodes().filter(|it| it.kind() == SyntaxKind::FORMAL).count() != 1 {
            let hint = "write `operator this + (that:T)`, or without `this` `static operator (x:T) + (y:T)`";
            error(errors, list.range(), "an operand is exactly one formal", hint);
        }
    }
}

pub(super) fn name(node: Node<'_>, errors: &mut Vec<SyntaxError>) {
    for kind in [T![==], T![!=]] {
        not_equality(node, kind, errors);
    }
}

fn not_equality(node: Node<'_>, kind: SyntaxKind, errors: &mut Vec<SyntaxError>) {
    if let Some(token) = node.token(kind).filter(|_| matches!(kind, T![==] | T![!=])) {
        let text = kind.text().unwrap_or_default();
        let message = format!("`{text}` is not a method: it cannot be defined or called");
        error(errors, token.range(), message, "define `equals` instead");
    }
}
