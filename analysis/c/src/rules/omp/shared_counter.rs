//! `omp/shared-counter`

use apg_diagnostics::{Rule, Severity};

/// A loop inside of a region whose counter all threads share. Reported by the check of [`super::data_race`].
pub static RULE: Rule = Rule {
    code: "omp/shared-counter",
    severity: Severity::Warning,
    summary: "A loop inside of a region whose counter all threads share.",
    explanation: r##"
Only the counters of the loops that the directive is about are private by themselves. The counter of a loop inside is shared if it is declared outside
of the region: all threads advance it, so iterations are left out or repeated, and elements are touched by the wrong thread.

Declare it in the loop, `for (int j = 0; ...)`, or name it in `private`.
"##,
    failing: r##"
void scale(double (*a)[100], int n) {
    int i, j;
    #pragma omp parallel for
    for (i = 0; i < n; i++)
        for (j = 0; j < 100; j++) a[i][j] *= 2;
}
"##,
    fixed: r##"
void scale(double (*a)[100], int n) {
    int i, j;
    #pragma omp parallel for private(j)
    for (i = 0; i < n; i++)
        for (j = 0; j < 100; j++) a[i][j] *= 2;
}
"##,
};
