//! `type/cyclic-inheritance`

use crate::diagnostics::{Rule, Severity};

/// A class that is among its own supertypes.
pub static RULE: Rule = Rule {
    code: "type/cyclic-inheritance",
    severity: Severity::Error,
    summary: "A class that is among its own supertypes.",
    explanation: r##"
A class inherits the members of what it extends and implements. It cannot inherit from itself, neither directly nor
through other classes.
"##,
    failing: r##"
class Hen extends Egg {}
class Egg extends Hen {}
"##,
    fixed: r##"
class Hen extends Egg {}
class Egg {}
"##,
};
