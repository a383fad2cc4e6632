//! `omp/divergent-barrier`

use apg_c_syntax::TextRange;
use apg_diagnostics::{Rule, Severity};
use rustc_hash::FxHashMap;

use super::nesting_by_call::met;
use crate::hir::visit::Node;
use crate::hir::{
    Construct, Directive, DirectiveId, ExprId, ExprKind, FunctionId, StmtId, StmtKind, VariableId,
};
use crate::rules::Context;
use crate::uses::{Use, UseKind};

/// A wait that only some threads reach.
pub static RULE: Rule = Rule {
    code: "omp/divergent-barrier",
    severity: Severity::Warning,
    summary: "A barrier or a divided loop that not all threads of the team reach.",
    explanation: r##"
All threads of a team must meet a barrier, a divided loop, `sections` or `single`, or none of them. Under a condition on the number of the thread only
some come by; they wait for the others, which never come, and the program hangs. The same is true of a loop whose condition names the number of the thread, and of
a call of a function that has such a wait. A loop that counts on from the number of its thread is not judged: all threads may have as many iterations.

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
fn waits(cx: &Context<'_>, stmt: StmtId, met: &Met) -> Vec<TextRange> {
    let mut found = Vec::new();
    cx.program.walk_stmt(stmt, &mut |node| {
        match node {
            Node::Directive(id) => {
                let directive = cx.program.directive(id);
                if waits_for_all(directive) {
                    found.push(directive.name_range);
                }
                return !directive.has(Construct::Parallel) && !directive.has(Construct::Teams);
            }
            Node::Expr(call) => {
                if let ExprKind::Call(callee, _) = cx.program.expr(call).kind
                    && let ExprKind::Function(function) = cx.program.expr(callee).kind
                    && let Some(directives) = met.get(&function)
                    && directives.iter().any(|it| waits_for_all(cx.program.directive(*it)))
                {
                    found.push(cx.program.expr(call).range);
                }
            }
            Node::Stmt(_) => {}
        }
        true
    });
    found
}

/// The directives that functions meet outside of their own regions.
type Met = FxHashMap<FunctionId, Vec<DirectiveId>>;

/// Whether all threads of the team must meet a directive.
fn waits_for_all(directive: &Directive) -> bool {
    directive.constructs.first().is_some_and(|it| it.is_worksharing() || *it == Construct::Barrier)
}

/// The condition of a loop that differs from thread to thread, and the body of the loop. A loop that starts
/// at the number of its thread may have as many iterations as the others: variables that the loop changes do
/// not count.
fn loop_of_some(cx: &Context<'_>, id: StmtId, numbers: &[VariableId]) -> Option<(ExprId, StmtId)> {
    let (condition, body) = match cx.program.stmt(id).kind {
        StmtKind::While(condition, body)
        | StmtKind::DoWhile(body, condition)
        | StmtKind::For { condition: Some(condition), body, .. } => (condition, body),
        _ => return None,
    };
    depends_on_thread(cx, condition, numbers).then_some(())?;
    // What the head of a `for` sets once is not changed by the loop.
    let first = match cx.program.stmt(id).kind {
        StmtKind::For { init: Some(init), .. } => Some(cx.program.stmt(init).range),
        _ => None,
    };
    let is_change =
        |it: &Use| it.kind != UseKind::Read && first.is_none_or(|first| !first.contains_range(it.range));
    let is_changed = |it: VariableId| cx.program.uses_of(it, id).iter().any(is_change);
    let numbers: Vec<_> = numbers.iter().copied().filter(|it| !is_changed(*it)).collect();
    depends_on_thread(cx, condition, &numbers).then_some((condition, body))
}

pub(super) fn check(cx: &mut Context<'_>) {
    if !cx.directives().any(|it| it.1.has(Construct::Parallel)) {
        return;
    }
    let numbers = thread_numbers(cx);
    let met = met(cx);
    let mut found = Vec::new();
    let mut report = |range, condition: ExprId| {
        let message = "not all threads of the team come by here: those that do wait forever";
        let mut diagnostic = cx.at(&RULE, range, message);
        let condition = cx.program.expr(condition).range;
        diagnostic.related.extend(cx.related(condition, "this differs from thread to thread"));
        found.push(diagnostic);
    };
    for (number, stmt) in cx.program.stmts.iter().enumerate() {
        if let Some((condition, body)) = loop_of_some(cx, StmtId::new(number), &numbers) {
            waits(cx, body, &met).into_iter().for_each(|it| report(it, condition));
        }
        let StmtKind::If(condition, then, otherwise) = stmt.kind else { continue };
        if !depends_on_thread(cx, condition, &numbers) {
            continue;
        }
        // Both branches may have one each: then all threads come by, and compilers accept it.
        let (a, b) = (waits(cx, then, &met), otherwise.map_or_else(Vec::new, |it| waits(cx, it, &met)));
        if a.len() == b.len() {
            continue;
        }
        a.into_iter().chain(b).for_each(|it| report(it, condition));
    }
    found.into_iter().for_each(|it| cx.report(it));
}
