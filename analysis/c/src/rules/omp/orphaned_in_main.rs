//! `omp/orphaned-in-main`

use apg_diagnostics::{Fix, Rule, Severity};

use crate::hir::Construct;
use crate::rules::Context;

/// Work to divide, and no team.
pub static RULE: Rule = Rule {
    code: "omp/orphaned-in-main",
    severity: Severity::Warning,
    summary: "A loop to divide, or sections, outside of any parallel region.",
    explanation: r##"
`for`, `sections` and `single` divide work among the threads of the team around them. `main` is executed by one thread: without a `parallel` region
around, that thread does all of the work.

Write `parallel for` or `parallel sections`.
"##,
    failing: r##"
double a[100];
int main(void) {
    #pragma omp for
    for (int i = 0; i < 100; i++) a[i] = i;
    return 0;
}
"##,
    fixed: r##"
double a[100];
int main(void) {
    #pragma omp parallel for
    for (int i = 0; i < 100; i++) a[i] = i;
    return 0;
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives() {
        let divides = matches!(directive.constructs.first(), Some(Construct::For | Construct::Sections));
        let is_main = directive.function.is_some_and(|it| cx.program.function(it).name == "main");
        if !divides
            || !is_main
            || cx.is_in_parallel(directive)
            || cx.around(directive).any(|it| it.1.has(Construct::Target))
        {
            continue;
        }
        let message =
            format!("no parallel region is around: one thread executes all of this `{}`", directive.name);
        let mut diagnostic = cx.at(&RULE, directive.name_range, message);
        let takes_all = directive.clause("nowait").is_none();
        if let Some(spelled) = cx
            .parsed
            .spelled(directive.name_range)
            .filter(|_| takes_all && cx.parsed.is_spelled(directive.name_range))
        {
            diagnostic.fixes.push(Fix::insert("Start threads: `parallel`", spelled.start(), "parallel "));
        }
        cx.report(diagnostic);
    }
}
