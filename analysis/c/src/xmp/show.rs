//! The distribution of a global array in words, with a picture of the nodes that own its elements.

use std::fmt::Write as _;

use super::model::{Distribution, GlobalArray, Grid, Model, Width};
use crate::hir::{Length, Program, Spelling, Subscript, SubscriptKind, Type, VariableId};

/// Maximum number of nodes in a picture.
const MAX_PICTURED_NODES: i128 = 8;

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
        if let Some(picture) = nodes.and_then(|it| picture(template, distribution, it, name)) {
            let _ = write!(text, "\n\n```text\n{picture}```");
        }
        if let Some(local) = nodes.and_then(|it| local_elements(program, array, template, distribution, it)) {
            let _ = write!(text, "\n\nAt most {local} elements on each node");
            if let Some(bytes) = element_bytes(program, variable) {
                let _ = write!(text, ", {} bytes", local.saturating_mul(bytes));
            }
            text.push_str(" without shadows.");
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

/// The size of an axis's part on the first node, which has the most.
fn part(format: &str, size: i128, nodes: i128) -> Option<i128> {
    match format.split_once('(') {
        None if format == "block" => Some(size.checked_add(nodes - 1)? / nodes),
        None if format == "cyclic" => Some(size.checked_add(nodes - 1)? / nodes),
        None if format == "*" => Some(size),
        _ => None,
    }
}

/// The sizes of the nodes' axes for the distributed axes of a template, 1 for the others.
fn node_counts(distribution: &Distribution, nodes: &Grid) -> Option<Vec<i128>> {
    let mut axes = nodes.axes.iter();
    let of_format = |format: &smol_str::SmolStr| match format.as_str() {
        "*" => Some(1),
        _ => axes.next()?.size().filter(|it| *it > 0),
    };
    distribution.formats.iter().map(of_format).collect()
}

/// The most elements of an array on one node. Each subscript of an axis must be one of the template as well.
fn local_elements(
    program: &Program,
    array: &GlobalArray,
    template: &Grid,
    distribution: &Distribution,
    nodes: &Grid,
) -> Option<u64> {
    let counts = node_counts(distribution, nodes)?;
    let (mut ty, mut elements) = (&program.variable(array.variable).ty, 1_u64);
    for subscript in &array.axes {
        let Type::Array(element, Length::Constant(length)) = ty else { return None };
        ty = element;
        let axis = match subscript.kind {
            SubscriptKind::Star => None,
            _ => Some(array.target.iter().position(|it| it.text == subscript.text)?),
        };
        let local = match axis {
            None => *length,
            // The array must cover the template's axis, so that the parts of both are the same.
            Some(axis) if template.axes.get(axis)?.size() == Some(i128::from(*length)) => {
                let part = part(distribution.formats.get(axis)?, (*length).into(), *counts.get(axis)?)?;
                u64::try_from(part).ok()?
            }
            Some(_) => return None,
        };
        elements = elements.checked_mul(local)?;
    }
    Some(elements)
}

fn element_bytes(program: &Program, variable: VariableId) -> Option<u64> {
    let mut ty = &program.variable(variable).ty;
    while let Type::Array(element, _) = ty {
        ty = element;
    }
    program.size_of(ty)
}

/// The indices of each node, for a template with one distributed axis in blocks.
fn picture(template: &Grid, distribution: &Distribution, nodes: &Grid, array: &str) -> Option<String> {
    let mut distributed = (0..distribution.formats.len()).filter(|it| distribution.formats[*it] != "*");
    let (axis, None) = (distributed.next()?, distributed.next()) else { return None };
    let (first, last) = template.axes.get(axis)?.bounds?;
    let (numbers, count) = (nodes.axes.first()?.bounds?, nodes.size()?);
    if distribution.formats[axis] != "block" || !(1..=MAX_PICTURED_NODES).contains(&count) {
        return None;
    }
    let size = part("block", template.axes[axis].size()?, count)?;
    let mut text = String::new();
    for node in 0..count {
        let from = first + node * size;
        let to = last.min(from + size - 1);
        let owned = if from > to { "nothing".to_owned() } else { format!("{from}..{to}") };
        let _ = writeln!(text, "{}({}): {array} at {} {owned}", nodes.name, numbers.0 + node, template.name);
    }
    Some(text)
}
