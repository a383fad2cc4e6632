//! `omp/private-around`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Construct, Directive, VariableId};
use crate::rules::Context;
use crate::sharing::Sharing;

/// A clause that combines what is not common.
pub static RULE: Rule = Rule {
    code: "omp/private-around",
    severity: Severity::Error,
    summary: "A clause of a divided loop that needs a shared variable, and names a variable that is private around it.",
    explanation: r##"
`reduction` and `lastprivate` of a divided loop give the result of all threads to the variable outside of the loop, and `firstprivate` takes its value from there. So
that variable must be one object for the whole team (OpenMP 5.2, sections 5.4.4, 5.4.5 and 5.5.8). Here each thread has its own already, because it
is declared in the parallel region or a clause says so: there would be as many results as threads.

Declare the variable in front of the parallel region, and let it be shared there.
"##,
    failing: r##"
void use(double);
void run(const double *a, int n) {
    #pragma omp parallel
    {
        double sum = 0;
        #pragma omp for reduction(+: sum)
        for (int i = 0; i < n; i++) sum += a[i];
        use(sum);
    }
}
"##,
    fixed: r##"
void use(double);
void run(const double *a, int n) {
    double sum = 0;
    #pragma omp parallel
    {
        #pragma omp for reduction(+: sum)
        for (int i = 0; i < n; i++) sum += a[i];
        use(sum);
    }
}
"##,
};

/// The sharing of a variable in the parallel region that a directive divides work of.
fn around(cx: &Context<'_>, directive: &Directive, variable: VariableId) -> Option<Sharing> {
    let (region, found) = cx.around(directive).next()?;
    (found.constructs.last() == Some(&Construct::Parallel)).then_some(())?;
    cx.program.sharing(region, variable)
}

pub(super) fn check(cx: &mut Context<'_>) {
    use crate::sharing::Attribute::{Firstprivate, Private, Reduction};
    for (_, directive) in cx.directives() {
        let is_divided = directive.constructs.first().is_some_and(|it| {
            matches!(it, Construct::For | Construct::Sections | Construct::Single | Construct::Scope)
        });
        let needs = |name: &str| matches!(name, "reduction" | "lastprivate" | "firstprivate");
        for clause in directive.clauses.iter().filter(|it| is_divided && needs(&it.name)) {
            // With a modifier `task` or `inscan` the rules differ.
            if clause.name == "reduction" && clause.modifiers.len() > 1 {
                continue;
            }
            for item in &clause.items {
                let Some(variable) = item.variable(cx.program) else { continue };
                let Some(sharing) = around(cx, directive, variable) else { continue };
                let is_private = match clause.name.as_str() {
                    "firstprivate" => {
                        // A thread's own variable has a value in its region.
                        matches!(sharing.attribute, Private | Reduction)
                            && !cx.around(directive).any(|it| cx.program.is_declared_in(variable, it.1))
                    }
                    _ => matches!(sharing.attribute, Private | Firstprivate | Reduction),
                };
                // An array that a private pointer refers to may be common.
                let is_whole = item
                    .expr
                    .is_some_and(|it| matches!(cx.program.expr(it).kind, crate::hir::ExprKind::Variable(_)));
                if !is_private || !is_whole {
                    continue;
                }
                let (name, clause_name) = (cx.name(variable), &clause.name);
                let message =
                    format!("each thread has its own `{name}` here, and `{clause_name}` needs one for all");
                let mut diagnostic = cx.at(&RULE, item.range, message);
                let declared = cx.program.variable(variable).range;
                let because = match sharing.reason {
                    crate::sharing::Reason::Clause(range) => Some((range, "this clause makes it private")),
                    _ => declared.map(|it| (it, "declared in the region")),
                };
                diagnostic.related.extend(because.and_then(|(range, why)| cx.related(range, why)));
                cx.report(diagnostic);
            }
        }
    }
}
