//! `omp/test-lock-ignored`

use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{ExprKind, StmtKind};
use crate::rules::Context;

/// A lock that the thread may not have.
pub static RULE: Rule = Rule {
    code: "omp/test-lock-ignored",
    severity: Severity::Warning,
    summary: "`omp_test_lock` whose result is not tested: the thread may not have the lock.",
    explanation: r##"
`omp_test_lock` does not wait: it takes the lock if it is free, and says by its result whether it has (OpenMP 5.2, section 18.9.5). A thread that does not look at the result goes
on without the lock, beside the thread that has it, and releases a lock that is not its own.

Look at the result, or wait by `omp_set_lock`.
"##,
    failing: r##"
#include <omp.h>
extern omp_lock_t lock;
void work(void);
void run(void) {
    #pragma omp parallel
    {
        omp_test_lock(&lock);
        work();
        omp_unset_lock(&lock);
    }
}
"##,
    fixed: r##"
#include <omp.h>
extern omp_lock_t lock;
void work(void);
void run(void) {
    #pragma omp parallel
    {
        omp_set_lock(&lock);
        work();
        omp_unset_lock(&lock);
    }
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    if !["omp_test_lock", "omp_test_nest_lock"].iter().any(|it| cx.names_function(it)) {
        return;
    }
    let mut found = Vec::new();
    for (_, body) in cx.program.defined_functions() {
        cx.program.walk_stmt(body, &mut |node| {
            if let Node::Stmt(it) = node
                && let StmtKind::Expr(call) = cx.program.stmt(it).kind
                && let ExprKind::Call(callee, _) = &cx.program.expr(call).kind
                && let Some(name @ ("omp_test_lock" | "omp_test_nest_lock")) = cx.program.callee_name(*callee)
                && !cx.is_defined_here(call)
            {
                found.push((call, name));
            }
            true
        });
    }
    for (call, name) in found {
        let message = format!("`{name}` does not wait, and nothing looks at whether the thread has the lock");
        let note = format!("write `if ({name}(...))`, or `{}`", name.replace("test", "set"));
        cx.report(cx.at(&RULE, cx.program.expr(call).range, message).note(note));
    }
}
