//! `omp/repeated-clause`

use apg_diagnostics::{Rule, Severity};

use crate::rules::Context;

/// A clause that may stand once is there twice.
pub static RULE: Rule = Rule {
    code: "omp/repeated-clause",
    severity: Severity::Error,
    summary: "A clause that may stand only once, and is repeated.",
    explanation: r##"
A directive may have several lists of variables, but only one schedule, one number of threads, one condition. The second of these contradicts
the first, or says the same again.

Keep the meant one.
"##,
    failing: r##"
void scale(double *a, int n) {
    #pragma omp parallel for schedule(static) schedule(dynamic)
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

/// Clauses that may stand once.
const UNIQUE: &[&str] = &[
    "num_threads",
    "default",
    "schedule",
    "collapse",
    "ordered",
    "nowait",
    "safelen",
    "simdlen",
    "num_teams",
    "thread_limit",
    "proc_bind",
    "final",
    "priority",
    "device",
    "grainsize",
    "num_tasks",
    "dist_schedule",
    "untied",
    "mergeable",
    "nogroup",
    "threads",
    "read",
    "write",
    "capture",
    "seq_cst",
    "relaxed",
    "if",
];

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives() {
        for (index, clause) in directive.clauses.iter().enumerate() {
            // Conditions of several parts of a combined directive differ in their modifiers.
            let is_same =
                |it: &&crate::hir::Clause| it.name == clause.name && it.modifiers == clause.modifiers;
            let before = directive.clauses[..index].iter().find(is_same);
            let Some(before) = before.filter(|_| UNIQUE.contains(&clause.name.as_str())) else { continue };
            let message = format!("`{}` is there already", clause.name);
            let mut diagnostic = cx.at(&RULE, clause.range, message);
            diagnostic.related.extend(cx.related(before.range, "the first one"));
            diagnostic.fixes.extend(cx.remove_clause(clause.range, &clause.name));
            cx.report(diagnostic);
        }
    }
}
