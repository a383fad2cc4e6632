//! `type/transient-without-zero`

use crate::diagnostics::{Rule, Severity};

/// A transient field whose type has no zero.
pub static RULE: Rule = Rule {
    code: "type/transient-without-zero",
    severity: Severity::Error,
    summary: "A transient field whose type has no zero.",
    explanation: r##"
A transient field is not copied when its object goes to another place: there it is zero, `false` or `null`. So its type must have
that value. `Long{self != 0}`, `Long{self == 3}` and a type parameter without `haszero` have none.

Or say what it holds there: `@TransientInitExpr(compute())` from `x10.compiler` is evaluated when the rest of the object has arrived.
"##,
    failing: r##"
class Example {
    transient val cached:Long{self == 3} = 3;
}
"##,
    fixed: r##"
class Example {
    transient val cached:Long = 3;
}
"##,
};
