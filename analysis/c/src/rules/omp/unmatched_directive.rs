//! `omp/unmatched-directive`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Construct, Directive};
use crate::rules::Context;

/// One of a pair of directives.
pub static RULE: Rule = Rule {
    code: "omp/unmatched-directive",
    severity: Severity::Error,
    summary: "`declare target` without its end, or the end without its beginning.",
    explanation: r##"
`declare target` without a list is about all declarations up to `end declare target` (OpenMP 5.2, section 7.8.2). Without the end it would be about the rest of the
translation unit, which no compiler accepts.

Write the other directive of the pair, or list the variables and functions: `#pragma omp declare target to(scale)`.
"##,
    failing: r##"
#pragma omp declare target
double scale;
double scaled(double x) { return scale * x; }
"##,
    fixed: r##"
#pragma omp declare target
double scale;
double scaled(double x) { return scale * x; }
#pragma omp end declare target
"##,
};

/// Whether a directive begins declarations for devices.
fn begins(directive: &Directive) -> bool {
    let is_alone = directive.argument.is_empty() && directive.clauses.is_empty();
    directive.has(Construct::BeginDeclareTarget) || directive.has(Construct::DeclareTarget) && is_alone
}

pub(super) fn check(cx: &mut Context<'_>) {
    let directives: Vec<&Directive> = cx.directives().map(|it| it.1).collect();
    let mut open: Vec<&Directive> = Vec::new();
    let mut open_in_headers = cx.program.open_declare_targets;
    for directive in directives {
        if begins(directive) {
            open.push(directive);
        } else if directive.has(Construct::EndDeclareTarget) && open.pop().is_none() {
            if open_in_headers > 0 {
                open_in_headers -= 1;
                continue;
            }
            let message = "nothing begins what `end declare target` ends";
            cx.report(cx.at(&RULE, directive.name_range, message));
        }
    }
    for directive in open {
        let message = format!("`{}` has no `end declare target`", directive.name);
        cx.report(cx.at(&RULE, directive.name_range, message));
    }
}
