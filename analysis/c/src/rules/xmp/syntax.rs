//! `xmp/syntax`: what the parser says of directives of XcalableMP.

use apg_c_syntax::Family;
use apg_diagnostics::{Rule, Severity};

use crate::rules::Context;
use crate::rules::omp::syntax::report_errors;

/// A directive that is not written as its specification says.
pub static RULE: Rule = Rule {
    code: "xmp/syntax",
    severity: Severity::Warning,
    summary: "A directive that is not written as XcalableMP says.",
    explanation: r##"
A directive is one line, continued by backslashes: `#pragma xmp`, the name of the directive, what it declares or is about, then clauses. Something in
this one is missing, misspelt or in the wrong place. A serial compiler passes over it and tells nothing.

Macros are expanded in directives. Where the mistake comes from a macro, it is reported where the macro is used.
"##,
    failing: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribut t[block] onto p
"##,
    fixed: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    report_errors(cx, |family, _| (family == Family::XcalableMp).then_some(&RULE));
}
