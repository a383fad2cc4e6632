//! Selected statements are put into a `finish`, `async`, `at` or `atomic`.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxNode, TextRange};

use super::lines::{STEP, indentation, indented};
use super::{Assist, AssistKind, Place};

/// What code can be put into, and its head.
const AROUND: &[(&str, &str)] = &[
    ("finish", "finish"),
    ("async", "async"),
    ("finish async", "finish async"),
    ("at (...)", "at (here)"),
    ("atomic", "atomic"),
];

pub(super) fn wrap(place: &Place<'_>) -> Vec<Assist> {
    let Some(statements) = selected(place) else { return Vec::new() };
    let (Some(first), Some(last)) = (statements.first(), statements.last()) else { return Vec::new() };
    let range = TextRange::new(first.text_range().start(), last.text_range().end());
    let text = &place.text()[range];
    let declares = statements.iter().any(|s| s.kind() == SyntaxKind::LOCAL_DECL);
    let used_later = declares && last.next_sibling().is_some();
    if used_later {
        // What is declared inside is not known after it.
        return Vec::new();
    }
    let indent = indentation(place.text(), range.start());
    let assist = |(title, head): &(&str, &str)| {
        let inner = indented(text);
        Assist {
            title: format!("Wrap in `{title}`"),
            kind: AssistKind::Rewrite,
            edits: vec![place.edit(range, format!("{head} {{\n{indent}{STEP}{inner}\n{indent}}}"))],
        }
    };
    AROUND.iter().map(assist).collect()
}

/// The whole statements of one block that the selection touches.
fn selected(place: &Place<'_>) -> Option<Vec<SyntaxNode>> {
    let text = &place.text()[place.range];
    if text.trim().is_empty() {
        return None;
    }
    let node = match place.root.covering_element(place.range) {
        apg_syntax::NodeOrToken::Node(node) => node,
        apg_syntax::NodeOrToken::Token(token) => token.parent()?,
    };
    let statement = node.ancestors().find(|n| {
        ast::Stmt::can_cast(n.kind())
            && n.kind() != SyntaxKind::BLOCK
            && n.text_range().contains_range(place.range)
    });
    // Either one statement, selected whole, or several of a block.
    if let Some(statement) = statement.filter(|s| s.parent().is_some_and(|p| p.kind() == SyntaxKind::BLOCK)) {
        let whole = place.text()[statement.text_range()].trim() == text.trim();
        return whole.then(|| vec![statement]);
    }
    let block = node.ancestors().find(|n| n.kind() == SyntaxKind::BLOCK)?;
    let touched = block.children().filter(|n| {
        ast::Stmt::can_cast(n.kind()) && n.text_range().intersect(place.range).is_some_and(|r| !r.is_empty())
    });
    let touched: Vec<SyntaxNode> = touched.collect();
    let whole = |n: &SyntaxNode| place.range.contains_range(n.text_range());
    (!touched.is_empty() && touched.iter().all(whole)).then_some(touched)
}
