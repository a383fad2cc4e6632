//! `omp/missing-private`

use apg_diagnostics::{Rule, Severity};

/// A variable for intermediate values that all threads share. Reported by the check of [`super::data_race`].
pub static RULE: Rule = Rule {
    code: "omp/missing-private",
    severity: Severity::Warning,
    summary: "A variable for intermediate values that all threads share.",
    explanation: r##"
Each iteration stores a value and uses it afterwards. But the variable is declared outside of the region, so all threads have one: a thread reads what
another has stored in the meantime.

`private` gives each thread its own; `lastprivate` keeps the value of the last iteration for the code after the loop. Best is to declare the variable
inside of the loop.
"##,
    failing: r##"
void norm(double *a, const double *b, int n) {
    double t;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        t = a[i] * a[i];
        a[i] = t + b[i];
    }
}
"##,
    fixed: r##"
void norm(double *a, const double *b, int n) {
    double t;
    #pragma omp parallel for private(t)
    for (int i = 0; i < n; i++) {
        t = a[i] * a[i];
        a[i] = t + b[i];
    }
}
"##,
};
