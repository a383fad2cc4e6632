//! `type/text-identity`

use crate::diagnostics::{Rule, Severity};

/// A comparison of texts as objects.
pub static RULE: Rule = Rule {
    code: "type/text-identity",
    severity: Severity::Warning,
    summary: "A comparison of texts as objects.",
    explanation: r##"
A `String` is an object, and `==` asks whether two objects are the same one. A text that was read or put together is another object than one
that is written in the program, also if all their characters are the same.

Compare texts with `equals`.
"##,
    failing: r##"
class Example {
    static def isHelp(argument:String) = argument == "--help";
}
"##,
    fixed: r##"
class Example {
    static def isHelp(argument:String) = argument.equals("--help");
}
"##,
};
