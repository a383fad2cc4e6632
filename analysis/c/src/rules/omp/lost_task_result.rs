//! `omp/lost-task-result`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Construct, DirectiveId, VariableId};
use crate::rules::Context;
use crate::sharing::{Attribute, Reason};
use crate::uses::{Use, UseKind};

/// A result that dies with its task.
pub static RULE: Rule = Rule {
    code: "omp/lost-task-result",
    severity: Severity::Warning,
    summary: "A task that stores its result to a copy of a variable, which nobody reads.",
    explanation: r##"
A variable of the function around is `firstprivate` in a task, unless a clause says otherwise or it is shared in the parallel region around (OpenMP 5.2, section 5.1.1): the
task has a copy of its own, which is gone when the task ends. What it stores there never reaches the variable that is read later.

Write `shared(x)` at the task, and `taskwait` before the value is read.
"##,
    failing: r##"
int fibonacci(int n) {
    int x, y;
    if (n < 2) return n;
    #pragma omp task
    x = fibonacci(n - 1);
    y = fibonacci(n - 2);
    #pragma omp taskwait
    return x + y;
}
"##,
    fixed: r##"
int fibonacci(int n) {
    int x, y;
    if (n < 2) return n;
    #pragma omp task shared(x)
    x = fibonacci(n - 1);
    y = fibonacci(n - 2);
    #pragma omp taskwait
    return x + y;
}
"##,
};

/// The store to a copy that the task never reads, if the variable is read behind the task, and whether it has
/// no value there otherwise.
fn lost(cx: &Context<'_>, task: DirectiveId, variable: VariableId) -> Option<(Use, bool)> {
    let directive = cx.program.directive(task);
    let (body, function) = (directive.body?, directive.function?);
    let sharing = cx.program.sharing(task, variable)?;
    let is_implicit =
        sharing.attribute == Attribute::Firstprivate && matches!(sharing.reason, Reason::Implicit(_));
    let inside = cx.program.uses_of(variable, body);
    if !is_implicit || !inside.iter().all(|it| it.kind == UseKind::Store) {
        return None;
    }
    let region = cx.program.stmt(body).range;
    let mut outside = cx.program.uses_of(variable, cx.program.function(function).body?);
    outside.retain(|it| !region.contains_range(it.range) && !directive.range.contains_range(it.range));
    let is_read = outside.iter().any(|it| it.kind == UseKind::Read && it.range.start() > region.end());
    let has_value = cx.program.variable(variable).initializer.is_some()
        || outside.iter().any(|it| it.kind != UseKind::Read);
    Some((*inside.first().filter(|_| is_read)?, !has_value))
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (id, directive) in cx.directives() {
        if directive.constructs.last() != Some(&Construct::Task) {
            continue;
        }
        for (variable, _) in cx.program.captured(id) {
            let Some((store, is_unset)) = lost(cx, id, variable) else { continue };
            let name = cx.name(variable);
            let message = format!(
                "the task stores to its own copy of `{name}`, and what reads `{name}` later does not see it"
            );
            let note = format!("write `shared({name})`, and `taskwait` before the value is read");
            let mut diagnostic = cx.at(&RULE, store.range, message).note(note);
            diagnostic.related.extend(cx.related(directive.name_range, "the task"));
            // A program that gives the variable a value outside may mean that one.
            if is_unset {
                diagnostic.fixes.extend(cx.append_clause(directive, &format!("shared({name})")));
            }
            cx.report(diagnostic);
        }
    }
}
