//! `type/bad-constructor-result`

use crate::diagnostics::{Rule, Severity};

/// A constructor that says that it makes something else.
pub static RULE: Rule = Rule {
    code: "type/bad-constructor-result",
    severity: Severity::Error,
    summary: "A constructor that says that it makes something else.",
    explanation: r##"
A constructor may say more about the object that it makes by a result type, `def this(n:Long):Example{self.size == n}`: its own
class, constrained. It cannot make an object of another type.
"##,
    failing: r##"
class Example(size:Long) {
    def this(wanted:Long):String {
        property(wanted);
    }
}
"##,
    fixed: r##"
class Example(size:Long) {
    def this(wanted:Long):Example{self.size == wanted} {
        property(wanted);
    }
}
"##,
};
