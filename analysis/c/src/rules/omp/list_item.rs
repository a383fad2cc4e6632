//! `omp/list-item`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Clause, Construct, Directive, DirectiveId, ExprKind, Item, VariableId};
use crate::loops;
use crate::rules::Context;
use crate::sharing::Attribute;

/// What the list of a clause may not name.
pub static RULE: Rule = Rule {
    code: "omp/list-item",
    severity: Severity::Error,
    summary: "Something in the list of a clause that the clause cannot be about.",
    explanation: r##"
Clauses of data sharing are about whole variables that are declared before the directive (OpenMP 5.2, section 5.4): not about functions, elements of arrays or
members of a struct. A `const` variable has its value once and for all, so a copy that starts without a value makes no sense, nor a copy that collects a
result: it may be `shared` or `firstprivate` only. The counter of a divided loop is private by itself; it cannot be a `reduction` nor `firstprivate`. `copyprivate` hands
a value to the other threads' own variables: a shared one has nothing to hand over (section 5.7.2).

Name the whole variable, or leave it out of the list.
"##,
    failing: r##"
void use(int);
void run(void) {
    int a[4] = { 0 };
    #pragma omp parallel private(a[0])
    {
        a[0] = 1;
        use(a[0]);
    }
}
"##,
    fixed: r##"
void use(int);
void run(void) {
    int a[4] = { 0 };
    #pragma omp parallel private(a)
    {
        a[0] = 1;
        use(a[0]);
    }
}
"##,
};

/// Clauses whose items are whole variables.
const WHOLE: [&str; 7] =
    ["private", "firstprivate", "lastprivate", "shared", "linear", "copyin", "copyprivate"];

/// Clauses that give a variable a value other than its own.
const CHANGING: [&str; 5] = ["private", "lastprivate", "reduction", "linear", "copyprivate"];

/// Why a variable may not be in a clause of a directive.
fn forbidden(cx: &Context<'_>, id: DirectiveId, clause: &Clause, variable: VariableId) -> Option<String> {
    let directive = cx.program.directive(id);
    let name = cx.name(variable);
    let clause_name = clause.name.as_str();
    let declared = cx.program.variable(variable);
    if declared.is_const && CHANGING.contains(&clause_name) {
        return Some(format!(
            "`{name}` is `const`: it may be `shared` or `firstprivate`, and not `{clause_name}`"
        ));
    }
    let is_plain_loop = directive.has(Construct::For)
        && directive.constructs.iter().all(|it| matches!(it, Construct::For | Construct::Parallel));
    if is_plain_loop
        && matches!(clause_name, "reduction" | "firstprivate")
        && loops::associated(cx.program, directive).0.iter().any(|it| it.variable == variable)
    {
        return Some(format!(
            "`{name}` counts the iterations: each thread has its own, and it is no `{clause_name}`"
        ));
    }
    if clause_name == "copyprivate" && is_shared_around(cx, directive, variable) {
        return Some(format!(
            "`{name}` is shared: all threads see what is stored to it, without `copyprivate`"
        ));
    }
    None
}

/// Whether a variable is shared in the parallel region around a directive.
fn is_shared_around(cx: &Context<'_>, directive: &Directive, variable: VariableId) -> bool {
    let sharing = cx.around(directive).find_map(|it| cx.program.sharing(it.0, variable));
    sharing.is_some_and(|it| it.attribute == Attribute::Shared)
}

/// Why an item may not be in a clause.
fn wrong(cx: &Context<'_>, id: DirectiveId, clause: &Clause, item: &Item) -> Option<String> {
    let is_whole = WHOLE.contains(&clause.name.as_str());
    let expr = item.expr?;
    match &cx.program.expr(expr).kind {
        ExprKind::Variable(it) => forbidden(cx, id, clause, *it),
        ExprKind::Function(it) => {
            let name = &cx.program.function(*it).name;
            Some(format!("`{name}` is a function, and `{}` is about variables", clause.name))
        }
        // What the front end has not understood may declare the name. Those of `declare simd` are parameters
        // of the function that follows.
        ExprKind::Unresolved(name)
            if cx.is_understood() && !cx.program.directive(id).name.contains("declare") =>
        {
            Some(format!("`{name}` is not declared in front of the directive"))
        }
        ExprKind::Index(..) | ExprKind::Section(..) if is_whole => {
            Some(format!("`{}` is about whole variables, and not about elements", clause.name))
        }
        ExprKind::Member { .. } if is_whole => {
            Some(format!("`{}` is about whole variables, and not about members", clause.name))
        }
        _ => None,
    }
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (id, directive) in cx.directives().filter(|it| !it.1.constructs.is_empty()) {
        let is_about = |it: &&Clause| WHOLE.contains(&it.name.as_str()) || it.name == "reduction";
        for clause in directive.clauses.iter().filter(is_about) {
            for item in &clause.items {
                let Some(message) = wrong(cx, id, clause, item) else { continue };
                let mut diagnostic = cx.at(&RULE, item.range, message);
                let variable = item.variable(cx.program).and_then(|it| cx.program.variable(it).range);
                diagnostic.related.extend(variable.and_then(|it| cx.related(it, "declared here")));
                cx.report(diagnostic);
            }
        }
    }
}
