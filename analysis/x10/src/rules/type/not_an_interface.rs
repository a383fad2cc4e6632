//! `type/not-an-interface`

use crate::diagnostics::{Rule, Severity};

/// `implements` something that is not an interface.
pub static RULE: Rule = Rule {
    code: "type/not-an-interface",
    severity: Severity::Error,
    summary: "`implements` something that is not an interface.",
    explanation: r##"
What stands after `implements`, and after `extends` of an interface, is an interface or a function type. A class has a
single superclass, which stands after `extends`.
"##,
    failing: r##"
class Shape {}
class Circle implements Shape {}
"##,
    fixed: r##"
class Shape {}
class Circle extends Shape {}
"##,
};
