//! `type/misplaced-class`

use crate::diagnostics::{Rule, Severity};

/// A struct or static class where it cannot stand.
pub static RULE: Rule = Rule {
    code: "type/misplaced-class",
    severity: Severity::Error,
    summary: "A struct or static class where it cannot stand.",
    explanation: r##"
A struct inside a class is declared `static`: it holds its fields and nothing else, so it cannot belong to an object of the class
around it. And a class that does belong to an object, an inner class, cannot have static member classes.
"##,
    failing: r##"
class Example {
    struct Pair {
        val a:Long = 1;
    }
}
"##,
    fixed: r##"
class Example {
    static struct Pair {
        val a:Long = 1;
    }
}
"##,
};
