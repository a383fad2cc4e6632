//! `omp/thread-count-in-region`

use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Construct, ExprKind};
use crate::rules::Context;

/// The number of threads is set too late.
pub static RULE: Rule = Rule {
    code: "omp/thread-count-in-region",
    severity: Severity::Warning,
    summary: "The number of threads is set inside of a parallel region.",
    explanation: r##"
`omp_set_num_threads` is about the parallel regions that the calling thread starts later. The team of this region has its size already, so the call
changes nothing here; the programmer probably thought otherwise.

Call it before the region, or write `num_threads(n)` in the directive.
"##,
    failing: r##"
#include <omp.h>
void work(void);
void run(void) {
    #pragma omp parallel
    {
        omp_set_num_threads(4);
        work();
    }
}
"##,
    fixed: r##"
#include <omp.h>
void work(void);
void run(void) {
    omp_set_num_threads(4);
    #pragma omp parallel
    {
        work();
    }
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives().filter(|it| it.1.has(Construct::Parallel)) {
        let Some(body) = directive.body else { continue };
        // A region inside is started later, and so is one of a function of the program.
        let mut has_inner = false;
        cx.program.walk_stmt(body, &mut |node| {
            has_inner |= match node {
                Node::Directive(it) => cx.program.directive(it).has(Construct::Parallel),
                Node::Expr(it) => match cx.program.expr(it).kind {
                    ExprKind::Function(function) => cx.program.function(function).body.is_some(),
                    _ => false,
                },
                Node::Stmt(_) => false,
            };
            true
        });
        // A program that asks for the number sets it for later regions.
        let asks = cx.calls_in(body).iter().any(|it| it.1 == "omp_get_max_threads");
        if has_inner || asks {
            continue;
        }
        for (call, name, _) in cx.calls_in(body) {
            if name == "omp_set_num_threads" {
                let range = cx.program.expr(call).range;
                let message = "the number of threads is set while they run: this region keeps its team";
                let diagnostic = cx.at(&RULE, range, message);
                cx.report(
                    diagnostic.note("call it before the region, or write `num_threads(n)` in the directive"),
                );
            }
        }
    }
}
