//! `omp/missing-for`

use apg_diagnostics::{Fix, Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Construct, ExprKind, StmtId, VariableId};
use crate::loops;
use crate::rules::Context;

/// A loop that each thread runs as a whole.
pub static RULE: Rule = Rule {
    code: "omp/missing-for",
    severity: Severity::Warning,
    summary: "A loop that each thread runs as a whole: `parallel` without `for`.",
    explanation: r##"
`parallel` starts threads, and each of them runs the statement after it. If that is a loop, every thread runs all of its iterations: the same
elements are computed many times and at the same time, which is a data race besides.

`parallel for` divides the iterations among the threads.
"##,
    failing: r##"
void scale(double *a, int n) {
    #pragma omp parallel
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
    fixed: r##"
void scale(double *a, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
};

/// The loop that a `parallel` without `for` has as its statement, if it stores to elements by its counter and
/// does not ask which thread it is.
pub(super) fn loop_of_each_thread(cx: &Context<'_>, body: StmtId) -> Option<loops::CanonicalLoop> {
    let body = cx.without_blocks(body);
    let found = loops::canonical(cx.program, body).ok()?;
    let mut stores = false;
    let mut is_deliberate = false;
    cx.program.walk_stmt(body, &mut |node| {
        match node {
            Node::Expr(expr) => match &cx.program.expr(expr).kind {
                ExprKind::Assign(_, target, _) | ExprKind::Increment { target, .. } => {
                    stores |= is_indexed_by(cx, *target, found.variable);
                }
                ExprKind::Call(callee, _) => {
                    is_deliberate |= cx.program.callee_name(*callee).is_none_or(|it| it.starts_with("omp_"));
                }
                _ => {}
            },
            Node::Directive(_) => is_deliberate = true,
            Node::Stmt(_) => {}
        }
        true
    });
    (stores && !is_deliberate).then_some(found)
}

fn is_indexed_by(cx: &Context<'_>, target: crate::hir::ExprId, counter: VariableId) -> bool {
    match &cx.program.expr(target).kind {
        ExprKind::Index(base, index) => {
            cx.program.base_variable(*index) == Some(counter) || is_indexed_by(cx, *base, counter)
        }
        ExprKind::Member { base, .. } => is_indexed_by(cx, *base, counter),
        _ => false,
    }
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (id, directive) in cx.directives() {
        if directive.constructs.last() != Some(&Construct::Parallel)
            || directive.clause("reduction").is_some()
        {
            continue;
        }
        let Some(found) = directive.body.and_then(|it| loop_of_each_thread(cx, it)) else { continue };
        // What each thread stores in its own array is meant.
        let mut is_shared = false;
        cx.program.walk_stmt(found.body, &mut |node| {
            if let Node::Expr(expr) = node
                && let ExprKind::Assign(_, target, _) | ExprKind::Increment { target, .. } =
                    cx.program.expr(expr).kind
                && let Some(base) = cx.program.base_variable(target)
            {
                is_shared |= cx.program.sharing(id, base).is_some_and(|it| it.attribute.is_shared());
            }
            true
        });
        let bound: Vec<VariableId> = [found.start, found.end]
            .into_iter()
            .filter_map(|it| cx.program.base_variable(it))
            .filter(|it| cx.program.sharing(id, *it).is_none_or(|it| !it.attribute.is_shared()))
            .collect();
        if !is_shared || !bound.is_empty() {
            continue;
        }
        let message = "each thread runs this loop as a whole: nothing divides its iterations";
        let mut diagnostic = cx.at(&RULE, directive.name_range, message).note("write `parallel for`");
        if cx.parsed.is_spelled(directive.name_range)
            && let Some(name) = cx.parsed.spelled(directive.name_range)
        {
            diagnostic = diagnostic.fix(Fix::insert("Divide the loop: `for`", name.end(), " for"));
        }
        cx.report(diagnostic);
    }
}
