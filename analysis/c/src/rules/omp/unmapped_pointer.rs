//! `omp/unmapped-pointer`

use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Construct, Directive, ExprKind, Storage, Type, VariableId};
use crate::rules::Context;

/// Data that does not reach the device.
pub static RULE: Rule = Rule {
    code: "omp/unmapped-pointer",
    severity: Severity::Warning,
    summary: "What a pointer points to is used in a `target` region, and no clause brings it to the device.",
    explanation: r##"
A pointer is copied to the device, and what it points to is not: how long the array is cannot be seen from the pointer. Without a `map` the region reads
and writes memory that the device does not have, unless the data was brought there before.

Write `map(to: p[0:n])`, `map(from: ...)` or `map(tofrom: ...)` with the part that the region uses; `is_device_ptr(p)` for an address of the device.
Programs that say `requires unified_shared_memory`, or that move data by `target enter data`, are passed over.
"##,
    failing: r##"
void scale(double *a, int n) {
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
    fixed: r##"
void scale(double *a, int n) {
    #pragma omp target teams distribute parallel for map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
};

fn names(cx: &Context<'_>, directive: &Directive, variable: VariableId) -> bool {
    let clauses = directive.clauses.iter().filter(|it| !matches!(it.name.as_str(), "depend" | "affinity"));
    clauses.flat_map(|it| &it.items).any(|it| it.variable(cx.program) == Some(variable))
}

pub(super) fn check(cx: &mut Context<'_>) {
    let moves_data = |it: &Directive| {
        it.name == "requires"
            || it.name.ends_with("declare variant")
            || it.has(Construct::TargetEnterData)
            || it.has(Construct::DeclareTarget)
            || it.has(Construct::BeginDeclareTarget)
    };
    if cx.directives().any(|it| moves_data(it.1)) {
        return;
    }
    for (_, directive) in cx.directives().filter(|it| it.1.has(Construct::Target)) {
        let Some(body) = directive.body.filter(|_| directive.clause("defaultmap").is_none()) else {
            continue;
        };
        let mut used: Vec<(VariableId, apg_c_syntax::TextRange)> = Vec::new();
        // Pointers that the region itself sets.
        let mut set: Vec<VariableId> = Vec::new();
        cx.program.walk_stmt(body, &mut |node| {
            if let Node::Expr(expr) = node
                && let ExprKind::Assign(_, target, _) = cx.program.expr(expr).kind
                && let ExprKind::Variable(variable) = cx.program.expr(target).kind
            {
                set.push(variable);
            }
            if let Node::Expr(expr) = node
                && let ExprKind::Index(base, _) | ExprKind::Dereference(base) = cx.program.expr(expr).kind
                && let ExprKind::Variable(variable) = cx.program.expr(base).kind
                && matches!(cx.program.variable(variable).ty, Type::Pointer(_))
                && !used.iter().any(|it| it.0 == variable)
            {
                used.push((variable, cx.program.expr(expr).range));
            }
            true
        });
        used.retain(|it| !set.contains(&it.0));
        for (variable, range) in used {
            let declared = cx.program.variable(variable);
            let is_mapped =
                names(cx, directive, variable) || cx.around(directive).any(|it| names(cx, it.1, variable));
            // A function may be called where its data is on the device already.
            let is_data_around = cx.around(directive).any(|it| it.1.has(Construct::TargetData));
            if is_mapped
                || is_data_around
                || cx.program.is_declared_in(variable, directive)
                || declared.storage == Storage::ThreadLocal
            {
                continue;
            }
            let name = cx.name(variable);
            let message = format!("no clause brings to the device what `{name}` points to");
            let mut diagnostic =
                cx.at(&RULE, range, message).note(format!("write `map(tofrom: {name}[0:length])`"));
            diagnostic.related.extend(cx.related(directive.name_range, "the region of the device"));
            cx.report(diagnostic);
        }
    }
}
