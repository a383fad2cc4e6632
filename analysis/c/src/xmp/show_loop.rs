//! Who executes which iterations of a distributed loop, in words.

use std::fmt::Write as _;

use super::loops::DistributedLoop;
use super::model::{GridKind, Model, target};
use super::partition::Partition;
use super::show::{MAX_PICTURED_NODES, node_name};
use crate::hir::{Directive, Program};

/// Markdown about a `loop` directive; `None` if it names nothing.
pub fn describe_loop(program: &Program, model: &Model, directive: &Directive) -> Option<String> {
    let on = target(directive, "on")?;
    let grid = model.grid(&on.name, directive.function)?;
    let mut text = match grid.kind {
        GridKind::Nodes => {
            format!("Each node of `{}` executes the iteration with its own number.", grid.name)
        }
        GridKind::Template => {
            format!("Each node executes the iterations whose indices of `{}` it owns.", grid.name)
        }
    };
    for (clause, what) in [
        ("expand", "`expand`: a node executes those of its neighbours at the ends of its block too."),
        ("margin", "`margin`: a node executes the iterations at the ends of its block alone."),
        (
            "peel_and_wait",
            "`peel_and_wait`: the iterations at the ends of the block wait for the messages, the others do not.",
        ),
        ("reduction", "The values of all nodes are combined behind the loop."),
        ("acc", "The accelerator of each node executes them."),
    ] {
        if directive.clause(clause).is_some() {
            let _ = write!(text, "\n\n{what}");
        }
    }
    let Some(of) = DistributedLoop::of(program, model, directive) else { return Some(text) };
    let partitions =
        (0..of.template.axes.len()).filter_map(|axis| Some((axis, Partition::of(model, of.template, axis)?)));
    let partitions: Vec<(usize, Partition)> = partitions.collect();
    let mut table = String::new();
    for (axis, partition) in &partitions {
        if let Some(number) = of.loop_of_axis(program, *axis) {
            let name = &program.variable(of.nest[number].variable).name;
            let _ = write!(table, "{}", rows(name, of.iterations[number], partition, partitions.len()));
        } else {
            let all = format!(
                "All nodes along axis {} of `{}` execute the same iterations.",
                partition.node_axis, partition.nodes
            );
            let _ = write!(text, "\n\n{all}");
        }
    }
    if !table.is_empty() {
        let _ = write!(text, "\n\n```text\n{table}```");
    }
    Some(text)
}

/// The iterations of each node of an axis.
fn rows(name: &str, iterations: Option<(i128, i128)>, partition: &Partition, axes: usize) -> String {
    if partition.is_count_assumed || partition.count > MAX_PICTURED_NODES {
        return String::new();
    }
    let row = |node: i128| {
        let part = match iterations {
            Some(range) => partition.part_within(node, range),
            None => format!("{} as far as the loop goes", partition.part_text(node)),
        };
        format!("{}: {name} = {part}\n", node_name(partition, node, axes))
    };
    (0..partition.count).map(row).collect()
}
