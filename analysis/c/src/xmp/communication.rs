//! What directives of XcalableMP move between nodes: for each, lines that say what, between whom and how much
//! (specification 1.4, chapters 4 to 6).

use super::model::{GlobalArray, Model, Width, target, width};
use super::show::{LocalPart, element_bytes};
use super::stale_shadows::reflected;
use crate::hir::visit::Node;
use crate::hir::{
    Directive, ExprId, ExprKind, Mapping, Program, StmtId, Subscript, SubscriptKind, VariableId,
};

/// What a directive moves, a line each; empty if it moves nothing.
pub fn communication(program: &Program, model: &Model, directive: &Directive) -> Vec<String> {
    let mut lines = match directive.name.as_str() {
        "reflect" | "reflect_init" => reflect(program, model, directive),
        "reflect_do" => named(program, directive, |name| format!("`{name}`: as its `reflect_init` says")),
        "reduce_shadow" => named(program, directive, |name| {
            format!("`{name}`: what is in shadows is added to the elements of their owners")
        }),
        "bcast" => broadcast(program, directive),
        "reduction" => vec!["every node gives its value and gets the combined one (all-reduce)".to_owned()],
        "loop" if directive.clause("reduction").is_some() => {
            vec![
                "behind the loop every node gives its value and gets the combined one (all-reduce)"
                    .to_owned(),
            ]
        }
        "gmove" => gmove(program, model, directive).into_iter().collect(),
        "barrier" => vec!["every node waits for all others; no data".to_owned()],
        _ => Vec::new(),
    };
    if !lines.is_empty() {
        lines.extend(path(directive).map(str::to_owned));
    }
    lines
}

/// The way of the data.
fn path(directive: &Directive) -> Option<&'static str> {
    let is_of_accelerators = directive.clause("acc").is_some();
    match directive.name.as_str() {
        "barrier" => None,
        "reflect" | "reflect_init" | "reflect_do" if is_of_accelerators => Some(
            "path: from the memory of one accelerator to that of another, by way of the transport between places",
        ),
        _ if is_of_accelerators => {
            Some("path: to the host's memory, between the places, and back to the accelerator's memory")
        }
        _ => Some("path: the memory that places of one host share, the network between hosts"),
    }
}

fn named(program: &Program, directive: &Directive, line: impl Fn(&str) -> String) -> Vec<String> {
    reflected(program, directive).iter().map(|it| line(&program.variable(*it).name)).collect()
}

/// The exchanges of a reflection, an axis of an array each.
fn reflect(program: &Program, model: &Model, directive: &Directive) -> Vec<String> {
    let mapping = directive.clause("width").and_then(|it| it.items.first()?.mapping.as_ref());
    let widths: &[Subscript] = mapping.map_or(&[], |it| &it.subscripts);
    let mut lines = Vec::new();
    for variable in reflected(program, directive) {
        let name = &program.variable(variable).name;
        let (Some(array), Some(shadow)) = (model.array(variable), model.shadow_of(variable)) else {
            lines.push(format!("`{name}`: what its declaration says, which is elsewhere"));
            continue;
        };
        let part = LocalPart::of(program, model, array);
        for (axis, whole) in shadow.widths.iter().enumerate() {
            let own = widths.get(axis).map_or(*whole, |it| width(program, it));
            let is_periodic = widths.get(axis).is_some_and(|it| it.text.contains("periodic"));
            lines.extend(exchange(program, model, array, (axis, own, is_periodic), part.as_ref()));
        }
    }
    lines
}

/// The exchange along an axis of an array.
fn exchange(
    program: &Program,
    model: &Model,
    array: &GlobalArray,
    (axis, width, is_periodic): (usize, Width, bool),
    part: Option<&LocalPart>,
) -> Option<String> {
    let name = &program.variable(array.variable).name;
    let at = if array.axes.len() > 1 { format!("`{name}`, axis {axis}") } else { format!("`{name}`") };
    let (partition, _) = super::loops::distribution_of(program, model, array, axis)?;
    let (below, above) = match width {
        Width::Sides(0, 0) => return None,
        Width::Sides(below, above) => (below, above),
        Width::Full => return Some(format!("{at}: every node gets the parts of all others (all-gather)")),
        Width::Unknown => {
            return Some(format!("{at}: neighbours exchange a part whose width is not constant"));
        }
    };
    let bytes = |width: i128| {
        let others = part?.axes.iter().enumerate().filter(|it| it.0 != axis);
        let section = others.fold(width, |all, it| all.saturating_mul(it.1.elements));
        Some(section.saturating_mul(element_bytes(program, array.variable)?.into()))
    };
    let unit = if array.axes.len() > 1 { "section" } else { "element" };
    let side = |width: i128, from: &str| {
        let plural = if width == 1 { "" } else { "s" };
        let amount = bytes(width).map_or_else(String::new, |it| format!(" ({it} bytes)"));
        (width > 0).then(|| format!("{width} {unit}{plural}{amount} from the node {from}"))
    };
    let sides: Vec<String> = [side(below, "before"), side(above, "behind")].into_iter().flatten().collect();
    let ends = if is_periodic { ", the first and the last node from each other" } else { "" };
    Some(format!("{at}: each node of `{}` gets {}{ends}", partition.nodes, sides.join(" and ")))
}

/// The variables of a broadcast.
fn broadcast(program: &Program, directive: &Directive) -> Vec<String> {
    let from =
        target(directive, "from").map_or_else(|| "the first node".to_owned(), |it| format!("`{}`", text(it)));
    let lists = directive.argument.iter().filter_map(|it| it.mapping.as_ref());
    let variables = lists.flat_map(|it| &it.subscripts).filter_map(|it| match it.kind {
        SubscriptKind::Expr(it) => program.base_variable(it),
        _ => None,
    });
    let line = |it: VariableId| {
        let variable = program.variable(it);
        let amount = program.size_of(&variable.ty).map_or_else(String::new, |it| format!(", {it} bytes"));
        format!("`{}`: from {from} to all others{amount}", variable.name)
    };
    variables.map(line).collect()
}

/// A reference as it is written.
fn text(of: &Mapping) -> String {
    let subscripts: Vec<&str> = of.subscripts.iter().map(|it| it.text.as_str()).collect();
    match of.spelling {
        Some(crate::hir::Spelling::Parentheses) => format!("{}({})", of.name, subscripts.join(", ")),
        Some(crate::hir::Spelling::Brackets) => format!("{}[{}]", of.name, subscripts.join("][")),
        None => of.name.to_string(),
    }
}

/// The assignment of a `gmove`, by where its two sides are.
fn gmove(program: &Program, model: &Model, directive: &Directive) -> Option<String> {
    let (left, right) = assignment(program, directive.body?)?;
    let global = |it: ExprId| program.base_variable(it).filter(|it| model.array(*it).is_some());
    let name = |it: VariableId| program.variable(it).name.as_str();
    if directive.clause("in").is_some() {
        return Some(
            "each node that executes it gets the elements it names from their owners (get)".to_owned(),
        );
    }
    if directive.clause("out").is_some() {
        return Some(
            "each node that executes it stores the elements it names at their owners (put)".to_owned(),
        );
    }
    let is_section = has_section(program, right);
    Some(match (global(left), global(right)) {
        (Some(to), Some(from)) => format!(
            "the owners of `{}` send to the owners of `{}`, each what the other needs (all-to-all); what is on the \
             same node is copied there",
            name(from),
            name(to)
        ),
        (None, Some(from)) if is_section => {
            format!("every node gets the section of `{}` from its owners (all-gather)", name(from))
        }
        (None, Some(from)) => {
            format!("the owner of the element of `{}` sends it to all nodes (broadcast)", name(from))
        }
        (Some(to), None) => {
            format!("nothing moves: each owner of `{}` stores its part of the value", name(to))
        }
        (None, None) => "nothing moves: both sides are local".to_owned(),
    })
}

fn assignment(program: &Program, body: StmtId) -> Option<(ExprId, ExprId)> {
    let mut found = None;
    program.walk_stmt(body, &mut |node| {
        if let Node::Expr(it) = node
            && let ExprKind::Assign(None, left, right) = program.expr(it).kind
        {
            found.get_or_insert((left, right));
        }
        found.is_none()
    });
    found
}

fn has_section(program: &Program, expr: ExprId) -> bool {
    let mut found = false;
    program.walk_expr(expr, &mut |node| {
        found |= matches!(node, Node::Expr(it) if matches!(program.expr(it).kind, ExprKind::Section(..)));
        !found
    });
    found
}
