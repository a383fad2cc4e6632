//! `constraint/forbidden-term`

use crate::diagnostics::{Rule, Severity};

/// An operator that constraints do not have.
pub static RULE: Rule = Rule {
    code: "constraint/forbidden-term",
    severity: Severity::Error,
    summary: "An operator that constraints do not have.",
    explanation: r##"
Constraints are decided when a program is checked, so they say only what can be decided: equality and disequality of paths and literals,
conjunctions, relations of types, and property methods (specification, section 4.5). Comparisons of size, arithmetic and `||` are not among them.

Test such a condition where the code starts, and throw an exception or `assert` it.
"##,
    failing: r##"
class Example {
    static def root(n:Double){n >= 0.0}:Double = Math.sqrt(n);
}
"##,
    mended: r##"
class Example {
    static def root(n:Double):Double {
        if (n < 0.0) throw new IllegalArgumentException("negative");
        return Math.sqrt(n);
    }
}
"##,
};
