//! `xmp/dimension-count`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Directive, Mapping, VariableId};
use crate::rules::Context;
use crate::xmp::{Grid, GridKind, Model, directives, rank, subjects, target};

/// A list of subscripts with too many or too few of them.
pub static RULE: Rule = Rule {
    code: "xmp/dimension-count",
    severity: Severity::Warning,
    summary: "Subscripts whose number is not that of the dimensions.",
    explanation: r##"
A directive has one subscript, one format of distribution or one width for each dimension of the template, the nodes or the array that it names, and a
template has as many distributed dimensions (those whose format is not `*`) as its nodes have dimensions.

Write one for each dimension: `*` where a dimension is not distributed.
"##,
    failing: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100][100]
#pragma xmp distribute t[block] onto p
"##,
    fixed: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100][100]
#pragma xmp distribute t[block][*] onto p
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let model = Model::of(cx.program);
    for directive in directives(cx.program) {
        match directive.name.as_str() {
            "distribute" => check_distribution(cx, &model, directive),
            "align" => {
                check_arrays(cx, directive);
                check_target(cx, &model, directive, "with");
            }
            "shadow" => check_arrays(cx, directive),
            "loop" | "task" | "array" | "barrier" => check_target(cx, &model, directive, "on"),
            _ => {}
        }
    }
}

fn check_distribution(cx: &mut Context<'_>, model: &Model, directive: &Directive) {
    let target = target(directive, "onto");
    for (subject, formats, _) in subjects(directive) {
        let template = model.grid(&subject.name, directive.function);
        let Some(template) = template.filter(|it| it.kind == GridKind::Template) else { continue };
        if formats.len() != template.axes.len() {
            let found = are(formats.len(), "distribution format");
            report(cx, subject, template, &format!("there {found} here"));
            continue;
        }
        let Some(target) = target.filter(|it| it.subscripts.is_empty()) else { continue };
        let Some(nodes) = model.grid(&target.name, directive.function) else { continue };
        let distributed = formats.iter().filter(|it| it.text != "*").count();
        if distributed != nodes.axes.len() {
            let found = count(distributed, "distributed dimension");
            report(cx, target, nodes, &format!("template `{}` has {found}", template.name));
        }
    }
}

/// The subscripts of a clause, if it has any, against the nodes or the template that it names.
fn check_target(cx: &mut Context<'_>, model: &Model, directive: &Directive, clause: &str) {
    let Some(target) = target(directive, clause).filter(|it| !it.subscripts.is_empty()) else { return };
    let Some(grid) = model.grid(&target.name, directive.function) else { return };
    if target.variable.is_none() && target.subscripts.len() != grid.axes.len() {
        report(cx, target, grid, &format!("there {} here", are(target.subscripts.len(), "subscript")));
    }
}

/// The subscripts of arrays against their types.
fn check_arrays(cx: &mut Context<'_>, directive: &Directive) {
    for (subject, subscripts, _) in subjects(directive) {
        let known = |it: VariableId| Some((it, rank(cx.program, it)?));
        let Some((variable, rank)) = subject.variable.and_then(known) else { continue };
        if subscripts.len() == rank {
            continue;
        }
        let message = format!(
            "array `{}` has {}, and there {} here",
            subject.name,
            count(rank, "dimension"),
            are(subscripts.len(), "subscript")
        );
        let mut diagnostic = cx.at(&RULE, subject.name_range, message);
        let declaration = cx.program.variable(variable).range;
        diagnostic.related.extend(declaration.and_then(|it| cx.related(it, "the array")));
        cx.report(diagnostic);
    }
}

fn report(cx: &mut Context<'_>, mapping: &Mapping, grid: &Grid, found: &str) {
    let dimensions = count(grid.axes.len(), "dimension");
    let message = format!("{} `{}` has {dimensions}, and {found}", grid.kind_text(), grid.name);
    cx.report_pair(&RULE, (mapping.name_range, message), (grid.range, "the declaration"));
}

/// A number of things in words.
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn are(number: usize, what: &str) -> String {
    format!("{} {}", if number == 1 { "is" } else { "are" }, count(number, what))
}
