//! `xmp/access-beyond-shadow`

use apg_c_syntax::TextRange;
use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{
    BinaryOp, Directive, ExprId, ExprKind, Program, StmtId, StmtKind, SubscriptKind, VariableId,
};
use crate::loops::{CanonicalLoop, canonical};
use crate::rules::Context;
use crate::xmp::{GlobalArray, Grid, Model, Width, directives, target};

/// An element that the executing node does not have.
pub static RULE: Rule = Rule {
    code: "xmp/access-beyond-shadow",
    severity: Severity::Warning,
    summary: "An access of a distributed loop to an element of another node that the shadow does not have.",
    explanation: r##"
A node executes the iterations of a `loop` whose indices it owns, and has the elements of a global array at these indices, and those in its shadow. At
the end of a block this subscript leads beyond both: memory that belongs to something else is read or written. On one node the program works.

Declare a shadow that is wide enough with `shadow`, and bring it up to date with `reflect` before the loop.
"##,
    failing: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
double a[100], b[100];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]
void smooth(void) {
    #pragma xmp loop on t[i]
    for (int i = 1; i < 99; i++) b[i] = a[i] + a[i + 1];
}
"##,
    fixed: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
double a[100], b[100];
#pragma xmp align a[i] with t[i]
#pragma xmp shadow a[1]
#pragma xmp align b[i] with t[i]
void smooth(void) {
    #pragma xmp reflect (a)
    #pragma xmp loop on t[i]
    for (int i = 1; i < 99; i++) b[i] = a[i] + a[i + 1];
}
"##,
};

/// Maximum number of nodes of an axis whose blocks are compared.
const MAX_NODES: i128 = 4096;

/// Clauses that change which iterations a node executes.
const OTHER_ITERATIONS: [&str; 3] = ["expand", "margin", "peel_and_wait"];

/// A loop with its first and last iteration.
type ConstantLoop = (CanonicalLoop, (i128, i128));

/// A loop over the indices of an axis in blocks.
struct BlockLoop {
    /// The axis of the template as it is written.
    axis: usize,
    variable: VariableId,
    /// The first and the last iteration.
    iterations: (i128, i128),
    /// The first and the last index of the axis.
    indices: (i128, i128),
    /// The number of indices in a block.
    block: i128,
    /// The number of blocks.
    nodes: i128,
}

pub(super) fn check(cx: &mut Context<'_>) {
    let model = Model::of(cx.program);
    for directive in directives(cx.program).filter(|it| it.name == "loop") {
        if !OTHER_ITERATIONS.iter().any(|it| directive.clause(it).is_some()) {
            check_loop(cx, &model, directive);
        }
    }
}

fn check_loop(cx: &mut Context<'_>, model: &Model, directive: &Directive) {
    let Some((nest, body)) = nest(cx, directive) else { return };
    let Some(on) = target(directive, "on") else { return };
    let Some(template) = model.grid(&on.name, directive.function) else { return };
    if on.spelling != Some(template.spelling) || !runs_to_its_end(cx.program, body, &nest) {
        return;
    }
    let of_axis = |axis: usize| {
        let name = on.subscripts.get(axis)?.text.as_str();
        let (it, iterations) = nest.iter().find(|it| cx.name(it.0.variable) == name)?;
        block_loop(model, template, axis, it.variable, *iterations)
    };
    let loops: Vec<BlockLoop> = (0..template.axes.len()).filter_map(of_axis).collect();
    for (array, subscripts) in accesses(cx.program, model, body) {
        let is_of_template = array.template == template.name && array.target_spelling == on.spelling;
        if is_of_template && subscripts.len() == array.axes.len() {
            loops.iter().for_each(|it| check_access(cx, model, array, &subscripts, it));
        }
    }
}

fn check_access(
    cx: &mut Context<'_>,
    model: &Model,
    array: &GlobalArray,
    subscripts: &[ExprId],
    of: &BlockLoop,
) {
    let Some(index) = array.target.get(of.axis) else { return };
    if !matches!(index.kind, SubscriptKind::Expr(_)) {
        return;
    }
    let Some(axis) = array.axes.iter().position(|it| it.text == index.text) else { return };
    let Some(offset) = offset(cx.program, subscripts[axis], of.variable) else { return };
    let (shadow, declaration) = match model.shadow_of(array.variable) {
        Some(it) if it.widths.len() == array.axes.len() => (it.widths[axis], it.range),
        Some(_) => return,
        None => (Width::Sides(0, 0), array.range),
    };
    let Width::Sides(below, above) = shadow else { return };
    if offset > above || -offset > below {
        let Some(iteration) = crossing(of, offset) else { return };
        report(cx, array, cx.program.expr(subscripts[axis]).range, (shadow, declaration), of, iteration);
    }
}

fn report(
    cx: &mut Context<'_>,
    array: &GlobalArray,
    range: TextRange,
    (shadow, declaration): (Width, TextRange),
    of: &BlockLoop,
    iteration: i128,
) {
    let (name, counter) = (cx.name(array.variable), cx.name(of.variable));
    let shadow = match shadow {
        Width::Sides(0, 0) => format!("`{name}` has no shadow in this axis"),
        _ => format!("the shadow of `{name}` is {shadow}"),
    };
    let message =
        format!("{shadow}, and with `{counter}` = {iteration} this element is in another node's block");
    cx.report_pair(&RULE, (range, message), (declaration, "the array's declaration"));
}

/// An iteration at the end of a block from which an offset leads into another block of the axis.
fn crossing(of: &BlockLoop, offset: i128) -> Option<i128> {
    let (first, last) = of.indices;
    let is_inside = |it: &i128| {
        (of.iterations.0..=of.iterations.1).contains(it) && (first..=last).contains(&(it + offset))
    };
    let ends = (1..of.nodes).map(|node| match offset > 0 {
        true => first + node * of.block - 1,
        false => first + node * of.block,
    });
    ends.filter(|it| *it <= last).find(is_inside)
}

/// The loops that a directive is about, with their iterations, and the body of the innermost; `None` if they
/// are not constant or some has no iteration.
fn nest(cx: &Context<'_>, directive: &Directive) -> Option<(Vec<ConstantLoop>, StmtId)> {
    let mut nest = Vec::new();
    let mut body = directive.body?;
    while let Ok(found) = canonical(cx.program, cx.without_blocks(body)) {
        body = found.body;
        let iterations = iterations(cx.program, &found)?;
        nest.push((found, iterations));
    }
    (!nest.is_empty()).then_some((nest, body))
}

/// The first and the last iteration of a loop with step one, if they are constant.
fn iterations(program: &Program, of: &CanonicalLoop) -> Option<(i128, i128)> {
    let is_by_one = of.step.is_none_or(|it| program.constant(it) == Some(1)) && !of.is_downward;
    let (start, end) = (program.constant(of.start)?, program.constant(of.end)?);
    let last = match of.comparison {
        BinaryOp::Less => end.checked_sub(1)?,
        BinaryOp::LessEqual => end,
        _ => return None,
    };
    (is_by_one && start <= last).then_some((start, last))
}

/// A loop over an axis of a template that is distributed in blocks onto several nodes.
fn block_loop(
    model: &Model,
    template: &Grid,
    axis: usize,
    variable: VariableId,
    iterations: (i128, i128),
) -> Option<BlockLoop> {
    let distribution = template.distribution.as_ref()?;
    let nodes = model.grid(&distribution.nodes, template.function)?;
    let formats = distribution.formats.get(..=axis)?;
    let node_axis = formats[..axis].iter().filter(|it| *it != "*").count();
    let count = nodes.axes.get(node_axis)?.size()?;
    let indices = template.axes.get(axis)?.bounds?;
    let size = template.axes[axis].size()?;
    let is_in_blocks = formats[axis] == "block" && (2..=MAX_NODES).contains(&count) && size > 0;
    let block = size.checked_add(count - 1)? / count;
    is_in_blocks.then_some(BlockLoop { axis, variable, iterations, indices, block, nodes: count })
}

/// Whether each iteration executes all of a body, and none changes the variables of the loops.
fn runs_to_its_end(program: &Program, body: StmtId, nest: &[ConstantLoop]) -> bool {
    let is_counter = |it: ExprId| {
        let variable = program.base_variable(it);
        nest.iter().any(|it| Some(it.0.variable) == variable)
    };
    let mut result = true;
    program.walk_stmt(body, &mut |node| {
        result &= match node {
            Node::Stmt(it) => !matches!(
                program.stmt(it).kind,
                StmtKind::Break
                    | StmtKind::Continue
                    | StmtKind::Goto(_)
                    | StmtKind::Return(_)
                    | StmtKind::Label(..)
            ),
            Node::Expr(it) => match program.expr(it).kind {
                ExprKind::Assign(_, target, _)
                | ExprKind::Increment { target, .. }
                | ExprKind::AddressOf(target) => !is_counter(target),
                _ => true,
            },
            Node::Directive(_) => true,
        };
        result
    });
    result
}

/// The elements of global arrays that each iteration accesses, with their subscripts.
fn accesses<'m>(program: &Program, model: &'m Model, body: StmtId) -> Vec<(&'m GlobalArray, Vec<ExprId>)> {
    let mut found = Vec::new();
    program.walk_stmt(body, &mut |node| match node {
        // Executed under a condition, or not as they are written.
        Node::Stmt(it) => {
            matches!(program.stmt(it).kind, StmtKind::Block(_) | StmtKind::Expr(_) | StmtKind::Declaration(_))
        }
        Node::Directive(_) => false,
        Node::Expr(it) => {
            if let Some((variable, subscripts)) = element(program, it)
                && let Some(array) = model.array(variable)
            {
                found.push((array, subscripts));
            }
            !matches!(
                program.expr(it).kind,
                ExprKind::Conditional(..)
                    | ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..)
                    | ExprKind::AddressOf(_)
                    | ExprKind::Block(_)
            )
        }
    });
    found
}

/// The array and the subscripts of `a[i][j]`.
fn element(program: &Program, mut expr: ExprId) -> Option<(VariableId, Vec<ExprId>)> {
    let mut subscripts = Vec::new();
    while let ExprKind::Index(base, index) = program.expr(expr).kind {
        subscripts.push(index);
        expr = base;
    }
    subscripts.reverse();
    match program.expr(expr).kind {
        ExprKind::Variable(variable) if !subscripts.is_empty() => Some((variable, subscripts)),
        _ => None,
    }
}

/// The constant that is added to a variable.
fn offset(program: &Program, expr: ExprId, variable: VariableId) -> Option<i128> {
    let is_variable = |it: ExprId| program.expr(it).kind == ExprKind::Variable(variable);
    match program.expr(expr).kind {
        ExprKind::Binary(BinaryOp::Add, left, right) if is_variable(left) => program.constant(right),
        ExprKind::Binary(BinaryOp::Add, left, right) if is_variable(right) => program.constant(left),
        ExprKind::Binary(BinaryOp::Subtract, left, right) if is_variable(left) => {
            program.constant(right)?.checked_neg()
        }
        _ => None,
    }
    .filter(|it| it.unsigned_abs() < 1 << 64)
}
