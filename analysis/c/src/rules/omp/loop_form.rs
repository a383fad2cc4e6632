//! `omp/loop-form`

use apg_c_syntax::TextRange;
use apg_diagnostics::{Rule, Severity};

use crate::hir::StmtId;
use crate::loops::{self, NotCanonical};
use crate::rules::Context;

/// A loop whose iterations cannot be counted before it runs.
pub static RULE: Rule = Rule {
    code: "omp/loop-form",
    severity: Severity::Error,
    summary: "A loop that a directive cannot divide, since its iterations cannot be counted before it runs.",
    explanation: r##"
The iterations of a loop are divided among threads before the loop runs. So its number of iterations must follow from its first line:
`for (i = start; i < end; i += step)`, with one of `<`, `<=`, `>`, `>=`, `!=`, an integer or pointer `i`, and an amount that stays the same.
With `collapse(n)` the same holds for `n` loops, each the only statement of the one around it.

Write the loop in this form, or leave the directive out: other loops can be divided with tasks.
"##,
    failing: r##"
void scale(double *a, int n) {
    #pragma omp parallel for
    for (int i = 1; i < n; i *= 2) a[i] *= 2;
}
"##,
    fixed: r##"
void scale(double *a, int n) {
    #pragma omp parallel for
    for (int i = 1; i < n; i += 2) a[i] *= 2;
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives().filter(|it| it.1.is_loop()) {
        let (found, Some(why)) = loops::associated(cx.program, directive) else { continue };
        let program = cx.program;
        let head = |stmt: StmtId| {
            let range = program.stmt(stmt).range;
            TextRange::at(range.start(), range.len().min(3.into()))
        };
        let of_expr = |stmt: StmtId, expr: Option<crate::hir::ExprId>| {
            expr.map_or_else(|| head(stmt), |it| program.expr(it).range)
        };
        let name = &directive.name;
        let (range, message, note) = match why {
            NotCanonical::NotFor(_) if found.is_empty() => (
                directive.name_range,
                format!("`{name}` needs a `for` loop as the statement after it"),
                "a block around the loop is not allowed either",
            ),
            NotCanonical::NotFor(_) => (
                directive
                    .clause("collapse")
                    .or(directive.clause("ordered"))
                    .map_or(directive.range, |it| it.range),
                format!(
                    "`{name}` needs {} loops, each in the one around it, and there are {}",
                    loops::loop_count(program, directive),
                    found.len()
                ),
                "a loop to be collapsed is the only statement of the one around it",
            ),
            NotCanonical::Init(stmt) => (
                head(stmt),
                "the first part of this loop does not set its counter".to_string(),
                "write `i = start`, or `int i = start`",
            ),
            NotCanonical::Variable(variable, stmt) => (
                head(stmt),
                format!("the counter `{}` is neither an integer nor a pointer", cx.name(variable)),
                "iterations are counted with integers",
            ),
            NotCanonical::Condition(stmt, expr) => (
                of_expr(stmt, expr),
                "the condition of this loop does not compare its counter with a bound".to_string(),
                "write `i < end`, with one of `<`, `<=`, `>`, `>=` and `!=`",
            ),
            // Compilers add up the rest: `i = i + n - 1`.
            NotCanonical::Step(_, Some(expr)) if loops::is_sum_of_counter(program, expr) => continue,
            NotCanonical::Step(stmt, expr) => (
                of_expr(stmt, expr),
                "the last part of this loop does not add an amount to its counter".to_string(),
                "write `i++`, `i--`, `i += step`, `i -= step` or `i = i + step`",
            ),
            NotCanonical::Stride(stmt, expr) => (
                of_expr(stmt, Some(expr)),
                "a loop that ends at `!=` is counted by 1 or -1: this one may step over its end".to_string(),
                "compare with `<` or `>`",
            ),
        };
        let diagnostic = cx.at(&RULE, range, message).note(note);
        cx.report(diagnostic);
    }
}
