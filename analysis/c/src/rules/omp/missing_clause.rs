//! `omp/missing-clause`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Construct, Directive};
use crate::rules::Context;

/// A directive without the clause that says what it is about.
pub static RULE: Rule = Rule {
    code: "omp/missing-clause",
    severity: Severity::Error,
    summary: "A directive that lacks the clause without which it does nothing.",
    explanation: r##"
The directives that move data between the host and a device say by a clause what they move: `target update` by `to` or `from`, the others by `map` (OpenMP 5.2,
sections 13.5 to 13.9). `cancel` and `cancellation point` name the region that is to end (sections 16.1 and 16.2). `scan` says whether its variables
include the value of the iteration (section 5.6).

Write one of the clauses that the message lists.
"##,
    failing: r##"
double a[100];
void refresh(void) {
    #pragma omp target update device(0)
}
"##,
    fixed: r##"
double a[100];
void refresh(void) {
    #pragma omp target update device(0) from(a)
}
"##,
};

/// One of these clauses is required.
const REQUIRED: &[(Construct, &[&str], &str)] = &[
    (Construct::TargetData, &["map", "use_device_ptr", "use_device_addr"], "`map`"),
    (Construct::TargetEnterData, &["map"], "`map(to: ...)` or `map(alloc: ...)`"),
    (Construct::TargetExitData, &["map"], "`map(from: ...)`, `map(release: ...)` or `map(delete: ...)`"),
    (Construct::TargetUpdate, &["to", "from"], "`to(...)` or `from(...)`"),
    (
        Construct::Cancel,
        &["parallel", "for", "sections", "taskgroup"],
        "`parallel`, `for`, `sections` or `taskgroup`",
    ),
    (
        Construct::CancellationPoint,
        &["parallel", "for", "sections", "taskgroup"],
        "`parallel`, `for`, `sections` or `taskgroup`",
    ),
    (Construct::Scan, &["inclusive", "exclusive", "init_complete"], "`inclusive(...)` or `exclusive(...)`"),
];

/// What the missing clause does.
fn purpose(directive: &Directive) -> &'static str {
    match directive.constructs.first() {
        Some(Construct::Cancel | Construct::CancellationPoint) => "names the region to end",
        Some(Construct::Scan) => "names its variables",
        _ => "names its data",
    }
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives() {
        let required = REQUIRED.iter().find(|it| directive.has(it.0));
        let Some((_, clauses, list)) = required else { continue };
        if directive.clauses.iter().any(|it| clauses.contains(&it.name.as_str())) {
            continue;
        }
        let message =
            format!("`{}` lacks the clause that {}: write {list}", directive.name, purpose(directive));
        cx.report(cx.at(&RULE, directive.name_range, message));
    }
}
