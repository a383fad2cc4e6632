//! `type/static-context`

use crate::diagnostics::{Rule, Severity};

/// A use of `this` where there is no object.
pub static RULE: Rule = Rule {
    code: "type/static-context",
    severity: Severity::Error,
    summary: "A use of `this` where there is no object.",
    explanation: r##"
Static methods, static fields and their initialisers belong to the class, not to an object, so they have no `this` and cannot use fields and
methods that belong to an object. The type parameters of a class stand for what an object was made for, and mean nothing there either.

Pass the object as an argument, make the member static, or give it type parameters of its own.
"##,
    failing: r##"
class Example {
    var count:Long = 0;
    static def next():Long = count + 1;
}
"##,
    fixed: r##"
class Example {
    var count:Long = 0;
    def next():Long = count + 1;
}
"##,
};
