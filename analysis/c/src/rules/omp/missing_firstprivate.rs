//! `omp/missing-firstprivate`

use apg_diagnostics::{Fix, Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{ExprId, ExprKind, StmtId, Type, VariableId};
use crate::rules::Context;

/// A private variable without a value.
pub static RULE: Rule = Rule {
    code: "omp/missing-firstprivate",
    severity: Severity::Warning,
    summary: "A private variable that is read before it has a value.",
    explanation: r##"
`private` gives each thread a new variable without a value: the value from before the region is not in it. The region reads it before it stores one.

`firstprivate` copies the value into each thread's variable.
"##,
    failing: r##"
void shift(double *a, int n, double by) {
    #pragma omp parallel for private(by)
    for (int i = 0; i < n; i++) a[i] += by;
}
"##,
    fixed: r##"
void shift(double *a, int n, double by) {
    #pragma omp parallel for firstprivate(by)
    for (int i = 0; i < n; i++) a[i] += by;
}
"##,
};

/// The first use of a variable in a statement: whether it is a read, and where.
fn first_use(cx: &Context<'_>, body: StmtId, variable: VariableId) -> Option<(bool, ExprId)> {
    let mut first: Option<(bool, ExprId)> = None;
    // Values are evaluated before they are stored.
    let mut targets: Vec<ExprId> = Vec::new();
    cx.program.walk_stmt(body, &mut |node| {
        if let Node::Expr(id) = node {
            match cx.program.expr(id).kind {
                ExprKind::Assign(None, target, value) if cx.program.expr(target).kind == ExprKind::Variable(variable) => {
                    targets.push(target);
                    let mut reads = false;
                    cx.program.walk_expr(value, &mut |node| {
                        reads |= matches!(node, Node::Expr(it) if cx.program.expr(it).kind == ExprKind::Variable(variable));
                        true
                    });
                    if first.is_none() && !reads {
                        first = Some((false, target));
                    }
                }
                // Its address may be used to give it a value.
                ExprKind::AddressOf(target) if cx.program.base_variable(target) == Some(variable) => {
                    first.get_or_insert((false, target));
                }
                ExprKind::Variable(it) if it == variable && !targets.contains(&id) => {
                    first.get_or_insert((true, id));
                }
                _ => {}
            }
        }
        true
    });
    first
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives() {
        let Some(body) = directive.body else { continue };
        for clause in directive.clauses_named("private") {
            for item in &clause.items {
                let Some(variable) = item.variable(cx.program) else { continue };
                let declared = cx.program.variable(variable);
                let is_scalar = declared.ty.is_arithmetic() || matches!(declared.ty, Type::Pointer(_));
                let is_counter = crate::loops::associated(cx.program, directive)
                    .0
                    .iter()
                    .any(|it| it.variable == variable);
                if !is_scalar || is_counter {
                    continue;
                }
                let Some((true, at)) = first_use(cx, body, variable) else { continue };
                let name = cx.name(variable);
                let message = format!(
                    "`{name}` is read before it has a value: `private` does not copy the one from before"
                );
                let mut diagnostic = cx.at(&RULE, cx.program.expr(at).range, message);
                diagnostic.related.extend(cx.related(item.range, "made private here"));
                if let Some(spelled) = cx
                    .parsed
                    .spelled(clause.range)
                    .filter(|_| clause.items.len() == 1 && cx.parsed.is_spelled(clause.range))
                {
                    diagnostic.fixes.push(Fix::replace(
                        format!("Write `firstprivate({name})`"),
                        spelled,
                        format!("firstprivate({name})"),
                    ));
                }
                cx.report(diagnostic);
            }
        }
    }
}
