//! `omp/nesting-limit`

use apg_c_syntax::SyntaxKind;
use apg_diagnostics::{Rule, Severity};

use crate::Parsed;
use crate::rules::Context;

/// Code that is nested deeper than the parser goes.
pub static RULE: Rule = Rule {
    code: "omp/nesting-limit",
    severity: Severity::Error,
    summary: "Code that is nested deeper than the parser goes.",
    explanation: r##"
Parentheses, blocks, statements and initialisers contain others to a depth of about 260, and the operators of one expression to about
2,000. This code goes deeper. It is not understood from here to the end of the file, so that the directives there are neither checked nor executed.

A compiler may accept it: GCC has no limit, and Clang has one of 256 for brackets. Such code comes from generators and from macros that contain
each other.
"##,
    failing: r##"
#define TEN(x) ((((((((((x))))))))))
#define HUNDRED(x) TEN(TEN(TEN(TEN(TEN(TEN(TEN(TEN(TEN(TEN(x))))))))))
int deep(int x) { return HUNDRED(HUNDRED(HUNDRED(HUNDRED(HUNDRED(x))))); }
void scale(double *a, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] *= deep(2);
}
"##,
    fixed: r##"
#define TEN(x) ((((((((((x))))))))))
#define HUNDRED(x) TEN(TEN(TEN(TEN(TEN(TEN(TEN(TEN(TEN(TEN(x))))))))))
int deep(int x) { return HUNDRED(x); }
void scale(double *a, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] *= deep(2);
}
"##,
};

/// Whether a limit has stopped the parser in a file with directives.
pub(crate) fn is_exceeded(parsed: &Parsed) -> bool {
    let main = &parsed.syntax.main;
    let is_pragma = |kind| kind == SyntaxKind::PRAGMA_START;
    main.errors().iter().any(|it| it.is_limit())
        && main.syntax().descendants_with_tokens().any(|it| is_pragma(it.kind()))
}

pub(super) fn check(cx: &mut Context<'_>) {
    if !is_exceeded(cx.parsed) {
        return;
    }
    let errors = cx.parsed.syntax.main.errors().iter().filter(|it| it.is_limit());
    let found = errors.filter_map(|it| Some((cx.parsed.in_main_file(it.span)?, it))).next();
    if let Some((range, error)) = found {
        let mut diagnostic = RULE.at(range, error.message.clone());
        if let Some(hint) = &error.hint {
            diagnostic = diagnostic.note(hint.clone());
        }
        cx.report(diagnostic);
    }
}
