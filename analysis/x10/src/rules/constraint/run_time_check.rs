//! `constraint/run-time-check`

use crate::diagnostics::{Rule, Severity};

/// A constraint is checked when the program runs.
pub static RULE: Rule = Rule {
    code: "constraint/run-time-check",
    severity: Severity::Hint,
    summary: "A constraint is checked when the program runs.",
    explanation: r##"
It does not follow from what is known here, so the compiled program checks it, and raises a `FailedDynamicCheckException` if it does not hold. The editor
shows where; `apg check --static-checks` makes every such place an error.

Nothing has to be done. Where the check is not wanted, declare more of the value: a constrained type for a formal, or a condition for the method.
"##,
    failing: r##"
class Example {
    static def share(total:Long, parts:Long{self != 0}):Long = total / parts;
    static def each(total:Long, parts:Long):Long = share(total, parts);
}
"##,
    fixed: r##"
class Example {
    static def share(total:Long, parts:Long{self != 0}):Long = total / parts;
    static def each(total:Long, parts:Long{self != 0}):Long = share(total, parts);
}
"##,
};
