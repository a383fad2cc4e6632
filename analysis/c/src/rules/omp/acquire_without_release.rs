//! `omp/acquire-without-release`

use std::path::PathBuf;

use apg_diagnostics::{Fix, Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Construct, Directive, Expr, ExprId, ExprKind, Storage, Type, VariableId};
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

/// The object that an atomic construct stores to, or for `read` the object that it reads.
fn atomic_variable(cx: &Context<'_>, directive: &Directive) -> Option<VariableId> {
    let mut found = None;
    cx.program.walk_stmt(directive.body?, &mut |node| {
        if let Node::Expr(it) = node {
            match cx.program.expr(it).kind {
                ExprKind::Assign(_, target, value) => {
                    found = Some(if directive.clause("read").is_some() { value } else { target });
                }
                ExprKind::Increment { target, .. } => found = Some(target),
                _ => {}
            }
        }
        found.is_none()
    });
    object(cx, found?)
}

/// The object that an expression is, or is a part of; `None` for what a pointer points to, which has other
/// names in other functions, and for parameters.
fn object(cx: &Context<'_>, expr: ExprId) -> Option<VariableId> {
    match cx.program.expr(expr).kind {
        ExprKind::Variable(it) if cx.program.variable(it).storage != Storage::Parameter => Some(it),
        ExprKind::Index(base, _) if matches!(cx.program.expr(base).ty, Type::Array(..)) => object(cx, base),
        ExprKind::Member { base, is_arrow: false, .. } => object(cx, base),
        _ => None,
    }
}

/// Whether others may store to an object: its address is taken, or a header declares it.
fn is_known_elsewhere(cx: &Context<'_>, variable: VariableId) -> bool {
    let takes_address = |it: &Expr| matches!(it.kind, ExprKind::AddressOf(target) if cx.program.base_variable(target) == Some(variable));
    cx.program.variable(variable).range.is_none() || cx.program.exprs.iter().any(takes_address)
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
    // Functions in functions may have the store.
    if cx.program.functions.iter().any(|it| it.has_nested) {
        return;
    }
    let atomics = || directives.iter().filter(|it| it.has(Construct::Atomic));
    // A store by a pointer may be one to any object.
    let is_release = |it: &Directive| has_any(it, &["release", "acq_rel", "seq_cst", "capture", "compare"]);
    let stores_by_pointer =
        |it: &&Directive| it.clause("read").is_none() && atomic_variable(cx, it).is_none();
    if atomics().any(|it| stores_by_pointer(it) && is_release(it)) {
        return;
    }
    let reads = atomics().filter(|it| it.clause("read").is_some() && it.clause("acquire").is_some());
    for read in reads {
        let Some(variable) = atomic_variable(cx, read).filter(|it| !is_known_elsewhere(cx, *it)) else {
            continue;
        };
        let mut stores = atomics()
            .filter(|it| it.clause("read").is_none())
            .filter(|it| it.clause("capture").is_some() || atomic_variable(cx, it) == Some(variable))
            .peekable();
        let Some(first) = stores.peek().copied() else { continue };
        if stores.any(|it| is_release(it)) {
            continue;
        }
        let name = cx.name(variable);
        let message = format!("`acquire` orders nothing here: no atomic store to `{name}` has `release`");
        let range = read.clause("acquire").map_or(read.name_range, |it| it.range);
        let mut diagnostic = cx.at(&RULE, range, message);
        diagnostic.related.extend(cx.related(first.name_range, "a store without `release`"));
        diagnostic.fixes.extend(release(cx, first).filter(|_| stores_once(&directives, cx, variable)));
        cx.report(diagnostic);
    }
}

/// A fix that makes a store release, in place of the order that it has.
fn release(cx: &Context<'_>, store: &Directive) -> Option<Fix<PathBuf>> {
    let Some(relaxed) = store.clause("relaxed") else {
        return cx.append_clause(store, "release").filter(|_| store.clause("acquire").is_none());
    };
    let range = cx.parsed.is_spelled(relaxed.range).then(|| cx.parsed.spelled(relaxed.range))??;
    Some(Fix::replace("Write `release`", range, "release"))
}

/// Whether one atomic construct alone stores to a variable.
fn stores_once(directives: &[&Directive], cx: &Context<'_>, variable: VariableId) -> bool {
    let stores = |it: &&&Directive| {
        it.has(Construct::Atomic) && it.clause("read").is_none() && atomic_variable(cx, it) == Some(variable)
    };
    directives.iter().filter(stores).count() == 1
}
