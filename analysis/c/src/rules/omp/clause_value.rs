//! `omp/clause-value`

use apg_diagnostics::{Rule, Severity};

use crate::rules::Context;

/// A number that a clause cannot mean.
pub static RULE: Rule = Rule {
    code: "omp/clause-value",
    severity: Severity::Warning,
    summary: "A number that is too small for its clause.",
    explanation: r##"
A team has at least one thread, a piece of a schedule at least one iteration, and priorities start at zero. `num_threads(0)` and
the like are not conforming (OpenMP 5.2, sections 10.1.2, 10.2 and 11.5.3); compilers accept them, and each run-time library does something else.

Write a positive number, or leave the clause out: then the implementation chooses.
"##,
    failing: r##"
void scale(double *a, int n) {
    #pragma omp parallel for num_threads(0)
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
    fixed: r##"
void scale(double *a, int n) {
    #pragma omp parallel for num_threads(4)
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
};

/// Clauses, which of their items is the number, and its least value.
const MIN_VALUES: &[(&str, usize, i128)] = &[
    ("dist_schedule", 1, 1),
    ("grainsize", 0, 1),
    ("num_tasks", 0, 1),
    ("num_teams", 0, 1),
    ("num_threads", 0, 1),
    ("priority", 0, 0),
    ("schedule", 1, 1),
    ("thread_limit", 0, 1),
];

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives() {
        for clause in &directive.clauses {
            let Some((_, index, least)) = MIN_VALUES.iter().find(|it| it.0 == clause.name) else { continue };
            let Some(item) = clause.items.get(*index) else { continue };
            let value = item.expr.and_then(|it| cx.program.constant(it));
            if let Some(value) = value.filter(|it| it < least) {
                let message = format!("`{}` takes {least} at least, and this is {value}", clause.name);
                cx.report(cx.at(&RULE, item.range, message));
            }
        }
    }
}
