//! `flow/non-escaping-method`

use crate::diagnostics::{Rule, Severity};

/// A `@NonEscaping` method that can be overridden.
pub static RULE: Rule = Rule {
    code: "flow/non-escaping-method",
    severity: Severity::Error,
    summary: "A `@NonEscaping` method that can be overridden.",
    explanation: r##"
`@NonEscaping` says that a method may be called while its object is constructed. A method that overrides it would be called instead,
and nothing is known of it. So the method has to be `private` or `final`, or its class `final`. A method that does not use `this`
at all may stay open to overriding: mark it `@NoThisAccess`.
"##,
    failing: r##"
import x10.compiler.NonEscaping;

class Example {
    var size:Long;
    def this() {
        init();
    }
    @NonEscaping def init() {
        size = 10;
    }
}
"##,
    fixed: r##"
import x10.compiler.NonEscaping;

class Example {
    var size:Long;
    def this() {
        init();
    }
    @NonEscaping final def init() {
        size = 10;
    }
}
"##,
};
