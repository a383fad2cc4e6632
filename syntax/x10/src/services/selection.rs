//! Expanding selections: word, element, list, statement, block, and so on.

use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::{SyntaxElement, SyntaxNode};
use apg_source::{TextRange, TextSize};

/// The ranges that a selection at `offset` grows through, smallest first, each larger than the one before.
pub fn selection_ranges(root: &SyntaxNode, offset: TextSize) -> Vec<TextRange> {
    let mut ranges: Vec<TextRange> = Vec::new();
    if offset > root.text_range().end() {
        return ranges;
    }
    let here = crate::token_at_offset::token_at_offset(root, offset);
    let is_word = |it: &crate::syntax_node::SyntaxToken| !it.kind().is_trivia() && !it.kind().is_punct();
    let token = here.clone().find(is_word).or_else(|| here.right_biased());
    let Some(token) = token else { return ranges };
    let mut add = |range: TextRange| {
        if ranges.last().is_none_or(|it| range.contains_range(*it) && range != *it) {
            ranges.push(range);
        }
    };
    if token.kind().is_comment() {
        add(line_at(&token, offset));
    }
    if token.kind() != SyntaxKind::WHITESPACE {
        add(token.text_range());
    }
    for node in token.parent_ancestors() {
        if let Some(inner) = inside_brackets(&node).filter(|it| it.contains_inclusive(offset)) {
            add(inner);
        }
        add(node.text_range());
    }
    ranges
}

/// The line of a comment at `offset`, without the blanks around it.
fn line_at(token: &crate::syntax_node::SyntaxToken, offset: TextSize) -> TextRange {
    let start = token.text_range().start();
    let text = token.text();
    let at = usize::from(offset - start);
    let from = text[..at].rfind('\n').map_or(0, |it| it + 1);
    let to = text[at..].find('\n').map_or(text.len(), |it| at + it);
    let line = &text[from..to];
    let lead = line.len() - line.trim_start().len();
    let range = TextRange::at(TextSize::new((from + lead) as u32), TextSize::of(line.trim()));
    range + start
}

/// All between the brackets of a node, without the white space at its ends.
fn inside_brackets(node: &SyntaxNode) -> Option<TextRange> {
    let solid: Vec<_> =
        node.children_with_tokens().filter(|it| it.kind() != SyntaxKind::WHITESPACE).collect();
    let open = solid.iter().position(|it| matches!(it.kind(), T!['{'] | T!['('] | T!['[']))?;
    let close = solid.iter().rposition(|it| matches!(it.kind(), T!['}'] | T![')'] | T![']']))?;
    let inner: &[SyntaxElement] = solid.get(open + 1..close)?;
    Some(inner.first()?.text_range().cover(inner.last()?.text_range()))
}
