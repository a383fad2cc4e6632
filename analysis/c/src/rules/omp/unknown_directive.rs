//! `omp/unknown-directive`

use apg_diagnostics::{Rule, Severity};

/// A directive that no specification knows. Reported by the check of [`super::syntax`].
pub static RULE: Rule = Rule {
    code: "omp/unknown-directive",
    severity: Severity::Warning,
    summary: "A directive that its specification does not know.",
    explanation: r##"
Compilers pass over a `#pragma` that they do not know, with a warning at most. So a misspelt directive leaves the program serial, and nothing tells.

Directives of OpenMP 2.5 to 6.0, OpenACC and XcalableMP are known.
"##,
    failing: r##"
void scale(double *a, int n) {
    #pragma omp paralel for
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
    fixed: r##"
void scale(double *a, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
};
