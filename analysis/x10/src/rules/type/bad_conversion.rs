//! `type/bad-conversion`

use crate::diagnostics::{Rule, Severity};

/// A conversion operator that converts between other types.
pub static RULE: Rule = Rule {
    code: "type/bad-conversion",
    severity: Severity::Error,
    summary: "A conversion operator that converts between other types.",
    explanation: r##"
`operator (x:A):B` and `operator (x:A) as B` are looked for in the class `B` when a `B` is needed, and in `A` when an `A`
is given. So one of the two is the class that declares the operator.
"##,
    failing: r##"
class Celsius(degrees:Double) {
    public static operator (x:Double):String = x + " C";
}
"##,
    fixed: r##"
class Celsius(degrees:Double) {
    public static operator (x:Double):Celsius = new Celsius(x);
}
"##,
};
