//! `type/narrowed-assignment`

use crate::diagnostics::{Rule, Severity};

/// A combined assignment that cuts off what follows the point.
pub static RULE: Rule = Rule {
    code: "type/narrowed-assignment",
    severity: Severity::Warning,
    summary: "A combined assignment that cuts off what follows the point.",
    explanation: r##"
`i += x` is `i = i + x`, and the sum of an integer and a `Double` is a `Double`. X10 converts it back to the type of `i`, which cuts off
what follows the point and, beyond the range of `i`, more. An assignment in full needs a written conversion, which says that this is meant.
"##,
    failing: r##"
class Example {
    static def half(n:Long):Long {
        var i:Long = n;
        i *= 0.5;
        return i;
    }
}
"##,
    fixed: r##"
class Example {
    static def half(n:Long):Long {
        var i:Long = n;
        i = (i * 0.5) as Long;
        return i;
    }
}
"##,
};
