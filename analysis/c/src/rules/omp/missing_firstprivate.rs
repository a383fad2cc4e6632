//! `omp/missing-firstprivate`

use apg_diagnostics::{Fix, Rule, Severity};

use crate::hir::Type;
use crate::rules::Context;
use crate::uses::{Use, UseKind};

/// A private variable without a value.
pub static RULE: Rule = Rule {
    code: "omp/missing-firstprivate",
    severity: Severity::Warning,
    summary: "A private variable that is read before it has a value.",
    explanation: r##"
`private` gives each thread a new variable without a value: the value from before the region is not in it. The region reads it before it stores one.

`firstprivate` copies the value into each thread's variable.
"##,
    failing: r##"
void shift(double *a, int n, double by) {
    #pragma omp parallel for private(by)
    for (int i = 0; i < n; i++) a[i] += by;
}
"##,
    fixed: r##"
void shift(double *a, int n, double by) {
    #pragma omp parallel for firstprivate(by)
    for (int i = 0; i < n; i++) a[i] += by;
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives() {
        let Some(body) = directive.body else { continue };
        for clause in directive.clauses_named("private") {
            for item in &clause.items {
                let Some(variable) = item.variable(cx.program) else { continue };
                let declared = cx.program.variable(variable);
                let is_scalar = declared.ty.is_arithmetic() || matches!(declared.ty, Type::Pointer(_));
                let is_counter = crate::loops::associated(cx.program, directive)
                    .0
                    .iter()
                    .any(|it| it.variable == variable);
                if !is_scalar || is_counter || cx.program.is_threadprivate(variable) {
                    continue;
                }
                let uses = cx.program.uses_of(variable, body);
                let is_read = |it: &&Use| matches!(it.kind, UseKind::Read | UseKind::Update);
                let Some(first) = uses.first().filter(is_read) else { continue };
                let name = cx.name(variable);
                let message = format!(
                    "`{name}` is read before it has a value: `private` does not copy the one from before"
                );
                let mut diagnostic = cx.at(&RULE, first.range, message);
                diagnostic.related.extend(cx.related(item.range, "made private here"));
                if let Some(spelled) = cx
                    .parsed
                    .spelled(clause.range)
                    .filter(|_| clause.items.len() == 1 && cx.parsed.is_spelled(clause.range))
                {
                    diagnostic.fixes.push(Fix::replace(
                        format!("Write `firstprivate({name})`"),
                        spelled,
                        format!("firstprivate({name})"),
                    ));
                }
                cx.report(diagnostic);
            }
        }
    }
}
