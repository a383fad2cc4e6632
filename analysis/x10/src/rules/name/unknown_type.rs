//! `name/unknown-type`

use crate::diagnostics::{Rule, Severity};

/// A type name that stands for nothing.
pub static RULE: Rule = Rule {
    code: "name/unknown-type",
    severity: Severity::Error,
    summary: "A type name that stands for nothing.",
    explanation: r##"
A type is named by its simple name if it is a type parameter, a member of an enclosing class, declared in
the same file or package, imported, or in `x10.lang`; else by its qualified name. The name found here is none
of these: it is misspelt, or its import is missing.
"##,
    failing: r##"
class Example {
    static def parse(text:Strng):Long = 1;
}
"##,
    fixed: r##"
class Example {
    static def parse(text:String):Long = 1;
}
"##,
};
