//! `constraint/forbidden-term`

use crate::diagnostics::{Rule, Severity};

/// Something that constraints cannot speak of.
pub static RULE: Rule = Rule {
    code: "constraint/forbidden-term",
    severity: Severity::Error,
    summary: "An operator, variable or field that constraints cannot speak of.",
    explanation: r##"
Constraints are decided when a program is checked, so they say only what can be decided: equality and disequality of paths and literals,
conjunctions, relations of types, and property methods (specification, section 4.5). Comparisons of size, arithmetic and `||` are not among them.

What they speak of must not change while they hold, and must be there when they are checked: not a `var`, of the objects of a class only the
properties, in the formals of a constructor not `this`. The condition of a function speaks of values, not of types.

Test such a condition where the code starts, and throw an exception or `assert` it.
"##,
    failing: r##"
class Example {
    static def root(n:Double){n >= 0.0}:Double = Math.sqrt(n);
}
"##,
    fixed: r##"
class Example {
    static def root(n:Double):Double {
        if (n < 0.0) throw new IllegalArgumentException("negative");
        return Math.sqrt(n);
    }
}
"##,
};
