//! `omp/nesting-limit`

use apg_c_syntax::SyntaxKind;
use apg_diagnostics::{Rule, Severity};

use crate::Parsed;
use crate::rules::Context;

/// Code, headers or macros that go beyond what is read.
pub static RULE: Rule = Rule {
    code: "omp/nesting-limit",
    severity: Severity::Error,
    summary: "Code, headers or macros that are nested deeper than they are read.",
    explanation: r##"
Parentheses, blocks, statements and initialisers contain others to a depth of about 260, and the operators of one expression to about
2,000. This code goes deeper. It is not understood from here to the end of the file, so that the directives there are neither checked nor executed.

The same error stands where headers include each other more than 200 levels deep (one of them includes itself and has no guard), where
invocations of macros stand in arguments of others more than 200 levels deep, and where all macros of a file expand to more than 4 million tokens.

A compiler may accept it, except for headers without end: GCC has no limit, and Clang has one of 256 for brackets. Such code comes from generators and from macros that contain
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

/// Whether a limit has stopped the preprocessor or the parser in a file with directives.
pub(crate) fn is_exceeded(parsed: &Parsed) -> bool {
    let main = &parsed.syntax.main;
    let has_directives =
        || main.syntax().descendants_with_tokens().any(|it| it.kind() == SyntaxKind::PRAGMA_START);
    let is_unread = parsed.unit.errors().iter().any(|it| it.is_limit);
    // Directives behind a limit of the preprocessor are in no tree.
    (is_unread && parsed.text().contains("#pragma"))
        || (main.errors().iter().any(|it| it.is_limit()) && has_directives())
}

pub(super) fn check(cx: &mut Context<'_>) {
    if !is_exceeded(cx.parsed) {
        return;
    }
    let unread = cx.parsed.unit.errors().iter().filter(|it| it.is_limit);
    let unread = unread.map(|it| (it.span, &it.message, &it.hint));
    let nested = cx.parsed.syntax.main.errors().iter().filter(|it| it.is_limit());
    let nested = nested.map(|it| (it.span, &it.message, &it.hint));
    let found =
        unread.chain(nested).filter_map(|it| Some((cx.parsed.in_main_file(it.0)?, it.1, it.2))).next();
    if let Some((range, message, hint)) = found {
        let mut diagnostic = RULE.at(range, message.clone());
        if let Some(hint) = hint {
            diagnostic = diagnostic.note(hint.clone());
        }
        cx.report(diagnostic);
    }
}
