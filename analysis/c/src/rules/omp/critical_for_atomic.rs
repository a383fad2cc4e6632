//! `omp/critical-for-atomic`

use apg_diagnostics::{Fix, Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Construct, Directive, ExprKind};
use crate::rules::Context;
use crate::updates;

/// A lock where an instruction does.
pub static RULE: Rule = Rule {
    code: "omp/critical-for-atomic",
    severity: Severity::Hint,
    summary: "A `critical` region that is one update of one scalar: `atomic` is faster.",
    explanation: r##"
`critical` lets one thread at a time into the region, by a lock that all threads fight for. For one update of one scalar, CPUs and GPUs have an instruction of
their own, which `atomic` uses.

Offered only if no other `critical` region has the same name: those would not exclude the update any more.
"##,
    failing: r##"
int count(const int *a, int n) {
    int hits = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp critical
        hits += a[i];
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

pub(super) fn check(cx: &mut Context<'_>) {
    let name = |it: &Directive| it.argument.first().and_then(|it| it.word.clone());
    let all: Vec<&Directive> =
        cx.directives().map(|it| it.1).filter(|it| it.has(Construct::Critical)).collect();
    for directive in &all {
        let same = all.iter().filter(|it| name(it) == name(directive)).count();
        let Some(expr) = directive.body.and_then(|it| cx.as_expr(it)).filter(|_| same == 1) else { continue };
        let Some((target, _)) = updates::update(cx.program, expr) else { continue };
        // A call may need the protection too.
        let mut has_call = false;
        cx.program.walk_expr(expr, &mut |node| {
            has_call |=
                matches!(node, Node::Expr(it) if matches!(cx.program.expr(it).kind, ExprKind::Call(..)));
            true
        });
        if has_call || !cx.program.expr(target).ty.is_arithmetic() {
            continue;
        }
        let range = directive.argument.iter().fold(directive.name_range, |range, it| range.cover(it.range));
        let mut diagnostic =
            cx.at(&RULE, directive.name_range, "one update of one scalar: `atomic` does it without a lock");
        let is_plain =
            directive.argument.is_empty() && directive.clauses.is_empty() && cx.parsed.is_spelled(range);
        if let Some(spelled) = cx.parsed.spelled(range).filter(|_| is_plain) {
            diagnostic.fixes.push(Fix::replace("Write `atomic`", spelled, "atomic"));
        }
        cx.report(diagnostic);
    }
}
