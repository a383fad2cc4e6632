//! `xmp/missing-reduction`

use apg_diagnostics::{Rule, Severity};

use super::reduces;
use crate::hir::visit::Node;
use crate::hir::{BinaryOp, Directive, ExprId, ExprKind, StmtId, VariableId};
use crate::rules::Context;
use crate::xmp::{directives, is_node_number};

/// A value that each node combines for its own iterations alone.
pub static RULE: Rule = Rule {
    code: "xmp/missing-reduction",
    severity: Severity::Warning,
    summary: "A sum or another combined value of a distributed loop that is not reduced.",
    explanation: r##"
Each node executes its own iterations of a `loop`, so that a variable that all iterations combine has the sum of these alone: another value on each
node. On one node the program works.

`reduction` combines the values of all nodes, as a clause of the loop or as a directive behind it (XcalableMP 1.4, sections 5.4 and 5.7.4).
"##,
    failing: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
double a[100];
#pragma xmp align a[i] with t[i]
double sum(void) {
    double s = 0;
    #pragma xmp loop on t[i]
    for (int i = 0; i < 100; i++) s += a[i];
    return s;
}
"##,
    fixed: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
double a[100];
#pragma xmp align a[i] with t[i]
double sum(void) {
    double s = 0;
    #pragma xmp loop on t[i] reduction(+:s)
    for (int i = 0; i < 100; i++) s += a[i];
    return s;
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    for directive in directives(cx.program).filter(|it| it.name == "loop") {
        let Some(body) = directive.body else { continue };
        let mut reported = Vec::new();
        for (variable, operator, update) in updates(cx, body) {
            if reported.contains(&variable) || is_reduced(cx, directive, variable) {
                continue;
            }
            reported.push(variable);
            let name = cx.name(variable);
            let message = format!("each node combines `{name}` for its own iterations alone");
            let mut found = cx.at(&RULE, cx.program.expr(update).range, message);
            found.fixes.extend(cx.append_clause(directive, &format!("reduction({operator}:{name})")));
            cx.report(found);
        }
    }
}

/// Compound assignments of variables from outside of a loop that reductions know, with their operators.
fn updates(cx: &Context<'_>, body: StmtId) -> Vec<(VariableId, &'static str, ExprId)> {
    let (program, region) = (cx.program, cx.program.stmt(body).range);
    let (mut found, mut assigned) = (Vec::new(), Vec::new());
    program.walk_stmt(body, &mut |node| {
        let Node::Expr(id) = node else { return true };
        let ExprKind::Assign(operator, target, _) = program.expr(id).kind else { return true };
        let ExprKind::Variable(variable) = program.expr(target).kind else { return true };
        let declaration = program.variable(variable);
        let is_outside = declaration.range.is_none_or(|it| !region.contains_range(it));
        match operator.map(operator_text) {
            // A counter, or a variable that each iteration sets anew.
            None => assigned.push(variable),
            Some(Some(operator)) if is_outside && declaration.ty.is_arithmetic() => {
                found.push((variable, operator, id));
            }
            Some(_) => {}
        }
        true
    });
    found.retain(|it| !assigned.contains(&it.0));
    found
}

fn operator_text(operator: BinaryOp) -> Option<&'static str> {
    Some(match operator {
        BinaryOp::Add => "+",
        BinaryOp::Multiply => "*",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        _ => return None,
    })
}

/// Whether a reduction of the same function names a variable, or it may be the own of a node: the loop is
/// of a task, or the function asks for the number of its node.
fn is_reduced(cx: &Context<'_>, of: &Directive, variable: VariableId) -> bool {
    let (program, is_of_function) = (cx.program, |it: &&Directive| it.function == of.function);
    let body = of.function.and_then(|it| program.function(it).body);
    body.is_some_and(|it| cx.calls_in(it).iter().any(|it| is_node_number(it.1)))
        || cx.around(of).any(|it| it.1.name.starts_with("task"))
        || directives(program).filter(is_of_function).any(|it| reduces(program, it, variable))
}
