//! `omp/array-section`

use apg_c_syntax::TextRange;
use apg_diagnostics::{Rule, Severity};

use crate::hir::{ExprId, ExprKind, Length, Storage, Type};
use crate::rules::Context;

/// A part that an array does not have.
pub static RULE: Rule = Rule {
    code: "omp/array-section",
    severity: Severity::Error,
    summary: "An array section whose length is missing, negative, or beyond the end of the array.",
    explanation: r##"
`a[first:length]` names `length` elements from `a[first]` on (OpenMP 5.2, section 3.2.5). It is the number of elements that follows the colon, not the last index. Of an
array the length may be left out: the section goes to the end. What a pointer points to has no end that a compiler knows, so the length must be written.

Write the number of elements.
"##,
    failing: r##"
void scale(double *a, int n) {
    #pragma omp target map(tofrom: a[0:])
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
    fixed: r##"
void scale(double *a, int n) {
    #pragma omp target map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
};

/// What is wrong with a section, and where.
fn wrong(cx: &Context<'_>, expr: ExprId) -> Option<(TextRange, String)> {
    let ExprKind::Section(base, first, length) = &cx.program.expr(expr).kind else { return None };
    let range = cx.program.expr(expr).range;
    let ExprKind::Variable(variable) = cx.program.expr(*base).kind else { return None };
    let declared = cx.program.variable(variable);
    let name = &declared.name;
    let value = |it: Option<ExprId>| it.and_then(|it| cx.program.constant(it));
    if let Some(count) = value(*length).filter(|it| *it < 0) {
        return Some((range, format!("a section has no {count} elements")));
    }
    match &declared.ty {
        Type::Pointer(_) if length.is_none() => {
            Some((range, format!("`{name}` is a pointer: the number of elements must be written")))
        }
        Type::Array(_, Length::Constant(size)) if declared.storage != Storage::Parameter => {
            let first = first.map_or(Some(0), |it| cx.program.constant(it))?;
            let end = first.checked_add(value(*length)?)?;
            let message =
                format!("`{name}` has {size} elements, and the section ends behind element {}", end - 1);
            (end > i128::from(*size)).then_some((range, message))
        }
        _ => None,
    }
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives() {
        for clause in &directive.clauses {
            for expr in clause.items.iter().filter_map(|it| it.expr) {
                if let Some((range, message)) = wrong(cx, expr) {
                    cx.report(cx.at(&RULE, range, message).note("write `a[first:length]`"));
                }
            }
        }
    }
}
