//! `omp/unprotected-update`

use apg_diagnostics::{Rule, Severity};

/// An update of a shared variable that nothing protects. Reported by the check of [`super::data_race`].
pub static RULE: Rule = Rule {
    code: "omp/unprotected-update",
    severity: Severity::Warning,
    summary: "An update of a shared variable that nothing protects.",
    explanation: r##"
An update such as `x++` reads the variable, computes and stores. Between the two another thread stores, and its update is lost.

`atomic` makes an update of one scalar indivisible. `critical` protects larger steps; all accesses to the variable need it then, with the same name.
"##,
    failing: r##"
int count(void) {
    int threads = 0;
    #pragma omp parallel
    {
        threads++;
    }
    return threads;
}
"##,
    fixed: r##"
int count(void) {
    int threads = 0;
    #pragma omp parallel
    {
        #pragma omp atomic
        threads++;
    }
    return threads;
}
"##,
};
