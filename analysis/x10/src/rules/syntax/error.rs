//! `syntax/error`

use crate::diagnostics::{Rule, Severity};

/// Text that the grammar of X10 does not allow here.
pub static RULE: Rule = Rule {
    code: "syntax/error",
    severity: Severity::Error,
    summary: "Text that the grammar of X10 does not allow here.",
    explanation: r##"
The message names what was found and what could stand there instead. The parser continues behind the error, so
that the rest of the file is still checked; an error that follows closely may be a consequence of the first.
"##,
    failing: r##"
class Example {
    static def twice(number:Long) = 2 * ;
}
"##,
    fixed: r##"
class Example {
    static def twice(number:Long) = 2 * number;
}
"##,
};
