//! `place/captured-var`

use crate::diagnostics::{Rule, Severity};

/// An `at` that uses a `var` of the code around it.
pub static RULE: Rule = Rule {
    code: "place/captured-var",
    severity: Severity::Error,
    summary: "An `at` that uses a `var` of the code around it.",
    explanation: r##"
`at (p) S` runs `S` at the place `p`, on copies of all that it captures. A variable outside cannot be assigned from there, and a
`var` cannot be read either, for the copy would not follow its changes. The one exception is reading a `var`
where the place is known to be the variable's own.

Copy the value into a `val` before the `at` if it is only read. To bring a value back, use an `at` expression,
`x = at (p) e`, or go back to the variable's place through a `GlobalRef`.
"##,
    failing: r##"
class Example {
    static def load(p:Place):Long {
        var load:Long = 0;
        at (p) load = 1;
        return load;
    }
}
"##,
    fixed: r##"
class Example {
    static def load(p:Place):Long {
        var load:Long = 0;
        load = at (p) 1;
        return load;
    }
}
"##,
};
