//! Lookahead. Matching brackets are known in advance, so that a list in brackets is skipped in one step.

use crate::parser::grammar::recovery::foreign_lookahead;
use crate::parser::grammar::token_sets::{MODIFIERS, STMT_KEYWORDS, TYPE_DECL};
use crate::parser::input::Input;
use crate::parser::state::Parser;
use crate::parser::token_set::TokenSet;
use crate::syntax_kind::SyntaxKind::*;

/// After the annotations that start at `index`.
pub(super) fn after_annotations(p: &Parser<'_>, mut index: usize) -> usize {
    while p.kind_at(index) == T![@] || foreign_lookahead::is_mark(p, index) {
        index += 1;
        if p.kind_at(index - 1) == IDENT {
            continue;
        }
        while p.kind_at(index) == IDENT {
            index += 1;
            for open in [T!['['], T!['(']] {
                if p.kind_at(index) == open {
                    match p.matching(index) {
                        Some(close) => index = close + 1,
                        None => return index,
                    }
                }
            }
            if p.kind_at(index) != T![.] {
                break;
            }
            index += 1;
        }
    }
    index
}

/// After the modifiers and annotations that start at `index`.
pub(super) fn after_modifiers(p: &Parser<'_>, mut index: usize) -> usize {
    loop {
        match p.kind_at(index) {
            T![@] => {
                let after = after_annotations(p, index);
                if after == index {
                    return index;
                }
                index = after;
            }
            kind if MODIFIERS.contains(kind) => index += 1,
            // `property` is a modifier before `def` and `operator`.
            T![property] if p.kind_at(index + 1).is_keyword() => index += 1,
            IDENT if foreign_lookahead::is_modifier(p, index) || foreign_lookahead::is_mark(p, index) => {
                index += 1
            }
            _ => return index,
        }
    }
}

/// After the bracket that opens at `index`, if it is closed.
fn after_bracket(p: &Parser<'_>, index: usize) -> Option<usize> {
    p.matching(index).map(|it| it + 1)
}

/// After the type that starts at `index`, if one seems to.
pub(super) fn after_type(p: &Parser<'_>, mut index: usize) -> Option<usize> {
    // A function type's result is a type again.
    loop {
        match p.kind_at(index) {
            T![void] => return Some(index + 1),
            IDENT | T![this] | T![self] | T![here] => return after_named_type(p, index),
            T!['['] => index = after_bracket(p, index)?,
            _ => {}
        }
        if p.kind_at(index) != T!['('] {
            return None;
        }
        index = after_bracket(p, index)?;
        if p.kind_at(index) == T!['{'] {
            index = after_bracket(p, index)?;
        }
        if p.kind_at(index) != T![=>] {
            return Some(index);
        }
        index += 1;
    }
}

fn after_named_type(p: &Parser<'_>, mut index: usize) -> Option<usize> {
    loop {
        index += 1;
        for open in [T!['['], T!['('], T!['{']] {
            if p.kind_at(index) == open {
                index = after_bracket(p, index)?;
            }
        }
        if !(p.kind_at(index) == T![.] && matches!(p.kind_at(index + 1), IDENT | T![this])) {
            return Some(after_annotations(p, index));
        }
        index += 1;
    }
}

/// Whether the parenthesis at `index` opens the formals of a closure: what follows its end is a guard, a
/// result type and `=>`, the first two optional.
pub(super) fn is_closure(p: &Parser<'_>, index: usize) -> bool {
    closure_arrow(p, index).is_some()
}

fn closure_arrow(p: &Parser<'_>, index: usize) -> Option<usize> {
    let mut index = after_bracket(p, index)?;
    if p.kind_at(index) == T!['{'] {
        index = after_bracket(p, index)?;
    }
    if matches!(p.kind_at(index), T![:] | T![<:]) {
        index = after_type(p, index + 1)?;
    }
    if p.kind_at(index) == T![offers] {
        index = after_type(p, index + 1)?;
    }
    (p.kind_at(index) == T![=>]).then_some(index)
}

/// Whether the braces at `index` are the condition of what precedes them, and not the body that follows it.
/// `follow`: what may come after the condition, besides the braces of the body.
pub(super) fn is_condition(p: &Parser<'_>, index: usize, follow: &TokenSet) -> bool {
    let Some(close) = p.matching(index) else { return false };
    match p.kind_at(close + 1) {
        T!['{'] => !has_statements(p, index, close),
        T![;] => close > index + 1 && !has_statements(p, index, close),
        T![@] => p.kind_at(after_annotations(p, close + 1)) == T!['{'] && !has_statements(p, index, close),
        kind => follow.contains(kind),
    }
}

/// Whether statements or members stand between the braces, rather than expressions with commas between.
pub(super) fn has_statements(p: &Parser<'_>, open: usize, close: usize) -> bool {
    braces_have_statements(p.input, open, close)
}

pub(crate) fn braces_have_statements(input: &Input, open: usize, close: usize) -> bool {
    let mut index = open + 1;
    let starts_statement = match input.kind(index) {
        T![at] => input.kind(index + 1) == T!['('],
        T![finish] | T!['{'] | T![def] | T![val] | T![var] => true,
        kind => STMT_KEYWORDS.contains(kind) || MODIFIERS.contains(kind) || TYPE_DECL.contains(kind),
    };
    if starts_statement {
        return true;
    }
    while index < close {
        match input.kind(index) {
            T![;] => return true,
            T!['('] | T!['['] | T!['{'] => index = input.matching(index).map_or(close, |it| it + 1),
            _ => index += 1,
        }
    }
    false
}

/// The form of the header of a `for`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    /// `a; b; c`
    Basic,
    /// `x in e`
    In,
    /// `e`
    Bare,
}

/// The form of the header whose parenthesis opens at `index`.
pub(super) fn header(p: &Parser<'_>, index: usize) -> Header {
    let close = p.matching(index);
    let mut index = index + 1;
    loop {
        match p.kind_at(index) {
            _ if Some(index) == close => return Header::Bare,
            T![in] => return Header::In,
            T![;] => return Header::Basic,
            T!['('] | T!['['] | T!['{'] => match p.matching(index) {
                Some(it) => index = it + 1,
                None => return Header::Bare,
            },
            EOF | T!['}'] => return Header::Bare,
            _ => index += 1,
        }
    }
}

/// Whether `[a, b]` is at `index`: names in square brackets; the index after them.
pub(super) fn after_names(p: &Parser<'_>, index: usize) -> Option<usize> {
    let close = p.matching(index).filter(|_| p.kind_at(index) == T!['['])?;
    let only_names = (index + 1..close).all(|it| matches!(p.kind_at(it), IDENT | T![,]));
    only_names.then_some(close + 1)
}

/// Whether a name, a point pattern or both start at `index` and a type follows: `x:`, `[i, j]:`, `p[i, j]:`.
pub(super) fn is_typed_declarator(p: &Parser<'_>, index: usize) -> bool {
    let after = if p.kind_at(index) == IDENT { index + 1 } else { index };
    let after = after_names(p, after).unwrap_or(after);
    after > index && matches!(p.kind_at(after), T![:] | T![<:])
}
