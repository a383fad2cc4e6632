//! `name/unresolved`

use crate::diagnostics::{Rule, Severity};

/// A name that nothing in scope declares.
pub static RULE: Rule = Rule {
    code: "name/unresolved",
    severity: Severity::Error,
    summary: "A name that nothing in scope declares.",
    explanation: r##"
A name must be declared: as a local variable or formal parameter around its use, as a field, method or
type parameter of an enclosing class, or as a class that the file's package, its imports or `x10.lang` provide.

Usually it is misspelt, or the class that declares it is not imported. Correct the spelling, declare it, or
add the `import`.
"##,
    failing: r##"
class Example {
    static def twice(number:Long) = 2 * numbr;
}
"##,
    fixed: r##"
class Example {
    static def twice(number:Long) = 2 * number;
}
"##,
};
