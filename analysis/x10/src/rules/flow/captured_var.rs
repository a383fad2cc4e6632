//! `flow/captured-var`

use crate::diagnostics::{Rule, Severity};

/// A closure that uses a `var` of the code around it.
pub static RULE: Rule = Rule {
    code: "flow/captured-var",
    severity: Severity::Error,
    summary: "A closure that uses a `var` of the code around it.",
    explanation: r##"
A closure keeps copies of the variables that it uses, for it may be called when they are gone, and at another place.
A copy of a `var` would not follow its changes, so only `val`s can be used, and none can be assigned.

Copy the value into a `val` before the closure, or keep the changing value in an object, such as a `Cell`.
"##,
    failing: r##"
class Example {
    static def adder():(Long)=>Long {
        var step:Long = 1;
        step += 1;
        return (number:Long) => number + step;
    }
}
"##,
    fixed: r##"
class Example {
    static def adder():(Long)=>Long {
        var step:Long = 1;
        step += 1;
        val fixed = step;
        return (number:Long) => number + fixed;
    }
}
"##,
};
