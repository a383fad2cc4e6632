//! `xmp/unaligned-loop`

use apg_diagnostics::{Rule, Severity};

use crate::hir::Program;
use crate::rules::Context;
use crate::xmp::loops::{Access, Affine, DistributedLoop, distribution_of};
use crate::xmp::{Model, Partition, Width, directives};

/// A loop whose iterations are on other nodes than the elements they store to.
pub static RULE: Rule = Rule {
    code: "xmp/unaligned-loop",
    severity: Severity::Warning,
    summary: "A distributed loop that stores to elements which the nodes of its iterations do not have.",
    explanation: r##"
`loop` gives each iteration to the node that owns the index of the template, and an array's elements are where its own template puts them. Here the
two differ: an iteration stores to an element of another node, which is neither in the block nor in the shadow of the node that executes it. Memory
that belongs to something else changes. On one node the program works.

Distribute the loop as the array is: name the array's template, with the loop's variables in the order of the array's axes. Where an array has to be
distributed in another way, `gmove` moves its elements.
"##,
    failing: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp template u[100]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute u[cyclic] onto p
double a[100];
#pragma xmp align a[i] with u[i]
void number(void) {
    #pragma xmp loop on t[i]
    for (int i = 0; i < 100; i++) a[i] = i;
}
"##,
    fixed: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp template u[100]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute u[cyclic] onto p
double a[100];
#pragma xmp align a[i] with u[i]
void number(void) {
    #pragma xmp loop on u[i]
    for (int i = 0; i < 100; i++) a[i] = i;
}
"##,
};

/// Maximum number of iterations that are compared one by one.
const MAX_ITERATIONS: i128 = 10_000;

/// An element and the iteration that stores to it on another node.
struct Elsewhere {
    /// The value of the loop's variable; `None` if all nodes of the axis execute the iteration.
    iteration: Option<(usize, i128)>,
    /// The nodes that execute it and that own the element, counted from 0.
    executes: i128,
    owns: i128,
    /// The index of the element along the axis.
    index: i128,
}

pub(super) fn check(cx: &mut Context<'_>) {
    let model = Model::of(cx.program);
    for directive in directives(cx.program).filter(|it| it.name == "loop") {
        let is_partial = cx.around(directive).any(|it| it.1.name.starts_with("task") || it.1.name == "loop");
        let Some(of) = DistributedLoop::of(cx.program, &model, directive).filter(|_| !is_partial) else {
            continue;
        };
        if !of.runs_to_its_end(cx.program) {
            continue;
        }
        for access in of.accesses(cx.program, &model).iter().filter(|it| it.is_written) {
            check_access(cx, &model, &of, access);
        }
    }
}

fn check_access(cx: &mut Context<'_>, model: &Model, of: &DistributedLoop<'_>, access: &Access<'_>) {
    for axis in 0..access.subscripts.len() {
        let Some((owners, to_template)) = distribution_of(cx.program, model, access.array, axis) else {
            continue;
        };
        let Some(index) = of.affine(cx.program, access.subscripts[axis]) else { continue };
        let Some(executing) = executing(cx.program, model, of, &owners) else { continue };
        if is_other_rules(cx.program, of, access, &executing, index) {
            continue;
        }
        let Some(shadow) = shadow(model, access, axis) else { continue };
        if let Some(found) = elsewhere(of, &executing, (&owners, to_template), index, shadow) {
            report(cx, model, of, access, &owners, axis, &found);
            return;
        }
    }
}

/// The loop that is divided along the nodes' axis of an array's axis, and how; no loop if all of these nodes
/// execute each iteration. `None` if it is not known.
fn executing(
    program: &Program,
    model: &Model,
    of: &DistributedLoop<'_>,
    owners: &Partition,
) -> Option<(Option<(usize, usize)>, Partition)> {
    let distribution = of.template.distribution.as_ref()?;
    let is_same_nodes = distribution.nodes == owners.nodes;
    if !is_same_nodes || owners.count < 2 {
        return None;
    }
    let axes: Vec<Option<Partition>> =
        (0..of.template.axes.len()).map(|axis| Partition::of(model, of.template, axis)).collect();
    let axis = axes.iter().position(|it| it.as_ref().is_some_and(|it| it.node_axis == owners.node_axis))?;
    let partition = axes[axis].clone()?;
    match of.on.subscripts[axis].kind {
        crate::hir::SubscriptKind::Star => Some((None, partition)),
        _ => Some((Some((axis, of.loop_of_axis(program, axis)?)), partition)),
    }
}

/// Whether `xmp/access-beyond-shadow` judges an access: an offset along an axis in blocks, which the loop is
/// divided along.
fn is_other_rules(
    program: &Program,
    of: &DistributedLoop<'_>,
    access: &Access<'_>,
    (executing, partition): &(Option<(usize, usize)>, Partition),
    index: Affine,
) -> bool {
    let Some((template_axis, number)) = *executing else { return false };
    let aligned = crate::xmp::loops::aligned_axis(access.array, template_axis);
    partition.block().is_some()
        && access.array.template == of.template.name
        && index.variable == Some(number)
        && aligned.is_some_and(|it| of.affine(program, access.subscripts[it]) == Some(index))
}

/// The widths of the shadow of an axis; `None` if they are not constant.
fn shadow(model: &Model, access: &Access<'_>, axis: usize) -> Option<(i128, i128)> {
    let Some(shadow) = model.shadow_of(access.array.variable) else { return Some((0, 0)) };
    match shadow.widths.get(axis)? {
        Width::Sides(below, above) => Some((*below, *above)),
        Width::Full | Width::Unknown => None,
    }
}

/// An iteration on a node that has its element neither in its block nor in its shadow.
fn elsewhere(
    of: &DistributedLoop<'_>,
    (executing, nodes): &(Option<(usize, usize)>, Partition),
    (owners, to_template): (&Partition, i128),
    index: Affine,
    (below, above): (i128, i128),
) -> Option<Elsewhere> {
    let lacks = |node: i128, element: i128| {
        let owner = owners.owner(element + to_template)?;
        let near = (-above..=below).any(|it| owners.owner(element + to_template + it) == Some(node));
        (!near).then_some(owner)
    };
    if below + above > MAX_ITERATIONS {
        return None;
    }
    let elements = of.range(index)?;
    let Some((_, number)) = *executing else {
        // All nodes of the axis store to the same elements.
        return (0..nodes.count).find_map(|node| {
            let owns = lacks(node, elements.0)?;
            Some(Elsewhere { iteration: None, executes: node, owns, index: elements.0 })
        });
    };
    let (first, last) = of.iterations[number]?;
    let iterations = || first..=last.min(first.saturating_add(MAX_ITERATIONS));
    let found = |iteration: i128, element: i128| {
        let executes = nodes.owner(iteration)?;
        let owns = lacks(executes, element)?;
        Some(Elsewhere { iteration: Some((number, iteration)), executes, owns, index: element })
    };
    match index.variable == Some(number) {
        true => iterations().find_map(|it| found(it, it + index.offset)),
        false => iterations().find_map(|it| found(it, elements.0).or_else(|| found(it, elements.1))),
    }
}

fn report(
    cx: &mut Context<'_>,
    model: &Model,
    of: &DistributedLoop<'_>,
    access: &Access<'_>,
    owners: &Partition,
    axis: usize,
    found: &Elsewhere,
) {
    let name = cx.name(access.array.variable);
    let element = match access.subscripts.len() {
        1 => format!("`{name}[{}]`", found.index),
        _ => format!("`{name}` at index {} of axis {axis}", found.index),
    };
    let is_single = model.grid(&owners.nodes, None).is_none_or(|it| it.axes.len() == 1);
    let node = |number: i128| match is_single {
        true => format!("node {}", number + owners.first_node),
        false => {
            format!(
                "a node with index {} in axis {} of `{}`",
                number + owners.first_node,
                owners.node_axis,
                owners.nodes
            )
        }
    };
    let iteration = match found.iteration {
        Some((number, value)) => {
            format!("executes the iteration `{}` = {value}", cx.name(of.nest[number].variable))
        }
        None => "executes every iteration".to_owned(),
    };
    let message = format!(
        "{} {iteration}, which stores to {element}, and {} has that element{}",
        node(found.executes),
        node(found.owns),
        owners.on_nodes()
    );
    let range = cx.program.expr(access.expr).range;
    cx.report_pair(&RULE, (range, message), (of.on.name_range, "the loop is distributed here"));
}
