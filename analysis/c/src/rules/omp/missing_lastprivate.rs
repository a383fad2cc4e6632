//! `omp/missing-lastprivate`

use apg_diagnostics::{Fix, Rule, Severity};

use super::clause_not_allowed::takes;
use crate::hir::{Clause, Construct, Directive, Storage, VariableId};
use crate::rules::Context;
use crate::uses::{Use, UseKind};

/// The value of a private variable, read after its region.
pub static RULE: Rule = Rule {
    code: "omp/missing-lastprivate",
    severity: Severity::Warning,
    summary: "A variable whose value is lost at the end of the region, and is read after it.",
    explanation: r##"
`private` gives each thread a variable of its own, which ends with the region: the variable outside does not get its value. Here it has no value before
the region either, so what is read after it is undefined.

`lastprivate` stores the value of the last iteration, or of the last section, to the variable outside.
"##,
    failing: r##"
double last(const double *a, int n) {
    double x;
    #pragma omp parallel for private(x)
    for (int i = 0; i < n; i++) x = 2 * a[i];
    return x;
}
"##,
    fixed: r##"
double last(const double *a, int n) {
    double x;
    #pragma omp parallel for lastprivate(x)
    for (int i = 0; i < n; i++) x = 2 * a[i];
    return x;
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let directives: Vec<&Directive> = cx.directives().map(|it| it.1).collect();
    for directive in directives.into_iter().filter(|it| takes(it, "lastprivate")) {
        for clause in directive.clauses_named("private") {
            for variable in clause.items.iter().filter_map(|it| it.variable(cx.program)) {
                if let Some(read) = read_after(cx, directive, variable) {
                    report(cx, directive, clause, variable, &read);
                }
            }
        }
    }
}

fn report(cx: &mut Context<'_>, directive: &Directive, clause: &Clause, variable: VariableId, read: &Use) {
    let name = cx.name(variable);
    let message =
        format!("`{name}` has no value here: that of the region is lost, for it is `private` there");
    let mut diagnostic = cx.at(&RULE, read.range, message);
    diagnostic.related.extend(cx.related(clause.range, "made private here"));
    let text = format!("lastprivate({name})");
    let is_spelled = clause.items.len() == 1 && cx.parsed.is_spelled(clause.range);
    match cx.parsed.spelled(clause.range).filter(|_| is_spelled) {
        Some(range) => diagnostic.fixes.push(Fix::replace(format!("Write `{text}`"), range, text)),
        None => diagnostic = diagnostic.note(format!("write `{text}` behind `{}`", directive.name)),
    }
    cx.report(diagnostic);
}

/// The first use behind a region of a variable that gets a value nowhere else, if it is a read.
fn read_after(cx: &Context<'_>, directive: &Directive, variable: VariableId) -> Option<Use> {
    let declared = cx.program.variable(variable);
    let is_without_value = declared.storage == Storage::Automatic && declared.initializer.is_none();
    let is_scalar = declared.ty.is_arithmetic() || matches!(declared.ty, crate::hir::Type::Pointer(_));
    if !is_without_value || !is_scalar || directive.has(Construct::Simd) {
        return None;
    }
    let body = directive.body?;
    let whole = cx.program.function(directive.function?).body?;
    let uses = cx.program.uses_of(variable, whole);
    let end = cx.program.stmt(body).range.end();
    let is_in_region = |it: &Use| it.range.start() >= directive.range.start() && it.range.end() <= end;
    let is_set_in_region = uses.iter().any(|it| is_in_region(it) && it.kind == UseKind::Store);
    let gets_value_before =
        uses.iter().any(|it| it.range.start() < directive.range.start() && it.kind != UseKind::Read);
    let is_addressed = uses.iter().any(|it| it.kind == UseKind::Address);
    // The region around may make it private for its own use.
    let is_outer = directive.parent.is_none();
    if !is_set_in_region || gets_value_before || is_addressed || !is_outer {
        return None;
    }
    let after = uses.into_iter().find(|it| it.range.start() >= end)?;
    (after.kind == UseKind::Read && !is_in_directive(cx, &after)).then_some(after)
}

/// Whether a use is in a directive or its region: a clause may give the variable another meaning there.
fn is_in_directive(cx: &Context<'_>, found: &Use) -> bool {
    cx.directives().any(|(_, it)| {
        let region = it.body.map_or(it.range, |body| it.range.cover(cx.program.stmt(body).range));
        region.contains_range(found.range)
    })
}
