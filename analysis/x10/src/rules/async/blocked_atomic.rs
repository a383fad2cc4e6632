//! `async/blocked-atomic`

use crate::diagnostics::{Rule, Severity};

/// Code of an `atomic` or `when` that starts or waits for other activities.
pub static RULE: Rule = Rule {
    code: "async/blocked-atomic",
    severity: Severity::Warning,
    summary: "Code of an `atomic` or `when` that starts or waits for other activities.",
    explanation: r##"
While an activity runs the code of an `atomic` or `when`, no other `atomic` of the place runs. What waits in there (`finish`, `at`, a further `when`,
the barrier of a clock) could wait for an activity that waits for this one, and what it starts (`async`) would not belong to the step. X10
2.6 forbids both, and raises an `IllegalOperationException` when the program gets there.

Do only the step itself in the `atomic`: compute before it, with the values in `val`s, and start or wait after it.
"##,
    failing: r##"
class Example {
    static def add(sum:Cell[Long], p:Place, work:()=>Long) {
        atomic {
            finish async work();
            sum() += 1;
        }
    }
}
"##,
    fixed: r##"
class Example {
    static def add(sum:Cell[Long], p:Place, work:()=>Long) {
        finish async work();
        atomic {
            sum() += 1;
        }
    }
}
"##,
};
