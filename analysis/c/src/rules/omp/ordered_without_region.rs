//! `omp/ordered-without-region`

use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Construct, ExprKind};
use crate::rules::Context;

/// An `ordered` clause without effect.
pub static RULE: Rule = Rule {
    code: "omp/ordered-without-region",
    severity: Severity::Warning,
    summary: "A loop with the clause `ordered`, and nothing in it that is ordered.",
    explanation: r##"
The clause `ordered` only allows `ordered` regions in the loop. Without one the iterations run in any order, as without the clause.
A loop that calls a function of another file is passed over: the function may have the region.

Put `#pragma omp ordered` before the statement that has to run in the order of the serial loop, or remove the clause.
"##,
    failing: r##"
#include <stdio.h>
void print(const double *a, int n) {
    #pragma omp parallel for ordered
    for (int i = 0; i < n; i++) printf("%g\n", a[i]);
}
"##,
    fixed: r##"
#include <stdio.h>
void print(const double *a, int n) {
    #pragma omp parallel for ordered
    for (int i = 0; i < n; i++) {
        #pragma omp ordered
        printf("%g\n", a[i]);
    }
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives() {
        let Some((clause, body)) = directive.clause("ordered").zip(directive.body) else { continue };
        // A function of the program may have the region, in another file too.
        let mut may_be_ordered = false;
        cx.program.walk_stmt(body, &mut |node| {
            may_be_ordered |= match node {
                Node::Directive(it) => cx.program.directive(it).has(Construct::Ordered),
                Node::Expr(it) => match &cx.program.expr(it).kind {
                    ExprKind::Call(callee, _) => match cx.program.expr(*callee).kind {
                        ExprKind::Function(function) => cx.program.function(function).is_declared_here,
                        ExprKind::Unresolved(_) => false,
                        _ => true,
                    },
                    _ => false,
                },
                Node::Stmt(_) => false,
            };
            true
        });
        if may_be_ordered {
            continue;
        }
        let message = "nothing in this loop is ordered: iterations run in any order";
        let mut diagnostic = cx.at(&RULE, clause.range, message);
        diagnostic.fixes.extend(cx.remove_clause(clause.range, "ordered"));
        cx.report(diagnostic);
    }
}
