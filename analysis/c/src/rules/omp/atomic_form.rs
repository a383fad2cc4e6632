//! `omp/atomic-form`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Construct, Directive, ExprId, ExprKind, Program, StmtKind};
use crate::rules::Context;
use crate::updates;

/// A statement that cannot be atomic.
pub static RULE: Rule = Rule {
    code: "omp/atomic-form",
    severity: Severity::Error,
    summary: "A statement that `atomic` cannot make atomic.",
    explanation: r##"
`atomic` makes one update of one scalar indivisible: `x++`, `x--`, `x += value`, or `x = x + value` with one of `+ - * / & | ^ << >>`. With a
clause it is a `read` (`v = x`), a `write` (`x = value`) or a `capture` (`v = x++`). It does not cover several statements, nor calls.

Split the statement so that the update of the shared variable stands alone, or use `critical`.
"##,
    failing: r##"
int count(const int *a, int n) {
    int hits = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp atomic
        hits = a[i];
    }
    return hits;
}
"##,
    fixed: r##"
int count(const int *a, int n) {
    int hits = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp atomic
        hits += a[i];
    }
    return hits;
}
"##,
};

fn has_form(program: &Program, directive: &Directive, cx: &Context<'_>) -> bool {
    let Some(body) = directive.body else { return true };
    let is_unknown = |it: ExprId| matches!(program.expr(it).kind, ExprKind::Other(_));
    let expr = cx.as_expr(body);
    if directive.clause("compare").is_some() {
        return true;
    }
    if directive.clause("capture").is_some() {
        return match (expr.map(|it| &program.expr(it).kind), &program.stmt(body).kind) {
            (Some(ExprKind::Assign(None, ..)), _) => true,
            (None, StmtKind::Block(stmts)) => stmts.len() == 2,
            _ => false,
        };
    }
    let Some(expr) = expr else { return false };
    if is_unknown(expr) {
        return true;
    }
    if directive.clause("read").is_some() || directive.clause("write").is_some() {
        return matches!(program.expr(expr).kind, ExprKind::Assign(None, ..));
    }
    updates::update(program, expr).is_some()
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives().filter(|it| it.1.has(Construct::Atomic)) {
        if has_form(cx.program, directive, cx) {
            continue;
        }
        let range = directive.body.map_or(directive.name_range, |it| cx.program.stmt(it).range);
        let is_assignment = directive
            .body
            .and_then(|it| cx.as_expr(it))
            .is_some_and(|it| matches!(cx.program.expr(it).kind, ExprKind::Assign(None, ..)));
        let mut diagnostic =
            cx.at(&RULE, range, "this statement is no update that `atomic` can make indivisible");
        diagnostic = match is_assignment && directive.clauses.is_empty() {
            true => {
                diagnostic.note("a value is stored without regard to the one before: write `atomic write`")
            }
            false => diagnostic.note("write `x += value` with one shared scalar `x`, or use `critical`"),
        };
        cx.report(diagnostic);
    }
}
