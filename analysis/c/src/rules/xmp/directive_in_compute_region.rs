//! `xmp/directive-in-compute-region`

use apg_diagnostics::{Rule, Severity};

use crate::hir::Directive;
use crate::rules::Context;
use crate::xmp::directives;

/// A directive that nodes execute, inside of what an accelerator executes.
pub static RULE: Rule = Rule {
    code: "xmp/directive-in-compute-region",
    severity: Severity::Warning,
    summary: "A directive of XcalableMP inside of a region that an accelerator executes.",
    explanation: r##"
The host of a node communicates with the other nodes: inside of a compute region of OpenACC, or of a `loop` with `acc`, no directive of XcalableMP may
stand but `loop` (XcalableACC 1.0, section 3). With `acc`, `reflect`, `gmove`, `bcast` and `reduction` move what is in the accelerator's memory, and they are
executed by the host between two regions.

Move the directive in front of the region or behind it.
"##,
    failing: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
double a[100];
#pragma xmp align a[i] with t[i]
#pragma xmp shadow a[1]
void step(void) {
    #pragma acc parallel copy(a)
    {
        #pragma xmp reflect (a) acc
        #pragma xmp loop on t[i]
        #pragma acc loop
        for (int i = 0; i < 100; i++) a[i] = 2 * a[i];
    }
}
"##,
    fixed: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
double a[100];
#pragma xmp align a[i] with t[i]
#pragma xmp shadow a[1]
void step(void) {
    #pragma acc data copy(a)
    {
        #pragma xmp reflect (a) acc
        #pragma acc parallel
        {
            #pragma xmp loop on t[i]
            #pragma acc loop
            for (int i = 0; i < 100; i++) a[i] = 2 * a[i];
        }
    }
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    for directive in directives(cx.program).filter(|it| it.name != "loop") {
        let executes = |it: &Directive| it.is_compute() || it.is_accelerated_loop();
        let Some((_, region)) = cx.around(directive).find(|it| executes(it.1)) else { continue };
        let message = format!("the host executes `{}`, and an accelerator this region", directive.name);
        cx.report_pair(&RULE, (directive.name_range, message), (region.name_range, "the region"));
    }
}
