//! `omp/mergeable-task`

use apg_diagnostics::{Rule, Severity};

use crate::hir::Construct;
use crate::rules::Context;
use crate::sharing::Attribute;
use crate::uses::UseKind;

/// A result that depends on whether a task was merged.
pub static RULE: Rule = Rule {
    code: "omp/mergeable-task",
    severity: Severity::Warning,
    summary: "A `mergeable` task that changes its copy of a variable: the variable itself may change or not.",
    explanation: r##"
A `mergeable` task that is executed at once may use the variables around it in place of copies (OpenMP 5.2, section 12.5.3). A task that stores to a `firstprivate` variable
then changes the variable itself, or a copy of it, as the implementation likes, and the program prints one value or the other.

Write `shared(x)` if the task is to change the variable. If it is not, let the task use a variable of its own, or leave `mergeable` out.
"##,
    failing: r##"
int next(int x) {
    #pragma omp task mergeable
    {
        x++;
    }
    #pragma omp taskwait
    return x;
}
"##,
    fixed: r##"
int next(int x) {
    #pragma omp task mergeable shared(x)
    {
        x++;
    }
    #pragma omp taskwait
    return x;
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    for (id, directive) in cx.directives() {
        let is_task = directive.has(Construct::Task) || directive.has(Construct::Taskloop);
        let (Some(body), Some(function)) = (directive.body, directive.function) else { continue };
        // A task that asks whether it is final may tell apart the cases that the program is meant to have:
        // whether it was merged is more than that, but the result may differ on purpose.
        let asks = |cx: &Context<'_>| cx.calls_in(body).iter().any(|it| it.1 == "omp_in_final");
        if !is_task || directive.clause("mergeable").is_none() || asks(cx) {
            continue;
        }
        let Some(whole) = cx.program.function(function).body else { continue };
        let region = cx.program.stmt(body).range;
        for (variable, _) in cx.program.captured(id) {
            let attribute = cx.program.sharing(id, variable).map(|it| it.attribute);
            let changes = |it: &&crate::uses::Use| matches!(it.kind, UseKind::Store | UseKind::Update);
            let inside = cx.program.uses_of(variable, body);
            let Some(change) = inside.iter().find(changes) else { continue };
            let outside = cx.program.uses_of(variable, whole);
            let is_read =
                |it: &crate::uses::Use| it.kind != UseKind::Store && it.range.start() > region.end();
            if attribute != Some(Attribute::Firstprivate) || !outside.iter().any(is_read) {
                continue;
            }
            let name = cx.name(variable);
            let message = format!("this changes `{name}` or a copy of it: the task may be merged or not");
            cx.report_pair(&RULE, (change.range, message), (directive.name_range, "the task"));
        }
    }
}
