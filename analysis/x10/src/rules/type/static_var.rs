//! `type/static-var`

use crate::diagnostics::{Rule, Severity};

/// A static field that could change.
pub static RULE: Rule = Rule {
    code: "type/static-var",
    severity: Severity::Error,
    summary: "A static field that could change.",
    explanation: r##"
A static field is a `val`: each place has a copy of it, and a change at one place would not be seen at the others. A value that all share
lives at one place, in a `Cell` or an object that a `GlobalRef` refers to; one for each place in a `PlaceLocalHandle`.
"##,
    failing: r##"
class Example {
    static var count:Long = 0;
}
"##,
    fixed: r##"
class Example {
    static val count = new Cell[Long](0);
}
"##,
};
