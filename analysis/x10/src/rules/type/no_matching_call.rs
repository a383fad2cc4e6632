//! `type/no-matching-call`

use crate::diagnostics::{Rule, Severity};

/// A call that no method or constructor of that name fits.
pub static RULE: Rule = Rule {
    code: "type/no-matching-call",
    severity: Severity::Error,
    summary: "A call that no method or constructor of that name fits.",
    explanation: r##"
A method fits a call if it takes as many arguments, each argument is of its formal's type or converts implicitly to it, and its condition
does not contradict what is known. Of several that fit, the most specific one is called.

The notes list the candidates, and why each does not fit.
"##,
    failing: r##"
class Example {
    static def twice(number:Long):Long = 2 * number;
    static def main(args:Rail[String]) {
        Console.OUT.println(twice(1, 2));
    }
}
"##,
    fixed: r##"
class Example {
    static def twice(number:Long):Long = 2 * number;
    static def main(args:Rail[String]) {
        Console.OUT.println(twice(1));
    }
}
"##,
};
