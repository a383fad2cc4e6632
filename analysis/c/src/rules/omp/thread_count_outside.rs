//! `omp/thread-count-outside`

use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Construct, ExprKind};
use crate::rules::Context;

/// The size of a team of one.
pub static RULE: Rule = Rule {
    code: "omp/thread-count-outside",
    severity: Severity::Warning,
    summary: "The number of threads is requested outside of any parallel region, where it is 1.",
    explanation: r##"
`omp_get_num_threads` is about the team that executes the call (OpenMP 5.2, section 18.2.2). In `main`, outside of any parallel region, that is one thread. An array with one element
for each thread that is allocated by this number has one element.

`omp_get_max_threads` gives the largest number of threads that a following parallel region may have.
"##,
    failing: r##"
#include <omp.h>
#include <stdlib.h>
int main(void) {
    int *counts = calloc(omp_get_num_threads(), sizeof *counts);
    #pragma omp parallel
    counts[omp_get_thread_num()]++;
    free(counts);
    return 0;
}
"##,
    fixed: r##"
#include <omp.h>
#include <stdlib.h>
int main(void) {
    int *counts = calloc(omp_get_max_threads(), sizeof *counts);
    #pragma omp parallel
    counts[omp_get_thread_num()]++;
    free(counts);
    return 0;
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let program = cx.program;
    let main = program.defined_functions().find(|it| program.function(it.0).name == "main");
    let Some((_, body)) = main else { return };
    let mut found = Vec::new();
    program.walk_stmt(body, &mut |node| {
        match node {
            Node::Directive(it) => {
                let directive = program.directive(it);
                return ![Construct::Parallel, Construct::Teams, Construct::Target]
                    .iter()
                    .any(|it| directive.has(*it))
                    && !directive.constructs.is_empty();
            }
            Node::Expr(call) => {
                if let ExprKind::Call(callee, _) = program.expr(call).kind
                    && program.callee_name(callee) == Some("omp_get_num_threads")
                    && !cx.is_defined_here(call)
                {
                    found.push(call);
                }
            }
            Node::Stmt(_) => {}
        }
        true
    });
    for call in found {
        let message = "`omp_get_num_threads` gives 1 here: one thread executes this";
        let note = "`omp_get_max_threads` gives the number of threads that a parallel region may have";
        cx.report(cx.at(&RULE, program.expr(call).range, message).note(note));
    }
}
