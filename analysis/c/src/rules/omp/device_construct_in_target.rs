//! `omp/device-construct-in-target`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Construct, Directive};
use crate::rules::Context;

/// A device that asks for a device.
pub static RULE: Rule = Rule {
    code: "omp/device-construct-in-target",
    severity: Severity::Warning,
    summary: "A directive for a device, in code that a device executes.",
    explanation: r##"
A `target` region is executed by a device. There is no other device below it: what a `target`, `target data`, `target enter data`, `target exit data` or
`target update` inside of it does is not defined (OpenMP 5.2, section 17.1), unless `device(ancestor: 1)` sends the region back to the host.

Close the region in front of the inner directive, or remove that.
"##,
    failing: r##"
double a[100];
void scale(void) {
    #pragma omp target
    {
        for (int i = 0; i < 100; i++) a[i] *= 2;
        #pragma omp target update from(a)
    }
}
"##,
    fixed: r##"
double a[100];
void scale(void) {
    #pragma omp target
    {
        for (int i = 0; i < 100; i++) a[i] *= 2;
    }
    #pragma omp target update from(a)
}
"##,
};

fn is_for_devices(directive: &Directive) -> bool {
    use Construct::*;
    let first = directive.constructs.first();
    first
        .is_some_and(|it| matches!(it, Target | TargetData | TargetEnterData | TargetExitData | TargetUpdate))
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives().filter(|it| is_for_devices(it.1)) {
        let is_reverse =
            directive.clause("device").is_some_and(|it| it.modifiers.iter().any(|it| it.text == "ancestor"));
        let outer = cx.around(directive).find(|it| it.1.has(Construct::Target));
        let Some((_, outer)) = outer.filter(|_| !is_reverse) else { continue };
        let message = format!("`{}` is executed by the host, and a device is here", directive.name);
        cx.report_pair(
            &RULE,
            (directive.name_range, message),
            (outer.name_range, "the region of the device"),
        );
    }
}
