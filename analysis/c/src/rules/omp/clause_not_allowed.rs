//! `omp/clause-not-allowed`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Construct, Directive};
use crate::rules::Context;

/// A clause of another directive.
pub static RULE: Rule = Rule {
    code: "omp/clause-not-allowed",
    severity: Severity::Error,
    summary: "A clause that this directive does not take.",
    explanation: r##"
Each directive takes certain clauses, and a combined directive takes those of its parts. This one belongs to another directive: `nowait` to
`for`, for example, and not to `parallel for`, at whose end all threads must wait.

Remove the clause, or split the directive so that the part that takes it stands alone.
"##,
    failing: r##"
void scale(double *a, int n) {
    #pragma omp parallel for nowait
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
    fixed: r##"
void scale(double *a, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
};

/// The clauses that a construct takes, in all versions up to 6.0.
#[rustfmt::skip]
pub fn clauses_of(construct: Construct) -> &'static [&'static str] {
    use Construct::*;
    match construct {
        Parallel => &["if", "num_threads", "default", "private", "firstprivate", "shared", "copyin", "reduction", "proc_bind", "allocate",
            "message", "severity", "safesync"],
        For => &["private", "firstprivate", "lastprivate", "linear", "reduction", "schedule", "collapse", "ordered", "nowait", "allocate",
            "order", "induction"],
        Sections => &["private", "firstprivate", "lastprivate", "reduction", "allocate", "nowait"],
        Single => &["private", "firstprivate", "copyprivate", "nowait", "allocate"],
        Masked => &["filter"],
        Critical => &["hint"],
        Atomic => &["read", "write", "update", "capture", "compare", "seq_cst", "acq_rel", "acquire", "release", "relaxed", "hint", "fail",
            "weak", "memscope"],
        Taskwait => &["depend", "nowait", "replayable"],
        Flush => &["acq_rel", "release", "acquire", "seq_cst", "memscope"],
        Ordered => &["threads", "simd", "depend", "doacross"],
        Task => &["if", "final", "untied", "default", "mergeable", "private", "firstprivate", "shared", "depend", "priority", "allocate",
            "affinity", "detach", "in_reduction", "threadset", "transparent", "replayable"],
        Taskloop => &["if", "shared", "private", "firstprivate", "lastprivate", "reduction", "in_reduction", "default", "grainsize",
            "num_tasks", "collapse", "final", "priority", "untied", "mergeable", "nogroup", "allocate", "threadset", "transparent",
            "replayable", "induction"],
        Taskgroup => &["task_reduction", "allocate"],
        Simd => &["safelen", "simdlen", "linear", "aligned", "private", "lastprivate", "reduction", "collapse", "if", "nontemporal", "order",
            "induction"],
        Target => &["if", "device", "private", "firstprivate", "in_reduction", "map", "is_device_ptr", "has_device_addr", "defaultmap",
            "nowait", "depend", "allocate", "uses_allocators", "thread_limit", "priority", "replayable", "default"],
        TargetData => &["if", "device", "map", "use_device_ptr", "use_device_addr", "nowait", "depend", "affinity", "allocate", "default",
            "detach", "firstprivate", "in_reduction", "mergeable", "nogroup", "priority", "private", "shared", "transparent"],
        TargetEnterData | TargetExitData => &["if", "device", "map", "nowait", "depend", "priority", "replayable"],
        TargetUpdate => &["if", "device", "to", "from", "nowait", "depend", "priority", "replayable"],
        Teams => &["num_teams", "thread_limit", "default", "private", "firstprivate", "shared", "reduction", "allocate", "if"],
        Distribute => &["private", "firstprivate", "lastprivate", "collapse", "dist_schedule", "allocate", "order", "induction"],
        Loop => &["bind", "collapse", "lastprivate", "private", "reduction", "order"],
        Scope => &["private", "firstprivate", "reduction", "nowait", "allocate"],
        Scan => &["inclusive", "exclusive"],
        Cancel => &["parallel", "for", "sections", "taskgroup", "if"],
        CancellationPoint => &["parallel", "for", "sections", "taskgroup"],
        DeclareTarget | BeginDeclareTarget => &["to", "enter", "link", "device_type", "indirect", "local"],
        DeclareSimd => &["simdlen", "linear", "aligned", "uniform", "inbranch", "notinbranch"],
        DeclareReduction => &["initializer", "combiner"],
        Section | Master | Barrier | Threadprivate | Taskyield | EndDeclareTarget | Accessible => &[],
    }
}

/// Whether a directive takes a clause.
pub fn takes(directive: &Directive, clause: &str) -> bool {
    let is_extension = clause.starts_with("ompx_") || clause.starts_with("ext_");
    let has_barrier = directive.has(Construct::Parallel)
        && directive.constructs.iter().any(|it| it.is_worksharing())
        && !directive.has(Construct::Target);
    if clause == "nowait" && has_barrier {
        return false;
    }
    is_extension || directive.constructs.iter().any(|it| clauses_of(*it).contains(&clause))
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives().filter(|it| !it.1.constructs.is_empty()) {
        for clause in &directive.clauses {
            let is_known = apg_c_syntax::clauses(directive.family).any(|it| it == clause.name);
            if !is_known || takes(directive, &clause.name) {
                continue;
            }
            let message = format!("`{}` takes no clause `{}`", directive.name, clause.name);
            let mut diagnostic = cx.at(&RULE, clause.range, message);
            if clause.name == "nowait" {
                diagnostic = diagnostic.note("all threads wait at the end of a parallel region");
            }
            if let Some(fix) = cx.remove_clause(clause.range, &clause.name) {
                diagnostic = diagnostic.fix(fix);
            }
            cx.report(diagnostic);
        }
    }
}
