//! `type/not-extendable`

use crate::diagnostics::{Rule, Severity};

/// `extends` something that has no subclasses.
pub static RULE: Rule = Rule {
    code: "type/not-extendable",
    severity: Severity::Error,
    summary: "`extends` something that has no subclasses.",
    explanation: r##"
A class extends one other class. An interface is implemented, after `implements`. A struct has no subtypes, and neither has a
`final` class or a type parameter: its methods are known when the program is compiled.
"##,
    failing: r##"
class Example extends Comparable[Example] {
    public def compareTo(other:Example):Int = 0n;
}
"##,
    fixed: r##"
class Example implements Comparable[Example] {
    public def compareTo(other:Example):Int = 0n;
}
"##,
};
