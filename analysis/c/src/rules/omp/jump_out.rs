//! `omp/jump-out`

use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Program, StmtId, StmtKind};
use crate::loops;
use crate::rules::Context;

/// A jump out of a structured block.
pub static RULE: Rule = Rule {
    code: "omp/jump-out",
    severity: Severity::Error,
    summary: "A jump out of the statement of a directive.",
    explanation: r##"
The statement of a directive is left at its end only: threads, tasks and devices have to be brought together there. `return`, a `goto` to a label
outside and a `break` out of the divided loop leave it in between.

Let the loop end by a condition, or keep a flag and leave after the region. `omp cancel` ends a region early.
"##,
    failing: r##"
int find(const int *a, int n, int wanted) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (a[i] == wanted) return 1;
    return 0;
}
"##,
    fixed: r##"
int find(const int *a, int n, int wanted) {
    int found = 0;
    #pragma omp parallel for reduction(||: found)
    for (int i = 0; i < n; i++)
        if (a[i] == wanted) found = 1;
    return found;
}
"##,
};

/// Whether a statement has a label.
fn has_label(program: &Program, stmt: StmtId, label: &str) -> bool {
    let mut found = false;
    program.walk_stmt(stmt, &mut |node| {
        found |= matches!(node, Node::Stmt(it) if matches!(&program.stmt(it).kind, StmtKind::Label(name, _) if name == label));
        true
    });
    found
}

/// The `break`s of a loop itself.
fn own_breaks(program: &Program, body: StmtId) -> Vec<StmtId> {
    let mut found = Vec::new();
    program.walk_stmt(body, &mut |node| {
        let Node::Stmt(id) = node else { return true };
        match program.stmt(id).kind {
            StmtKind::Break => found.push(id),
            StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::For { .. } | StmtKind::Switch(..) => {
                return false;
            }
            _ => {}
        }
        true
    });
    found
}

pub(super) fn check(cx: &mut Context<'_>) {
    let program = cx.program;
    for (_, directive) in cx.directives().filter(|it| !it.1.constructs.is_empty()) {
        let Some(body) = directive.body else { continue };
        let mut jumps: Vec<(StmtId, &str)> = Vec::new();
        program.walk_stmt(body, &mut |node| {
            match node {
                Node::Stmt(id) => match &program.stmt(id).kind {
                    StmtKind::Return(_) => jumps.push((id, "`return`")),
                    StmtKind::Goto(Some(label)) if !has_label(program, body, label) => {
                        jumps.push((id, "this `goto`"))
                    }
                    _ => {}
                },
                // An inner directive reports its own.
                Node::Directive(_) => return false,
                Node::Expr(_) => {}
            }
            true
        });
        let found = loops::associated(program, directive).0;
        if directive.is_loop()
            && let Some(innermost) = found.last()
        {
            jumps.extend(own_breaks(program, innermost.body).into_iter().map(|it| (it, "this `break`")));
        }
        for (stmt, what) in jumps {
            let message = format!("{what} leaves the statement of `{}` before its end", directive.name);
            let mut diagnostic = cx.at(&RULE, program.stmt(stmt).range, message);
            diagnostic.related.extend(cx.related(directive.name_range, "the directive"));
            cx.report(diagnostic);
        }
    }
}
