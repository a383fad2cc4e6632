//! Semantic tokens of directives: what each word of a directive is.

use apg_c_syntax::{FileId, SyntaxKind, TextRange, TextSize};

use crate::Parsed;
use crate::hir::visit::Node;
use crate::hir::{Clause, Directive, ExprKind, Item};

/// What a word of a directive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A word of the directive's name.
    Directive,
    /// The name of a clause.
    Clause,
    /// A word with a meaning in a clause: `static`, `tofrom`.
    Word,
    /// A variable.
    Variable,
    /// A number.
    Number,
}

/// A word of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The range.
    pub range: TextRange,
    /// What it is.
    pub kind: TokenKind,
}

/// The words of all directives in a range, as they are spelled, in order. Words from macros are left out.
pub fn tokens(parsed: &Parsed, range: TextRange) -> Vec<Token> {
    let mut found = Vec::new();
    for directive in &parsed.program.directives {
        // A directive that is not known has no name.
        let is_known = !directive.name.is_empty();
        let touches =
            is_known && parsed.spelled(directive.range).is_some_and(|it| it.intersect(range).is_some());
        if touches {
            collect(parsed, directive, &mut found);
        }
    }
    found.retain(|it: &Token| it.range.intersect(range).is_some());
    found.sort_by_key(|it| it.range.start());
    found.dedup_by_key(|it| it.range.start());
    found
}

fn collect(parsed: &Parsed, directive: &Directive, found: &mut Vec<Token>) {
    let Some(name) = parsed.spelled(directive.name_range) else { return };
    let clauses: Vec<(TextRange, &Clause)> =
        directive.clauses.iter().filter_map(|it| Some((parsed.spelled(it.range)?, it))).collect();
    let mut variables = Vec::new();
    directive.argument.iter().for_each(|it| add_variables(parsed, it, &mut variables));
    for clause in &directive.clauses {
        let arguments = clause.modifiers.iter().flat_map(|it| &it.arguments);
        clause.items.iter().chain(arguments).for_each(|it| add_variables(parsed, it, &mut variables));
    }
    for token in parsed.syntax.main.tokens_in(directive.range) {
        if token.span.file != FileId::MAIN || !token.is_spelled() {
            continue;
        }
        let range = token.span.range();
        let kind = match token.kind {
            SyntaxKind::PP_NUMBER => TokenKind::Number,
            SyntaxKind::IDENT if name.contains_range(range) => TokenKind::Directive,
            SyntaxKind::IDENT if variables.contains(&range.start()) => TokenKind::Variable,
            SyntaxKind::IDENT if clauses.iter().any(|it| it.0.start() == range.start()) => TokenKind::Clause,
            SyntaxKind::IDENT if clauses.iter().any(|it| it.0.contains_range(range)) => TokenKind::Word,
            _ => continue,
        };
        found.push(Token { range, kind });
    }
}

/// Adds where the variables of an item are spelled.
fn add_variables(parsed: &Parsed, item: &Item, variables: &mut Vec<TextSize>) {
    let Some(expr) = item.expr else { return };
    parsed.program.walk_expr(expr, &mut |node| {
        if let Node::Expr(it) = node {
            let expr = parsed.program.expr(it);
            if matches!(expr.kind, ExprKind::Variable(_)) {
                variables.extend(parsed.spelled(expr.range).map(TextRange::start));
            }
        }
        true
    });
}
