//! `constraint/not-established`

use crate::diagnostics::{Rule, Severity};

/// A constructor that does not establish what its class or its own result type promises.
pub static RULE: Rule = Rule {
    code: "constraint/not-established",
    severity: Severity::Error,
    summary: "A constructor that does not establish what its class or its own result type promises.",
    explanation: r##"
The condition of a class, the constraint after `extends C` and the result type of a constructor are promises about every new object. They must
follow from what the constructor does: the arguments of `property(...)`, what the constructor of the superclass promises, and the
constructor's own condition.

Give `property(...)` other arguments, or make the promise a condition of the constructor, so that the callers see to it.
"##,
    failing: r##"
class Square(width:Long, height:Long){width == height} {
    def this(width:Long, height:Long) { property(width, height); }
}
"##,
    fixed: r##"
class Square(width:Long, height:Long){width == height} {
    def this(width:Long, height:Long){width == height} { property(width, height); }
}
"##,
};
