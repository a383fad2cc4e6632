//! The distribution of a global array in words, with a picture of the nodes that own its elements.

use std::fmt::Write as _;

use super::loops::{aligned_index, distribution_of};
use super::model::{GlobalArray, Grid, Model, Width};
use super::partition::Partition;
use crate::hir::{Length, Program, Spelling, Subscript, SubscriptKind, Type, VariableId};

/// Maximum number of nodes in a picture.
pub(super) const MAX_PICTURED_NODES: i128 = 8;

/// Markdown about a global array; `None` if the variable is none.
pub fn describe_array(program: &Program, model: &Model, variable: VariableId) -> Option<String> {
    let array = model.array(variable)?;
    let name = &program.variable(variable).name;
    let subscripts = |list: &[Subscript], brackets: (&str, &str), between: &str| {
        let parts: Vec<&str> = list.iter().map(|it| it.text.as_str()).collect();
        format!("{}{}{}", brackets.0, parts.join(between), brackets.1)
    };
    let target = match array.target_spelling {
        Some(Spelling::Parentheses) => subscripts(&array.target, ("(", ")"), ", "),
        _ => subscripts(&array.target, ("[", "]"), "]["),
    };
    let mut text = format!(
        "`{name}` is a **global array**: `{name}{}` is where `{}{target}` is",
        subscripts(&array.axes, ("[", "]"), "]["),
        array.template
    );
    let template = model.grid(&array.template, program.variable(variable).function);
    let distribution = template.and_then(|it| Some((it, it.distribution.as_ref()?)));
    if let Some((template, distribution)) = distribution {
        let nodes = model.grid(&distribution.nodes, template.function);
        let formats = distribution.formats.join(", ");
        let _ =
            write!(text, "\n\n`{}` is distributed ({formats}) onto `{}`", array.template, distribution.nodes);
        if let Some(count) = nodes.and_then(Grid::size) {
            let _ = write!(text, ", {count} {}", if count == 1 { "node" } else { "nodes" });
        }
        let pictures = picture(program, model, array, template);
        if !pictures.is_empty() {
            let _ = write!(text, "\n\n```text\n{pictures}```");
        }
        if let Some(of_node) = LocalPart::of(program, model, array) {
            let _ = write!(text, "\n\nAt most {} elements on each node", of_node.elements());
            if let Some(bytes) = element_bytes(program, variable) {
                let bytes = |elements: i128| elements.saturating_mul(bytes.into());
                let _ = write!(text, ", {} bytes without shadows", bytes(of_node.elements()));
                if of_node.elements() != of_node.elements_with_shadows() {
                    let _ = write!(text, " and {} bytes with them", bytes(of_node.elements_with_shadows()));
                }
            }
            text.push('.');
        }
    }
    if let Some(shadow) = model.shadow_of(variable) {
        let widths: Vec<String> = shadow.widths.iter().map(|it| it.to_string()).collect();
        let _ = write!(text, "\n\nShadow: {}", widths.join(", "));
    }
    Some(text)
}

impl std::fmt::Display for Width {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Width::Sides(below, above) if below == above => write!(f, "{below}"),
            Width::Sides(below, above) => write!(f, "{below} below and {above} above"),
            Width::Full => f.write_str("the whole axis"),
            Width::Unknown => f.write_str("not constant"),
        }
    }
}

/// The part of an array that a node has, at most.
pub(super) struct LocalPart {
    /// Each axis of the array.
    pub(super) axes: Vec<LocalAxis>,
}

/// The part of an axis that a node has, at most.
pub(super) struct LocalAxis {
    /// The number of elements.
    pub(super) elements: i128,
    /// Those of the shadow, below and above.
    pub(super) shadow: (i128, i128),
}

impl LocalPart {
    /// Of an array whose extents, distribution and shadows are constant. A shadow of the whole axis has no
    /// constant part; a number of nodes that is left open neither.
    pub(super) fn of(program: &Program, model: &Model, array: &GlobalArray) -> Option<LocalPart> {
        let shadow = model.shadow_of(array.variable);
        let (mut ty, mut axes) = (&program.variable(array.variable).ty, Vec::new());
        for (number, subscript) in array.axes.iter().enumerate() {
            let Type::Array(element, Length::Constant(length)) = ty else { return None };
            ty = element;
            let partition = match subscript.kind {
                SubscriptKind::Star => None,
                _ => distribution_of(program, model, array, number),
            };
            let is_divided = divides(program, model, array, number)?;
            let length = i128::from(*length);
            let elements = match partition {
                Some((partition, _)) if !partition.is_count_assumed => partition.largest_part().min(length),
                None if !is_divided => length,
                _ => return None,
            };
            let shadow = match shadow.and_then(|it| it.widths.get(number)) {
                Some(Width::Sides(below, above)) => (*below, *above),
                None => (0, 0),
                Some(Width::Full | Width::Unknown) => return None,
            };
            let is_possible = |it: i128| (0..1 << 40).contains(&it);
            if !(is_possible(length) && is_possible(shadow.0) && is_possible(shadow.1)) {
                return None;
            }
            axes.push(LocalAxis { elements, shadow });
        }
        Some(LocalPart { axes })
    }

    /// The number of elements in the block.
    pub(super) fn elements(&self) -> i128 {
        self.axes.iter().fold(1, |all, it| all.saturating_mul(it.elements))
    }

    /// The number of elements in the block and in the shadow.
    fn elements_with_shadows(&self) -> i128 {
        self.axes.iter().fold(1, |all, it| all.saturating_mul(it.elements + it.shadow.0 + it.shadow.1))
    }
}

/// Whether an axis of an array is where a distributed axis of the template is; `None` if it is not known.
fn divides(program: &Program, model: &Model, array: &GlobalArray, axis: usize) -> Option<bool> {
    if let SubscriptKind::Star = array.axes[axis].kind {
        return Some(false);
    }
    let template = model.grid(&array.template, program.variable(array.variable).function)?;
    let formats = &template.distribution.as_ref()?.formats;
    let of_axis = |it: &Subscript| aligned_index(program, array, it).is_some_and(|it| it.0 == axis);
    let number = array.target.iter().position(of_axis)?;
    Some(formats.get(number)? != "*")
}

pub(super) fn element_bytes(program: &Program, variable: VariableId) -> Option<u64> {
    let mut ty = &program.variable(variable).ty;
    while let Type::Array(element, _) = ty {
        ty = element;
    }
    program.size_of(ty)
}

/// The indices of each node, for each axis of a template that is divided among a few.
fn picture(program: &Program, model: &Model, array: &GlobalArray, template: &Grid) -> String {
    let mut text = String::new();
    let name = &program.variable(array.variable).name;
    let axes = 0..template.axes.len();
    let divided: Vec<(usize, Partition)> =
        axes.filter_map(|axis| Some((axis, Partition::of(model, template, axis)?))).collect();
    for (axis, partition) in &divided {
        if partition.is_count_assumed || partition.count > MAX_PICTURED_NODES {
            continue;
        }
        let of_axis = if template.axes.len() > 1 { format!(" axis {axis},") } else { String::new() };
        for node in 0..partition.count {
            let place = node_name(partition, node, divided.len());
            let _ =
                writeln!(text, "{place}: {name} at {}{of_axis} {}", template.name, partition.part_text(node));
        }
    }
    text
}

/// The nodes with a number in one axis: `p(1)`, `p(*, 0)`.
pub(super) fn node_name(partition: &Partition, node: i128, axes: usize) -> String {
    let number = (node + partition.first_node).to_string();
    let of_axis = |it: usize| if it == partition.node_axis { number.as_str() } else { "*" };
    let numbers: Vec<&str> = (0..axes.max(1)).map(of_axis).collect();
    format!("{}({})", partition.nodes, numbers.join(", "))
}
