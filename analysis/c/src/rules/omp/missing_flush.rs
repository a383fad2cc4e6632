//! `omp/missing-flush`

use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Construct, DirectiveId, ExprId, ExprKind, StmtId, StmtKind, VariableId};
use crate::rules::Context;

/// A loop that waits for a value that it never reads again.
pub static RULE: Rule = Rule {
    code: "omp/missing-flush",
    severity: Severity::Warning,
    summary: "A loop that waits for another thread's store, and may never see it.",
    explanation: r##"
Each thread has its own temporary view of memory (OpenMP 5.2, section 1.4.1). A loop that reads a shared variable again and again, with no `flush`, no atomic
read and no call between, may keep the first value in a register: compilers do so, and the loop never ends.

Read the variable with `atomic read` in the loop, and write it with `atomic write`; a `flush` behind the loop makes visible what was stored before. What
waits for all threads is a `barrier`.
"##,
    failing: r##"
extern int ready;
void use(void);
void run(void) {
    #pragma omp parallel
    {
        while (ready == 0) {}
        use();
    }
}
"##,
    fixed: r##"
extern int ready;
void use(void);
void run(void) {
    #pragma omp parallel
    {
        int seen = 0;
        while (seen == 0) {
            #pragma omp atomic read
            seen = ready;
        }
        #pragma omp flush
        use();
    }
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let mut found: Vec<(ExprId, VariableId)> = Vec::new();
    for (region, directive) in cx.directives().filter(|it| it.1.has(Construct::Parallel)) {
        let Some(body) = directive.body else { continue };
        cx.program.walk_stmt(body, &mut |node| {
            let waits = match node {
                Node::Stmt(it) => awaited(cx, region, it),
                _ => None,
            };
            found.extend(waits.filter(|it| !found.contains(it)));
            true
        });
    }
    for (condition, variable) in found {
        let name = cx.name(variable);
        let message = format!("this loop waits for `{name}`, and need not read it again: it may never end");
        let note = format!("read `{name}` with `#pragma omp atomic read` in the loop");
        cx.report(cx.at(&RULE, cx.program.expr(condition).range, message).note(note));
    }
}

/// The condition of a loop that does nothing but read shared variables, and the first of these.
fn awaited(cx: &Context<'_>, region: DirectiveId, stmt: StmtId) -> Option<(ExprId, VariableId)> {
    let (condition, body) = match cx.program.stmt(stmt).kind {
        StmtKind::While(condition, body) | StmtKind::DoWhile(body, condition) => (condition, body),
        StmtKind::For { condition: Some(condition), step: None, body, .. } => (condition, body),
        _ => return None,
    };
    let is_empty = match &cx.program.stmt(cx.without_blocks(body)).kind {
        StmtKind::Empty => true,
        StmtKind::Block(stmts) => stmts.is_empty(),
        _ => false,
    };
    if !is_empty {
        return None;
    }
    let mut variables = Vec::new();
    let mut is_plain = true;
    cx.program.walk_expr(condition, &mut |node| {
        match node {
            Node::Expr(it) => match cx.program.expr(it).kind {
                ExprKind::Variable(it) => variables.push(it),
                // Elsewhere it may be `volatile`.
                ExprKind::Dereference(_)
                | ExprKind::Member { .. }
                | ExprKind::Cast(_)
                | ExprKind::Other(_)
                | ExprKind::Block(_)
                | ExprKind::Call(..)
                | ExprKind::Assign(..)
                | ExprKind::Increment { .. } => is_plain = false,
                _ => {}
            },
            _ => is_plain = false,
        }
        true
    });
    let is_known = variables.iter().all(|it| {
        let declared = cx.program.variable(*it);
        !declared.is_volatile && (declared.ty.is_integer() || declared.ty.element().is_some())
    });
    let is_shared =
        |it: &VariableId| cx.program.sharing(region, *it).is_some_and(|it| it.attribute.is_shared());
    let first = variables.iter().copied().find(|it| is_shared(it) && !cx.program.variable(*it).is_const)?;
    (is_plain && is_known).then_some((condition, first))
}
