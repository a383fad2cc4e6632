//! `xmp/aligned-twice`

use apg_diagnostics::{Rule, Severity};

use crate::rules::Context;
use crate::xmp::Model;

/// A second alignment of an array.
pub static RULE: Rule = Rule {
    code: "xmp/aligned-twice",
    severity: Severity::Warning,
    summary: "An array that is aligned a second time.",
    explanation: r##"
An alignment decides which node owns which elements of an array, and the memory that each node allocates. So an array is aligned once (XcalableMP
1.4, section 4.4.3), and the second `align` has no meaning.

Keep one of them. To work with the same values in another distribution, declare a second array, and copy them with `gmove`.
"##,
    failing: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[100]
#pragma xmp distribute c[cyclic] onto p
double a[100];
#pragma xmp align a[i] with t[i]
#pragma xmp align a[i] with c[i]
"##,
    fixed: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[100]
#pragma xmp distribute c[cyclic] onto p
double a[100], b[100];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with c[i]
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let model = Model::of(cx.program);
    for (index, array) in model.arrays.iter().enumerate() {
        let first = model.arrays[..index].iter().find(|it| it.variable == array.variable);
        let Some(first) = first else { continue };
        let message = format!("`{}` is aligned already", cx.name(array.variable));
        cx.report_pair(&RULE, (array.range, message), (first.range, "the first alignment"));
    }
}
