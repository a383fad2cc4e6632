//! `omp/nesting-by-call`

use apg_diagnostics::{Rule, Severity};
use rustc_hash::FxHashMap;

use super::nesting::forbidden;
use crate::hir::visit::Node;
use crate::hir::{Construct, Directive, DirectiveId, ExprId, ExprKind, FunctionId, StmtId};
use crate::rules::Context;

/// A function with a directive that may not be where the function is called.
pub static RULE: Rule = Rule {
    code: "omp/nesting-by-call",
    severity: Severity::Warning,
    summary: "A call of a function with a directive that may not be in the region of the call.",
    explanation: r##"
What a region may not contain it may not reach by a call either (OpenMP 5.2, section 17.1): a `barrier`, or a loop to divide, in a function that is called from a divided loop, a `single`, a
`critical` or a task is met by some threads of the team only, and those wait for the others forever. A `critical` of the name of the one around the call waits for its own thread.

No compiler sees it, since each function is right by itself. Call the function outside of the region, or take the directive out of it.
"##,
    failing: r##"
void work(int);
static void step(int i) {
    work(i);
    #pragma omp barrier
}
void run(int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) step(i);
}
"##,
    fixed: r##"
void work(int);
static void step(int i) {
    work(i);
}
void run(int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) step(i);
}
"##,
};

/// Whether a directive in no region of its function concerns the regions of callers.
fn is_met_by_callers(directive: &Directive) -> bool {
    use Construct::*;
    let first = directive.constructs.first();
    directive.parent.is_none()
        && first.is_some_and(|it| matches!(it, For | Sections | Single | Scope | Barrier | Critical))
}

/// The calls of functions of the file in a statement, without those in its directives.
fn calls(cx: &Context<'_>, stmt: StmtId) -> Vec<(ExprId, FunctionId)> {
    let mut found = Vec::new();
    cx.program.walk_stmt(stmt, &mut |node| {
        if let Node::Expr(call) = node
            && let ExprKind::Call(callee, _) = cx.program.expr(call).kind
            && let ExprKind::Function(function) = cx.program.expr(callee).kind
            && cx.program.function(function).body.is_some()
        {
            found.push((call, function));
        }
        !matches!(node, Node::Directive(_))
    });
    found
}

/// The directives that each function meets by itself, or by calls outside of its regions.
pub(super) fn met(cx: &Context<'_>) -> FxHashMap<FunctionId, Vec<DirectiveId>> {
    let mut met: FxHashMap<FunctionId, Vec<DirectiveId>> = FxHashMap::default();
    for (id, directive) in cx.directives().filter(|it| is_met_by_callers(it.1)) {
        if let Some(function) = directive.function {
            met.entry(function).or_default().push(id);
        }
    }
    if met.is_empty() {
        return met;
    }
    let functions: Vec<_> = cx.program.defined_functions().map(|it| (it.0, calls(cx, it.1))).collect();
    // Each round follows one call more.
    for _ in 0..functions.len().min(16) {
        let mut added = Vec::new();
        for (caller, calls) in &functions {
            let of_calls = calls.iter().filter_map(|it| met.get(&it.1)).flatten();
            let known = met.get(caller);
            added.extend(
                of_calls.filter(|it| known.is_none_or(|known| !known.contains(it))).map(|it| (*caller, *it)),
            );
        }
        if added.is_empty() {
            break;
        }
        for (function, id) in added {
            let known = met.entry(function).or_default();
            if !known.contains(&id) {
                known.push(id);
            }
        }
    }
    met
}

pub(super) fn check(cx: &mut Context<'_>) {
    let met = met(cx);
    let mut found = Vec::new();
    for (_, region) in cx.directives().filter(|_| !met.is_empty()) {
        let Some(body) = region.body.filter(|_| !region.constructs.is_empty()) else { continue };
        let around: Vec<&Directive> =
            std::iter::once(region).chain(cx.around(region).map(|it| it.1)).collect();
        for (call, function) in calls(cx, body) {
            let Some(directives) = met.get(&function) else { continue };
            let wrong = directives.iter().find_map(|it| {
                let directive = cx.program.directive(*it);
                Some((directive, forbidden(directive, &around)?.0))
            });
            if let Some((directive, by)) = wrong {
                found.push((call, function, directive, by));
            }
        }
    }
    for (call, function, directive, by) in found {
        let name = &cx.program.function(function).name;
        let message =
            format!("`{name}` meets `{}`, which may not be inside of `{}`", directive.name, by.name);
        let mut diagnostic = cx.at(&RULE, cx.program.expr(call).range, message);
        diagnostic.related.extend(cx.related(directive.name_range, "met by the call"));
        diagnostic.related.extend(cx.related(by.name_range, "the region of the call"));
        cx.report(diagnostic);
    }
}
