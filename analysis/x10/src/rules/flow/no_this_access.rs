//! `flow/no-this-access`

use crate::diagnostics::{Rule, Severity};

/// A `@NoThisAccess` method that uses `this`.
pub static RULE: Rule = Rule {
    code: "flow/no-this-access",
    severity: Severity::Error,
    summary: "A `@NoThisAccess` method that uses `this`.",
    explanation: r##"
`@NoThisAccess` says that a method uses neither `this` nor `super`, not even their fields: so it can be called while its object is
constructed, although subclasses may override it. Methods that override it make the same promise, and say so.
"##,
    failing: r##"
import x10.compiler.NoThisAccess;

class Example {
    val start = 5;
    val size:Long;
    def this() {
        size = computed(3);
    }
    @NoThisAccess def computed(n:Long):Long = n * start;
}
"##,
    fixed: r##"
import x10.compiler.NoThisAccess;

class Example {
    val start = 5;
    val size:Long;
    def this() {
        size = computed(3);
    }
    @NoThisAccess def computed(n:Long):Long = n * 5;
}
"##,
};
