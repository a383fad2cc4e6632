//! Rules for expressions.

use super::{Node, Path, error};
use crate::ast::{parse_int, split_int};
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind::*;

pub(super) fn closure(node: Node<'_>, errors: &mut Vec<SyntaxError>) {
    if let Some(list) = node.child(TYPE_PARAM_LIST) {
        let hint = "declare a method with type parameters instead";
        error(errors, list.range(), "a closure has no type parameters", hint);
    }
}

/// Types are operands of `==`, `<:` and the like only (the last of which hold them unwrapped).
pub(super) fn type_expr(node: Node<'_>, path: &Path<'_>, errors: &mut Vec<SyntaxError>) {
    let Some(parent) = path.parent() else { return };
    if matches!(parent.kind(), ERROR) || (parent.kind() == BIN_EXPR && parent.token(T![==]).is_some()) {
        return;
    }
    // `p[i] = e` was reported by the parser.
    let is_target = parent.kind() == ASSIGN_EXPR && parent.start == node.start;
    if is_target {
        return;
    }
    let indexes = node.child(NAMED_TYPE).is_some_and(|it| it.child(TYPE_ARG_LIST).is_some());
    let hint = if indexes { "elements are read by `a(i)`; square brackets hold type arguments" } else { "" };
    error(errors, node.range(), "this is a type, where a value is needed", hint);
}

/// `T[U] == e`: either both sides are types or none.
pub(super) fn type_equality(node: Node<'_>, errors: &mut Vec<SyntaxError>) {
    if node.token(T![==]).is_none() {
        return;
    }
    let sides: Vec<_> = node.nodes().collect();
    let is_type = |it: &Node<'_>| it.kind() == TYPE_EXPR;
    let may_be_type = |it: &Node<'_>| matches!(it.kind(), TYPE_EXPR | NAME_EXPR | FIELD_EXPR);
    if sides.len() == 2 && sides.iter().any(is_type) && !sides.iter().all(may_be_type) {
        error(errors, node.range(), "a type and a value cannot be equal", "");
    }
}

/// `super` stands only before a dot.
pub(super) fn super_expr(node: Node<'_>, path: &Path<'_>, errors: &mut Vec<SyntaxError>) {
    let selected = path.parent().is_some_and(|it| {
        matches!(it.kind(), FIELD_EXPR | OPERATOR_EXPR | KEYWORD_CALL_STMT | NAMED_TYPE | ERROR)
    });
    if !selected {
        let hint = "write `super.member`, or `this` for the object itself";
        error(errors, node.range(), "`super` is not a value", hint);
    }
}

/// The digits of an integer fit 64 bits.
pub(super) fn literal(node: Node<'_>, errors: &mut Vec<SyntaxError>) {
    let Some(token) = node.token(INT_NUMBER) else { return };
    let text = token.green.text();
    // Up to ten characters are at most 64 bits, and wrong digits are the lexer's to report.
    if text.len() <= 10 {
        return;
    }
    let digits = split_int(text).0;
    let radix = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => 16,
        [b'0', b'b' | b'B', ..] => 2,
        [b'0', _, ..] => 8,
        _ => 10,
    };
    let well_formed = digits
        .chars()
        .skip(if matches!(radix, 16 | 2) { 2 } else { 0 })
        .all(|c| c == '_' || c.is_digit(radix));
    if well_formed && parse_int(digits).is_none() {
        error(errors, token.range(), "this number has more than 64 bits", "");
    }
}
