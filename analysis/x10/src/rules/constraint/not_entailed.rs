//! `constraint/not-entailed`

use crate::diagnostics::{Rule, Severity};

/// A constraint that a value needs does not follow from what is known of it.
pub static RULE: Rule = Rule {
    code: "constraint/not-entailed",
    severity: Severity::Error,
    summary: "A constraint that a value needs does not follow from what is known of it.",
    explanation: r##"
A type such as `Long{self != 0}` asks for more than a class: its constraint must follow from what is known of the value, that is from the
constraints of the types of the variables it is made of, the conditions of the method and its class, and what `val`s were set to. What an `if`
has tested is not used.

By default X10 checks such a constraint when the program runs. Under static checks (`apg check --static-checks`) it is an error.

Cast the value with `as`, which checks it when the program runs and raises a `FailedDynamicCheckException` if it does not hold; or declare
more of the value: give a formal a constrained type, or the method a condition, `def f(n:Long){n != 0}`.
"##,
    failing: r##"
// OPTIONS: -STATIC_CHECKS
class Example {
    static def share(total:Long, parts:Long{self != 0}):Long = total / parts;
    static def each(total:Long, parts:Long):Long {
        val some:Long{self != 0} = parts;
        return share(total, some);
    }
}
"##,
    fixed: r##"
// OPTIONS: -STATIC_CHECKS
class Example {
    static def share(total:Long, parts:Long{self != 0}):Long = total / parts;
    static def each(total:Long, parts:Long{self != 0}):Long {
        val some:Long{self != 0} = parts;
        return share(total, some);
    }
}
"##,
};
