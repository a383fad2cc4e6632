//! `async/unclocked`

use crate::diagnostics::{Rule, Severity};

/// A `clocked async` outside any `clocked finish`.
pub static RULE: Rule = Rule {
    code: "async/unclocked",
    severity: Severity::Error,
    summary: "A `clocked async` outside any `clocked finish`.",
    explanation: r##"
The clock of a `clocked async` is that of the `clocked finish` around it: all its activities meet at `Clock.advanceAll()`. The `finish`
must be the innermost one around the `async`, in the same method or closure.

Write `clocked finish`, or name the clocks that the activity is registered on: `async clocked (c) ...`.
"##,
    failing: r##"
class Example {
    static def main(args:Rail[String]) {
        finish {
            for (i in 0..3) clocked async Clock.advanceAll();
        }
    }
}
"##,
    fixed: r##"
class Example {
    static def main(args:Rail[String]) {
        clocked finish {
            for (i in 0..3) clocked async Clock.advanceAll();
        }
    }
}
"##,
};
