//! `xmp/access-beyond-shadow`

use apg_c_syntax::TextRange;
use apg_diagnostics::{Rule, Severity};

use crate::hir::VariableId;
use crate::rules::Context;
use crate::xmp::loops::{Access, DistributedLoop, aligned_axis};
use crate::xmp::{GlobalArray, Model, Partition, Width, directives};

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

/// A loop over the indices of an axis in blocks.
struct BlockLoop {
    /// The axis of the template as it is written.
    axis: usize,
    /// The loop, as a number of the nest.
    number: usize,
    variable: VariableId,
    /// The first and the last iteration.
    iterations: (i128, i128),
    partition: Partition,
}

pub(super) fn check(cx: &mut Context<'_>) {
    let model = Model::of(cx.program);
    for directive in directives(cx.program).filter(|it| it.name == "loop") {
        if let Some(found) = DistributedLoop::of(cx.program, &model, directive) {
            check_loop(cx, &model, &found);
        }
    }
}

fn check_loop(cx: &mut Context<'_>, model: &Model, of: &DistributedLoop<'_>) {
    if !of.runs_to_its_end(cx.program) {
        return;
    }
    let loops: Vec<BlockLoop> =
        (0..of.template.axes.len()).filter_map(|axis| block_loop(cx, model, of, axis)).collect();
    for access in of.accesses(cx.program, model) {
        let array = access.array;
        if array.template == of.template.name && array.target_spelling == of.on.spelling {
            loops.iter().for_each(|it| check_access(cx, model, (of, it), &access));
        }
    }
}

fn check_access(
    cx: &mut Context<'_>,
    model: &Model,
    (nest, of): (&DistributedLoop<'_>, &BlockLoop),
    access: &Access<'_>,
) {
    let array = access.array;
    let Some(axis) = aligned_axis(array, of.axis) else { return };
    let index = nest.affine(cx.program, access.subscripts[axis]);
    let Some(index) = index.filter(|it| it.variable == Some(of.number)) else { return };
    let (shadow, declaration) = match model.shadow_of(array.variable) {
        Some(it) if it.widths.len() == array.axes.len() => (it.widths[axis], it.range),
        Some(_) => return,
        None => (Width::Sides(0, 0), array.range),
    };
    let Width::Sides(below, above) = shadow else { return };
    if index.offset > above || -index.offset > below {
        let Some(iteration) = crossing(of, index.offset) else { return };
        let range = cx.program.expr(access.subscripts[axis]).range;
        report(cx, array, range, (shadow, declaration), of, iteration);
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
    let nodes = of.partition.on_nodes();
    let message = format!(
        "{shadow}, and with `{counter}` = {iteration} this element is in another node's block{nodes}"
    );
    cx.report_pair(&RULE, (range, message), (declaration, "the array's declaration"));
}

/// An iteration at the end of a block from which an offset leads into another block of the axis.
fn crossing(of: &BlockLoop, offset: i128) -> Option<i128> {
    let (first, last) = of.partition.indices;
    let is_inside = |it: &i128| {
        (of.iterations.0..=of.iterations.1).contains(it) && (first..=last).contains(&(it + offset))
    };
    let ends = of.partition.boundaries().map(|start| if offset > 0 { start - 1 } else { start });
    ends.into_iter().find(is_inside)
}

/// The loop over an axis of a template that is distributed in blocks onto several nodes.
fn block_loop(cx: &Context<'_>, model: &Model, of: &DistributedLoop<'_>, axis: usize) -> Option<BlockLoop> {
    let number = of.loop_of_axis(cx.program, axis)?;
    let partition = Partition::of(model, of.template, axis)?;
    partition.block().filter(|_| partition.count > 1)?;
    let (variable, iterations) = (of.nest[number].variable, of.iterations[number]?);
    Some(BlockLoop { axis, number, variable, iterations, partition })
}
