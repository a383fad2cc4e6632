//! `omp/syntax` and `omp/unknown-directive`: what the parser says of directives.

use apg_c_syntax::SyntaxKind;
use apg_c_syntax::ast::{self, AstNode};
use apg_c_syntax::{Family, SyntaxNode, SyntaxToken, TextRange};
use apg_diagnostics::{Fix, Rule, Severity};

use super::unknown_directive;
use crate::rules::Context;

/// A directive that is not written as its specification says.
pub static RULE: Rule = Rule {
    code: "omp/syntax",
    severity: Severity::Error,
    summary: "A directive that is not written as its specification says.",
    explanation: r##"
A directive is one line, continued by backslashes: `#pragma omp`, the name of the directive, then clauses with their arguments in parentheses.
Something in this one is missing, misspelt or in the wrong place, so no compiler knows what is meant.

Macros are expanded in directives. Where the mistake comes from a macro, it is reported where the macro is used.
"##,
    failing: r##"
void scale(double *a, int n) {
    #pragma omp parallel for schedul(static)
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
    fixed: r##"
void scale(double *a, int n) {
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    report_errors(cx, |family, is_unknown| match (family, is_unknown) {
        (Family::XcalableMp, _) => None,
        (_, true) => Some(&unknown_directive::RULE),
        (_, false) => Some(&RULE),
    });
}

/// Reports what the parser says of directives, each error by the rule for its family and for whether the
/// directive is not known.
pub(in crate::rules) fn report_errors(
    cx: &mut Context<'_>,
    rule: impl Fn(Family, bool) -> Option<&'static Rule>,
) {
    let main = &cx.parsed.syntax.main;
    let root = main.syntax();
    let mut found = Vec::new();
    for error in main.errors() {
        let Some(directive) = directive_at(&root, error.range) else { continue };
        let family = ast::Directive::cast(directive).map_or(Family::OpenMp, |it| it.family());
        let Some(rule) = rule(family, error.message.contains(" a directive of ")) else { continue };
        let Some(range) = cx.parsed.in_main_file(error.span) else { continue };
        let mut diagnostic = rule.at(range, error.message.clone());
        if family != Family::OpenMp {
            // Compilers pass directives of other specifications over.
            diagnostic = diagnostic.with_severity(Severity::Warning);
        }
        if let Some(hint) = &error.hint {
            diagnostic = diagnostic.note(hint.clone());
        }
        if let Some(replacement) = &error.replacement {
            let title = format!("Replace it by `{replacement}`");
            diagnostic = diagnostic.fix(Fix::replace(title, range, replacement.clone()));
        }
        found.push(diagnostic);
    }
    found.into_iter().for_each(|it| cx.report(it));
}

/// The directive that an error is in, or that lacks its statement there.
fn directive_at(root: &SyntaxNode, range: TextRange) -> Option<SyntaxNode> {
    let token = root.token_at_offset(range.start()).right_biased()?;
    let around = |token: &SyntaxToken| token.parent_ancestors().find(|it| it.kind() == SyntaxKind::DIRECTIVE);
    around(&token).or_else(|| {
        let mut before = token.prev_token();
        while let Some(it) = before.as_ref().filter(|it| it.kind().is_trivia()) {
            before = it.prev_token();
        }
        before.filter(|it| it.kind() == SyntaxKind::PRAGMA_END).and_then(|it| around(&it))
    })
}
