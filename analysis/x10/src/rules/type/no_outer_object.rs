//! `type/no-outer-object`

use crate::diagnostics::{Rule, Severity};

/// An object of an inner class without an object around it.
pub static RULE: Rule = Rule {
    code: "type/no-outer-object",
    severity: Severity::Error,
    summary: "An object of an inner class without an object around it.",
    explanation: r##"
A class declared inside another without `static` is an inner class: each of its objects is inside an object of the class around,
`Outer.this`. In an instance method of that class, `new Inner()` puts the new object inside `this`. In static code, and in other classes,
there is no such object: `value.new Inner()` says which one is meant.

A class that does not need the object around is better declared `static`.
"##,
    failing: r##"
class List {
    class Node {
        var next:Node = null;
    }
    static def single():Node = new Node();
}
"##,
    fixed: r##"
class List {
    static class Node {
        var next:Node = null;
    }
    static def single():Node = new Node();
}
"##,
};
