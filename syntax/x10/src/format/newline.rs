//! Indentation of a line that was just begun, by what precedes it in an unfinished text.

use super::indent::{INDENT_COLUMNS, is_list, unit};
use crate::parse::Parse;
use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::{SyntaxNode, SyntaxToken};
use apg_source::{Edit, TextRange, TextSize};

/// The edit that indents the line of `offset`; none if it stands where it should or more than blanks are
/// before `offset`, and in comments and strings of several lines.
pub(super) fn indented(parse: &Parse, text: &str, offset: TextSize) -> Option<Edit> {
    let start = text[..usize::from(offset)].rfind(['\n', '\r'])? + 1;
    let rest = &text[start..];
    let blank = &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()];
    let blank = TextRange::at(TextSize::new(start as u32), TextSize::of(blank));
    if blank.end() < offset {
        return None;
    }
    let root = parse.syntax();
    let here = root.token_at_offset(blank.start());
    let is_inside = |token: &SyntaxToken| {
        token.kind() != SyntaxKind::WHITESPACE && token.text_range().contains(blank.start())
    };
    if here.clone().any(|token| is_inside(&token) && token.text_range().start() < blank.start()) {
        return None;
    }
    let mut before = std::iter::successors(here.left_biased(), |token| token.prev_token());
    let before = before.find(|it| it.text_range().end() <= blank.start() && !it.kind().is_trivia())?;
    let next = root.token_at_offset(blank.end()).right_biased();
    let wanted = indentation(text, &before, next.map(|token| token.kind()));
    (text[blank] != wanted).then(|| Edit::new(blank, wanted))
}

/// The indentation of a line behind `before` that starts with `next`.
fn indentation(text: &str, before: &SyntaxToken, next: Option<SyntaxKind>) -> String {
    let line = |start: TextSize| blank_of_line(text, start).to_owned();
    let deeper = |blank: String| format!("{blank}{}", " ".repeat(INDENT_COLUMNS));
    let open = open_bracket(before);
    // Behind a comma there is more to come before the bracket.
    if matches!(next, Some(T!['}'] | T![')'] | T![']'])) && before.kind() != T![,] {
        return open.map_or_else(String::new, |open| line(open.text_range().start()));
    }
    let start = open.as_ref().map_or(TextSize::new(0), |open| open.text_range().end());
    let around = before.parent_ancestors().take_while(|node| node.text_range().start() >= start);
    let around: Vec<SyntaxNode> = around.collect();
    let ends = |node: &&SyntaxNode| node.text_range().end() == before.text_range().end();
    // Annotations and labels stand above what they belong to.
    let above =
        |node: &&SyntaxNode| matches!(node.kind(), SyntaxKind::ANNOTATION | SyntaxKind::MODIFIER_LIST);
    if let Some(above) = around.iter().filter(ends).find(above) {
        return line(above.text_range().start());
    }
    let is_of = |kind| before.parent().is_some_and(|node| node.kind() == kind);
    if before.kind() == T![:] && is_of(SyntaxKind::LABELED_STMT) {
        return line(before.parent().map_or(start, |node| node.text_range().start()));
    }
    let is_element = match before.kind() {
        T![;] | T!['{'] | T!['}'] | T!['('] | T!['['] => true,
        T![,] => before.parent().is_some_and(|node| is_list(node.kind())),
        T![:] => is_of(SyntaxKind::SWITCH_LABEL),
        _ => false,
    };
    let inside = open.map_or_else(String::new, |open| deeper(line(open.text_range().start())));
    if is_element {
        let is_label = matches!(next, Some(T![case] | T![default]));
        let is_labelled = around.iter().any(|node| node.kind() == SyntaxKind::SWITCH_GROUP) && !is_label;
        return if is_labelled { deeper(inside) } else { inside };
    }
    match around.first().map(unit).filter(|unit| unit.text_range().start() >= start) {
        Some(unit) if next == Some(T!['{']) => line(unit.text_range().start()),
        Some(unit) => deeper(line(unit.text_range().start())),
        None => inside,
    }
}

/// The innermost bracket that is open behind a token.
fn open_bracket(before: &SyntaxToken) -> Option<SyntaxToken> {
    let end = before.text_range().end();
    before.parent_ancestors().find_map(|node| {
        let tokens = || node.children_with_tokens().filter_map(|it| it.into_token());
        let is_open = |it: &SyntaxToken| matches!(it.kind(), T!['('] | T!['['] | T!['{']);
        let is_close = |it: &SyntaxToken| matches!(it.kind(), T![')'] | T![']'] | T!['}']);
        let open = tokens().filter(is_open).take_while(|it| it.text_range().end() <= end).last()?;
        let behind = |it: &SyntaxToken| it.text_range().start() >= open.text_range().end();
        let is_closed = tokens().any(|it| is_close(&it) && behind(&it) && it.text_range().end() <= end);
        (!is_closed).then_some(open)
    })
}

/// The white space that the line of an offset starts with.
fn blank_of_line(text: &str, offset: TextSize) -> &str {
    let start = text[..usize::from(offset)].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
