//! `omp/private-lock`

use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Construct, ExprId, ExprKind, VariableId};
use crate::rules::Context;

/// A lock that excludes no other thread.
pub static RULE: Rule = Rule {
    code: "omp/private-lock",
    severity: Severity::Warning,
    summary: "A lock of which each thread has its own: it excludes no other thread.",
    explanation: r##"
A lock lets one thread through at a time because all threads ask for the same one. A lock that is declared in the parallel region, or is `private` there, is another one for
each thread: each gets its own at once, and what it should protect is not protected.

Declare the lock in front of the region, and let it be shared.
"##,
    failing: r##"
#include <omp.h>
void work(void);
void run(void) {
    #pragma omp parallel
    {
        omp_lock_t lock;
        omp_init_lock(&lock);
        omp_set_lock(&lock);
        work();
        omp_unset_lock(&lock);
        omp_destroy_lock(&lock);
    }
}
"##,
    fixed: r##"
#include <omp.h>
void work(void);
void run(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    #pragma omp parallel
    {
        omp_set_lock(&lock);
        work();
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
}
"##,
};

/// The variable in `&variable`, the argument of a routine for locks.
pub(super) fn lock_of(cx: &Context<'_>, arguments: &[ExprId]) -> Option<VariableId> {
    let ExprKind::AddressOf(target) = cx.program.expr(*arguments.first()?).kind else { return None };
    match cx.program.expr(target).kind {
        ExprKind::Variable(it) => Some(it),
        _ => None,
    }
}

/// Whether a function is one of the routines for locks.
pub(super) fn is_lock_routine(name: &str) -> bool {
    name.starts_with("omp_") && name.ends_with("_lock")
}

/// How often a variable is named in a function.
pub(super) fn count_of_uses(cx: &Context<'_>, variable: VariableId) -> usize {
    let is_it = |it: &&crate::hir::Expr| it.kind == ExprKind::Variable(variable);
    cx.program.exprs.iter().filter(is_it).count()
}

pub(super) fn check(cx: &mut Context<'_>) {
    let mut found = Vec::new();
    for (id, directive) in cx.directives().filter(|it| it.1.has(Construct::Parallel)) {
        let Some(body) = directive.body else { continue };
        // Tasks and inner regions may share what the thread has.
        let mut has_others = false;
        cx.program.walk_stmt(body, &mut |node| {
            if let Node::Directive(it) = node {
                let inner = cx.program.directive(it);
                has_others |= [Construct::Parallel, Construct::Task, Construct::Taskloop]
                    .iter()
                    .any(|it| inner.has(*it));
            }
            !has_others
        });
        if has_others {
            continue;
        }
        let calls = cx.calls_in(body);
        for (call, name, arguments) in &calls {
            let is_set = matches!(*name, "omp_set_lock" | "omp_set_nest_lock");
            let Some(variable) = lock_of(cx, arguments).filter(|_| is_set) else { continue };
            let sharing = cx.program.sharing(id, variable);
            let is_own = sharing.is_some_and(|it| {
                use crate::sharing::Attribute::{Firstprivate, Private};
                matches!(it.attribute, Private | Firstprivate)
            });
            let by_routines = calls
                .iter()
                .filter(|it| is_lock_routine(it.1) && lock_of(cx, it.2) == Some(variable))
                .count();
            let is_declared_here = cx.program.is_declared_in(variable, directive);
            // Its address may be known elsewhere.
            let escapes = is_declared_here && count_of_uses(cx, variable) != by_routines;
            if is_own && !escapes {
                found.push((*call, variable, directive));
            }
        }
    }
    for (call, variable, directive) in found {
        let message =
            format!("each thread has its own lock `{}`: it excludes no other thread", cx.name(variable));
        let at = (cx.program.expr(call).range, message);
        cx.report_pair(&RULE, at, (directive.name_range, "the parallel region"));
    }
}
