//! Code that does not parse, as all code does while it is typed: what else seems wrong with it because a piece is missing is not said.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxNode, SyntaxToken, T, TextRange, TextSize};

use crate::db::{Db, parse};
use crate::diagnostics::Diagnostic;
use crate::ids::SourceFile;

/// Takes away what follows from a syntax error: where control goes in the code that has one, and what is wrong with the expression
/// that ends where something is expected. Where braces do not match, nobody knows what belongs to what: only the syntax is judged.
pub(super) fn leave_out_consequences(db: &dyn Db, file: SourceFile, all: &mut Vec<Diagnostic>) {
    let parse = parse(db, file);
    let Some(first) = parse.syntax_errors().iter().map(|error| error.range.start()).min() else { return };
    let root = parse.syntax();
    if !braces_match(&root) {
        let is_syntax =
            |found: &Diagnostic| found.code.starts_with("syntax/") || found.code.starts_with("internal/");
        all.retain(|found| {
            is_syntax(found) && (found.range.start() == first || !is_between_members(&root, found))
        });
        return;
    }
    let (mut code, mut expressions) = (Vec::new(), Vec::new());
    for error in parse.syntax_errors() {
        code.extend(declaration_at(&root, error.range.start()));
        expressions.extend(expression_before(&root, error.range.start()));
    }
    let within = |ranges: &[TextRange], found: &Diagnostic| {
        ranges.iter().any(|range| range.contains_range(found.range))
    };
    all.retain(|found| match found.code.split('/').next() {
        Some("flow") => !within(&code, found),
        Some("type" | "constraint" | "place") => !within(&expressions, found),
        _ => true,
    });
}

/// Whether each brace has its other one.
fn braces_match(root: &SyntaxNode) -> bool {
    let mut open = 0_usize;
    for token in root.descendants_with_tokens().filter_map(|it| it.into_token()) {
        match token.kind() {
            T!['{'] => open += 1,
            T!['}'] if open == 0 => return false,
            T!['}'] => open -= 1,
            _ => {}
        }
    }
    open == 0
}

/// Whether an error stands where members or classes are expected: one after the other, when a brace too many has ended a class.
fn is_between_members(root: &SyntaxNode, found: &Diagnostic) -> bool {
    use SyntaxKind::{CLASS_BODY, ERROR, SOURCE_FILE};
    let token = root.token_at_offset(found.range.start()).right_biased();
    let around = token.and_then(|token| {
        let aside = token.parent_ancestors().filter(|node| node.kind() == ERROR).last();
        aside.map_or_else(|| token.parent(), |node| node.parent())
    });
    around.is_none_or(|node| matches!(node.kind(), CLASS_BODY | SOURCE_FILE))
}

/// The declaration with code around a place.
fn declaration_at(root: &SyntaxNode, at: TextSize) -> Option<TextRange> {
    use SyntaxKind::{CONSTRUCTOR_DECL, FIELD_DECL, METHOD_DECL, OPERATOR_DECL};
    let has_code = |node: &SyntaxNode| {
        matches!(node.kind(), METHOD_DECL | CONSTRUCTOR_DECL | OPERATOR_DECL | FIELD_DECL)
    };
    let token = root.token_at_offset(at).left_biased()?;
    token.parent_ancestors().filter(has_code).last().map(|node| node.text_range())
}

/// The last token before a place that is no blank or comment.
fn token_before(root: &SyntaxNode, at: TextSize) -> Option<SyntaxToken> {
    let token = root.token_at_offset(at).left_biased()?;
    std::iter::successors(Some(token), SyntaxToken::prev_token).find(|token| !token.kind().is_trivia())
}

/// The largest expression that ends where something is missing.
fn expression_before(root: &SyntaxNode, at: TextSize) -> Option<TextRange> {
    let last = token_before(root, at)?;
    let end = last.text_range().end();
    let is_inside = |node: &SyntaxNode| node.text_range().end() <= end && node.kind() != SyntaxKind::BLOCK;
    let ends_here = last.parent_ancestors().take_while(is_inside);
    ends_here.filter(|node| ast::Expr::can_cast(node.kind())).last().map(|node| node.text_range())
}
