//! `async/captured-var`

use crate::diagnostics::{Rule, Severity};

/// An activity that shares a `var` nothing keeps alive.
pub static RULE: Rule = Rule {
    code: "async/captured-var",
    severity: Severity::Error,
    summary: "An activity that shares a `var` nothing keeps alive.",
    explanation: r##"
An `async` may read and assign a `var` of the code around it, for both run at the same place. But the activity may still run
when the variable's scope has ended. So a `finish` must wait for it, and that `finish` must stand inside the
scope of the variable.

Put a `finish` around the `async`, or copy the value into a `val` first if it is only read.
"##,
    failing: r##"
class Example {
    static def count():Long {
        var total:Long = 0;
        async total = 1;
        return total;
    }
}
"##,
    fixed: r##"
class Example {
    static def count():Long {
        var total:Long = 0;
        finish async total = 1;
        return total;
    }
}
"##,
};
