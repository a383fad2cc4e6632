//! `type/not-iterable`

use crate::diagnostics::{Rule, Severity};

/// A `for` over a value that has no elements.
pub static RULE: Rule = Rule {
    code: "type/not-iterable",
    severity: Severity::Error,
    summary: "A `for` over a value that has no elements.",
    explanation: r##"
`for (x in e)` iterates over a range such as `0..9`, over the elements of a `Rail`, and over the elements of any object whose class implements
`Iterable[T]`.

To count up to a number, write a range: `for (i in 0..(n-1))`.
"##,
    failing: r##"
class Example {
    static def show(count:Long) {
        for (i in count) Console.OUT.println(i);
    }
}
"##,
    fixed: r##"
class Example {
    static def show(count:Long) {
        for (i in 0..(count-1)) Console.OUT.println(i);
    }
}
"##,
};
