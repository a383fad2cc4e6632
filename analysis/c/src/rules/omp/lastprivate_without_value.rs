//! `omp/lastprivate-without-value`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Directive, VariableId};
use crate::loops;
use crate::rules::Context;
use crate::uses::UseKind;

/// A value that is handed out and that nothing has set.
pub static RULE: Rule = Rule {
    code: "omp/lastprivate-without-value",
    severity: Severity::Warning,
    summary: "A `lastprivate` variable that the region never assigns.",
    explanation: r##"
`lastprivate` stores the value that a thread's own variable has after the last iteration to the variable outside. That variable starts without a value,
and the region gives it none: after the region the variable outside is undefined too, even if it had a value before.

Assign it in each iteration, add `firstprivate` to start from the value before, or leave the clause out.
"##,
    failing: r##"
double shift(double *a, int n, double by) {
    #pragma omp parallel for lastprivate(by)
    for (int i = 0; i < n; i++) a[i] += 1;
    return by;
}
"##,
    fixed: r##"
double shift(double *a, int n, double by) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] += 1;
    return by;
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let directives: Vec<&Directive> = cx.directives().map(|it| it.1).collect();
    for directive in directives {
        for clause in directive.clauses_named("lastprivate") {
            for item in &clause.items {
                let Some(variable) = item.variable(cx.program) else { continue };
                if !is_never_set(cx, directive, variable) {
                    continue;
                }
                let name = cx.name(variable);
                let message = format!("the region never assigns `{name}`: it has no value after it");
                let mut diagnostic = cx.at(&RULE, item.range, message);
                if clause.items.len() == 1 && directive.clause("default").is_none() {
                    diagnostic.fixes.extend(cx.remove_clause(clause.range, &clause.name));
                }
                cx.report(diagnostic);
            }
        }
    }
}

fn is_never_set(cx: &Context<'_>, directive: &Directive, variable: VariableId) -> bool {
    let Some(body) = directive.body else { return false };
    let declared = cx.program.variable(variable);
    let is_named_otherwise = directive.clauses.iter().any(|it| {
        it.name != "lastprivate" && it.items.iter().any(|it| it.variable(cx.program) == Some(variable))
    });
    let is_counter = loops::associated(cx.program, directive).0.iter().any(|it| it.variable == variable);
    // A function of this file may set an object of file scope.
    declared.ty.is_arithmetic()
        && !declared.has_static_storage()
        && !is_named_otherwise
        && !is_counter
        && cx.program.uses_of(variable, body).iter().all(|it| it.kind == UseKind::Read)
        // Loop transformations and later forms of the clause are not judged.
        && (directive.is_loop() || directive.name.ends_with("sections"))
}
