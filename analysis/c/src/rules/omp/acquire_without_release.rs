//! `omp/acquire-without-release`

use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Construct, Directive, ExprKind, VariableId};
use crate::rules::Context;

/// A flag that brings nothing along.
pub static RULE: Rule = Rule {
    code: "omp/acquire-without-release",
    severity: Severity::Warning,
    summary: "An `atomic read acquire` of a variable that no atomic store releases.",
    explanation: r##"
What a thread has stored before it sets a flag is seen by a thread that reads the flag, if the store of the flag has `release` and the read `acquire` (OpenMP 5.2, section 1.4.6). `acquire`
alone orders nothing: a relaxed store, which is what `atomic write` without a clause is, may become visible before what was stored earlier.

Write `release` at the store of the flag.
"##,
    failing: r##"
int data;
int publish(void) {
    int ready = 0, seen = 0;
    #pragma omp parallel sections
    {
        #pragma omp section
        {
            #pragma omp atomic write
            ready = 1;
        }
        #pragma omp section
        {
            #pragma omp atomic read acquire
            seen = ready;
        }
    }
    return seen + data;
}
"##,
    fixed: r##"
int data;
int publish(void) {
    int ready = 0, seen = 0;
    #pragma omp parallel sections
    {
        #pragma omp section
        {
            #pragma omp atomic write release
            ready = 1;
        }
        #pragma omp section
        {
            #pragma omp atomic read acquire
            seen = ready;
        }
    }
    return seen + data;
}
"##,
};

/// The variable that an atomic construct stores to, or for `read` the variable that it reads.
fn atomic_variable(cx: &Context<'_>, directive: &Directive) -> Option<VariableId> {
    let mut found = None;
    cx.program.walk_stmt(directive.body?, &mut |node| {
        if let Node::Expr(it) = node {
            match cx.program.expr(it).kind {
                ExprKind::Assign(_, target, value) => {
                    let object = if directive.clause("read").is_some() { value } else { target };
                    found = found.or(cx.program.base_variable(object));
                }
                ExprKind::Increment { target, .. } => found = found.or(cx.program.base_variable(target)),
                _ => {}
            }
        }
        found.is_none()
    });
    found
}

fn has_any(directive: &Directive, clauses: &[&str]) -> bool {
    clauses.iter().any(|it| directive.clause(it).is_some())
}

pub(super) fn check(cx: &mut Context<'_>) {
    let directives: Vec<&Directive> = cx.directives().map(|it| it.1).collect();
    // A `flush`, or an order that `requires` sets, may do it.
    if directives.iter().any(|it| it.has(Construct::Flush) || it.name == "requires") {
        return;
    }
    let atomics = || directives.iter().filter(|it| it.has(Construct::Atomic));
    let reads = atomics().filter(|it| it.clause("read").is_some() && it.clause("acquire").is_some());
    for read in reads {
        let Some(variable) = atomic_variable(cx, read) else { continue };
        let mut stores = atomics()
            .filter(|it| it.clause("read").is_none())
            .filter(|it| it.clause("capture").is_some() || atomic_variable(cx, it) == Some(variable))
            .peekable();
        let Some(first) = stores.peek().copied() else { continue };
        if stores.any(|it| has_any(it, &["release", "acq_rel", "seq_cst", "capture", "compare"])) {
            continue;
        }
        let name = cx.name(variable);
        let message = format!("`acquire` orders nothing here: no atomic store to `{name}` has `release`");
        let range = read.clause("acquire").map_or(read.name_range, |it| it.range);
        let mut diagnostic = cx.at(&RULE, range, message);
        diagnostic.related.extend(cx.related(first.name_range, "a store without `release`"));
        diagnostic
            .fixes
            .extend(cx.append_clause(first, "release").filter(|_| stores_once(&directives, cx, variable)));
        cx.report(diagnostic);
    }
}

/// Whether one atomic construct alone stores to a variable.
fn stores_once(directives: &[&Directive], cx: &Context<'_>, variable: VariableId) -> bool {
    let stores = |it: &&&Directive| {
        it.has(Construct::Atomic) && it.clause("read").is_none() && atomic_variable(cx, it) == Some(variable)
    };
    directives.iter().filter(stores).count() == 1
}
