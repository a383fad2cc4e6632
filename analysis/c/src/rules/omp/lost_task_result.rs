//! `omp/lost-task-result`

use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Construct, Directive, DirectiveId, StmtId, StmtKind, VariableId};
use crate::rules::Context;
use crate::sharing::{Attribute, Reason};
use crate::uses::{Use, UseKind};

/// A result that dies with its task.
pub static RULE: Rule = Rule {
    code: "omp/lost-task-result",
    severity: Severity::Warning,
    summary: "A task that stores its result to a copy of a variable that is never read.",
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

/// Whether all that reads a variable behind a task waits for the task for certain: the function may end
/// before a task that nothing waits for stores to a variable of it.
fn is_awaited(cx: &Context<'_>, task: DirectiveId, variable: VariableId) -> bool {
    let directive = cx.program.directive(task);
    let whole = directive.function.and_then(|it| cx.program.function(it).body);
    let (Some(body), Some(whole)) = (directive.body, whole) else { return false };
    let end = cx.program.stmt(body).range.end();
    let reads = cx.program.uses_of(variable, whole).into_iter().map(|it| it.range.start());
    let Some(read) = reads.filter(|it| *it > end).min() else { return false };
    // The end of a group of tasks, which nothing leaves.
    let group = cx.around(directive).find(|it| it.1.has(Construct::Taskgroup)).and_then(|it| it.1.body);
    if group.is_some_and(|it| cx.program.stmt(it).range.end() <= read) {
        return true;
    }
    // A `taskwait` of a block that contains the task, before anything that may leave the block.
    let (mut wait, mut exit) = (None, None);
    cx.program.walk_stmt(whole, &mut |node| {
        let Node::Stmt(id) = node else { return true };
        let stmt = cx.program.stmt(id);
        let exits = matches!(
            stmt.kind,
            StmtKind::Return(_)
                | StmtKind::Goto(_)
                | StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Label(..)
        );
        if exits && stmt.range.start() >= end {
            exit = exit.or(Some(stmt.range.start()));
        }
        if let StmtKind::Block(stmts) = &stmt.kind
            && stmt.range.contains_range(directive.range)
        {
            let waits = stmts.iter().filter(|it| is_taskwait(cx, **it, directive));
            wait = waits.map(|it| cx.program.stmt(*it).range.start()).find(|it| *it >= end).or(wait);
        }
        true
    });
    wait.is_some_and(|wait| wait < read && exit.is_none_or(|exit| wait < exit))
}

/// Whether a statement waits for the tasks that the region around a task generates.
fn is_taskwait(cx: &Context<'_>, stmt: StmtId, task: &Directive) -> bool {
    let StmtKind::Directive(id) = cx.program.stmt(stmt).kind else { return false };
    let directive = cx.program.directive(id);
    // With a `depend` clause it waits for some tasks alone.
    directive.has(Construct::Taskwait) && directive.clauses.is_empty() && directive.parent == task.parent
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
            if is_unset && is_awaited(cx, id, variable) {
                diagnostic.fixes.extend(cx.append_clause(directive, &format!("shared({name})")));
            }
            cx.report(diagnostic);
        }
    }
}
