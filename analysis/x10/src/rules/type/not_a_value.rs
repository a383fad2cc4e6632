//! `type/not-a-value`

use crate::diagnostics::{Rule, Severity};

/// The name of a type or package where a value is needed.
pub static RULE: Rule = Rule {
    code: "type/not-a-value",
    severity: Severity::Error,
    summary: "The name of a type or package where a value is needed.",
    explanation: r##"
The name of a class stands before `.` to select a static member, after `new`, and after `:` and `as`. By itself it is no value; nor is a package.
"##,
    failing: r##"
class Example {
    static def main(args:Rail[String]) {
        val place = Place;
        Console.OUT.println(place);
    }
}
"##,
    fixed: r##"
class Example {
    static def main(args:Rail[String]) {
        val place = here;
        Console.OUT.println(place);
    }
}
"##,
};
