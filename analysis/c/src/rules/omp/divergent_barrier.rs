//! `omp/divergent-barrier`

use apg_c_syntax::TextRange;
use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Construct, ExprId, ExprKind, StmtId, StmtKind, VariableId};
use crate::rules::Context;

/// A wait that only some threads reach.
pub static RULE: Rule = Rule {
    code: "omp/divergent-barrier",
    severity: Severity::Warning,
    summary: "A barrier or a divided loop that not all threads of the team reach.",
    explanation: r##"
All threads of a team must meet a barrier, a divided loop, `sections` or `single`, or none of them. Under a condition on the number of the thread only
some come by; they wait for the others, which never come, and the program hangs.

Move it out of the condition.
"##,
    failing: r##"
#include <omp.h>
void work(int);
void run(void) {
    #pragma omp parallel
    {
        int id = omp_get_thread_num();
        if (id == 0) {
            work(0);
            #pragma omp barrier
        }
        work(1);
    }
}
"##,
    fixed: r##"
#include <omp.h>
void work(int);
void run(void) {
    #pragma omp parallel
    {
        int id = omp_get_thread_num();
        if (id == 0) {
            work(0);
        }
        #pragma omp barrier
        work(1);
    }
}
"##,
};

/// Whether an expression calls `omp_get_thread_num`, or names a variable that has its value.
pub(super) fn depends_on_thread(cx: &Context<'_>, expr: ExprId, numbers: &[VariableId]) -> bool {
    let mut found = false;
    cx.program.walk_expr(expr, &mut |node| {
        if let Node::Expr(it) = node {
            found |= match &cx.program.expr(it).kind {
                ExprKind::Variable(variable) => numbers.contains(variable),
                ExprKind::Call(callee, _) => cx.program.callee_name(*callee) == Some("omp_get_thread_num"),
                _ => false,
            };
        }
        true
    });
    found
}

/// The variables that hold the number of the thread.
pub(super) fn thread_numbers(cx: &Context<'_>) -> Vec<VariableId> {
    let mut found: Vec<VariableId> = Vec::new();
    for (number, variable) in cx.program.variables.iter().enumerate() {
        if variable.initializer.is_some_and(|it| depends_on_thread(cx, it, &[])) {
            found.push(VariableId::new(number));
        }
    }
    for expr in &cx.program.exprs {
        if let ExprKind::Assign(None, target, value) = expr.kind
            && let ExprKind::Variable(variable) = cx.program.expr(target).kind
            && depends_on_thread(cx, value, &[])
        {
            found.push(variable);
        }
    }
    found
}

/// The waits in a statement that all threads must meet, outside of inner parallel regions.
fn waits(cx: &Context<'_>, stmt: StmtId) -> Vec<TextRange> {
    let mut found = Vec::new();
    cx.program.walk_stmt(stmt, &mut |node| {
        let Node::Directive(id) = node else { return true };
        let directive = cx.program.directive(id);
        let waits =
            directive.constructs.first().is_some_and(|it| it.is_worksharing() || *it == Construct::Barrier);
        if waits {
            found.push(directive.name_range);
        }
        !directive.has(Construct::Parallel) && !directive.has(Construct::Teams)
    });
    found
}

pub(super) fn check(cx: &mut Context<'_>) {
    if !cx.directives().any(|it| it.1.has(Construct::Parallel)) {
        return;
    }
    let numbers = thread_numbers(cx);
    let mut found = Vec::new();
    for stmt in &cx.program.stmts {
        let StmtKind::If(condition, then, otherwise) = stmt.kind else { continue };
        if !depends_on_thread(cx, condition, &numbers) {
            continue;
        }
        // Both branches may have one each: then all threads come by, and compilers accept it.
        let (a, b) = (waits(cx, then), otherwise.map_or_else(Vec::new, |it| waits(cx, it)));
        if a.len() == b.len() {
            continue;
        }
        for range in a.into_iter().chain(b) {
            let message = "not all threads of the team come by here: those that do wait forever";
            let mut diagnostic = cx.at(&RULE, range, message);
            let condition = cx.program.expr(condition).range;
            diagnostic.related.extend(cx.related(condition, "this differs from thread to thread"));
            found.push(diagnostic);
        }
    }
    found.into_iter().for_each(|it| cx.report(it));
}
