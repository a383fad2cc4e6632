//! `omp/jump-in`

use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{StmtId, StmtKind};
use crate::rules::Context;

/// A jump into a structured block.
pub static RULE: Rule = Rule {
    code: "omp/jump-in",
    severity: Severity::Error,
    summary: "A `goto` into the statement of a directive.",
    explanation: r##"
The statement of a directive is entered at its beginning only (OpenMP 5.2, section 2.1): there threads are started, variables get their private copies, and data is
brought to the device. A `goto` to a label inside of it would pass all of this over.

Put the label in front of the directive, or a condition inside of its statement.
"##,
    failing: r##"
void work(int);
void run(int again) {
    if (again) goto middle;
    #pragma omp parallel
    {
        work(0);
    middle:
        work(1);
    }
}
"##,
    fixed: r##"
void work(int);
void run(int again) {
    #pragma omp parallel
    {
        if (!again) work(0);
        work(1);
    }
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let program = cx.program;
    for (_, directive) in cx.directives().filter(|it| !it.1.constructs.is_empty()) {
        let (Some(body), Some(function)) = (directive.body, directive.function) else { continue };
        let mut labels: Vec<&str> = Vec::new();
        program.walk_stmt(body, &mut |node| {
            match node {
                // The labels of an inner directive are its own.
                Node::Directive(_) => return false,
                Node::Stmt(it) => {
                    if let StmtKind::Label(name, _) = &program.stmt(it).kind {
                        labels.push(name);
                    }
                }
                Node::Expr(_) => {}
            }
            true
        });
        let Some(whole) = program.function(function).body.filter(|_| !labels.is_empty()) else { continue };
        let region = program.stmt(body).range;
        let mut jumps: Vec<StmtId> = Vec::new();
        program.walk_stmt(whole, &mut |node| {
            if let Node::Stmt(it) = node
                && let StmtKind::Goto(Some(label)) = &program.stmt(it).kind
                && labels.contains(&label.as_str())
                && !region.contains_range(program.stmt(it).range)
            {
                jumps.push(it);
            }
            true
        });
        for jump in jumps {
            let message =
                format!("this `goto` enters the statement of `{}` behind its beginning", directive.name);
            let at = (program.stmt(jump).range, message);
            cx.report_pair(&RULE, at, (directive.name_range, "the directive"));
        }
    }
}
