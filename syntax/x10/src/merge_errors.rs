//! Merges errors with one cause: a variable that is named by a keyword (`at`) is reported once, not at each
//! use.

use std::sync::Arc;

use crate::syntax_error::MistakeKind;
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::{GreenNode, SyntaxNode};
use apg_source::TextRange;

/// The errors of a text in textual order. Errors of one mistake are merged into the first of them, which
/// records the ranges of the others.
pub(crate) fn merged(green: &GreenNode, errors: Arc<[SyntaxError]>) -> Arc<[SyntaxError]> {
    if errors.iter().filter(|it| it.mistake.is_some()).nth(1).is_none() {
        return errors;
    }
    let root = SyntaxNode::new_root(green.clone());
    let mut all: Vec<(TextRange, SyntaxError)> = Vec::with_capacity(errors.len());
    for error in errors.iter() {
        let around = if error.mistake.is_some() { member(&root, error) } else { error.range };
        let first = all.iter_mut().rev().find(|(member, it)| *member == around && is_one_mistake(it, error));
        match (first, &error.replacement) {
            (Some((_, first)), Some(text)) => {
                first.also.push((error.range, text.clone()));
                if first.mistake == Some(MistakeKind::EqualsBody) {
                    first.hint = Some("remove the `=`, and give the value by `return`".into());
                }
            }
            _ => all.push((around, error.clone())),
        }
    }
    all.into_iter().map(|(_, error)| error).collect()
}

/// Whether an error belongs to the same mistake as an earlier error in the same declaration.
fn is_one_mistake(first: &SyntaxError, error: &SyntaxError) -> bool {
    match (first.mistake, error.mistake) {
        // The same word.
        (Some(MistakeKind::Reserved), Some(MistakeKind::Reserved)) => first.message == error.message,
        (Some(MistakeKind::NoReturn | MistakeKind::EqualsBody), Some(MistakeKind::NoReturn)) => true,
        (Some(MistakeKind::CaseArrow), Some(MistakeKind::CaseArrow)) => true,
        _ => false,
    }
}

/// Range of the class member that contains an error, or of the file if there is none.
fn member(root: &SyntaxNode, error: &SyntaxError) -> TextRange {
    let token = crate::token_at_offset::token_at_offset(root, error.range.start()).right_biased();
    let mut around = token.iter().flat_map(|token| token.parent_ancestors());
    let is_member = |it: &SyntaxNode| it.parent().is_none_or(|it| it.kind() == SyntaxKind::CLASS_BODY);
    around.find(is_member).map_or(root.text_range(), |it| it.text_range())
}

#[cfg(test)]
mod tests {
    use crate::parse::parse;

    /// The text of each error's ranges, those of one error separated by `+`.
    fn places(text: &str) -> Vec<String> {
        let said = |it: &crate::syntax_error::SyntaxError| {
            let all = std::iter::once(&it.range).chain(it.also.iter().map(|(range, _)| range));
            all.map(|range| &text[*range]).collect::<Vec<_>>().join("+")
        };
        parse(text).errors().iter().map(said).collect()
    }

    #[test]
    fn a_keyword_as_a_name_is_one_mistake_in_each_member() {
        let text =
            "class C { def f() { val at = 1; val in = at + 2; return at + in; } def g(at:Long) = at; }";
        assert_eq!(places(text), ["at+at+at", "in+in", "at+at"]);
        assert_eq!(parse(text).syntax_errors().len(), 7);
    }

    #[test]
    fn values_without_return_are_one_mistake_in_each_member() {
        assert_eq!(places("class C { def f(c:Boolean) { if (c) 4 else 5 } def g() { 6 } }"), ["4+5", "6"]);
        let text = "class C { def f(c:Boolean) = { if (c) 4 else 5 } }";
        assert_eq!(places(text), ["=+4+5"]);
        assert!(parse(text).errors()[0].hint.as_ref().is_some_and(|it| it.contains("return")));
    }
}
