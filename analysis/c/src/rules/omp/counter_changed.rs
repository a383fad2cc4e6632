//! `omp/counter-changed`

use apg_diagnostics::{Rule, Severity};

use crate::hir::ExprKind;
use crate::hir::visit::Node;
use crate::loops;
use crate::rules::Context;

/// The counter of a divided loop is changed.
pub static RULE: Rule = Rule {
    code: "omp/counter-changed",
    severity: Severity::Warning,
    summary: "The counter of a divided loop is changed in its body.",
    explanation: r##"
Which iterations a thread executes is decided before the loop runs. So its body may not change the counter (OpenMP 5.2, section 4.4.1): the number of
iterations would differ from what was divided, and what happens then is not defined.

Use another variable, or leave iterations out by `continue`.
"##,
    failing: r##"
void every_other(double *a, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        a[i] = 0;
        i++;
    }
}
"##,
    fixed: r##"
void every_other(double *a, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i += 2) {
        a[i] = 0;
    }
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives().filter(|it| it.1.is_loop()) {
        let (found, _) = loops::associated(cx.program, directive);
        for counted in &found {
            let mut changes = Vec::new();
            cx.program.walk_stmt(counted.body, &mut |node| {
                if let Node::Expr(expr) = node
                    && let ExprKind::Assign(_, target, _) | ExprKind::Increment { target, .. } =
                        cx.program.expr(expr).kind
                    && cx.program.expr(target).kind == ExprKind::Variable(counted.variable)
                {
                    changes.push(cx.program.expr(expr).range);
                }
                true
            });
            // The first part and the last one of an inner loop of the same nest change its own counter.
            let is_own = |range: &apg_c_syntax::TextRange| {
                found.iter().any(|it| {
                    it.variable == counted.variable
                        && it.body != counted.body
                        && !cx.program.stmt(it.body).range.contains_range(*range)
                })
            };
            changes.retain(|it| !is_own(it));
            for range in changes {
                let message = format!(
                    "the body changes `{}`, which counts the iterations of the divided loop",
                    cx.name(counted.variable)
                );
                let mut diagnostic = cx.at(&RULE, range, message);
                diagnostic.related.extend(cx.related(directive.name_range, "divided by this directive"));
                cx.report(diagnostic);
            }
        }
    }
}
