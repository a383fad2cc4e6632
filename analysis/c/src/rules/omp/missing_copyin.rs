//! `omp/missing-copyin`

use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Construct, Directive, ExprKind, StmtId, VariableId};
use crate::rules::Context;
use crate::uses::{Use, UseKind};

/// A value that the other threads do not have.
pub static RULE: Rule = Rule {
    code: "omp/missing-copyin",
    severity: Severity::Warning,
    summary: "A `threadprivate` variable that only the first thread has set, read by all.",
    explanation: r##"
Each thread has its own object of a `threadprivate` variable. An assignment before the parallel region sets that of the first thread alone; the others
read the initial value, or what they stored in an earlier region.

`copyin` copies the first thread's value to all threads at the start of the region.
"##,
    failing: r##"
static int level;
#pragma omp threadprivate(level)
void use(int);
void run(void) {
    level = 3;
    #pragma omp parallel
    use(level);
}
"##,
    fixed: r##"
static int level;
#pragma omp threadprivate(level)
void use(int);
void run(void) {
    level = 3;
    #pragma omp parallel copyin(level)
    use(level);
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let mut variables: Vec<VariableId> = cx.program.threadprivate.iter().copied().collect();
    variables.sort_unstable();
    for variable in variables {
        let mut regions = cx.directives().map(|it| it.1).filter(|it| it.has(Construct::Parallel));
        // A later region finds what an earlier one has left in each thread, by its body or by a clause.
        let first = regions.find(|it| {
            let is_used = it.body.is_some_and(|it| !cx.program.uses_of(variable, it).is_empty());
            is_used || is_named(cx, variable, it)
        });
        if let Some((region, found)) = first.and_then(|it| Some((it, uncopied(cx, variable, it)?))) {
            let name = cx.name(variable);
            let message = format!("only the first thread has set `{name}`: the others read their own");
            let mut diagnostic = cx.at(&RULE, found.1.range, message);
            diagnostic.related.extend(cx.related(found.0.range, "set here, before the region"));
            let note = format!("write `copyin({name})` behind `{}`", region.name);
            cx.report(diagnostic.note(note));
        }
    }
}

/// Whether a clause of a directive names a variable.
fn is_named(cx: &Context<'_>, variable: VariableId, directive: &Directive) -> bool {
    let mut items = directive.clauses.iter().flat_map(|it| &it.items);
    items.any(|it| it.variable(cx.program) == Some(variable))
}

/// The store before a region, and the read in it, of a variable that the region does not copy.
fn uncopied(cx: &Context<'_>, variable: VariableId, region: &Directive) -> Option<(Use, Use)> {
    if is_named(cx, variable, region) || region.parent.is_some() {
        return None;
    }
    let whole = cx.program.function(region.function?).body?;
    let before = cx.program.uses_of(variable, whole).into_iter();
    let mut before = before.filter(|it| it.range.end() <= region.range.start()).rev();
    let store = before.find(|it| it.kind == UseKind::Store)?;
    let body = region.body?;
    let read = cx.program.uses_of(variable, body).first().copied()?;
    let is_read = matches!(read.kind, UseKind::Read | UseKind::Update);
    (is_read && is_executed_by_all(cx, body, &read)).then_some((store, read))
}

/// Whether all threads reach a use without a call that may give the variable a value.
fn is_executed_by_all(cx: &Context<'_>, body: StmtId, found: &Use) -> bool {
    let mut is_simple = true;
    cx.program.walk_stmt(body, &mut |node| {
        match node {
            Node::Directive(it) => {
                let range = cx.program.directive(it).range;
                let region = cx.program.directive(it).body.map(|it| cx.program.stmt(it).range);
                let contains_it = region.is_some_and(|it| it.contains_range(found.range));
                is_simple &= range.start() > found.range.end() || !contains_it;
            }
            Node::Expr(it) => {
                let expr = cx.program.expr(it);
                let is_earlier = expr.range.end() <= found.range.start();
                is_simple &= !(is_earlier && matches!(expr.kind, ExprKind::Call(..)));
            }
            Node::Stmt(it) => {
                // A condition may hold for some threads alone.
                let kind = &cx.program.stmt(it).kind;
                let is_around = cx.program.stmt(it).range.contains_range(found.range);
                is_simple &= !(is_around && matches!(kind, crate::hir::StmtKind::If(..)));
            }
        }
        true
    });
    is_simple
}
