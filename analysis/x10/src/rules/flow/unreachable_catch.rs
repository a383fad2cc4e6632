//! `flow/unreachable-catch`

use crate::diagnostics::{Rule, Severity};

/// A `catch` that an earlier one leaves nothing to.
pub static RULE: Rule = Rule {
    code: "flow/unreachable-catch",
    severity: Severity::Error,
    summary: "A `catch` that an earlier one leaves nothing to.",
    explanation: r##"
The first `catch` whose type fits is taken. One after it for the same type or a subtype can never be reached: put the more special
types first.
"##,
    failing: r##"
class Example {
    static def test() {
        try {
            Console.OUT.println("try");
        } catch (e:Exception) {
            Console.OUT.println("exception");
        } catch (e:UnsupportedOperationException) {
            Console.OUT.println("unsupported");
        }
    }
}
"##,
    fixed: r##"
class Example {
    static def test() {
        try {
            Console.OUT.println("try");
        } catch (e:UnsupportedOperationException) {
            Console.OUT.println("unsupported");
        } catch (e:Exception) {
            Console.OUT.println("exception");
        }
    }
}
"##,
};
