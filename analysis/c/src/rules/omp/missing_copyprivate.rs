//! `omp/missing-copyprivate`

use apg_diagnostics::{Rule, Severity};
use rustc_hash::FxHashSet;

use crate::hir::visit::Node;
use crate::hir::{Construct, Directive, ExprId, ExprKind, StmtId, VariableId};
use crate::rules::Context;
use crate::sharing::Attribute;

/// A value that only one thread has.
pub static RULE: Rule = Rule {
    code: "omp/missing-copyprivate",
    severity: Severity::Warning,
    summary: "A private variable that only the thread of a `single` region sets, and that all threads read afterwards.",
    explanation: r##"
One thread executes the statement of `single`. A variable that is private to each thread gets its value in that thread only; the others read a variable
without a value after the region.

`copyprivate` copies the value to the private variables of all threads.
"##,
    failing: r##"
int next(void);
void use(int);
void run(void) {
    int seed;
    #pragma omp parallel private(seed)
    {
        #pragma omp single
        seed = next();
        use(seed);
    }
}
"##,
    fixed: r##"
int next(void);
void use(int);
void run(void) {
    int seed;
    #pragma omp parallel private(seed)
    {
        #pragma omp single copyprivate(seed)
        seed = next();
        use(seed);
    }
}
"##,
};

/// The variables that a statement assigns, and the targets of plain assignments.
fn assigned(cx: &Context<'_>, stmt: StmtId) -> (FxHashSet<VariableId>, FxHashSet<ExprId>) {
    let (mut variables, mut targets) = (FxHashSet::default(), FxHashSet::default());
    cx.program.walk_stmt(stmt, &mut |node| {
        if let Node::Expr(expr) = node
            && let ExprKind::Assign(op, target, _) = cx.program.expr(expr).kind
            && let ExprKind::Variable(variable) = cx.program.expr(target).kind
        {
            variables.insert(variable);
            if op.is_none() {
                targets.insert(target);
            }
        }
        true
    });
    (variables, targets)
}

/// The first use of a variable in a region after a position, if it is a read; and whether the variable has a
/// value before that position.
fn read_after(cx: &Context<'_>, region: StmtId, single: &Directive, variable: VariableId) -> Option<ExprId> {
    let end = cx.program.stmt(single.body?).range.end();
    let start = single.range.start();
    let (_, targets) = assigned(cx, region);
    let mut first = None;
    let mut is_set_before = false;
    cx.program.walk_stmt(region, &mut |node| {
        if let Node::Expr(id) = node
            && cx.program.expr(id).kind == ExprKind::Variable(variable)
        {
            let range = cx.program.expr(id).range;
            is_set_before |= range.end() <= start;
            if range.start() >= end {
                first.get_or_insert(id);
            }
        }
        true
    });
    first.filter(|it| !is_set_before && !targets.contains(it))
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives().filter(|it| it.1.constructs.first() == Some(&Construct::Single)) {
        let Some(body) = directive.body.filter(|_| directive.clause("copyprivate").is_none()) else {
            continue;
        };
        let around = cx.around(directive).find(|it| it.1.has(Construct::Parallel));
        let Some((parallel, region)) = around.and_then(|it| Some((it.0, it.1.body?))) else { continue };
        let mut variables: Vec<VariableId> = assigned(cx, body).0.into_iter().collect();
        variables.sort_unstable();
        for variable in variables {
            let is_private =
                cx.program.sharing(parallel, variable).is_some_and(|it| it.attribute == Attribute::Private);
            // Declared in the statement of `single` itself, it is not seen after it.
            if !is_private || cx.program.is_declared_in(variable, directive) {
                continue;
            }
            if let Some(read) = read_after(cx, region, directive, variable) {
                let name = cx.name(variable);
                let message = format!(
                    "only the thread of `single` has set `{name}`: in the others it has no value here"
                );
                let mut diagnostic = cx.at(&RULE, cx.program.expr(read).range, message);
                diagnostic
                    .related
                    .extend(cx.related(directive.name_range, "set by one thread in this region"));
                let may_copy = directive.clause("nowait").is_none();
                diagnostic.fixes.extend(
                    may_copy.then(|| cx.append_clause(directive, &format!("copyprivate({name})"))).flatten(),
                );
                cx.report(diagnostic);
            }
        }
    }
}
