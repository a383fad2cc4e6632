//! `constraint/guard-not-entailed`

use crate::diagnostics::{Rule, Severity};

/// The condition of a method does not follow from what is known at the call.
pub static RULE: Rule = Rule {
    code: "constraint/guard-not-entailed",
    severity: Severity::Error,
    summary: "The condition of a method does not follow from what is known at the call.",
    explanation: r##"
A method can ask for a condition, `def get(i:Long){i != 0}`, which must follow at each call from what is known of the arguments and the
object.

By default X10 checks it at the call when the program runs. Under static checks (`apg check --static-checks`) it is an error.

Declare more of the arguments (a constrained type, or the same condition on the calling method), or cast one of them with `as` to a type that
has the constraint.
"##,
    failing: r##"
// OPTIONS: -STATIC_CHECKS
class Example {
    static def inverse(n:Double){n != 0.0}:Double = 1.0 / n;
    static def half(n:Double):Double = inverse(n) / 2.0;
}
"##,
    fixed: r##"
// OPTIONS: -STATIC_CHECKS
class Example {
    static def inverse(n:Double){n != 0.0}:Double = 1.0 / n;
    static def half(n:Double){n != 0.0}:Double = inverse(n) / 2.0;
}
"##,
};
