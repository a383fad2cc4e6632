//! `omp/reduction-operator`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{BinaryOp, ExprKind};
use crate::rules::Context;
use crate::uses::UseKind;

/// An update that is not what the reduction combines by.
pub static RULE: Rule = Rule {
    code: "omp/reduction-operator",
    severity: Severity::Warning,
    summary: "A `reduction` by one operator, of a variable that is updated by another.",
    explanation: r##"
In a region with `reduction(+: s)` each thread has its own `s`, which starts as 0, and at the end the values of all threads are added (OpenMP 5.2, section 5.5.5). If the
region multiplies in place of adding, each thread multiplies 0, and products are added: the result is not that of the serial loop.

Name the operator of the update: `reduction(*: s)`.
"##,
    failing: r##"
double product(const double *a, int n) {
    double p = 1;
    #pragma omp parallel for reduction(+: p)
    for (int i = 0; i < n; i++) p *= a[i];
    return p;
}
"##,
    fixed: r##"
double product(const double *a, int n) {
    double p = 1;
    #pragma omp parallel for reduction(*: p)
    for (int i = 0; i < n; i++) p *= a[i];
    return p;
}
"##,
};

/// Whether updates by an operator can be combined by that of a reduction.
fn fits(reduction: &str, update: BinaryOp) -> bool {
    use BinaryOp::*;
    match reduction {
        "+" | "-" => matches!(update, Add | Subtract),
        "*" => matches!(update, Multiply | Divide),
        "&" | "&&" => update == BitAnd,
        "|" | "||" => update == BitOr,
        "^" => update == BitXor,
        _ => true,
    }
}

pub(super) fn check(cx: &mut Context<'_>) {
    // A declared reduction may combine by anything.
    if cx.program.declares_reductions() {
        return;
    }
    for (_, directive) in cx.directives() {
        let Some(body) = directive.body else { continue };
        for clause in directive.clauses_named("reduction") {
            let Some(operator) = clause.modifier() else { continue };
            for variable in clause.items.iter().filter_map(|it| it.variable(cx.program)) {
                let uses = cx.program.uses_of(variable, body);
                // All updates are by one other operator, and nothing else is done with the variable.
                let other = |it: &crate::uses::Use| {
                    let found = cx.program.exprs.iter().find_map(|expr| match expr.kind {
                        ExprKind::Assign(Some(op), target, _) if target == it.expr => Some((op, expr.range)),
                        _ => None,
                    });
                    found.filter(|found| it.kind == UseKind::Update && !fits(operator, found.0))
                };
                let others: Vec<_> = uses.iter().map(other).collect();
                let (Some(Some((op, range))), true) = (others.first(), others.iter().all(Option::is_some))
                else {
                    continue;
                };
                let name = cx.name(variable);
                let message = format!(
                    "`{name}` is updated by `{}=`, and the values of the threads are combined by `{operator}`",
                    op.text()
                );
                cx.report_pair(&RULE, (*range, message), (clause.range, "the reduction"));
            }
        }
    }
}
