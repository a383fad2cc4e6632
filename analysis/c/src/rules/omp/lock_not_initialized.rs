//! `omp/lock-not-initialized`

use apg_diagnostics::{Rule, Severity};

use super::private_lock::{count_of_uses, is_lock_routine, lock_of};
use crate::hir::{Storage, VariableId};
use crate::rules::Context;

/// A lock without a state.
pub static RULE: Rule = Rule {
    code: "omp/lock-not-initialized",
    severity: Severity::Warning,
    summary: "A lock that is set and never initialised.",
    explanation: r##"
A lock has no state until `omp_init_lock` or `omp_init_nest_lock` gives it one (OpenMP 5.2, section 18.9). To set a lock before may wait forever, or may not wait at all.

Initialise the lock once, in front of the parallel region.
"##,
    failing: r##"
#include <omp.h>
void work(void);
void run(void) {
    omp_lock_t lock;
    #pragma omp parallel
    {
        omp_set_lock(&lock);
        work();
        omp_unset_lock(&lock);
    }
}
"##,
    fixed: r##"
#include <omp.h>
void work(void);
void run(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    #pragma omp parallel
    {
        omp_set_lock(&lock);
        work();
        omp_unset_lock(&lock);
    }
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    if !["omp_set_lock", "omp_set_nest_lock"].iter().any(|it| cx.names_function(it)) {
        return;
    }
    let mut judged: Vec<VariableId> = Vec::new();
    for (_, body) in cx.program.defined_functions() {
        let calls = cx.calls_in(body);
        for (call, name, arguments) in &calls {
            let is_set = matches!(*name, "omp_set_lock" | "omp_set_nest_lock");
            let Some(variable) = lock_of(cx, arguments).filter(|_| is_set) else { continue };
            let declared = cx.program.variable(variable);
            let is_local = matches!(declared.storage, Storage::Automatic | Storage::StaticLocal);
            if !is_local || declared.initializer.is_some() || judged.contains(&variable) {
                continue;
            }
            judged.push(variable);
            let own = calls.iter().filter(|it| is_lock_routine(it.1) && lock_of(cx, it.2) == Some(variable));
            let (mut count, mut is_initialized) = (0, false);
            for it in own {
                count += 1;
                is_initialized |= it.1.starts_with("omp_init_");
            }
            // What else names it may initialise it.
            if is_initialized || count != count_of_uses(cx, variable) {
                continue;
            }
            let message = format!("nothing initialises the lock `{}`", cx.name(variable));
            let at = (cx.program.expr(*call).range, message);
            match declared.range {
                Some(range) => cx.report_pair(&RULE, at, (range, "declared here")),
                None => cx.report(cx.at(&RULE, at.0, at.1)),
            }
        }
    }
}
