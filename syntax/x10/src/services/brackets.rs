//! Matching brackets.

use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::{SyntaxNode, SyntaxToken};
use apg_source::{TextRange, TextSize};

fn partner(kind: SyntaxKind) -> Option<SyntaxKind> {
    Some(match kind {
        T!['('] => T![')'],
        T![')'] => T!['('],
        T!['['] => T![']'],
        T![']'] => T!['['],
        T!['{'] => T!['}'],
        T!['}'] => T!['{'],
        _ => return None,
    })
}

/// The bracket that matches the one before or after `offset` (the one after comes first).
pub fn matching_bracket(root: &SyntaxNode, offset: TextSize) -> Option<TextRange> {
    if offset > root.text_range().end() {
        return None;
    }
    let here = crate::token_at_offset::token_at_offset(root, offset);
    let token =
        here.clone().right_biased().filter(is_bracket).or_else(|| here.left_biased().filter(is_bracket))?;
    let wanted = partner(token.kind())?;
    let forward = matches!(token.kind(), T!['('] | T!['['] | T!['{']);
    let mut depth = 0;
    let mut element = Some(crate::syntax_node::SyntaxElement::Token(token.clone()));
    // Brackets that match are children of one node.
    while let Some(it) = element {
        if it.kind() == token.kind() {
            depth += 1;
        } else if it.kind() == wanted {
            depth -= 1;
        }
        if depth == 0 {
            return Some(it.text_range());
        }
        element = if forward { it.next_sibling_or_token() } else { it.prev_sibling_or_token() };
    }
    None
}

fn is_bracket(token: &SyntaxToken) -> bool {
    partner(token.kind()).is_some()
}
