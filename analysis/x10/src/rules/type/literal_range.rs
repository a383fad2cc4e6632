//! `type/literal-range`

use crate::diagnostics::{Rule, Severity};

/// A number that does not fit its type.
pub static RULE: Rule = Rule {
    code: "type/literal-range",
    severity: Severity::Error,
    summary: "A number that does not fit its type.",
    explanation: r##"
The suffix of an integer literal says its type: `n` is Int, `s` Short, `y` Byte, none or `l` Long; `u` makes it unsigned. The value must be one of that
type. A hexadecimal literal may have all bits of its type.

Choose a wider type, or correct the number.
"##,
    failing: r##"
class Example {
    static def limit():Int = 3000000000n;
}
"##,
    fixed: r##"
class Example {
    static def limit():Long = 3000000000;
}
"##,
};
