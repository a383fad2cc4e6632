//! `constraint/type-argument`

use crate::diagnostics::{Rule, Severity};

/// An argument that the condition of a class or type definition does not allow.
pub static RULE: Rule = Rule {
    code: "constraint/type-argument",
    severity: Severity::Error,
    summary: "An argument that the condition of its class or type definition does not allow.",
    explanation: r##"
A class can ask something of its type parameters: `class Cell[T]{T haszero}`. Wherever the class is used, its type arguments must meet that
condition. So can a type definition, also of the values that it takes: `type Above(n:Long){n != 0} = Long{self != n}`.

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
    fixed: r##"
class Cell[T]{T haszero} {
    var value:T = Zero.get[T]();
}
class Example {
    static def use(cell:Cell[Long]) { }
}
"##,
};
