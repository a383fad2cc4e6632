//! `type/duplicate-member`

use crate::diagnostics::{Rule, Severity};

/// A member that is declared twice.
pub static RULE: Rule = Rule {
    code: "type/duplicate-member",
    severity: Severity::Error,
    summary: "A member that is declared twice.",
    explanation: r##"
The fields of a class have different names, and so have its member types. Methods may share a name if their formals
differ in number or type, constraints aside: otherwise a call could not tell them apart.
"##,
    failing: r##"
class Example {
    def area(width:Long) = width;
    def area(height:Long) = height;
}
"##,
    fixed: r##"
class Example {
    def area(width:Long) = width;
    def area(width:Long, height:Long) = width * height;
}
"##,
};
