//! `omp/lock-of-another-thread`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Construct, ExprId};
use crate::rules::Context;
use crate::updates::is_same;

/// A lock that changes hands.
pub static RULE: Rule = Rule {
    code: "omp/lock-of-another-thread",
    severity: Severity::Warning,
    summary: "A lock that one thread has taken and another releases.",
    explanation: r##"
A lock belongs to the thread that has taken it, and only that thread may release it (OpenMP 5.2, section 18.9). Here it is taken before the parallel
region, by the first thread, and released in the region, by all: what happens is not defined.

Take and release it in the same thread: both inside of the region, or both outside.
"##,
    failing: r##"
#include <omp.h>
void work(void);
void run(omp_lock_t *lock) {
    omp_set_lock(lock);
    #pragma omp parallel
    {
        work();
        omp_unset_lock(lock);
    }
}
"##,
    fixed: r##"
#include <omp.h>
void work(void);
void run(omp_lock_t *lock) {
    #pragma omp parallel
    {
        omp_set_lock(lock);
        work();
        omp_unset_lock(lock);
    }
}
"##,
};

/// The calls of a function with their argument.
fn calls_of(cx: &Context<'_>, stmt: crate::hir::StmtId, name: &str) -> Vec<(ExprId, ExprId)> {
    let all = cx.calls_in(stmt).into_iter().filter(|it| it.1 == name);
    all.filter_map(|(call, _, arguments)| Some((call, *arguments.first()?))).collect()
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives().filter(|it| it.1.has(Construct::Parallel)) {
        let Some((body, function)) = directive.body.zip(directive.function) else { continue };
        let Some(whole) = cx.program.function(function).body else { continue };
        let (taken, outside) = (calls_of(cx, body, "omp_set_lock"), calls_of(cx, whole, "omp_set_lock"));
        for (call, lock) in calls_of(cx, body, "omp_unset_lock") {
            let is_this = |it: &&(ExprId, ExprId)| is_same(cx.program, it.1, lock);
            let start = directive.range.start();
            let before = outside.iter().filter(is_this).find(|it| cx.program.expr(it.0).range.end() <= start);
            let Some(before) = before.filter(|_| !taken.iter().any(|it| is_this(&it))) else { continue };
            let message = "a thread of this region releases a lock that another thread has taken";
            let mut diagnostic = cx.at(&RULE, cx.program.expr(call).range, message);
            diagnostic
                .related
                .extend(cx.related(cx.program.expr(before.0).range, "taken here, before the region"));
            cx.report(diagnostic);
        }
    }
}
