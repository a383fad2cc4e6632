//! Token at an offset, by binary search among children. Rowan's own search is linear, which dominates the
//! search for references in a class with a thousand members.

use rowan::{NodeOrToken, TokenAtOffset};

use crate::syntax_node::{SyntaxNode, SyntaxToken};
use apg_source::{TextRange, TextSize};

/// The token at `offset`, or the two between which it lies; none if the offset is not in the tree or there
/// are no tokens.
pub fn token_at_offset(root: &SyntaxNode, offset: TextSize) -> TokenAtOffset<SyntaxToken> {
    let all = root.text_range();
    let one = TextSize::new(1);
    let left = offset.checked_sub(one).and_then(|start| token_around(root, all, TextRange::at(start, one)));
    let right = token_around(root, all, TextRange::at(offset, one));
    match (left, right) {
        (Some(left), Some(right)) if left == right => TokenAtOffset::Single(right),
        (Some(left), Some(right)) => TokenAtOffset::Between(left, right),
        (Some(token), None) | (None, Some(token)) => TokenAtOffset::Single(token),
        (None, None) => TokenAtOffset::None,
    }
}

/// The token that has this byte.
fn token_around(root: &SyntaxNode, all: TextRange, byte: TextRange) -> Option<SyntaxToken> {
    if !all.contains_range(byte) {
        return None;
    }
    match root.covering_element(byte) {
        NodeOrToken::Token(token) => Some(token),
        NodeOrToken::Node(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tokens_are_those_that_a_search_finds() {
        for text in
            ["", "a", "class A { def f(x:Int) { g(\"é😀\"); } }\n", "class { /*", "}{ 😀 (", "package a.b; "]
        {
            let root = crate::parse::parse(text).syntax();
            for offset in 0..=text.len() {
                let offset = TextSize::try_from(offset).expect("small");
                let (ours, theirs) = (token_at_offset(&root, offset), root.token_at_offset(offset));
                assert_eq!(ours.clone().left_biased(), theirs.clone().left_biased(), "{text:?} {offset:?}");
                assert_eq!(ours.right_biased(), theirs.right_biased(), "{text:?} {offset:?}");
            }
            let behind = TextSize::try_from(text.len() + 2).expect("small");
            assert!(token_at_offset(&root, behind).right_biased().is_none());
        }
    }
}
