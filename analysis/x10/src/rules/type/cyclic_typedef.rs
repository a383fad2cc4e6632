//! `type/cyclic-typedef`

use crate::diagnostics::{Rule, Severity};

/// A type definition that stands for itself.
pub static RULE: Rule = Rule {
    code: "type/cyclic-typedef",
    severity: Severity::Error,
    summary: "A type definition that stands for itself.",
    explanation: r##"
A type definition is an abbreviation: its use is replaced by what it stands for. If that mentions the definition
itself, directly or through others, there is no end to it.
"##,
    failing: r##"
class Example {
    static type Tree = Rail[Tree];
}
"##,
    fixed: r##"
class Example {
    static class Tree {
        var children:Rail[Tree] = null;
    }
}
"##,
};
