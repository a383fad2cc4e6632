//! `xmp/unequal-value`

use apg_diagnostics::{Rule, Severity};

use super::reduces;
use crate::hir::visit::Node;
use crate::hir::{
    BinaryOp, Directive, ExprId, ExprKind, FunctionId, Program, Storage, Subscript, VariableId,
};
use crate::rules::Context;
use crate::xmp::loops::DistributedLoop;
use crate::xmp::{Model, directives, is_node_number, mappings};

/// A value of a directive that differs from node to node.
pub static RULE: Rule = Rule {
    code: "xmp/unequal-value",
    severity: Severity::Warning,
    summary: "A value that all nodes have to agree on, computed from the number of the node.",
    explanation: r##"
All nodes of the executing set meet a directive together, and each decides for itself what it has to do: the values that the directive uses have to be
equal on all of them (XcalableMP 1.4, chapters 4 and 5). This holds for the bounds of a distributed loop, the node that `bcast` takes a value from, the
sizes of `template_fix`, the sections of `gmove` and the widths of `reflect`. Here the value is computed from `xmp_node_num`, which differs.

Compute the value from what all nodes have in common, or give it to all by `bcast`. What only one node has to do is written in a `task`.
"##,
    failing: r##"
int xmp_node_num(void);
#pragma xmp nodes p[4]
double x;
void share(void) {
    int me = xmp_node_num();
    #pragma xmp bcast (x) from p[me]
}
"##,
    fixed: r##"
int xmp_node_num(void);
#pragma xmp nodes p[4]
double x;
void share(void) {
    #pragma xmp bcast (x) from p[0]
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    if directives(cx.program).next().is_none() {
        return;
    }
    let numbers = node_numbers(cx);
    let model = Model::of(cx.program);
    for directive in directives(cx.program) {
        // A part of the nodes executes it, which may be one.
        let is_partial = |it: &Directive| it.name.starts_with("task") || it.name == "array";
        if cx.around(directive).any(|it| is_partial(it.1)) {
            continue;
        }
        for (expr, what) in common_values(cx, &model, directive) {
            if !differs(cx.program, &numbers, directive.function, expr) {
                continue;
            }
            let range = cx.program.expr(expr).range;
            let text = cx.source(range).unwrap_or("the value");
            let message = format!("`{text}` differs from node to node, and {what} has to be equal on all");
            cx.report_pair(
                &RULE,
                (range, message),
                (directive.name_range, "all nodes execute this together"),
            );
        }
    }
}

/// The expressions of a directive whose values all nodes have to agree on, and what they are.
fn common_values(cx: &Context<'_>, model: &Model, directive: &Directive) -> Vec<(ExprId, &'static str)> {
    let subscripts = |what: &'static str| {
        let all = mappings(directive).flat_map(|it| &it.subscripts);
        all.flat_map(Subscript::values).map(|it| (it, what)).collect::<Vec<_>>()
    };
    match directive.name.as_str() {
        "bcast" => {
            let from = directive.clause("from").into_iter().flat_map(|it| &it.items);
            let subscripts = from.filter_map(|it| it.mapping.as_ref()).flat_map(|it| &it.subscripts);
            subscripts
                .flat_map(Subscript::values)
                .map(|it| (it, "the node that `bcast` takes the value from"))
                .collect()
        }
        "template_fix" => subscripts("a bound of a template"),
        "reflect" | "reflect_init" => {
            let widths = directive.clause("width").into_iter().flat_map(|it| &it.items);
            let subscripts = widths.filter_map(|it| it.mapping.as_ref()).flat_map(|it| &it.subscripts);
            subscripts.flat_map(Subscript::values).map(|it| (it, "the width of a reflection")).collect()
        }
        "gmove" if ["in", "out"].iter().all(|it| directive.clause(it).is_none()) => {
            sections(cx, model, directive)
        }
        "loop" => bounds(cx, model, directive),
        _ => Vec::new(),
    }
}

/// The bounds of the loops that are divided.
fn bounds(cx: &Context<'_>, model: &Model, directive: &Directive) -> Vec<(ExprId, &'static str)> {
    let Some(of) = DistributedLoop::of(cx.program, model, directive) else { return Vec::new() };
    let divided = (0..of.template.axes.len()).filter_map(|axis| of.loop_of_axis(cx.program, axis));
    let bounds = divided.flat_map(|it| [of.nest[it].start, of.nest[it].end]);
    bounds.map(|it| (it, "the bound of a distributed loop")).collect()
}

/// The subscripts of global arrays in the assignment of a collective `gmove`.
fn sections(cx: &Context<'_>, model: &Model, directive: &Directive) -> Vec<(ExprId, &'static str)> {
    let (program, mut found) = (cx.program, Vec::new());
    let Some(body) = directive.body else { return found };
    program.walk_stmt(body, &mut |node| {
        let Node::Expr(it) = node else { return true };
        let parts = match program.expr(it).kind {
            ExprKind::Index(base, index) => [Some(base), Some(index), None],
            ExprKind::Section(base, low, length) => [Some(base), low, length],
            _ => return true,
        };
        let array = parts[0].and_then(|it| program.base_variable(it)).and_then(|it| model.array(it));
        if array.is_some() {
            found.extend(parts[1..].iter().flatten().map(|it| (*it, "a subscript of `gmove`")));
        }
        true
    });
    found
}

/// The local variables whose only value is the number of the node, and the function of each.
fn node_numbers(cx: &Context<'_>) -> Vec<(VariableId, FunctionId)> {
    let program = cx.program;
    let is_number = |it: ExprId| is_number_call(program, it);
    let mut numbers: Vec<(VariableId, FunctionId)> = Vec::new();
    let mut others = Vec::new();
    for (function, body) in program.defined_functions() {
        program.walk_stmt(body, &mut |node| {
            match node {
                Node::Stmt(it) => {
                    if let crate::hir::StmtKind::Declaration(variables) = &program.stmt(it).kind {
                        let set =
                            variables.iter().filter_map(|it| Some((*it, program.variable(*it).initializer?)));
                        let (own, rest): (Vec<_>, Vec<_>) = set.partition(|it| is_number(it.1));
                        numbers.extend(own.iter().map(|it| (it.0, function)));
                        others.extend(rest.iter().map(|it| it.0));
                    }
                }
                Node::Expr(it) => match program.expr(it).kind {
                    ExprKind::Assign(None, target, value) if is_number(value) => {
                        numbers.extend(program.base_variable(target).map(|it| (it, function)));
                    }
                    ExprKind::Assign(_, target, _)
                    | ExprKind::Increment { target, .. }
                    | ExprKind::AddressOf(target) => others.extend(program.base_variable(target)),
                    _ => {}
                },
                Node::Directive(it) => others.extend(given(program, program.directive(it))),
            }
            true
        });
    }
    let is_local = |it: VariableId| program.variable(it).storage == Storage::Automatic;
    let is_reduced = |it: VariableId| directives(program).any(|of| reduces(program, of, it));
    numbers.retain(|it| is_local(it.0) && !others.contains(&it.0) && !is_reduced(it.0));
    numbers
}

/// The variables that `bcast` or a directive about data may give a value, without the subscripts of clauses,
/// which are read.
fn given(program: &Program, directive: &Directive) -> Vec<VariableId> {
    let in_clauses = directive.clauses.iter().flat_map(|it| &it.items);
    let items = || directive.argument.iter().chain(in_clauses.clone());
    let mut found: Vec<VariableId> = items().filter_map(|it| it.variable(program)).collect();
    if directive.name == "bcast" {
        found.extend(items().filter_map(|it| it.mapping.as_ref()?.variable));
        let argument = directive.argument.iter().filter_map(|it| it.mapping.as_ref());
        let subscripts = argument.flat_map(|it| &it.subscripts).flat_map(Subscript::values);
        found.extend(subscripts.filter_map(|it| program.base_variable(it)));
    }
    found
}

fn is_number_call(program: &Program, expr: ExprId) -> bool {
    match &program.expr(expr).kind {
        ExprKind::Call(callee, _) => {
            program.callee_name(*callee).is_some_and(is_node_number)
                && !matches!(program.expr(*callee).kind,
                    ExprKind::Function(it) if program.function(it).body.is_some())
        }
        ExprKind::Cast(it) => is_number_call(program, *it),
        _ => false,
    }
}

/// Whether a value is the number of the node, with something added, or times a number but zero.
fn differs(
    program: &Program,
    numbers: &[(VariableId, FunctionId)],
    function: Option<FunctionId>,
    expr: ExprId,
) -> bool {
    let again = |it: ExprId| differs(program, numbers, function, it);
    match program.expr(expr).kind {
        ExprKind::Variable(it) => {
            numbers.iter().any(|(variable, of)| *variable == it && Some(*of) == function)
        }
        ExprKind::Cast(it) => again(it),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
            let constant = |it: ExprId| program.constant(it).is_some();
            again(left) && constant(right) || constant(left) && again(right)
        }
        ExprKind::Binary(BinaryOp::Multiply, left, right) => {
            let factor = |it: ExprId| program.constant(it).is_some_and(|it| it != 0);
            again(left) && factor(right) || factor(left) && again(right)
        }
        _ => is_number_call(program, expr),
    }
}
