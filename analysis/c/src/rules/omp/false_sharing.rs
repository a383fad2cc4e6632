//! `omp/false-sharing`

use apg_diagnostics::{Rule, Severity};

use super::divergent_barrier::{depends_on_thread, thread_numbers};
use crate::hir::visit::Node;
use crate::hir::{Construct, ExprId, ExprKind, StmtKind};
use crate::rules::Context;
use crate::updates;

/// Elements that share a line of the cache.
pub static RULE: Rule = Rule {
    code: "omp/false-sharing",
    severity: Severity::Hint,
    summary: "Neighbouring elements that different threads store to all the time.",
    explanation: r##"
CPUs exchange memory in lines of 64 bytes. Elements that are indexed by the number of the thread lie side by side in one line; each store takes the line
away from the other threads, which makes them wait although they share nothing.

Accumulate in a variable of the thread and store it once at the end, use `reduction`, or pad each element to a line of its own.
"##,
    failing: r##"
#include <omp.h>
double part[64];
void sum(const double *a, int n) {
    #pragma omp parallel
    {
        int id = omp_get_thread_num();
        #pragma omp for
        for (int i = 0; i < n; i++) part[id] += a[i];
    }
}
"##,
    fixed: r##"
#include <omp.h>
double part[64];
void sum(const double *a, int n) {
    #pragma omp parallel
    {
        int id = omp_get_thread_num();
        double own = 0;
        #pragma omp for
        for (int i = 0; i < n; i++) own += a[i];
        part[id] = own;
    }
}
"##,
};

/// The size of a line of a cache in bytes.
const LINE_BYTES: u64 = 64;

pub(super) fn check(cx: &mut Context<'_>) {
    if !cx.directives().any(|it| it.1.has(Construct::Parallel)) {
        return;
    }
    let numbers = thread_numbers(cx);
    let mut found: Vec<ExprId> = Vec::new();
    for (_, directive) in cx.directives().filter(|it| it.1.has(Construct::Parallel)) {
        let Some(body) = directive.body else { continue };
        cx.program.walk_stmt(body, &mut |node| {
            let Node::Stmt(stmt) = node else { return true };
            let (StmtKind::For { body, .. } | StmtKind::While(_, body) | StmtKind::DoWhile(body, _)) =
                cx.program.stmt(stmt).kind
            else {
                return true;
            };
            cx.program.walk_stmt(body, &mut |node| {
                if let Node::Expr(expr) = node
                    && let Some((target, _)) = updates::update(cx.program, expr)
                    && let ExprKind::Index(base, index) = cx.program.expr(target).kind
                    && matches!(cx.program.expr(base).kind, ExprKind::Variable(_))
                    && let ExprKind::Variable(_) | ExprKind::Call(..) = cx.program.expr(index).kind
                    && depends_on_thread(cx, index, &numbers)
                    && cx.program.size_of(&cx.program.expr(target).ty).is_some_and(|it| it < LINE_BYTES)
                    && !found.contains(&target)
                {
                    found.push(target);
                }
                true
            });
            true
        });
    }
    for target in found {
        let message =
            "threads store to neighbouring elements: each store takes the line of the cache from the others";
        let diagnostic = cx.at(&RULE, cx.program.expr(target).range, message);
        cx.report(diagnostic);
    }
}
