//! `omp/forbidden-call`

use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Construct, Directive, DirectiveId, ExprId, ExprKind};
use crate::rules::Context;

/// A routine of OpenMP where the specification permits none.
pub static RULE: Rule = Rule {
    code: "omp/forbidden-call",
    severity: Severity::Error,
    summary: "A call of an OpenMP routine in a region that may not call it.",
    explanation: r##"
The iterations of a region with `order(concurrent)`, and those of `loop`, may be executed in any order by any threads or lanes, so there is no thread whose
number could be requested: the region may call no routine of OpenMP (OpenMP 5.2, section 10.3). Directly inside of `teams` only `omp_get_num_teams` and
`omp_get_team_num` may be called: what else runs there must be in a `distribute` or `parallel` region (section 10.2).

Call the routine in front of the region and keep its value in a variable, or start a `parallel` region around the call.
"##,
    failing: r##"
#include <omp.h>
void owners(int *owner, int n) {
    #pragma omp parallel for order(concurrent)
    for (int i = 0; i < n; i++) owner[i] = omp_get_thread_num();
}
"##,
    fixed: r##"
#include <omp.h>
void owners(int *owner, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) owner[i] = omp_get_thread_num();
}
"##,
};

/// The routines that may be called directly inside of `teams`.
const OF_TEAMS: [&str; 2] = ["omp_get_num_teams", "omp_get_team_num"];

/// Whether the iterations of a directive have no threads.
fn is_concurrent(directive: &Directive) -> bool {
    directive.has(Construct::Loop)
        || directive
            .clause("order")
            .is_some_and(|it| it.items.iter().any(|it| it.word.as_deref() == Some("concurrent")))
}

/// The calls of routines of OpenMP in the statement of a directive, without those in directives inside of it.
fn routines<'p>(cx: &Context<'p>, id: DirectiveId) -> Vec<(ExprId, &'p str)> {
    let program = cx.program;
    let mut found = Vec::new();
    let Some(body) = program.directive(id).body else { return found };
    program.walk_stmt(body, &mut |node| {
        match node {
            Node::Directive(_) => return false,
            Node::Expr(call) => {
                if let ExprKind::Call(callee, _) = program.expr(call).kind
                    && let Some(name) = program.callee_name(callee).filter(|it| it.starts_with("omp_"))
                    && !cx.is_defined_here(call)
                {
                    found.push((call, name));
                }
            }
            Node::Stmt(_) => {}
        }
        true
    });
    found
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (id, directive) in cx.directives() {
        let is_concurrent = is_concurrent(directive);
        let is_league = directive.constructs.last() == Some(&Construct::Teams);
        if !is_concurrent && !is_league {
            continue;
        }
        for (call, name) in routines(cx, id) {
            let message = match (is_concurrent, OF_TEAMS.contains(&name)) {
                (true, _) => {
                    format!(
                        "`{name}` may not be called here: the iterations of `{}` have no threads",
                        directive.name
                    )
                }
                (false, false) => format!("`{name}` may not be called directly inside of `teams`"),
                (false, true) => continue,
            };
            let at = (cx.program.expr(call).range, message);
            cx.report_pair(&RULE, at, (directive.name_range, "the region"));
        }
    }
}
