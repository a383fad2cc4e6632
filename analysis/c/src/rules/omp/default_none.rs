//! `omp/default-none`

use apg_c_syntax::TextRange;
use apg_diagnostics::{Rule, Severity};

use crate::hir::{Construct, Directive, ExprKind, Storage};
use crate::loops;
use crate::rules::Context;
use crate::sharing::Reason;

/// A variable that `default(none)` wants to be listed.
pub static RULE: Rule = Rule {
    code: "omp/default-none",
    severity: Severity::Error,
    summary: "A variable that no clause names, though `default(none)` is there.",
    explanation: r##"
With `default(none)` each variable of the region that is declared outside of it has to stand in a clause, so that nothing is shared by accident.
Variables that the specification itself decides on need not: counters of the loops that the directive is about, and threadprivate ones.

Write the variable in `shared` if all threads mean the same object, in `firstprivate` if each needs its value, in `private` if each needs a place
of its own.
"##,
    failing: r##"
double sum(const double *a, int n) {
    double s = 0;
    #pragma omp parallel for default(none) shared(a) reduction(+: s)
    for (int i = 0; i < n; i++) s += a[i] * n;
    return s;
}
"##,
    fixed: r##"
double sum(const double *a, int n) {
    double s = 0;
    #pragma omp parallel for default(none) shared(a, n) reduction(+: s)
    for (int i = 0; i < n; i++) s += a[i] * n;
    return s;
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    for (id, directive) in cx.directives() {
        let Some(clause) = directive.clause("default").filter(|it| it.word() == Some("none")) else {
            continue;
        };
        // The thread that meets it evaluates these.
        let bounds = if directive.has(Construct::Taskloop) { bounds(cx, directive) } else { Vec::new() };
        for (variable, range) in cx.program.captured(id) {
            if bounds.iter().any(|it| it.contains_range(range)) {
                continue;
            }
            let declared = cx.program.variable(variable);
            let is_implicit = |it: crate::sharing::Sharing| matches!(it.reason, Reason::Implicit(_));
            // Objects of headers, as `stdout`, are listed by compilers too, but those may be macros.
            let is_own = declared.range.is_some() && !declared.is_const;
            if !is_own || !cx.program.sharing(id, variable).is_some_and(is_implicit) {
                continue;
            }
            let name = cx.name(variable);
            let message = format!("`{name}` is in no clause, and `default(none)` requires it");
            let mut diagnostic = cx.at(&RULE, range, message);
            diagnostic.related.extend(cx.related(clause.range, "required here"));
            let wants_place = declared.storage == Storage::Automatic && is_assigned_first(cx, range);
            let word = if wants_place { "private" } else { "shared" };
            diagnostic.fixes.extend(cx.append_clause(directive, &format!("{word}({name})")));
            cx.report(diagnostic);
        }
    }
}

/// The bounds and steps of the loops of a directive.
fn bounds(cx: &Context<'_>, directive: &Directive) -> Vec<TextRange> {
    let (loops, _) = loops::associated(cx.program, directive);
    let exprs = loops.iter().flat_map(|it| [Some(it.start), Some(it.end), it.step]).flatten();
    exprs.map(|it| cx.program.expr(it).range).collect()
}

/// Whether the expression in a range is the target of an assignment.
fn is_assigned_first(cx: &Context<'_>, range: TextRange) -> bool {
    cx.program.exprs.iter().any(|it| match it.kind {
        ExprKind::Assign(None, target, _) => cx.program.expr(target).range == range,
        _ => false,
    })
}
