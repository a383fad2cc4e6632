//! Folding ranges.

use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::{SyntaxElement, SyntaxNode};
use apg_source::{TextRange, TextSize};

/// A part of the text that can be shown as one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// From bracket to bracket, or all of the comments or imports.
    pub range: TextRange,
    /// What it is.
    pub kind: FoldKind,
}

/// What a fold hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldKind {
    /// Braces or a list in brackets.
    Region,
    /// A comment, or several line comments that follow each other.
    Comment,
    /// The imports.
    Imports,
}

/// All folds that span several lines, in the order of their starts.
pub fn folding_ranges(root: &SyntaxNode) -> Vec<Fold> {
    let mut folds = Vec::new();
    let mut lines: Option<TextRange> = None;
    for element in root.descendants_with_tokens() {
        match element {
            SyntaxElement::Node(node) => {
                if let Some(range) = brackets(&node) {
                    folds.push(Fold { range, kind: FoldKind::Region });
                }
            }
            SyntaxElement::Token(token) => match token.kind() {
                SyntaxKind::LINE_COMMENT => {
                    lines = Some(lines.map_or(token.text_range(), |it| it.cover(token.text_range())));
                }
                SyntaxKind::WHITESPACE if token.text().matches('\n').count() < 2 => {}
                kind => {
                    folds.extend(lines.take().map(|range| Fold { range, kind: FoldKind::Comment }));
                    if kind.is_comment() {
                        folds.push(Fold { range: token.text_range(), kind: FoldKind::Comment });
                    }
                }
            },
        }
    }
    folds.extend(lines.map(|range| Fold { range, kind: FoldKind::Comment }));
    folds.extend(imports(root));
    let ends = line_ends(root);
    folds.retain(|it| {
        let first = ends.partition_point(|end| *end < it.range.start());
        ends.get(first).is_some_and(|end| *end < it.range.end())
    });
    folds.sort_by_key(|it| (it.range.start(), it.range.end()));
    folds
}

/// Where lines end. Found once: a part of a tree's text is looked up from the root each time.
fn line_ends(root: &SyntaxNode) -> Vec<TextSize> {
    let mut ends = Vec::new();
    for token in root.descendants_with_tokens().filter_map(SyntaxElement::into_token) {
        let start = token.text_range().start();
        ends.extend(
            token.text().match_indices('\n').filter_map(|(at, _)| Some(start + TextSize::try_from(at).ok()?)),
        );
    }
    ends
}

fn brackets(node: &SyntaxNode) -> Option<TextRange> {
    use SyntaxKind::*;
    let can_fold = matches!(
        node.kind(),
        BLOCK
            | CLASS_BODY
            | SWITCH_BLOCK
            | ARG_LIST
            | FORMAL_LIST
            | RAIL_EXPR
            | PROPERTY_LIST
            | GUARD
            | CONSTRAINT
    );
    if !can_fold {
        return None;
    }
    let mut tokens =
        node.children_with_tokens().filter_map(|it| it.into_token()).map(|it| (it.kind(), it.text_range()));
    let open = tokens.find(|it| matches!(it.0, T!['{'] | T!['('] | T!['[']))?.1.start();
    let close: TextSize = tokens.filter(|it| matches!(it.0, T!['}'] | T![')'] | T![']'])).last()?.1.end();
    Some(TextRange::new(open, close))
}

fn imports(root: &SyntaxNode) -> Option<Fold> {
    let mut imports =
        root.children().filter(|it| it.kind() == SyntaxKind::IMPORT_DECL).map(|it| it.text_range());
    let first = imports.next()?;
    let range = imports.last()?.cover(first);
    Some(Fold { range, kind: FoldKind::Imports })
}
