//! `flow/property-call`

use crate::diagnostics::{Rule, Severity};

/// `property(...)` where the properties have their values already.
pub static RULE: Rule = Rule {
    code: "flow/property-call",
    severity: Severity::Error,
    summary: "`property(...)` where the properties have their values already.",
    explanation: r##"
Every path through a constructor of a class with properties sets them exactly once: by one `property(...)`, or by `this(...)`, which
leaves it to another constructor.
"##,
    failing: r##"
class Example(size:Long) {
    def this(wanted:Long) {
        property(wanted);
    }
    def this() {
        this(10);
        property(10);
    }
}
"##,
    fixed: r##"
class Example(size:Long) {
    def this(wanted:Long) {
        property(wanted);
    }
    def this() {
        this(10);
    }
}
"##,
};
