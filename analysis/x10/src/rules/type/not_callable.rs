//! `type/not-callable`

use crate::diagnostics::{Rule, Severity};

/// A call of what cannot be called.
pub static RULE: Rule = Rule {
    code: "type/not-callable",
    severity: Severity::Error,
    summary: "A call of what cannot be called.",
    explanation: r##"
`f(x)` calls a method of that name, or applies a value: a function, or an object whose class declares `operator this(...)`, such as a rail, whose
elements are read that way. The name of a struct makes a value of it; an object of a class is made by `new C(x)`.
"##,
    failing: r##"
class Example {
    static def first(count:Long) = count(0);
}
"##,
    fixed: r##"
class Example {
    static def first(counts:Rail[Long]) = counts(0);
}
"##,
};
