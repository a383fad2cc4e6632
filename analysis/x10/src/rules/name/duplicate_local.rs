//! `name/duplicate-local`

use crate::diagnostics::{Rule, Severity};

/// A local variable with the name of another one.
pub static RULE: Rule = Rule {
    code: "name/duplicate-local",
    severity: Severity::Error,
    summary: "A local variable with the name of another one.",
    explanation: r##"
A local variable or formal may hide a field of the same name, which is still there as `this.name`, but not another local of the same
method or closure: a reader would take the one for the other.

Choose another name.
"##,
    failing: r##"
class Example {
    static def sum(number:Long):Long {
        for (number in 0..9) Console.OUT.println(number);
        return number;
    }
}
"##,
    fixed: r##"
class Example {
    static def sum(number:Long):Long {
        for (index in 0..9) Console.OUT.println(index);
        return number;
    }
}
"##,
};
