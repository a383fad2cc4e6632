//! `xmp/mixed-spelling`

use apg_diagnostics::{Rule, Severity};

use crate::rules::Context;
use crate::xmp::{Model, directives, mappings};

/// Nodes or a template written in two ways.
pub static RULE: Rule = Rule {
    code: "xmp/mixed-spelling",
    severity: Severity::Warning,
    summary: "Nodes or a template declared with brackets, and used with parentheses, or the reverse.",
    explanation: r##"
XcalableMP has two ways to write subscripts. With parentheses (up to version 1.2) `t(1:n)` has a lower and an upper bound, counting starts at 1, and
the first axis varies fastest, as in Fortran. With brackets (from version 1.3 on) `t[0:n]` has a base and a length, counting starts at 0, and the
last axis varies fastest, as in C. Where a declaration and its use differ, the axes are in the opposite order and the indices are others.

Write all subscripts of a name in one way.
"##,
    failing: r##"
#pragma xmp nodes p[2][2]
#pragma xmp template t[100][100]
#pragma xmp distribute t[block][block] onto p
double a[100][100];
#pragma xmp align a[i][j] with t(j, i)
"##,
    fixed: r##"
#pragma xmp nodes p[2][2]
#pragma xmp template t[100][100]
#pragma xmp distribute t[block][block] onto p
double a[100][100];
#pragma xmp align a[i][j] with t[i][j]
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let model = Model::of(cx.program);
    for directive in directives(cx.program) {
        for mapping in mappings(directive).filter(|it| it.variable.is_none()) {
            let Some(grid) = model.grid(&mapping.name, directive.function) else { continue };
            let Some(spelling) = mapping.spelling.filter(|it| *it != grid.spelling) else { continue };
            let message = format!(
                "`{}` is declared with {}, and has {} here",
                grid.name,
                grid.spelling.text(),
                spelling.text()
            );
            cx.report_pair(&RULE, (mapping.name_range, message), (grid.range, "the declaration"));
        }
    }
}
