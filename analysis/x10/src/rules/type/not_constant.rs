//! `type/not-constant`

use crate::diagnostics::{Rule, Severity};

/// A `case` whose value is not a constant.
pub static RULE: Rule = Rule {
    code: "type/not-constant",
    severity: Severity::Error,
    summary: "A `case` whose value is not a constant.",
    explanation: r##"
The values of a `switch` are compared with constants: literals, `val`s (static ones and local ones) whose value is constant, and what
the operators of integers and strings make of them.

Use `if` and `else if` to compare with other values.
"##,
    failing: r##"
class Example {
    static def isBest(score:Long, best:Long):Boolean {
        switch (score) {
            case best: return true;
            default: return false;
        }
    }
}
"##,
    fixed: r##"
class Example {
    static def isBest(score:Long, best:Long):Boolean {
        return score == best;
    }
}
"##,
};
