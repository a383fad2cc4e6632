//! `constraint/type-argument`

use crate::diagnostics::{Rule, Severity};

/// A type argument that the condition of its class does not allow.
pub static RULE: Rule = Rule {
    code: "constraint/type-argument",
    severity: Severity::Error,
    summary: "A type argument that the condition of its class does not allow.",
    explanation: r##"
A class can ask something of its type parameters: `class Cell[T]{T haszero}`. Wherever the class is used, its type arguments must meet that
condition.

Choose another type argument, or give the type parameter that is passed on the same condition.
"##,
    failing: r##"
class Cell[T]{T haszero} {
    var value:T = Zero.get[T]();
}
class Example {
    static def use(cell:Cell[Long{self != 0}]) { }
}
"##,
    mended: r##"
class Cell[T]{T haszero} {
    var value:T = Zero.get[T]();
}
class Example {
    static def use(cell:Cell[Long]) { }
}
"##,
};
