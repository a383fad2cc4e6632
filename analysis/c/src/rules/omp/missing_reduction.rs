//! `omp/missing-reduction`

use apg_diagnostics::{Rule, Severity};

/// A combined value that all threads update at the same time. Reported by the check of [`super::data_race`].
pub static RULE: Rule = Rule {
    code: "omp/missing-reduction",
    severity: Severity::Warning,
    summary: "A sum or other combined value that all threads update at the same time.",
    explanation: r##"
An update reads the variable, computes and stores. Between the two another thread stores, and its update is lost: the result is too small, by a
different amount in each run.

`reduction` gives each thread a copy that starts with the neutral value of the operator, and combines the copies at the end.
"##,
    failing: r##"
double sum(const double *a, int n) {
    double s = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}
"##,
    fixed: r##"
double sum(const double *a, int n) {
    double s = 0;
    #pragma omp parallel for reduction(+: s)
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}
"##,
};
