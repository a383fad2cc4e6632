//! `omp/conflicting-sharing`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Clause, Construct, Directive, Program, VariableId};
use crate::rules::Context;

/// A variable in two clauses of data sharing.
pub static RULE: Rule = Rule {
    code: "omp/conflicting-sharing",
    severity: Severity::Error,
    summary: "A variable that two clauses share in different ways.",
    explanation: r##"
In a region a variable is either one object for all threads, or one for each. So it may stand in one clause of `private`, `firstprivate`,
`lastprivate`, `shared`, `linear` and `reduction`. Only `firstprivate` and `lastprivate` go together: the value comes in and goes out.

Remove the variable from one of the two.
"##,
    failing: r##"
double sum(const double *a, int n) {
    double s = 0;
    #pragma omp parallel for shared(s) reduction(+: s)
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}
"##,
    fixed: r##"
double sum(const double *a, int n) {
    double s = 0;
    #pragma omp parallel for reduction(+: s)
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}
"##,
};

const SHARING: &[&str] = &["private", "firstprivate", "lastprivate", "shared", "linear", "reduction"];

/// The variables that a clause names alone.
fn variables<'c>(program: &'c Program, clause: &'c Clause) -> impl Iterator<Item = (VariableId, usize)> + 'c {
    clause.items.iter().enumerate().filter_map(|(index, it)| Some((it.variable(program)?, index)))
}

fn sharing_clauses(directive: &Directive) -> impl Iterator<Item = (usize, &Clause)> {
    directive.clauses.iter().enumerate().filter(|it| SHARING.contains(&it.1.name.as_str()))
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives().filter(|it| !it.1.has(Construct::Target)) {
        for (number, clause) in sharing_clauses(directive) {
            for (variable, index) in variables(cx.program, clause) {
                let is_pair = |other: &Clause| {
                    let names = [clause.name.as_str(), other.name.as_str()];
                    names.contains(&"firstprivate") && names.contains(&"lastprivate")
                        // Combined directives apply them to different parts.
                        || directive.constructs.len() > 1 && names.contains(&"linear") && clause.name != other.name
                        || directive.constructs.len() > 1
                            && names.contains(&"shared")
                            && (names.contains(&"firstprivate") || names.contains(&"lastprivate"))
                };
                let before =
                    sharing_clauses(directive).take_while(|it| it.0 <= number).find(|(place, it)| {
                        let mut earlier =
                            variables(cx.program, it).filter(|it| *place < number || it.1 < index);
                        !is_pair(it) && earlier.any(|it| it.0 == variable)
                    });
                let Some((_, before)) = before else { continue };
                let name = cx.name(variable);
                let message = match before.name == clause.name {
                    true => format!("`{name}` is named twice by `{}`", clause.name),
                    false => format!("`{name}` is `{}` and `{}` in one region", before.name, clause.name),
                };
                let mut diagnostic = cx.at(&RULE, clause.items[index].range, message);
                diagnostic.related.extend(cx.related(before.range, "the first clause"));
                // What is not shared is meant: the other clause says it on purpose.
                let removed = if before.name == "shared" { before } else { clause };
                if removed.items.len() == 1 {
                    diagnostic.fixes.extend(cx.remove_clause(removed.range, &removed.name));
                }
                cx.report(diagnostic);
            }
        }
    }
}
