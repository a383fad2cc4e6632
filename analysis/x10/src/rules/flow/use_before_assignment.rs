//! `flow/use-before-assignment`

use crate::diagnostics::{Rule, Severity};

/// A variable or field that may be read before it is assigned.
pub static RULE: Rule = Rule {
    code: "flow/use-before-assignment",
    severity: Severity::Error,
    summary: "A variable or field that may be read before it is assigned.",
    explanation: r##"
X10 has no default values for local variables: on every path that leads to a use, the variable must have been assigned.
An assignment inside an `async` counts only after the `finish` around it, for only then has the activity
certainly ended. In a constructor the same holds for fields that have no initialiser.

Give the variable an initialiser, or assign it on the path that lacks it.
"##,
    failing: r##"
class Example {
    static def largest(a:Long, b:Long):Long {
        val result:Long;
        if (a > b) result = a;
        return result;
    }
}
"##,
    fixed: r##"
class Example {
    static def largest(a:Long, b:Long):Long {
        val result:Long;
        if (a > b) result = a;
        else result = b;
        return result;
    }
}
"##,
};
