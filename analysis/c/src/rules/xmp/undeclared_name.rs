//! `xmp/undeclared-name`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Directive, Mapping};
use crate::rules::Context;
use crate::xmp::{Model, directives, subjects, target};

/// A name without a declaration.
pub static RULE: Rule = Rule {
    code: "xmp/undeclared-name",
    severity: Severity::Warning,
    summary: "A directive that names nodes or a template which no directive declares.",
    explanation: r##"
`onto` names nodes, `with` names a template, and `on` names either. They are declared by `#pragma xmp nodes` and `#pragma xmp template`, before their
use, in the same file or in a header.

Correct the name, or declare it.
"##,
    failing: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto q
"##,
    fixed: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let model = Model::of(cx.program);
    for directive in directives(cx.program) {
        for (mapping, what) in named(directive) {
            let is_known = mapping.name.is_empty()
                || mapping.variable.is_some()
                || model.is_declared(&mapping.name)
                || cx.program.header_mappings.contains(&mapping.name);
            if !is_known {
                let message = format!("no directive declares {what} `{}`", mapping.name);
                cx.report(cx.at(&RULE, mapping.name_range, message));
            }
        }
    }
}

/// The names of nodes and templates in a directive, and what each has to be.
fn named(directive: &Directive) -> Vec<(&Mapping, &'static str)> {
    let mut found = Vec::new();
    match directive.name.as_str() {
        "distribute" => {
            found.extend(subjects(directive).into_iter().map(|it| (it.0, "a template")));
            found.extend(target(directive, "onto").map(|it| (it, "nodes")));
        }
        "align" => found.extend(target(directive, "with").map(|it| (it, "a template"))),
        "loop" | "task" | "array" | "barrier" => {
            found.extend(target(directive, "on").map(|it| (it, "nodes or a template")));
        }
        _ => {}
    }
    found
}
