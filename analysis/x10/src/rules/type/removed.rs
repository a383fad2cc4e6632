//! `type/removed`

use crate::diagnostics::{Rule, Severity};

/// A construct of earlier versions of X10.
pub static RULE: Rule = Rule {
    code: "type/removed",
    severity: Severity::Error,
    summary: "A construct of earlier versions of X10.",
    explanation: r##"
X10 2.6 has no clocked variables and no operators as values. Earlier versions had them, and old programs may still use them.

The note of the message says how to write the same in X10 2.6.
"##,
    failing: r##"
class Example {
    static def main(args:Rail[String]) {
        val plus = 1.operator+;
    }
}
"##,
    fixed: r##"
class Example {
    static def main(args:Rail[String]) {
        val plus = (n:Long) => 1 + n;
        Console.OUT.println(plus(2));
    }
}
"##,
};
